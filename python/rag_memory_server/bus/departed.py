"""NPCs who have left a game, and what came too late for whoever has them now."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from rag_memory_server.config.valkey_config import MemoryEventBusConfig

_TOLD_AFTER_SECONDS = 60.0
_LOG = logging.getLogger("rag_memory")


class Departed:
    """Counts events that this game reads later than another one catches up, and tells of them."""

    def __init__(self, config: MemoryEventBusConfig, monotonic: Callable[[], float]) -> None:
        self.npcs: set[str] = set()
        """NPCs that have left and are not back."""
        self._config = config
        self._monotonic = monotonic
        self._late = 0
        self._told_at = -_TOLD_AFTER_SECONDS

    def count(self, entry: str, npc: bytes | None) -> None:
        """An entry of the stream was read in turn."""
        age = time.time() - int(entry.partition("-")[0]) / 1000.0
        if npc is not None and age > self._config.catch_up_seconds:
            self._late += npc.decode("utf-8", "replace") in self.npcs
        if self._late and self._monotonic() - self._told_at >= _TOLD_AFTER_SECONDS:
            _LOG.warning(
                "The event bus: zone %s is behind: it has read %d events of NPCs who have left it later than "
                "catch_up_seconds (%g). Who has them now may miss these. Raise catch_up_seconds in all "
                "zones, or give this one less to do.",
                self._config.zone,
                self._late,
                self._config.catch_up_seconds,
            )
            self._late, self._told_at = 0, self._monotonic()
