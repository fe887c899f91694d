"""Handling events of the bus: an NPC perceives every event exactly once."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.npc.npc import Npc
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory_server.bus.bus_event import PROXIMITY, BusEvent
from rag_memory_server.bus.handled_events import KEPT_SECONDS, AlreadyHandledError, HandledEvents

_CLOCKS_DIFFER_SECONDS = 600.0
_LOG = logging.getLogger("rag_memory")


class EventHandling:
    """Gives events to the NPCs of one save."""

    def __init__(self, save: SaveContext, real_time: Callable[[], float] = time.time) -> None:
        self._save = save
        self._handled = HandledEvents(save.store)
        self._real_time = real_time

    def handle_steps(
        self, event: BusEvent, npc: Npc, oldest_coming: float
    ) -> Generator[Step, None, dict[str, Any] | None]:
        """Let an NPC perceive an event, in slices; what perceive() returns, or None when she has perceived it
        before. That she has is written together with what comes of it.

        Args:
            oldest_coming: see EventBus; what is older is not noted any longer.

        Raises:
            InvalidArgumentError: perceive() refuses it. Nothing is written.
            StoreError: the save could not write. Nothing is written.
        """
        if self._handled.has(event.id):
            return None
        now = self._save.now()
        try:
            result = yield from npc.mind.perceive_steps(
                event.perceived(now),
                lambda: self._handled.note(event.id, event.npc_id, now, self._real_time()),
            )
        except AlreadyHandledError:
            return None
        self._prune(event, oldest_coming)
        return result

    def can_share(self, event: BusEvent, npc: Npc) -> bool:
        """Return whether an NPC may perceive an event together with others, because nobody analyses it."""
        return event.type != PROXIMITY and not npc.mind.asks_for_sentiment

    def together_steps(
        self,
        events: Sequence[tuple[BusEvent, Npc]],
        oldest_coming: float,
        is_free: Callable[[Npc], bool],
    ) -> Generator[Step, None, dict[str, bool]]:
        """Let several NPCs perceive an event each, all of them in one commit: those who are free when the
        model has read everything. By event, whether it is new to her.

        Raises:
            InvalidArgumentError, ConfigError, EmbedderError, StoreError: see handle_steps(). Nothing is
                written, and nobody has felt anything.
        """
        now = self._save.now()
        weighed = {event.id: run(npc.mind.weigh_steps(event.perceived(now))) for event, npc in events}
        texts = [
            weighed_event.draft.text for weighed_event in weighed.values() if weighed_event.draft is not None
        ]
        yield from self._save.embed_ahead_steps(texts)
        free = [(event, npc) for event, npc in events if is_free(npc)]
        is_new: dict[str, bool] = {}
        happened = {npc.npc_id: weighed[event.id].reason for event, npc in free}
        with self._save.together():
            handled = self._handled.handled([event.id for event, _npc in free])
            for event, npc in free:
                is_new[event.id] = event.id not in handled
                if is_new[event.id]:
                    note = functools.partial(
                        self._handled.note_new, event.id, event.npc_id, now, self._real_time()
                    )
                    own = weighed[event.id]
                    involved = [id for id, reason in happened.items() if reason == own.reason]
                    npc.mind.keep(own.without_witnesses(involved), note)
        for event, _npc in free:
            self._prune(event, oldest_coming)
        return is_new

    def _prune(self, event: BusEvent, oldest_coming: float) -> None:
        before = min(self._real_time() - KEPT_SECONDS, oldest_coming - _CLOCKS_DIFFER_SECONDS)
        try:
            self._handled.prune(event.npc_id, before)
        except StoreError as error:
            _LOG.warning(
                "The event bus: what %s perceived long ago stays noted for now: %s", event.npc_id, error
            )

    def take_nearby(self, event: BusEvent, npc: Npc) -> bool:
        """Tell an NPC who is near now, if the event is about that; whether it is."""
        if event.type != PROXIMITY:
            return False
        npc.mind.listeners.nearby_on_bus = tuple(event.nearby())
        return True
