"""The games that read a zone's events: those that are gone are forgotten, and a second one is told of."""

from __future__ import annotations

import logging
from typing import Any

from rag_memory_server.config.valkey_config import MemoryEventBusConfig

_FORGET_AFTER_SECONDS = 3600.0
_IS_READING_MS = 1000
_LOG = logging.getLogger("rag_memory")


class Consumers:
    """Looks at the consumers of a zone's group, of whom `own` is this game's."""

    def __init__(self, stream: str, config: MemoryEventBusConfig, own: str) -> None:
        self._stream = stream
        self._config = config
        self._own = own
        self._reading: set[str] = set()
        """Other readers at the last check."""
        self._has_told = False

    def look(self, client: Any) -> None:
        """Forget who has long read nothing and owes nothing. Tell once of a game that reads beside this one:
        one that has just ended is not taken for it, because it does not read at two looks.
        """
        forget_after = 1000 * max(_FORGET_AFTER_SECONDS, self._config.claim_after_seconds)
        reading: set[str] = set()
        for consumer in client.xinfo_consumers(self._stream, self._config.zone):
            name = consumer["name"].decode()
            if name == self._own:
                continue
            if consumer["idle"] < _IS_READING_MS:
                reading.add(name)
            if consumer["idle"] > forget_after and not consumer["pending"]:
                client.xgroup_delconsumer(self._stream, self._config.zone, consumer["name"])
        if reading & self._reading and not self._has_told:
            self._has_told = True
            _LOG.warning(
                "The event bus: another game reads as the zone %s, too (%s). Each of them gets only a part "
                "of the events. Give every game that runs a zone of its own in EventBus.zone.",
                self._config.zone,
                ", ".join(sorted(reading & self._reading)),
            )
        self._reading = reading
