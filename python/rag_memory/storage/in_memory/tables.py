"""What a save in memory holds: dictionaries whose changes a transaction can take back."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

from rag_memory.memory.archived import Archived
from rag_memory.memory.document import Document
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.record import Record
from rag_memory.storage.mark import Mark
from rag_memory.vectors import FloatVector

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(NamedTuple):
    """A memory of an NPC, by its number, with the vector that a model made."""

    npc: int
    record: Record
    vector: FloatVector
    model: int


class Shelved(NamedTuple):
    """A memory in the archive; what was kept of a repetition has no vector."""

    npc: int
    archived: Archived
    record: Record
    vector: FloatVector | None
    model: int


Row = TypeVar("Row", bound=Memory | Shelved)


class Npc(NamedTuple):
    npc_id: str
    revision: int


class Model(NamedTuple):
    fingerprint: str
    name: str
    dimension: int


class Journal:
    """What has changed since the transaction began."""

    def __init__(self) -> None:
        self.change_count = 0
        self.order = 0
        """The number of the open transaction, or of the last one."""
        self._undo: list[Callable[[], None]] | None = None

    def note(self, undo: Callable[[], None]) -> None:
        """Note a change by what takes it back."""
        self.change_count += 1
        if self._undo is not None:
            self._undo.append(undo)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep the changes made inside, or take them all back when an exception leaves it."""
        if self._undo is not None:
            yield
            return
        self._undo = []
        self.order += 1
        try:
            yield
        except BaseException:
            for undo in reversed(self._undo):
                undo()
            raise
        finally:
            self._undo = None


class Table(Generic[Key, Value]):
    """Rows by key."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.rows: dict[Key, Value] = {}
        self.orders: dict[Key, int] = {}
        """The number of the transaction that added each row."""

    def set(self, key: Key, value: Value | None) -> None:
        """Add or replace a row; with None delete it."""
        old, order = self.rows.get(key), self.orders.get(key)

        def undo() -> None:
            self._put(key, old)
            self._put_order(key, order)

        self._journal.note(undo)
        self._put(key, value)
        if value is None:
            self._put_order(key, None)
        elif old is None:
            self._put_order(key, self._journal.order)

    def put_as_in(self, other: Table[Key, Value], key: Key) -> None:
        """Make a row what it is in another table."""
        self.set(key, None)
        if key in other.rows:
            self.set(key, other.rows[key])
            self.orders[key] = other.orders[key]

    def _put_order(self, key: Key, order: int | None) -> None:
        if order is None:
            self.orders.pop(key, None)
        else:
            self.orders[key] = order

    def _put(self, key: Key, value: Value | None) -> None:
        if value is None:
            self.rows.pop(key, None)
        else:
            self.rows[key] = value


class RecordTable(Table[int, Row]):
    """Memories, or those in the archive, found by some of their fields."""

    def __init__(self, journal: Journal, fields: tuple[str, ...]) -> None:
        super().__init__(journal)
        self._fields = fields
        self._found: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
        self.last_number = 0

    def next_number(self) -> int:
        """A number that no row has, had or will have."""
        return self.use_number(self.last_number + 1)

    def use_number(self, number: int) -> int:
        """Note that a number is given; itself."""
        before = self.last_number
        self._journal.note(lambda: setattr(self, "last_number", before))
        self.last_number = max(before, number)
        return number

    def of(self, npc: int, field: str = "", value: Any = None) -> list[int]:
        """The numbers of an NPC's rows, or of those with a value of a field; ascending."""
        wanted = (npc, field, value) if field else (npc,)
        return sorted(self._found[wanted]) if wanted in self._found else []

    def records(self, npc: int, field: str = "", value: Any = None) -> list[Record]:
        """of(), as records."""
        return [self.rows[number].record for number in self.of(npc, field, value)]

    def _put(self, key: int, value: Row | None) -> None:
        old = self.rows.get(key)
        super()._put(key, value)
        for found in self._places(old):
            self._found[found].discard(key)
            if not self._found[found]:
                del self._found[found]
        for found in self._places(value):
            self._found[found].add(key)

    def _places(self, row: Row | None) -> list[tuple[Any, ...]]:
        if row is None:
            return []
        return [(row.npc,), *((row.npc, name, getattr(row.record, name)) for name in self._fields)]


class MemoryTable(RecordTable[Memory]):
    """Memories in force, also found by their terms."""

    def __init__(self, journal: Journal) -> None:
        fields = ("id", "slot_type", "event_type", "info_type", "document_full", "superseded_by")
        super().__init__(journal, fields)
        self.terms: dict[int, list[str]] = {}
        """Kinds and terms of each memory."""
        self.with_term: defaultdict[int, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        """By NPC, then by kind and term."""

    def access(self, key: int, at: float) -> None:
        """Give a memory, if there is one, another last_accessed, which finds none."""
        old = self.rows.get(key)
        if old is not None:
            self._journal.note(lambda: self.rows.update({key: old}))
            self.rows[key] = old._replace(record=old.record._replace(last_accessed=at))

    def _put(self, key: int, value: Memory | None) -> None:
        old = self.rows.get(key)
        super()._put(key, value)
        if old is not None:
            with_term = self.with_term[old.npc]
            for term in self.terms.pop(key):
                with_term[term].discard(key)
                if not with_term[term]:
                    del with_term[term]
        if value is not None:
            # A text that was left out, as that of a repetition, is not found by the other fields either.
            self.terms[key] = value.record.index_terms() if value.record.document_full else []
            for term in self.terms[key]:
                self.with_term[value.npc][term].add(key)


class Tables:
    """Everything of one save."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.npcs: Table[int, Npc] = Table(self.journal)
        self.models: Table[int, Model] = Table(self.journal)
        self.memories = MemoryTable(self.journal)
        self.archive: RecordTable[Shelved] = RecordTable(self.journal, ("id",))
        self.interactions: Table[int, tuple[int, Interaction]] = Table(self.journal)
        """Each with its NPC."""
        self.documents: Table[int, Document] = Table(self.journal)
        self.last_document = 0
        self.marks: list[tuple[Mark, Tables]] = []
        """Each with a copy of everything."""

    def next_document(self) -> int:
        """A key that no document has or had."""
        before = self.last_document
        self.journal.note(lambda: setattr(self, "last_document", before))
        self.last_document += 1
        return self.last_document

    def copy(self) -> Tables:
        """The same rows, to be changed on their own."""
        copy = Tables()
        copy.journal.change_count = self.journal.change_count + 1
        copy.journal.order = self.journal.order
        for table, original in zip(copy.all_tables(), self.all_tables(), strict=True):
            for key in original.rows:
                table.put_as_in(original, key)
        copy.marks = [*self.marks]
        copy.last_document = self.last_document
        copy.memories.use_number(self.memories.last_number)
        copy.archive.use_number(self.archive.last_number)
        return copy

    def all_tables(self) -> tuple[Table[Any, Any], ...]:
        """Every table, in the same order for each save."""
        return (
            self.npcs,
            self.models,
            self.memories,
            self.archive,
            self.interactions,
            self.documents,
        )

    def touch(self, npc: int) -> None:
        """A new revision of an NPC's vectors."""
        self.npcs.set(npc, self.npcs.rows[npc]._replace(revision=random.getrandbits(63)))
