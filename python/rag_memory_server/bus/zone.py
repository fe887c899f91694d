"""A game that takes part in a shared world: events of the bus go to its NPCs."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Container, Generator, Sequence

from rag_memory.errors import (
    ConfigError,
    EmbedderError,
    InvalidArgumentError,
    NpcLockedError,
    ServerError,
    StoreError,
)
from rag_memory.npc.npc import Npc
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory_server.bus.bus_command import Command
from rag_memory_server.bus.bus_thread import BusThread
from rag_memory_server.bus.event_bus import Delivery, EventBus
from rag_memory_server.bus.event_handling import EventHandling
from rag_memory_server.bus.hot_cache import HotCache

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_MOST_UNTOLD = 10_000
_MOST_TOGETHER = 16
"""Events that share a commit: what comes meanwhile waits for it, and more would hardly save anything."""
_LOG = logging.getLogger("rag_memory")


class Zone:
    """Carries out what comes over the bus, for the NPCs of one save.

    `npc_of` tells the NPC of an id who lives in this game, None for others. `on_event` is told every event
    and `on_command` every command, whoever is meant. `busy` tells which NPCs nothing may happen to now.
    """

    def __init__(
        self,
        save: SaveContext,
        npc_of: Callable[[str], Npc | None],
        cache: HotCache | None = None,
        on_event: Callable[[Delivery], None] | None = None,
        on_command: Callable[[Command], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        busy: Callable[[], Container[str]] = tuple,
    ) -> None:
        self._busy = busy
        self._save = save
        self._handling = EventHandling(save)
        self._npc_of = npc_of
        self._cache = cache
        self._on_event = on_event
        self._on_command = on_command
        self._monotonic = monotonic
        self._waiting: deque[Delivery] = deque()
        self._again_at = 0.0
        self._pause = 0.0
        self._failures: dict[str, int] = {}
        self._alone: set[str] = set()
        """Events that could not share a commit."""
        self._untold: dict[str, None] = {}
        """Events that were told again before they came as news."""
        self.passed_over: set[str] = set()
        """The NPCs of this game to whom something would have happened, had another process not had them."""

    def run(self, bus: EventBus) -> int:
        """Take what there is and carry it out; how many events were finished.

        Raises:
            ServerError: the server does not answer; what was taken waits here.
        """
        self.put(bus.take())
        self.put(bus.hear())
        finished = 0
        while self.next() is not None:
            finished += run(self.next_steps(bus))
        if self._cache is not None:
            self._cache.make()
            self._cache.flush()
        return finished

    def put(self, came: Sequence[Delivery | Command]) -> None:
        """Take over what came."""
        for item in came:
            if isinstance(item, Delivery):
                self._waiting.append(item)
            elif self._on_command is not None:
                self._on_command(item)

    def next(self) -> Delivery | None:
        """The next event that can be carried out now; none of an NPC who is busy."""
        if self._monotonic() < self._again_at:
            return None
        busy = self._busy()
        return next((delivery for delivery in self._waiting if delivery.event.npc_id not in busy), None)

    @property
    def waiting(self) -> int:
        """How many events wait here."""
        return len(self._waiting)

    def take_waiting(self) -> list[Delivery]:
        """Waiting events, for another Zone."""
        waiting = list(self._waiting)
        self._waiting.clear()
        return waiting

    def next_steps(self, bus: EventBus | BusThread) -> Generator[Step, None, int]:
        """Carry out next(), in slices, and what can be committed together with it; how many were finished.
        When the save cannot write it is tried again, with pauses: nothing else could be kept either.

        Raises:
            ServerError: what cannot be perceived could not be put aside. It waits here.
        """
        delivery = self.next()
        if delivery is None:
            return 0
        try:
            group = self._group()
        except StoreError:
            group = []  # Alone it shows, and is tried again.
        if len(group) > 1 and delivery == group[0][0]:
            return (yield from self._together_steps(group, bus))
        return int((yield from self._alone_steps(delivery, bus)))

    def _group(self) -> list[tuple[Delivery, Npc]]:
        """Events that can share a commit: the next one of each NPC."""
        busy, npc_ids, ids = self._busy(), set[str](), set[str]()
        group: list[tuple[Delivery, Npc]] = []
        for delivery in self._waiting:
            npc_id, id = delivery.event.npc_id, delivery.event.id
            is_next = npc_id not in npc_ids and npc_id not in busy and id not in self._alone | ids
            npc_ids.add(npc_id)
            npc = self._npc_of(npc_id) if is_next and self._save.store.owners.owns(npc_id) else None
            if npc is not None and self._handling.can_share(delivery.event, npc):
                ids.add(id)
                group.append((delivery, npc))
            if len(group) == _MOST_TOGETHER:
                break
        return group

    def _together_steps(
        self, group: Sequence[tuple[Delivery, Npc]], bus: EventBus | BusThread
    ) -> Generator[Step, None, int]:
        def is_free(npc: Npc) -> bool:
            is_here = self._npc_of(npc.npc_id) is npc and self._save.store.owners.owns(npc.npc_id)
            return is_here and npc.npc_id not in self._busy()

        events = [(delivery.event, npc) for delivery, npc in group]
        try:
            is_new = yield from self._handling.together_steps(events, bus.oldest_coming, is_free)
        except Exception:
            # One by one it shows which of them it is, and why.
            self._alone.update(delivery.event.id for delivery, _npc in group)
            return 0
        for delivery, _npc in group:
            if delivery.event.id in is_new:
                self._tell(delivery, is_new[delivery.event.id])
                bus.finish(delivery)
                self._forget(delivery)
        return len(is_new)

    def _alone_steps(self, delivery: Delivery, bus: EventBus | BusThread) -> Generator[Step, None, bool]:
        try:
            yield from self._carry_out_steps(delivery, bus.oldest_coming)
            bus.finish(delivery)
        except NpcLockedError:
            return False  # She was lost on the way; whether she is here is asked again.
        except InvalidArgumentError as error:
            bus.refuse(delivery, str(error))
        except (ConfigError, EmbedderError, StoreError) as error:
            if not self._pause:
                _LOG.error("The event bus: an event waits because it cannot be kept: %s", error)
            self._pause = min(max(2 * self._pause, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
            self._again_at = self._monotonic() + self._pause
            return False
        except ServerError:
            raise
        except Exception as error:
            _LOG.exception("The event bus: an event failed inside RAG Memory; please report it")
            failures = self._failures[delivery.event.id] = self._failures.get(delivery.event.id, 0) + 1
            if failures < bus.config.max_deliveries:
                return False
            bus.refuse(delivery, f"{type(error).__name__}: {error}")
        self._forget(delivery)
        return True

    def _forget(self, delivery: Delivery) -> None:
        """It is finished."""
        self._failures.pop(delivery.event.id, None)
        self._alone.discard(delivery.event.id)
        if delivery in self._waiting:
            self._waiting.remove(delivery)
        self._pause = 0.0

    def _carry_out_steps(self, delivery: Delivery, oldest_coming: float) -> Generator[Step, None, None]:
        event, is_new = delivery.event, True
        npc = self._npc_of(event.npc_id)
        if npc is not None and not self._save.store.owners.owns(event.npc_id):
            self.passed_over.add(event.npc_id)
            npc = None  # It happens to her in the process that has her.
        if npc is not None and self._handling.take_nearby(event, npc):
            if self._cache is not None:
                self._cache.set_nearby(npc, event.nearby(is_companion=True))
        elif npc is not None:
            is_new = (yield from self._handling.handle_steps(event, npc, oldest_coming)) is not None
        self._tell(delivery, is_new)

    def _tell(self, delivery: Delivery, is_new: bool) -> None:
        """Tell the game what was carried out, unless it knows."""
        event = delivery.event
        if not is_new and event.id not in self._untold:
            return  # She has perceived it before, and the game was told.
        if not delivery.is_news:
            self._untold[event.id] = None
            if len(self._untold) > _MOST_UNTOLD:
                del self._untold[next(iter(self._untold))]
            return
        self._untold.pop(event.id, None)
        if self._on_event is not None:
            self._on_event(delivery)
