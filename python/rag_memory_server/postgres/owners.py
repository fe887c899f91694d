"""Who has which NPC; see storage.ownership.Owners."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rag_memory.storage.ownership import Ownership
from rag_memory_server.postgres.open_save import OpenSave

_WRITES = (
    "SELECT coalesce(sum(writes), 0)::bigint FROM writers WHERE save = %(save)s AND writer <> %(writer)s"
)


class Owners:
    """See storage.ownership.Owners."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._session = save.session
        self._seen: tuple[int, int] | None = None
        """The losses of the session, and what others had written, when has_news() was asked last."""

    def own(self, npc_id: str) -> Ownership:
        with self._save.errors("read"):
            return self._session.own(npc_id)

    def owns(self, npc_id: str) -> bool:
        return self._session.owns(npc_id)

    def check(self, npc_id: str) -> None:
        if not self.owns(npc_id):
            with self._save.errors("read"):
                self._session.npcs.check_owned(npc_id)

    def acquire(self, npc_id: str) -> None:
        with self._save.errors("read"):
            self._session.npcs.acquire(npc_id)

    def release(self, npc_id: str) -> None:
        with self._save.errors("read"):
            self._session.npcs.release(npc_id)

    def owner_of(self, npc_id: str) -> str:
        with self._save.errors("read"):
            return self._session.npcs.owner_of(npc_id)

    @contextlib.contextmanager
    def alone(self, what: str) -> Iterator[None]:
        with self._save.errors("write"), self._session.alone(what):
            yield

    def lock_world(self) -> None:
        with self._save.errors("write"):
            self._session.execute(*self._session.world.lock())

    def has_news(self) -> bool:
        writes = self._save.number(_WRITES, writer=self._session.world.writer)
        before, self._seen = self._seen, (self._session.losses, writes)
        return before is not None and before != self._seen
