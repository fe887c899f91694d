"""Hot memories on the server. The save is the truth: what is lost here is made anew."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rag_memory.config.valkey_config import HotCacheConfig
from rag_memory.errors import ServerError
from rag_memory.memory.document import SYNCED, Document
from rag_memory.npc.npc_memory import NpcMemory
from rag_memory.npc.save_context import SaveContext
from rag_memory.servers import hot_memory
from rag_memory.servers.valkey_link import ValkeyLink

_SENT_AT_ONCE = 50


@dataclass
class _Active:
    """An NPC who lives in this game."""

    npc: NpcMemory
    nearby: Sequence[str] = ()
    interactions: int = 0
    """Since the last sync."""
    synced_at: float = 0.0


class HotCache:
    """The hot memories of the NPCs of one save who live in this game.

    note(), release(), sync_due() and close() are called where the save is used; flush(), read() and look()
    where the server is asked, which may be another thread. Only those wait for the server.
    """

    def __init__(
        self,
        config: HotCacheConfig,
        save: SaveContext,
        monotonic: Callable[[], float] = time.monotonic,
        real_time: Callable[[], float] = time.time,
    ) -> None:
        """Raises ServerError without a client for Valkey, and ConfigError when the config cannot be used."""
        self.link = ValkeyLink(config, "the hot memories", monotonic)
        self.config: HotCacheConfig = config.validated()
        self._save = save
        self._monotonic = monotonic
        self._real_time = real_time
        self._active: dict[str, _Active] = {}
        self._lock = threading.Lock()
        self._waiting: dict[str, bytes] = {}
        """What is to be sent, by key: at most one for each NPC."""

    def key(self, npc_id: str) -> str:
        """Under which an NPC's hot memory is."""
        return f"{self.config.key_prefix}npc:{npc_id}:memory"

    def note(self, npc: NpcMemory, is_interaction: bool = True) -> None:
        """Something has happened to an NPC, or she is used for the first time: her hot memory is made anew
        from the save and waits for flush().
        """
        active = self._active.get(npc.npc_id)
        if active is None or active.npc is not npc:
            active = self._active[npc.npc_id] = _Active(npc, synced_at=self._monotonic())
        active.interactions += is_interaction
        if self._is_due(active):
            self._sync(active)
        else:
            self._make(active)

    def set_nearby(self, npc: NpcMemory, companions: Sequence[str]) -> None:
        """Who is near an NPC has changed."""
        if npc.npc_id not in self._active:
            self.note(npc, is_interaction=False)
        self._active[npc.npc_id].nearby = tuple(companions)
        self._make(self._active[npc.npc_id])

    def sync_due(self) -> None:
        """Make anew what was not for `sync_seconds`."""
        for active in list(self._active.values()):
            if active.interactions and self._is_due(active):
                self._sync(active)

    def release(self, npc_id: str) -> None:
        """The NPC lives elsewhere from now on, or nowhere: sync, and let go of her."""
        active = self._active.pop(npc_id, None)
        if active is not None:
            self._sync(active)

    def forget(self) -> None:
        """The save has changed without this: everything is made anew, and flush() sends it."""
        for active in self._active.values():
            self._make(active)

    def close(self) -> None:
        """Sync everybody. After it flush() sends what is left, as far as there is a connection."""
        for npc_id in list(self._active):
            self.release(npc_id)

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
                for key, payload in sent.items():
                    pipeline.set(key, payload, ex=self.config.ttl_seconds)
                pipeline.execute()
            with self._lock:
                for key, payload in sent.items():
                    if self._waiting.get(key) is payload:
                        del self._waiting[key]

    def read(self, npc: NpcMemory) -> dict[str, Any]:
        """The hot memory of an NPC of this save, with its time begun anew. What is not there is loaded from
        the save and put there; without the server it is only loaded.
        """
        with self._lock:
            waits = self.key(npc.npc_id) in self._waiting
        if npc.npc_id in self._active and not waits:
            try:
                found = self.look(npc.npc_id)
                if found is not None:
                    return found
            except ServerError:
                return self._made(npc, self._active[npc.npc_id].nearby)
        # What is there from before may be older than the save.
        self.note(npc, is_interaction=False)
        made = self._make(self._active[npc.npc_id])
        with contextlib.suppress(ServerError):  # It waits; the link has told why.
            self.flush()
        return made

    def look(self, npc_id: str) -> dict[str, Any] | None:
        """The hot memory of anybody, with its time begun anew; None when there is none.

        Raises:
            ServerError: the server does not answer.
        """
        with self.link.use() as client:
            return hot_memory.read(client.getex(self.key(npc_id), ex=self.config.ttl_seconds))

    @property
    def waiting(self) -> int:
        """How many hot memories wait to be sent."""
        with self._lock:
            return len(self._waiting)

    def active(self) -> Iterable[str]:
        """Who lives in this game."""
        return list(self._active)

    def _is_due(self, active: _Active) -> bool:
        return (
            active.interactions >= self.config.sync_interactions
            or self._monotonic() - active.synced_at >= self.config.sync_seconds
        )

    def _sync(self, active: _Active) -> None:
        """Write what the save still lacks, note the time in it, and make the hot memory anew."""
        now, real_time = self._save.now(), self._real_time()
        npc_id = active.npc.npc_id
        with self._save.accesses.transaction():
            # Only the newest counts.
            self._save.store.forget_documents(SYNCED, [npc_id])
            content = {"syncedToRedisAt": round(real_time * 1000)}
            self._save.store.write_document(Document(0, SYNCED, npc_id, npc_id, content, now, now))
        active.npc.mind.reload()
        active.interactions, active.synced_at = 0, self._monotonic()
        self._make(active)

    def _make(self, active: _Active) -> dict[str, Any]:
        made = self._made(active.npc, active.nearby)
        payload = hot_memory.written(made)
        with self._lock:
            self._waiting[self.key(active.npc.npc_id)] = payload
        return made

    def _made(self, npc: NpcMemory, nearby: Sequence[str]) -> dict[str, Any]:
        times = self._save.now(), self._real_time()
        return hot_memory.hot_memory(npc, nearby, *times, self.config.ttl_seconds)
