"""Lists of one NPC's memories to page through: filtered, searched, sorted, also of those in the archive.

What a list holds is found once and kept as rowids; a page reads only its own memories. Turning pages of
100,000 memories therefore costs no more than of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.memory_view import described
from rag_memory.memory.record import Record
from rag_memory.retrieval.filter import Condition, parse_filter, sql_of
from rag_memory.storage.sqlite.archive import Archived, ArchivedRecord, holds_no_longer
from rag_memory.storage.sqlite.store import Store
from rag_memory.text.index_terms import WORD, entry
from rag_memory.text.terms import terms
from rag_memory.validation import to_json, validate_flag, validate_option, validate_options, validate_text
from rag_memory.vectors import FloatVector, Keys

WHERE = "browse()"
SIMILAR_LIMIT = 1000
"""How many memories `similar_to` ranks at most: nobody reads further."""

_LONGEST_PAGE = 1000
_DEFAULT_PAGE = 100
_SORTS = ("timestamp", "importance", "memory_tier", "event_type", "id", "text")
_ARCHIVE_SORTS = (*_SORTS, "archived_at", "archived_reason")
_OPTIONS = (
    "sort",
    "descending",
    "offset",
    "limit",
    "filter",
    "text",
    "similar_to",
    "archived",
    "locate",
)
_SEARCHED = ("document_full", "participants", "topics", "entities", "location")
_ARCHIVED_COLUMNS = ", ".join("memory" if name == "key" else name for name in Record._fields)


class Query(NamedTuple):
    """What a list holds and in which order."""

    conditions: tuple[tuple[str, str, str], ...]
    """(field, operator, value as JSON) each."""
    words: tuple[str, ...]
    similar_to: str
    is_archive: bool
    sort: str
    is_descending: bool


class Request(NamedTuple):
    """One page of a list. `locate` is the id of a memory whose position is asked for, or ""."""

    query: Query
    conditions: list[Condition]
    offset: int
    limit: int
    locate: str


class Ranking(NamedTuple):
    """Memories by similarity to a text, best first."""

    keys: Keys
    similarities: FloatVector


RankFunction = Callable[[str, Keys], Ranking]
"""Ranks those of the given rowids (ascending) that are most similar to a text, at most SIMILAR_LIMIT."""


class _List(NamedTuple):
    """The rowids of a list, or the archive's numbers, in order."""

    numbers: Keys
    similarities: FloatVector | None


class Lists:
    """The lists of one NPC. The last one is kept until `forget()`."""

    def __init__(self, store: Store, npc_id: str) -> None:
        self._store = store
        self._npc_id = npc_id
        self._query: Query | None = None
        self._list: _List | None = None

    def forget(self) -> None:
        """The memories have changed: find the next list anew."""
        self._query = self._list = None

    def page(
        self,
        npc: int,
        config: MemoryConfig,
        request: Request,
        rank: RankFunction,
        protected: Collection[int],
    ) -> dict[str, Any]:
        """{total, rows, position} of a page; see NpcMemory.browse(). `protected`: rowids."""
        found = self._found(npc, request, rank)
        numbers = found.numbers[request.offset : request.offset + request.limit]
        if request.query.is_archive:
            rows = [self._archived(each, config) for each in self._read_archived(numbers)]
        else:
            records = {record.key: record for record in self._store.by_keys(numbers.tolist())}
            rows = [
                described(records[number], self._npc_id, config, number in protected)
                for number in numbers.tolist()
            ]
        if found.similarities is not None:
            for row, similarity in zip(rows, found.similarities[request.offset :].tolist(), strict=False):
                row["similarity"] = similarity
        return {
            "total": len(found.numbers),
            "rows": rows,
            "position": self._position(npc, found, request),
        }

    def _found(self, npc: int, request: Request, rank: RankFunction) -> _List:
        if self._list is None or self._query != request.query:
            self._list = self._find(npc, request, rank)
            self._query = request.query
        return self._list

    def _find(self, npc: int, request: Request, rank: RankFunction) -> _List:
        sql, values = _select(npc, self._npc_id, request)
        with self._store.reading() as connection:
            rows = connection.execute(sql, values).fetchall()
        numbers: Keys = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        if not request.query.similar_to:
            return _List(numbers, None)
        ranking = rank(request.query.similar_to, np.sort(numbers))
        return _List(ranking.keys, ranking.similarities)

    def _position(self, npc: int, found: _List, request: Request) -> int:
        if not request.locate:
            return -1
        if request.query.is_archive:
            with self._store.reading() as connection:
                rows = connection.execute(
                    "SELECT archive FROM archived_memories WHERE npc = ? AND id = ? ORDER BY archive DESC",
                    (npc, request.locate),
                ).fetchall()
            wanted = [int(row[0]) for row in rows]
        else:
            record = self._store.by_id(npc, request.locate)
            wanted = [] if record is None else [record.key]
        for number in wanted:
            places = np.flatnonzero(found.numbers == number)
            if len(places):
                return int(places[0])
        return -1

    def _read_archived(self, numbers: Keys) -> list[ArchivedRecord]:
        with self._store.reading() as connection:
            rows = connection.execute(
                f"SELECT archive, archived_at, archived_reason, archived_by, {_ARCHIVED_COLUMNS} "
                "FROM archived_memories WHERE archive IN (SELECT value FROM json_each(?))",
                (to_json(numbers.tolist()),),
            ).fetchall()
        by_number = {
            row[0]: ArchivedRecord(row[0], Archived._make(row[1:4]), Record._make(row[4:])) for row in rows
        }
        return [by_number[number] for number in numbers.tolist()]

    def _archived(self, archived: ArchivedRecord, config: MemoryConfig) -> dict[str, Any]:
        return {
            **described(archived.record, self._npc_id, config),
            "archived": {"number": archived.number, **archived.archived._asdict()},
        }


def request_of(options: Any) -> Request:
    """The page that the options of browse() ask for.

    Raises:
        InvalidArgumentError: an unknown option, or a value of a wrong type or out of range.
    """
    options = validate_options(WHERE, options, _OPTIONS)
    is_archive = validate_flag(WHERE, "archived", options.get("archived", False))
    similar_to = validate_text(WHERE, "similar_to", options.get("similar_to", "")).strip()
    if is_archive and similar_to:
        raise InvalidArgumentError(
            f"{WHERE}: archived memories have no similar_to", "no search finds them", "Use the option text"
        )
    sort = validate_text(WHERE, "sort", options.get("sort", "timestamp"))
    sorts = _ARCHIVE_SORTS if is_archive else _SORTS
    if sort not in sorts:
        raise InvalidArgumentError(
            f"{WHERE}: memories cannot be sorted by {sort!r}", "", f"Sort by {', '.join(sorts)}"
        )
    conditions = parse_filter(WHERE, options.get("filter", {}))
    query = Query(
        tuple((each.field, each.operator, to_json(each.value)) for each in conditions),
        tuple(_words(validate_text(WHERE, "text", options.get("text", "")))),
        similar_to,
        is_archive,
        sort,
        validate_flag(WHERE, "descending", options.get("descending", True)),
    )
    return Request(
        query,
        conditions,
        validate_option(WHERE, options, "offset", 0, 0, 2**62),
        validate_option(WHERE, options, "limit", _DEFAULT_PAGE, 0, _LONGEST_PAGE),
        validate_text(WHERE, "locate", options.get("locate", "")),
    )


def _words(text: str) -> list[str]:
    return [word for word in text.split() if terms(word)]


def _select(npc: int, npc_id: str, request: Request) -> tuple[str, list[Any]]:
    """The statement that lists rowids, or the archive's numbers; every value is bound."""
    query = request.query
    conditions, values = sql_of(request.conditions, npc_id)
    clauses = ["npc = ?", *conditions]
    bound: list[Any] = [npc, *values]
    if query.is_archive:
        clauses.append(holds_no_longer("memories"))
    if query.words and query.is_archive:
        # The archive has no full-text index: it is small, and seldom searched.
        for word in query.words:
            clauses.append("(" + " OR ".join(f"{name} LIKE ? ESCAPE '\\'" for name in _SEARCHED) + ")")
            bound += [_pattern(word)] * len(_SEARCHED)
    elif query.words:
        clauses.append("rowid IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)")
        bound.append(_match(npc, query.words))
    number = "archive" if query.is_archive else "rowid"
    # The conditions name the columns as those of `memories`.
    table = "archived_memories AS memories" if query.is_archive else "memories"
    column = "document_full" if query.sort == "text" else query.sort
    way = "DESC" if query.is_descending else "ASC"
    sql = (
        f"SELECT {number} FROM {table} WHERE {' AND '.join(clauses)} ORDER BY {column} {way}, {number} {way}"
    )
    return sql, bound


def _match(npc: int, words: tuple[str, ...]) -> str:
    """Every word has to occur, in another form too; each may be the beginning of a longer one."""
    return " AND ".join(f'"{entry(npc, WORD, term)}"*' for word in words for term in terms(word))


def _pattern(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
