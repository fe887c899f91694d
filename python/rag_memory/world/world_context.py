"""State shared by the parts of one save's world."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.memory.document import CONVERSATION_SUMMARY, TIMELESS, TURN, Document
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.save_context import SaveContext
from rag_memory.storage.sql.undoing import Undone
from rag_memory.validation import mapping_in
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.searched import Searched


class WorldContext:
    """The documents, the searched texts, the transactions and the signals of one save's world.

    Documents of a kind are read from the store once and stay in memory. `on_event` is called with the name
    and arguments of each signal of MemoryWorld.
    """

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        self.save = save
        self.store = save.store
        self.npc = npc
        self.config = MemoryWorldConfig()
        self.config_of: Callable[[str], MemoryConfig] = lambda _npc_id: save.default_config
        """Returns the config of an NPC, without acquiring it; the NPCs in use set it."""
        self.on_event: EventFunction | None = None
        self._documents: dict[str, dict[str, Document]] = {}
        self._searched: dict[str, Searched] = {}
        self._on_reload: list[Callable[[], None]] = []
        self._signals: list[tuple[str, tuple[Any, ...]]] | None = None
        """The signals of the open transaction, emitted when it is committed."""
        self._writing_npcs: set[str] = set()
        """The NPCs whose memories the open transaction writes."""

    def now(self) -> float:
        """The time of the game, in seconds."""
        return self.save.now()

    def day(self) -> float:
        """The day of the game, counted from the clock's 0."""
        return self.now() / CALENDAR.seconds_per_day

    def searched(self, owner: str) -> Searched:
        """The searched texts of the world (`owners.WORLD`) or of the lore (`owners.LORE`)."""
        if owner not in self._searched:
            self._searched[owner] = Searched(self.save, owner)
        return self._searched[owner]

    @property
    def searched_in_use(self) -> list[Searched]:
        """The searched texts that were asked for so far."""
        return list(self._searched.values())

    def all(self, kind: str) -> Mapping[str, Document]:
        """The documents of a kind, by id, in the order in which they were first written."""
        if kind not in self._documents:
            self._documents[kind] = {document.id: document for document in self.store.documents.find(kind)}
        return self._documents[kind]

    def content(self, kind: str, id: str) -> dict[str, Any] | None:
        """A copy of a document's content; None when there is no such document."""
        document = self.all(kind).get(id)
        return None if document is None else dict(document.content)

    def write(
        self, kind: str, id: str, content: Mapping[str, Any], owner: str = "", at: float | None = None
    ) -> None:
        """Write a new version of a document; {} removes it.

        Args:
            at: the time at which it happened; None for now.
        """
        now = self.now()
        with self.transaction():
            if not content and not owner:
                before = self.store.documents.get(kind, id)
                owner = "" if before is None else before.owner
            document = Document(0, kind, id, owner, dict(content), now if at is None else at, now)
            key = self.store.documents.write(document)
        if kind in self._documents:
            self._note(document._replace(key=key))

    def write_timeless(self, kind: str, id: str, content: Mapping[str, Any]) -> None:
        """Write a document that no rollback removes, in place of the one before; {} removes it."""
        document = Document(0, kind, id, "", dict(content), TIMELESS, TIMELESS)
        with self.transaction():
            self.all(kind)
            self.store.documents.forget(kind, [id])
            if content:
                document = document._replace(key=self.store.documents.write(document))
        self._note(document)

    def forget_owned(self, kinds: Iterable[str], owner: str) -> None:
        """Delete an owner's documents of these kinds for good."""
        with self.transaction():
            self.store.owners.check(owner)
            for kind in kinds:
                self.store.documents.forget_of(kind, owner)
                self._documents.pop(kind, None)

    def forget(self, kind: str, ids: Sequence[str]) -> None:
        """Delete all versions of documents for good."""
        if ids:
            with self.transaction():
                self.store.documents.forget(kind, ids)
                self._documents.pop(kind, None)

    def call_on_reload(self, forget: Callable[[], None]) -> None:
        """Call a function when what is in memory no longer holds."""
        self._on_reload.append(forget)

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self._documents.clear()
        for forget in self._on_reload:
            forget()
        self.emit("world_changed", ())

    def emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Emit a signal; in a transaction, when it is committed."""
        if self._signals is not None:
            self._signals.append((name, arguments))
        elif self.on_event is not None:
            self.on_event(name, arguments)

    @contextlib.contextmanager
    def transaction(self, npcs: Iterable[str] = ()) -> Iterator[None]:
        """A transaction: everything written inside is committed together, or nothing of it.

        No other process writes of the world meanwhile, and what is read inside is up to date. A transaction
        inside another is part of that one.

        Args:
            npcs: the NPCs whose memories are written inside, too.
        """
        if self._signals is not None:
            self._writing_npcs.update(npcs)
            yield
            return
        signals: list[tuple[str, tuple[Any, ...]]] = []
        self._signals, self._writing_npcs = signals, set(npcs)
        change_count = self.store.change_count
        try:
            with self.save.accesses.transaction():
                self.store.owners.lock_world()
                self.save.look_around()
                change_count = self.store.change_count
                yield
        except BaseException:
            self._signals = None
            if self.store.change_count != change_count:
                self.reload_all(self._writing_npcs)
            elif any(name == "world_changed" for name, _arguments in signals):
                self.emit("world_changed", ())  # By another process, before this transaction failed.
            raise
        self._signals = None
        for name, arguments in signals:
            self.emit(name, arguments)

    def undo(self, exchange_id: str) -> Undone:
        """Take back what an exchange, or an import, has written, and the summaries of conversations that have
        taken in a turn of it: they are made again. Inside a transaction.

        Raises:
            InvalidArgumentError: there is no such exchange, or it is too old.
        """
        undone = self.store.exchanges.undo(exchange_id)
        for row in undone.removed["documents"].values():
            if row["kind"] != TURN:
                continue
            number = mapping_in(row["content"]).get("number", 0)
            stale = [
                summary.id
                for summary in self.store.documents.find(CONVERSATION_SUMMARY, row["owner"])
                if summary.content["through"] >= number
            ]
            if stale:
                self.store.documents.forget(CONVERSATION_SUMMARY, stale)
        return undone

    def reload_all(self, npc_ids: Iterable[str]) -> None:
        """Forget what is in memory of the world and of these NPCs, because a transaction has failed or an
        exchange was undone.
        """
        self.reload()
        self.save.names.forget_stored()
        for searched in self.searched_in_use:
            searched.reload()
        for npc_id in npc_ids:
            self.npc(npc_id).reload()

    def _note(self, document: Document) -> None:
        """Replace a document in memory; one without content is removed."""
        self.all(document.kind)
        documents = self._documents[document.kind]
        if document.content:
            documents[document.id] = document
        else:
            documents.pop(document.id, None)
