"""Marks in memory: each has a copy of everything, so a rollback needs no history."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rag_memory.memory.document import TIMELESS
from rag_memory.memory.owners import RESERVED
from rag_memory.storage.in_memory.records import InMemory
from rag_memory.storage.in_memory.tables import Memory, Tables
from rag_memory.storage.mark import CERTAIN_MARKS, MOST_MARKS, Mark
from rag_memory.storage.rollback import Rollback


class Marks(InMemory):
    """See storage.mark.Marks."""

    def add_mark(self, code: str, timestamp: float) -> None:
        with self.transaction():
            tables = self._tables
            copy = tables.copy()
            copy.marks = []
            marks = [*tables.marks, (Mark(tables.journal.order, code, timestamp), copy)]
            _set_marks(tables, marks[-CERTAIN_MARKS:] if len(marks) > MOST_MARKS else marks)

    def mark(self, code: str) -> Mark | None:
        return next((mark for mark, _ in self._tables.marks if mark.code == code), None)

    def marks_at(self, timestamp: float) -> list[Mark]:
        return [mark for mark, _ in self._tables.marks if mark.timestamp == timestamp]

    def count_writes_at(self, timestamp: float) -> int:
        tables = self._tables
        orders = {
            tables.memories.orders[key]
            for key, memory in tables.memories.rows.items()
            if memory.record.stored_at == timestamp
        }
        orders |= {
            tables.archive.orders[number]
            for number, shelved in tables.archive.rows.items()
            if shelved.archived.at == timestamp
        }
        orders |= {
            tables.interactions.orders[key]
            for key, (_, interaction) in tables.interactions.rows.items()
            if interaction.stored_at == timestamp
        }
        orders |= {
            tables.documents.orders[key]
            for key, document in tables.documents.rows.items()
            if document.stored_at == timestamp
        }
        return len(orders)

    def return_to(self, mark: Mark) -> Rollback:
        tables = self._tables
        (then,) = (copy for other, copy in tables.marks if other == mark)
        before = {(memory.npc, memory.record.id) for memory in tables.memories.rows.values()}
        changed: set[int] = set()
        for name in ("memories", "archive", "interactions", "documents"):
            table, old = getattr(tables, name), getattr(then, name)
            for key in [*{**table.rows, **old.rows}]:
                present, earlier = table.rows.get(key), old.rows.get(key)
                if _is_timeless(present) or _is_timeless(earlier):
                    continue
                if present is not earlier or table.orders[key] != old.orders[key]:
                    changed |= {row.npc for row in (present, earlier) if isinstance(row, Memory)}
                    table.put_as_in(old, key)
        for number, npc in [*tables.npcs.rows.items()]:
            if number not in then.npcs.rows and npc.npc_id not in RESERVED:
                tables.npcs.set(number, None)
        _set_marks(tables, [entry for entry in tables.marks if entry[0].number <= mark.number])
        after = {(memory.npc, memory.record.id) for memory in tables.memories.rows.values()}
        for npc_number in changed & tables.npcs.rows.keys():
            tables.touch(npc_number)
        return Rollback(Counter(npc for npc, _ in before - after), frozenset(changed))


def roll_back(tables: Tables, moment: float) -> None:
    """Forget the marks of later moments."""
    _set_marks(tables, [entry for entry in tables.marks if entry[0].timestamp <= moment])


def _set_marks(tables: Tables, marks: list[tuple[Mark, Tables]]) -> None:
    before = tables.marks
    tables.journal.note(lambda: setattr(tables, "marks", before))
    tables.marks = marks


def _is_timeless(row: Any) -> bool:
    """Whether a rollback leaves a row of one of the tables as it is."""
    if row is None:
        return False
    row = row[1] if isinstance(row, tuple) and not hasattr(row, "_fields") else row
    return bool(getattr(row, "record", row).stored_at <= TIMELESS)
