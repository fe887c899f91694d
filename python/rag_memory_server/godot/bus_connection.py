"""The game's place on the bus: what comes goes to its NPCs and its signals, what it publishes goes out."""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import sys
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from rag_memory.errors import RagMemoryError, ServerError
from rag_memory.godot.npc_mind_node import NPCMindNode
from rag_memory.godot.open_saves import SERVER_INSTANCE, EventFunction, OpenSaves
from rag_memory.npc.npc import Npc
from rag_memory.save import Save
from rag_memory.step import Step, Steps
from rag_memory.validation import validate_text
from rag_memory_server.bus.bus_command import Command
from rag_memory_server.bus.bus_thread import BusThread
from rag_memory_server.bus.event_bus import Delivery, EventBus
from rag_memory_server.bus.hot_cache import HotCache, look
from rag_memory_server.bus.valkey_link import ValkeyLink
from rag_memory_server.bus.zone import Zone
from rag_memory_server.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig

_T = TypeVar("_T")
_MOST_AT_ONCE_SECONDS = 0.05
"""How long events are carried out before the next frame rings again: opening a save waits so long."""
_AFTER_ERROR_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 0.001
_SWITCH_SECONDS = 0.0005
_LOG = logging.getLogger("rag_memory")


class BusConnection:
    """What the worker has to do with the bus; its thread does what waits for the server."""

    def __init__(
        self,
        saves: OpenSaves,
        emit: EventFunction,
        ring: Callable[[], None],
        busy: Callable[[], set[str]],
    ) -> None:
        """`ring` makes the host call carry_out_steps(), from any thread; `busy` tells the NPCs who have a
        call in work, between two slices.
        """
        self._saves = saves
        self._emit = emit
        self._ring = ring
        self._busy = busy
        self._minds: dict[int, NPCMindNode] = {}
        self._nodes: dict[str, NPCMindNode] | None = None
        self._thread: BusThread | None = None
        self._cache_config: MemoryHotCacheConfig | None = None
        self._cache_link: ValkeyLink | None = None
        self._save: Save | None = None
        self._zone: Zone | None = None
        self._left: list[Delivery] = []
        """What was not carried out when its save was closed."""
        self._owned: dict[str, bool] = {}
        """The NPCs who have been told what happened lately, and whether they were this process's."""
        self._cache: HotCache | None = None
        self._make_again_at = 0.0
        """When hot memories are made that could not be; 0 for at once."""
        self._switch_interval = sys.getswitchinterval()
        saves.before_close = self._leave_save

    def connect(self, bus: Any, hot_cache: Any) -> None:
        """See BusCalls.connect_bus()."""
        config = MemoryEventBusConfig(**(bus or {})).validated()
        cache_config = None if hot_cache is None else MemoryHotCacheConfig(**hot_cache).validated()
        made = EventBus(config)
        link = None if cache_config is None else ValkeyLink(cache_config, "the hot memories")
        self.disconnect()
        self._cache_config, self._cache_link = cache_config, link
        self._thread = BusThread(made, self._ring)
        # A call that comes must not wait for what the thread does.
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._ring()

    def disconnect(self) -> None:
        """See BusCalls.disconnect_bus()."""
        if self._thread is None:
            return
        self._leave_save()
        self._left = []  # It is delivered again.
        self._thread.stop()
        self._thread = None
        sys.setswitchinterval(self._switch_interval)
        if self._cache_link is not None:
            self._cache_link.close()

    def status(self) -> dict[str, Any] | None:
        """What health() tells; None without a bus."""
        if self._thread is None:
            return None
        waiting = 0 if self._zone is None else self._zone.waiting
        return {**self._thread.status(), "waiting": waiting}

    def note_mind(self, instance_id: int, mind: NPCMindNode) -> None:
        """The game has an NPCMind, or has set it anew."""
        self._minds[instance_id] = mind
        self._nodes = None
        if self._thread is not None:
            self._ring()

    def forget_mind(self, instance_id: int) -> None:
        """An NPCMind was freed."""
        gone = self._minds.pop(instance_id, None)
        self._nodes = None
        if gone is not None and gone.npc_id not in self._npcs() and self._cache is not None:
            with self._log_failure("the hot memory of an NPC who is gone"):
                self._cache.release(gone.npc_id)

    def note_acquired(self) -> None:
        """An NPC may be this game's now: she is told what she has missed."""
        if self._thread is not None:
            self._ring()

    def leave_steps(self, npc_id: str) -> Steps[None]:
        """Before another game may take an NPC: her hot memory is sent, as long as nobody else sends one."""
        if npc_id in self._owned:
            self._owned[npc_id] = False
        if self._thread is not None and self._saves.chosen is not None:
            self._thread.departed.add(npc_id)
        cache = self._cache
        if cache is None:
            return
        with self._log_failure("the hot memory of an NPC who leaves"):
            is_left = False
            while not is_left:
                cache.release(npc_id)
                yield from self._asked_steps("release_npc()", lambda _bus: cache.flush())
                is_left = npc_id not in cache.active
        cache.drop(npc_id)

    def carry_out_steps(self) -> Steps[None]:
        """Let the NPCs of the open save perceive what has come, for a while. What is left, also by an error,
        is tried again after a pause.
        """
        thread = self._thread
        if thread is None or not self._enter_save():
            return
        assert self._zone is not None
        zone, cache = self._zone, self._cache
        try:
            zone.put(thread.take_over())
            until = time.monotonic() + _MOST_AT_ONCE_SECONDS
            while zone is self._zone and zone.next() is not None and time.monotonic() < until:
                yield from zone.next_steps(thread)
                yield Step(0, 1, "events of the bus")
            if cache is not None and zone is self._zone and time.monotonic() >= self._make_again_at:
                self._make_again_at = time.monotonic() + _AFTER_ERROR_SECONDS
                with self._log_failure("the hot memories"):
                    cache.make()
                    self._make_again_at = 0.0
        finally:
            if zone is self._zone and (zone.waiting or self._make_again_at):
                thread.ring_again()

    def publish_steps(self, event: Any) -> Steps[str]:
        """See BusCalls.publish_event()."""
        return (yield from self._asked_steps("publish_event()", lambda bus: bus.publish(event)))

    def send_command_steps(self, npc_id: str, text: str) -> Steps[None]:
        """See BusCalls.send_command()."""
        npc_id = validate_text("send_command()", "npc_id", npc_id)
        text = validate_text("send_command()", "text", text)
        now = time.time()
        yield from self._asked_steps("send_command()", lambda bus: bus.send_command(npc_id, text, now))

    def hot_memory_steps(self, npc_id: str) -> Steps[dict[str, Any]]:
        """See BusCalls.get_hot_memory()."""
        where = "get_hot_memory()"
        npc_id = validate_text(where, "npc_id", npc_id)
        if self._cache_config is None or self._cache_link is None or self._thread is None:
            raise ServerError(
                f"{where}: there are no hot memories", "no HotCache is connected", "Pass one to connect_bus()"
            )
        config, link = self._cache_config, self._cache_link

        def look_steps(npc_id: str) -> Steps[dict[str, Any] | None]:
            return (yield from self._asked_steps(where, lambda _bus: look(config, link, npc_id)))

        npc = self._npc_of(npc_id) if self._enter_save() else None
        if (
            npc is None
            or self._save is None
            or self._cache is None
            or not self._save.store.owners.owns(npc_id)
        ):
            return (yield from look_steps(npc_id)) or {}
        return (yield from self._cache.read_steps(npc, look_steps))

    def _asked_steps(self, where: str, job: Callable[[EventBus], _T]) -> Steps[_T]:
        if self._thread is None:
            raise ServerError(
                f"{where}: no bus is connected", "connect_bus() was not called", "Call connect_bus() first"
            )
        future = self._thread.ask(job)
        while not future.done():
            # Other calls run between two slices; the thread needs the time between them.
            with contextlib.suppress(concurrent.futures.TimeoutError):
                future.exception(_LONGEST_WAIT_SECONDS)
            yield Step(0, 1, "waiting for Valkey")
        return future.result()

    def _enter_save(self) -> bool:
        """See that what comes goes to the save that is open now; False when none is."""
        save, thread = self._saves.chosen, self._thread
        if save is None or thread is None:
            return False
        if save is not self._save:
            self._save = save
            save.npcs.on_acquired = self.note_acquired
            if self._cache_config is not None and self._cache_link is not None:
                self._cache = HotCache(self._cache_config, save.context, self._cache_link)
                self._cache.on_change = thread.ring_again
                thread.flush = self._cache.flush
            self._zone = Zone(
                save.context,
                self._npc_of,
                self._cache,
                self._tell_event,
                self._tell_command,
                busy=self._busy,
            )
            self._zone.put(self._left)
            self._left, self._owned = [], {}
        if not thread.config.hears_others:
            thread.reside(self._npcs().keys())
        for npc_id in self._npcs():
            is_owned, was_owned = save.store.owners.owns(npc_id), self._owned.get(npc_id)
            passed_over = self._zone.passed_over if self._zone is not None else set()
            if was_owned is None or (is_owned and (not was_owned or npc_id in passed_over)):
                passed_over.discard(npc_id)
                thread.tell_again(npc_id)
            self._owned[npc_id] = is_owned
            if is_owned:
                thread.departed.discard(npc_id)
        return True

    def _leave_save(self) -> None:
        """The save is closed, or the bus is left: hot memories are synced as long as it can be read."""
        cache, thread = self._cache, self._thread
        if self._save is not None:
            self._save.npcs.on_acquired = None
        self._save = self._cache = None
        self._make_again_at = 0.0
        if cache is not None:
            with self._log_failure("the hot memories"):
                cache.close()
        if thread is not None:
            if cache is not None:
                # Once, and not later: others may have her NPCs then.
                thread.flush = None
                thread.ask(lambda _bus: cache.flush())
            thread.reside(None)
        if self._zone is not None:
            self._left += self._zone.take_waiting()
            self._zone = None

    def _npcs(self) -> dict[str, NPCMindNode]:
        """The NPCMinds of this game whose NPCs are kept in the save, one of each NPC."""
        if self._nodes is None:
            minds = self._minds.values()
            self._nodes = {mind.npc_id: mind for mind in minds if mind.is_of(mind.npc_id, True)}
            # Who comes back is told what she has missed.
            self._owned = {id: is_owned for id, is_owned in self._owned.items() if id in self._nodes}
        return self._nodes

    def _npc_of(self, npc_id: str) -> Npc | None:
        node = self._npcs().get(npc_id)
        return None if node is None else node.npc()

    def _tell_event(self, delivery: Delivery) -> None:
        self._emit(SERVER_INSTANCE, "world_event", [delivery.event.fields])

    def _tell_command(self, command: Command) -> None:
        self._emit(SERVER_INSTANCE, "command", [command.npc_id, command.text])

    @contextlib.contextmanager
    def _log_failure(self, what: str) -> Generator[None, None, None]:
        """An error is told, and ends nothing."""
        try:
            yield
        except RagMemoryError as error:
            _LOG.error("The event bus: %s: %s", what, error)
