"""Memories in force: found by a query, read by their keys, and written."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rag_memory.memory.archived import REPEATED
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.record import Record, digest_of
from rag_memory.storage.filter import Condition
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.query import Query, Selection, where
from rag_memory.storage.sql.statements import PUT_VECTOR
from rag_memory.vectors import FloatVector

STORED = "memory"
LAST_STORED = "memory DESC"
NEWEST = "timestamp DESC, memory DESC"
"""Orders of a query: as memories were first stored, the other way round, and by the times of events."""

COLUMNS = ", ".join("memory" if name == "key" else name for name in Record._fields)
"""Columns of a memory, in the order of a Record."""

_SELECT = Selection("memories", COLUMNS, "memory", ("slot_type", "info_type"))
_KEYS_AT_ONCE = 1000
_CACHED = 4096
_key_of: Callable[[Record], int] = operator.itemgetter(Record._fields.index("key"))
_WRITTEN = tuple(name for name in Record._fields if name != "key")
_OF_ID = "WHERE npc = :npc AND id = :id"
_WITH_ID = f"SELECT {COLUMNS} FROM $memories {_OF_ID}"
_IS_USED = f"SELECT 1 FROM $memories {_OF_ID} UNION ALL SELECT 1 FROM $archived_memories {_OF_ID}"
_WITH_KEYS = f"SELECT {COLUMNS} FROM $memories WHERE memory $in(keys)"
# In two parts: SQLite compares (timestamp, memory) with every memory of that time, which thousands may share.
_PAGE = (
    "SELECT * FROM (SELECT timestamp, memory FROM $memories WHERE npc = :npc AND timestamp = :timestamp "
    "AND memory > :memory ORDER BY memory LIMIT :count) AS same_time UNION ALL "
    "SELECT * FROM (SELECT timestamp, memory FROM $memories WHERE npc = :npc AND timestamp > :timestamp "
    "ORDER BY timestamp, memory LIMIT :count) AS later ORDER BY timestamp, memory LIMIT :count"
)
# The "+" keeps SQLite from reading what other NPCs have stored since.
_IMPORTANCE = (
    "SELECT CAST(coalesce(sum(importance), 0) AS bigint) FROM $memories WHERE npc = :npc AND +memory > :key "
    "AND kind NOT IN (:reflection, :fact)"
)
_REPEATED = (
    "SELECT CAST(coalesce(sum(memories.importance), 0) AS bigint) FROM $archived_memories AS version "
    "JOIN $memories ON memories.memory = version.memory WHERE version.npc = :npc "
    "AND version.archive > :archive AND version.archived_reason = :repeated "
    "AND memories.kind NOT IN (:reflection, :fact)"
)
_ACCESS = "UPDATE memories SET last_accessed = :at WHERE $own AND memory $in(keys)"
_SUPERSEDE = "UPDATE memories SET superseded_by = :by, superseded_at = :at WHERE $own AND memory $in(keys)"
_UNSUPERSEDE = (
    "UPDATE memories SET superseded_by = '', superseded_at = 0 WHERE $own AND npc = :npc "
    "AND superseded_by = :by AND superseded_by <> ''"
)
_DELETE = "DELETE FROM memories WHERE $own AND memory $in(keys)"
_DELETE_ALL = "DELETE FROM memories WHERE $own AND npc = :npc"

LAST_OF_ALL = Query(order=LAST_STORED)
"""The query whose first memory was stored last."""


def newest_in_slot(slot_type: str) -> Query:
    """The query whose first memory is the current value of a slot."""
    return where(slot_type=slot_type, order=NEWEST)


def of_info(info_type: str) -> Query:
    """The query for the memories that hold this piece of information."""
    return where(info_type=info_type)


def newest_of(count: int, min_importance: int) -> Query:
    """The query for the newest memories of at least this importance, newest first."""
    return where(Condition("importance", ">=", min_importance), order=NEWEST, limit=count)


def repetitions_of(event_type: str, text: str) -> Query:
    """The query for memories of this event type and text that nothing has superseded."""
    digest = digest_of(event_type, text)
    return where(digest=digest, event_type=event_type, document_full=text, superseded_by="")


class Records:
    """Memories in force; nothing here finds what is archived, except is_used().

    A cache of records, by key, makes by_keys() faster where no other process writes to the save.
    """

    def __init__(self, database: Database, cache: dict[int, Record] | None = None) -> None:
        self._database = database
        self._cache = cache
        columns = (*database.derived_columns, *_WRITTEN)
        self._update = (
            f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in columns)} "
            "WHERE $own AND npc = :npc AND memory = :memory"
        )

    def get(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""
        row = self._database.row(_WITH_ID, npc=npc, id=id)
        return None if row is None else Record._make(row)

    def find(self, npc: int, query: Query = Query()) -> list[Record]:  # noqa: B008
        """The memories of an NPC that a query selects."""
        statement, values = _SELECT.statement(query)
        return [Record._make(row) for row in self._database.rows(statement, npc=npc, **values)]

    def first(self, npc: int, query: Query) -> Record | None:
        """The first memory of an NPC that a query selects."""
        statement, values = _SELECT.statement(query._replace(limit=1))
        row = self._database.row(statement, npc=npc, **values)
        return None if row is None else Record._make(row)

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""
        return self.find(npc, where(slot_type=slot_type))

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The NPC's memories of an event type that nothing has superseded, dated `until` or earlier."""
        until_then = Condition("timestamp", "<=", until)
        return self.find(npc, where(until_then, event_type=event_type, superseded_by=""))

    def count(self, npc: int | None = None) -> int:
        """The number of memories of one NPC, or of all."""
        of_npc = "" if npc is None else " WHERE npc = :npc"
        return self._database.number(f"SELECT count(*) FROM $memories{of_npc}", npc=npc)

    def by_keys(self, keys: Sequence[int], is_read_again: bool = True) -> list[Record]:
        """The memories with these keys, in ascending order of key; unknown ones are left out.

        Args:
            is_read_again: whether the same memories are likely to be read again soon.
        """
        cache = self._cache
        if cache is None or not is_read_again:
            return self._read(keys)
        missing = [key for key in keys if key not in cache]
        if len(cache) + len(missing) > _CACHED:
            cache.clear()
            missing = list(keys)
        records = [] if len(missing) == len(keys) else [cache[key] for key in keys if key in cache]
        read = self._read(missing)
        if len(missing) <= _CACHED:
            cache.update((record.key, record) for record in read)
        return sorted([*records, *read], key=_key_of)

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

    def importance_after(self, npc: int, key: int, archive: int = 0) -> int:
        """The sum of the importances of the memories with later keys, and of the repetitions since an
        archived version, without reflections and facts.
        """
        values = {"npc": npc, "reflection": REFLECTION, "fact": FACT}
        stored = self._database.number(_IMPORTANCE, key=key, **values)
        return stored + self._database.number(_REPEATED, archive=archive, repeated=REPEATED, **values)

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        """Add a memory with its vector, and return its key: `record.key`, or a new one if that is 0. Inside a
        transaction.

        Raises:
            StoreError: the NPC has a memory with this id.
        """
        values = self._values(npc, record)
        if record.key:
            values["memory"] = record.key
        number = self._database.add("memories", "memory", values)
        self._put_vector(number, vector, model)
        return number

    def update(self, npc: int, record: Record, vector: FloatVector | None = None, model: int = 0) -> None:
        """Give the memory with `record.key` new content; and a new vector, unless the text stays. Inside a
        transaction.
        """
        self._forget((record.key,))
        self._database.write(self._update, memory=record.key, **self._values(npc, record))
        if vector is not None:
            self._put_vector(record.key, vector, model)

    def access(self, accesses: Mapping[int, float]) -> None:
        """Give memories, by key, the time at which they last entered an answer; keys that are gone are left
        out. Inside a transaction.
        """
        keys_by_time: dict[float, list[int]] = {}
        for key, at in accesses.items():
            keys_by_time.setdefault(at, []).append(key)
        for at, keys in keys_by_time.items():
            self._database.write(_ACCESS, keys=keys, at=float(at))
        if self._cache is not None:
            # They are read often: reading them again would cost the next question more.
            for key in accesses.keys() & self._cache.keys():
                self._cache[key] = self._cache[key]._replace(last_accessed=accesses[key])

    def supersede(self, keys: Sequence[int], by: str, at: float) -> None:
        """Mark memories as superseded by the one with the id `by`. Inside a transaction."""
        if not keys:
            return
        self._forget(keys)
        self._database.write(_SUPERSEDE, keys=list(keys), by=by, at=at)

    def unsupersede(self, npc: int, by: str) -> None:
        """Take the mark from what the memory with the id `by` has superseded. Inside a transaction."""
        self.forget_cached()
        self._database.write(_UNSUPERSEDE, npc=npc, by=by)

    def delete(self, keys: Sequence[int]) -> None:
        """Delete memories and their vectors. Inside a transaction."""
        self._forget(keys)
        self._database.write(_DELETE, keys=list(keys))

    def delete_all(self, npc: int) -> int:
        """Delete every memory of the NPC; how many there were. Inside a transaction."""
        self.forget_cached()
        return self._database.count_written(_DELETE_ALL, npc=npc)

    def _read(self, keys: Sequence[int]) -> list[Record]:
        return sorted(map(Record._make, self._database.rows_with(_WITH_KEYS, keys)), key=_key_of)

    def forget_cached(self) -> None:
        """Forget the cached memories, because the save has changed without this object."""
        if self._cache is not None:
            self._cache.clear()

    def _forget(self, keys: Sequence[int]) -> None:
        if self._cache is not None:
            for key in keys:
                self._cache.pop(key, None)

    def _values(self, npc: int, record: Record) -> dict[str, Any]:
        """The columns of a memory but its key."""
        values = record._asdict()
        del values["key"]
        values["npc"] = npc
        values.update(self._database.derived(npc, record))
        return values

    def _put_vector(self, key: int, vector: FloatVector, model: int) -> None:
        embedding = self._database.stored_vector(vector)
        self._database.write(PUT_VECTOR, memory=key, model=model, embedding=embedding)
