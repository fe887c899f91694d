"""Memories in force, found by a query."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.record import PLAYER_INFO, Record, digest_of
from rag_memory.storage.filter import Condition
from rag_memory.storage.sql.database import Database

STORED = "memory"
LAST_STORED = "memory DESC"
NEWEST = "timestamp DESC, memory DESC"
"""Orders of a query: as memories were first stored, the other way round, and by the times of events."""

COLUMNS = ", ".join("memory" if name == "key" else name for name in Record._fields)
"""Columns of a memory, in the order of a Record."""

_SPARSE = ("slot_type", "info_type")
"""Columns with an index that leaves out "", which stands for none."""
_KEYS_AT_ONCE = 1000
_OF_ID = "WHERE npc = :npc AND id = :id"
_WITH_ID = f"SELECT {COLUMNS} FROM $memories {_OF_ID}"
_IS_USED = f"SELECT 1 FROM $memories {_OF_ID} UNION ALL SELECT 1 FROM $archived_memories {_OF_ID}"
_PAGE = (
    "SELECT timestamp, memory FROM $memories WHERE npc = :npc "
    "AND (timestamp, memory) > (:timestamp, :memory) ORDER BY timestamp, memory LIMIT :count"
)
# The "+" keeps SQLite from reading what other NPCs have stored since.
_IMPORTANCE = (
    "SELECT CAST(coalesce(sum(importance), 0) AS bigint) FROM $memories WHERE npc = :npc AND +memory > :key "
    "AND kind NOT IN (:reflection, :fact)"
)


class Query(NamedTuple):
    """A selection of an NPC's memories: conditions that all have to hold, an order, and a greatest number."""

    conditions: tuple[Condition, ...] = ()
    order: str = STORED
    limit: int | None = None


def where(*conditions: Condition, order: str = STORED, limit: int | None = None, **equal: Any) -> Query:
    """A query for the memories whose columns have these values, and that meet the conditions. A slot_type or
    an info_type of "" finds nothing.
    """
    by_value = tuple(Condition(field, "=", value) for field, value in equal.items())
    return Query((*by_value, *conditions), order, limit)


def newest_in_slot(slot_type: str) -> Query:
    """The query whose first memory is the current value of a slot."""
    return where(slot_type=slot_type, order=NEWEST)


def of_player_info(info_type: str) -> Query:
    """The query whose first memory holds this piece of information about the player."""
    return where(info_type=info_type, event_type=PLAYER_INFO, order=LAST_STORED)


def newest_of(count: int, min_importance: int) -> Query:
    """The query for the newest memories of at least this importance, newest first."""
    return where(Condition("importance", ">=", min_importance), order=NEWEST, limit=count)


def repetitions_of(event_type: str, text: str) -> Query:
    """The query for memories of this event type and text that nothing has superseded."""
    digest = digest_of(event_type, text)
    return where(digest=digest, event_type=event_type, document_full=text, superseded_by="")


class Records:
    """Memories in force; nothing here finds what is archived, except is_used()."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""
        row = self._database.row(_WITH_ID, npc=npc, id=id)
        return None if row is None else Record._make(row)

    def find(self, npc: int, query: Query = Query()) -> list[Record]:  # noqa: B008
        """The memories of an NPC that a query selects."""
        statement, values = _statement(query)
        return [Record._make(row) for row in self._database.rows(statement, npc=npc, **values)]

    def first(self, npc: int, query: Query) -> Record | None:
        """The first memory of an NPC that a query selects."""
        statement, values = _statement(query._replace(limit=1))
        row = self._database.row(statement, npc=npc, **values)
        return None if row is None else Record._make(row)

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""
        return self.find(npc, where(slot_type=slot_type))

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The NPC's memories of an event type that nothing has superseded, dated `until` or earlier."""
        until_then = Condition("timestamp", "<=", until)
        return self.find(npc, where(until_then, event_type=event_type, superseded_by=""))

    def is_used(self, npc: int, id: str) -> bool:
        """Return True if the NPC has, or has archived, a memory with this id."""
        return self._database.row(_IS_USED, npc=npc, id=id) is not None

    def key_pages(self, npc: int) -> Iterator[list[int]]:
        """The keys of find(), in the order of the memories' times, a millisecond or two at a time."""
        last = (-math.inf, -1)
        while rows := self._database.rows(
            _PAGE, npc=npc, timestamp=last[0], memory=last[1], count=_KEYS_AT_ONCE
        ):
            yield [row[1] for row in rows]
            last = rows[-1][0], rows[-1][1]

    def last_key(self, npc: int) -> int:
        """The highest key of the NPC's memories; 0 without any."""
        return self._database.number("SELECT max(memory) FROM $memories WHERE npc = :npc", npc=npc)

    def importance_after(self, npc: int, key: int) -> int:
        """The sum of the importances of the memories with later keys, without reflections and facts."""
        return self._database.number(_IMPORTANCE, npc=npc, key=key, reflection=REFLECTION, fact=FACT)


def _statement(query: Query) -> tuple[str, dict[str, Any]]:
    shape = tuple((field, operator) for field, operator, _ in query.conditions)
    values = {f"value_{place}": condition.value for place, condition in enumerate(query.conditions)}
    if query.limit is None:
        return _select(shape, query.order, False), values
    values["count"] = query.limit
    return _select(shape, query.order, True), values


@functools.cache
def _select(shape: tuple[tuple[str, str], ...], order: str, has_limit: bool) -> str:
    clauses = ["npc = :npc"]
    clauses += [f"{field} {operator} :value_{place}" for place, (field, operator) in enumerate(shape)]
    clauses += [f"{field} <> ''" for field, _ in shape if field in _SPARSE]
    limit = " LIMIT :count" if has_limit else ""
    return f"SELECT {COLUMNS} FROM $memories WHERE {' AND '.join(clauses)} ORDER BY {order}{limit}"
