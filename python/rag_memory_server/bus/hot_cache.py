"""Hot memories on the server. The save is the truth: what is lost here is made anew."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from rag_memory.errors import ServerError
from rag_memory.memory.document import SYNCED, Document
from rag_memory.npc.npc import Npc
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory_server.bus import hot_memory
from rag_memory_server.bus.valkey_link import ValkeyLink
from rag_memory_server.config.valkey_config import MemoryHotCacheConfig

_SENT_AT_ONCE = 50

LookFunction = Callable[[str], Generator[Step, None, dict[str, Any] | None]]


def key_of(config: MemoryHotCacheConfig, npc_id: str) -> str:
    """Under which an NPC's hot memory is."""
    return f"{config.key_prefix}npc:{npc_id}:memory"


def look(config: MemoryHotCacheConfig, link: ValkeyLink, npc_id: str) -> dict[str, Any] | None:
    """The hot memory of anybody, with its time begun anew; None when there is none.

    Raises:
        ServerError: the server does not answer.
    """
    with link.use() as client:
        return hot_memory.read(client.getex(key_of(config, npc_id), ex=config.ttl_seconds))


@dataclass
class _Active:
    """An NPC who lives in this game."""

    mind: NpcMind
    nearby: Sequence[str] = ()
    interactions: int = 0
    """Since the last sync."""
    synced_at: float = 0.0


class HotCache:
    """The hot memories of the NPCs of one save who live in this game.

    Whatever an NPC of the save feels is noted by itself; make() and flush() bring it to the server. flush()
    and look() ask the server, and wait for it: they may be called on another thread than the rest. Of an NPC
    whom another process has nothing is sent.
    """

    def __init__(
        self,
        config: MemoryHotCacheConfig,
        save: SaveContext,
        link: ValkeyLink | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        real_time: Callable[[], float] = time.time,
    ) -> None:
        """Raises ServerError without a client for Valkey, and ConfigError when the config cannot be used."""
        self.config: MemoryHotCacheConfig = config.validated()
        self.link = ValkeyLink(config, "the hot memories", monotonic) if link is None else link
        self._save = save
        self._monotonic = monotonic
        self._real_time = real_time
        self._active: dict[str, _Active] = {}
        self._changed: set[str] = set()
        self._lock = threading.Lock()
        self._waiting: dict[str, bytes] = {}
        """Memories to send, at most one per npc_id."""
        self.on_change: Callable[[], None] = lambda: None
        """Called when there is something for make()."""
        save.on_felt = self._note

    def set_nearby(self, npc: Npc, companions: Sequence[str]) -> None:
        """Update the characters near an NPC."""
        self._note(npc.npc_id, npc.mind, False)
        self._active[npc.npc_id].nearby = tuple(companions)

    def make(self) -> bool:
        """Make the hot memories of those to whom something has happened anew, and sync what is due; whether
        something waits for flush().

        Raises:
            StoreError: the save could not read or write. It is tried again with the next call.
        """
        with self._lock:
            waiting = list(self._waiting)
        for npc_id in {*self._active, *waiting}:
            if not self._save.store.owners.owns(npc_id):
                self.drop(npc_id)
        for npc_id, active in self._active.items():
            if active.interactions and self._is_due(active):
                self._sync(npc_id, active)
        for npc_id in list(self._changed):
            self._make(npc_id, self._active[npc_id])
        return self.waiting > 0

    def release(self, npc_id: str) -> None:
        """The NPC lives elsewhere from now on, or nowhere: sync, and let go of her. After it flush() sends
        what is left of her.
        """
        active = self._active.get(npc_id)
        if active is not None and self._save.store.owners.owns(npc_id):
            self._sync(npc_id, active)
            self._make(npc_id, active)
        self._forget(npc_id)
        if not self._save.store.owners.owns(npc_id):
            self.drop(npc_id)

    def drop(self, npc_id: str) -> None:
        """Another process has the NPC, or may have her: nothing more is sent of her."""
        self._forget(npc_id)
        with self._lock:
            self._waiting.pop(npc_id, None)

    def close(self) -> None:
        """Sync everybody, and note no more. After it flush() sends what is left, as far as there is a
        connection.
        """
        for npc_id in list(self._active):
            self.release(npc_id)
        self._save.on_felt = None

    def flush(self) -> None:
        """Send what waits.

        Raises:
            ServerError: the server does not answer; what was not sent waits on.
        """
        while True:
            with self._lock:
                sent = dict(list(self._waiting.items())[:_SENT_AT_ONCE])
            if not sent:
                return
            with self.link.use() as client, client.pipeline(transaction=False) as pipeline:
                for npc_id, payload in sent.items():
                    pipeline.set(key_of(self.config, npc_id), payload, ex=self.config.ttl_seconds)
                pipeline.execute()
            with self._lock:
                for npc_id, payload in sent.items():
                    if self._waiting.get(npc_id) is payload:
                        del self._waiting[npc_id]

    def read_steps(self, npc: Npc, look: LookFunction) -> Generator[Step, None, dict[str, Any]]:
        """The hot memory of an NPC whom this process has, with its time begun anew. What is not there, or
        may be older than the save, is made of the save, and flush() puts it there. So it is without the
        server. `look` does look(), perhaps on another thread.
        """
        npc_id, memory = npc.npc_id, None
        with self._lock:
            waits = npc_id in self._waiting or npc_id in self._changed
        if npc_id in self._active and not waits:
            with contextlib.suppress(ServerError):  # The link has told why.
                memory = yield from look(npc_id)
        if memory is not None:
            return memory
        if not self._save.is_open or not self._save.store.owners.owns(npc_id):
            return {}  # Since the server was asked.
        self._note(npc_id, npc.mind, False)
        return self._make(npc_id, self._active[npc_id])

    @property
    def waiting(self) -> int:
        """How many hot memories wait to be sent."""
        with self._lock:
            return len(self._waiting)

    @property
    def active(self) -> list[str]:
        """The NPCs of this game."""
        return list(self._active)

    def _note(self, npc_id: str, mind: NpcMind, is_event: bool) -> None:
        active = self._active.get(npc_id)
        if active is None or active.mind is not mind:
            active = self._active[npc_id] = _Active(mind, synced_at=self._monotonic())
        active.interactions += is_event
        self._changed.add(npc_id)
        self.on_change()

    def _is_due(self, active: _Active) -> bool:
        return (
            active.interactions >= self.config.sync_interactions
            or self._monotonic() - active.synced_at >= self.config.sync_seconds
        )

    def _sync(self, npc_id: str, active: _Active) -> None:
        """Write what the save still lacks, note the time in it, and let the hot memory be made of the save
        alone.
        """
        now, real_time = self._save.now(), self._real_time()
        with self._save.accesses.transaction():
            # Only the newest counts.
            self._save.store.documents.forget(SYNCED, [npc_id])
            content = {"syncedToRedisAt": round(real_time * 1000)}
            self._save.store.documents.write(Document(0, SYNCED, npc_id, npc_id, content, now, now))
        active.interactions, active.synced_at = 0, self._monotonic()
        active.mind.reload()
        self._changed.add(npc_id)

    def _make(self, npc_id: str, active: _Active) -> dict[str, Any]:
        times = self._save.now(), self._real_time()
        made = hot_memory.hot_memory(npc_id, active.mind, active.nearby, *times, self.config.ttl_seconds)
        payload = hot_memory.written(made)
        with self._lock:
            self._waiting[npc_id] = payload
        self._changed.discard(npc_id)
        return made

    def _forget(self, npc_id: str) -> None:
        self._active.pop(npc_id, None)
        self._changed.discard(npc_id)
