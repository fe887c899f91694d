"""What every part of the world works on: its documents, its searched memories, and the NPCs."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.memory.document import Document
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.searchable.records import EventFunction
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.searched import Searched


class WorldPart:
    """The state that the parts of the world share.

    `on_event` is called with the name and arguments of what happened: the signals of MemoryWorld. Documents
    of a kind are read from the store once and kept.
    """

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        self.on_event: EventFunction | None = None
        self.config = MemoryWorldConfig()
        self._save = save
        self._npc = npc
        self._owners: dict[str, Searched] = {}
        self._known: dict[str, dict[str, Document]] = {}
        self._happened: list[tuple[str, tuple[Any, ...]]] | None = None
        """What has happened in the open transaction, to be told when it is committed."""
        self._involved: set[str] = set()
        """The NPCs whose memories are written in it."""
        self.last_maintenance: dict[str, Any] = {}

    @property
    def searched_memories(self) -> list[Searched]:
        """The memories of the world and of the lore that are in use."""
        return list(self._owners.values())

    def load_steps(self) -> Generator[Step, None, None]:
        """Loads what the world and the lore are searched by, in slices."""
        for owner in (WORLD, LORE):
            yield from self._searched(owner).load_steps()

    def reload(self) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        self._known.clear()
        self._emit("world_changed", ())

    def _searched(self, owner: str) -> Searched:
        """What is searched of the world (`owners.WORLD`) or of the lore (`owners.LORE`)."""
        if owner not in self._owners:
            self._owners[owner] = Searched(self._save, owner)
        return self._owners[owner]

    def _all(self, kind: str) -> Mapping[str, Document]:
        """The documents of a kind, by id, in the order in which they were first written."""
        if kind not in self._known:
            found = {each.id: each for each in self._save.store.documents(kind)}
            self._known[kind] = found
        return self._known[kind]

    def _content(self, kind: str, id: str) -> dict[str, Any] | None:
        """What a document says; a copy. None when there is none."""
        found = self._all(kind).get(id)
        return None if found is None else dict(found.content)

    def _write(
        self, kind: str, id: str, content: Mapping[str, Any], owner: str = "", at: float | None = None
    ) -> None:
        """Write a new version of a document; {} removes it. `at`: when it happened, now unless told."""
        now = self._now()
        with self._transaction():
            if not content and not owner:
                known = self._save.store.document(kind, id)
                owner = "" if known is None else known.owner
            document = Document(0, kind, id, owner, dict(content), now if at is None else at, now)
            key = self._save.store.write_document(document)
        if kind in self._known:
            if content:
                self._known[kind][id] = document._replace(key=key)
            else:
                self._known[kind].pop(id, None)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Everything that is written inside, or nothing of it. No other process writes of the world
        meanwhile, and what is read inside is up to date. One inside another is a part of that.
        """
        if self._happened is not None:
            yield
            return
        store = self._save.store
        told = self._happened = []
        self._involved.clear()
        before = store.change_count
        try:
            with self._save.accesses.transaction():
                store.world_lock()
                self._save.look_around()
                before = store.change_count
                yield
        except BaseException:
            self._happened = None
            if store.change_count != before:
                self.reload()
                for each in self.searched_memories:
                    each.reload()
                for id in self._involved:
                    self._npc(id).reload()
            elif any(name == "world_changed" for name, _arguments in told):
                self._emit("world_changed", ())  # By others, before this was refused.
            raise
        self._happened = None
        for name, arguments in told:
            self._emit(name, arguments)

    def _now(self) -> float:
        return self._save.now()

    def _day(self) -> float:
        """The day of the game, counted from the clock's 0."""
        return self._now() / CALENDAR.seconds_per_day

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self._happened is not None:
            self._happened.append((name, arguments))
        elif self.on_event is not None:
            self.on_event(name, arguments)
