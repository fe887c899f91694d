"""A thread that asks Valkey, so that nobody else ever waits for it."""

from __future__ import annotations

import concurrent.futures
import logging
import threading
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any, TypeVar

from rag_memory.errors import RagMemoryError, ServerError
from rag_memory_server.bus.bus_command import Command
from rag_memory_server.bus.event_bus import Delivery, EventBus

_T = TypeVar("_T")
_SHORTEST_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.02
_MOST_HEARD_WAITING = 1000
_LOG = logging.getLogger("rag_memory")


class BusThread:
    """Reads an EventBus as long as there is room, and carries out what it is asked. `ring` is called on this
    thread when there is something to take over.

    What comes waits here, at most a batch of events and 1,000 of what was heard, so that a slow game does not
    grow; the rest waits on the server.
    """

    def __init__(self, bus: EventBus, ring: Callable[[], None]) -> None:
        self.config = bus.config
        self.flush: Callable[[], None] | None = None
        """Sends the hot memories that wait."""
        self._bus = bus
        self._ring = ring
        self._wakes = threading.Condition()
        self._finished: deque[tuple[Delivery, str | None]] = deque()
        self._asked: deque[Callable[[], None]] = deque()
        self._came: deque[Delivery | Command] = deque()
        self._has_news = False
        self._new_npcs: deque[str] = deque()
        self._telling: set[str] = set()
        """To whom `_told_again` tells."""
        self._told_again: Iterator[list[Delivery]] | None = None
        self._wants_ring = False
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="rag_memory_bus", daemon=True)
        self._thread.start()

    @property
    def oldest_coming(self) -> float:
        return self._bus.oldest_coming

    def status(self) -> dict[str, Any]:
        """See EventBus.status()."""
        return self._bus.status()

    def take_over(self) -> list[Delivery | Command]:
        """Take the messages received since the last call."""
        came: list[Delivery | Command] = []
        while self._came:
            came.append(self._came.popleft())
        return came

    def reside(self, npc_ids: Container[str] | None) -> None:
        """Only of these NPCs is anything told from now on; None: of all."""
        self._bus.residents = npc_ids

    def finish(self, delivery: Delivery) -> None:
        """See EventBus.finish()."""
        self._finished.append((delivery, None))

    def refuse(self, delivery: Delivery, why: str) -> None:
        """See EventBus.refuse(); it is said when the server answers."""
        self._finished.append((delivery, why))

    @property
    def departed(self) -> set[str]:
        """The NPCs who have left this game; see Departed."""
        return self._bus.departed.npcs

    def tell_again(self, npc_id: str) -> None:
        """An NPC is new in this game: what has happened to her lately comes once more."""
        self._new_npcs.append(npc_id)
        self._wake()

    def ring_again(self) -> None:
        """Not everything could be carried out that was taken over: ring after a pause."""
        self._wants_ring = True

    def ask(self, job: Callable[[EventBus], _T]) -> concurrent.futures.Future[_T]:
        """Have something done with the bus; its result is on its way."""
        future: concurrent.futures.Future[_T] = concurrent.futures.Future()

        def work() -> None:
            try:
                future.set_result(job(self._bus))
            except Exception as error:
                future.set_exception(error)

        self._asked.append(work)
        self._wake()
        return future

    def stop(self) -> None:
        """Say what is finished, send what waits, and end. Waits for one answer of the server at most."""
        self._is_stopping = True
        self._wake()
        self._thread.join(2 * self.config.timeout_seconds + 1.0)

    def _wake(self) -> None:
        with self._wakes:
            self._wakes.notify()

    def _run(self) -> None:
        pause = _SHORTEST_PAUSE_SECONDS
        while not self._is_stopping:
            self._has_news = False
            try:
                self._work()
            except ServerError:
                pass  # The link has told it, and lets the server alone for a while.
            except Exception:
                _LOG.exception("The event bus: an error inside RAG Memory; please report it")
            has_news = self._has_news
            if has_news or self._wants_ring:
                self._wants_ring = False
                self._ring()
            pause = _SHORTEST_PAUSE_SECONDS if has_news else min(2 * pause, _LONGEST_PAUSE_SECONDS)
            with self._wakes:
                if not self._asked and not self._is_stopping:
                    self._wakes.wait(pause)
        self._end()

    def _work(self) -> None:
        """Do what there is to do."""
        while self._asked:
            self._asked.popleft()()
        self._say_finished()
        flush = self.flush
        if flush is not None:
            flush()
        self._put(self._bus.take())
        if len(self._came) < _MOST_HEARD_WAITING:
            self._put(self._bus.hear())
        if len(self._came) < self.config.batch_size:
            self._put(self._again())

    def _put(self, came: Sequence[Delivery | Command]) -> None:
        # Also when what comes next fails.
        self._has_news = self._has_news or bool(came)
        self._came.extend(came)

    def _say_finished(self) -> None:
        while self._finished:
            delivery, why = self._finished[0]
            if why is None:
                self._bus.finish(delivery)
            else:
                self._bus.refuse(delivery, why)
            self._finished.popleft()

    def _again(self) -> list[Delivery]:
        """A page of what is told again."""
        if self._told_again is None and self._new_npcs:
            while self._new_npcs:
                self._telling.add(self._new_npcs.popleft())
            self._told_again = self._bus.since(self._telling)
        try:
            page = None if self._told_again is None else next(self._told_again, None)
        except ServerError:
            # From the beginning: what they have perceived by now does not happen to them again.
            self._told_again = None
            self._new_npcs.extend(self._telling)
            raise
        if page is None:
            self._told_again, self._telling = None, set()
        return page or []

    def _end(self) -> None:
        try:
            self._say_finished()
            flush = self.flush
            if flush is not None:
                flush()
        except RagMemoryError as error:
            _LOG.warning("%s", error)
        while self._asked:
            self._asked.popleft()()
        self._bus.close()
