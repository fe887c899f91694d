"""Lists of one NPC's memories to page through: filtered, searched, sorted, also of those in the archive.

What a list holds is found once and kept as keys; a page reads only its own memories. Turning pages of 100,000
memories therefore costs no more than of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.memory_view import described, described_archived
from rag_memory.retrieval.channels import MAX_TERMS
from rag_memory.searchable.save_context import QueryText, SaveContext
from rag_memory.storage.filter import parse_filter, with_other_names
from rag_memory.storage.listing import ARCHIVE_SORTS, SORTS, Listing
from rag_memory.storage.protocol import Storage
from rag_memory.text.terms import terms
from rag_memory.validation import validate_flag, validate_option, validate_options, validate_text
from rag_memory.vectors import FloatVector, Keys

WHERE = "browse()"
SIMILAR_LIMIT = 1000
"""How many memories `similar_to` ranks at most: nobody reads further."""

_LONGEST_PAGE = 1000
_DEFAULT_PAGE = 100
_OPTIONS = (*("sort", "descending", "offset", "limit", "filter", "text", "similar_to", "archived", "locate"),)


class Request(NamedTuple):
    """One page of a list. `similar_to` ranks the list by a text, unless it is "". `locate` is the id of a
    memory whose position is asked for, or "".
    """

    listing: Listing
    similar_to: QueryText
    offset: int
    limit: int
    locate: str

    @property
    def query(self) -> str:
        """The key of a list, equal for pages of the same list. True and 1 are different here."""
        return repr((self.listing, self.similar_to))


class SimilarMemories(NamedTuple):
    """Memories by similarity to a text, best first."""

    keys: Keys
    similarities: FloatVector


RankFunction = Callable[[QueryText, Keys], SimilarMemories]
"""Ranks those of the given keys (ascending) that are most similar to a text, at most SIMILAR_LIMIT."""


class _List(NamedTuple):
    """The keys of a list, or the archive's numbers, in order."""

    numbers: Keys
    similarities: FloatVector | None


class Lists:
    """The lists of one NPC. The last one is kept until `forget()`."""

    def __init__(self, store: Storage, npc_id: str) -> None:
        self._store = store
        self._npc_id = npc_id
        self._query = ""
        self._list: _List | None = None

    def forget(self) -> None:
        """The memories have changed: find the next list anew."""
        self._list = None

    def page(
        self,
        npc: int,
        config: MemoryConfig,
        request: Request,
        rank: RankFunction,
        protected: Collection[int],
    ) -> dict[str, Any]:
        """{total, rows, position} of a page; see Tools.browse(). `protected`: keys."""
        matches = self._matches(npc, request, rank)
        numbers = matches.numbers[request.offset : request.offset + request.limit]
        if request.listing.is_archive:
            archived = self._store.archive.by_numbers(numbers.tolist())
            rows = [described_archived(version, self._npc_id, config) for version in archived]
        else:
            records = {record.key: record for record in self._store.records.by_keys(numbers.tolist())}
            rows = [
                described(records[number], self._npc_id, config, number in protected)
                for number in numbers.tolist()
            ]
        if matches.similarities is not None:
            for row, similarity in zip(rows, matches.similarities[request.offset :].tolist(), strict=False):
                row["similarity"] = similarity
        return {
            "total": len(matches.numbers),
            "rows": rows,
            "position": self._position(npc, matches, request),
        }

    def _matches(self, npc: int, request: Request, rank: RankFunction) -> _List:
        if self._list is None or self._query != request.query:
            self._list = self._find(npc, request, rank)
            self._query = request.query
        return self._list

    def _find(self, npc: int, request: Request, rank: RankFunction) -> _List:
        numbers = self._store.lists.find(npc, self._npc_id, request.listing)
        if not request.similar_to:
            return _List(numbers, None)
        ranking = rank(request.similar_to, np.sort(numbers))
        return _List(ranking.keys, ranking.similarities)

    def _position(self, npc: int, matches: _List, request: Request) -> int:
        if not request.locate:
            return -1
        if request.listing.is_archive:
            wanted = self._store.archive.numbers_of(npc, request.locate)
        else:
            record = self._store.records.get(npc, request.locate)
            wanted = [] if record is None else [record.key]
        for number in wanted:
            places = np.flatnonzero(matches.numbers == number)
            if len(places):
                return int(places[0])
        return -1


def request_of(save: SaveContext, options: Any, names_of: Callable[[str], Sequence[str]]) -> Request:
    """The page that the options of browse() ask for; `names_of` is that of OtherNames.

    Raises:
        InvalidArgumentError: an unknown option, or a value of a wrong type or out of range.
    """
    options = validate_options(WHERE, options, _OPTIONS)
    is_archive = validate_flag(WHERE, "archived", options.get("archived", False))
    similar_to = QueryText(save.query_text(WHERE, "similar_to", options.get("similar_to", "")).strip())
    if is_archive and similar_to:
        raise InvalidArgumentError(
            f"{WHERE}: archived memories have no similar_to", "no search finds them", "Use the option text"
        )
    sort = validate_text(WHERE, "sort", options.get("sort", "timestamp"))
    sorts = ARCHIVE_SORTS if is_archive else SORTS
    if sort not in sorts:
        raise InvalidArgumentError(
            f"{WHERE}: memories cannot be sorted by {sort!r}", "", f"Sort by {', '.join(sorts)}"
        )
    listing = Listing(
        tuple(with_other_names(parse_filter(WHERE, options.get("filter", {})), names_of)),
        tuple(_words(save.query_text(WHERE, "text", options.get("text", "")))),
        is_archive,
        sort,
        validate_flag(WHERE, "descending", options.get("descending", True)),
    )
    return Request(
        listing,
        similar_to,
        validate_option(WHERE, options, "offset", 0, 0, 2**62),
        validate_option(WHERE, options, "limit", _DEFAULT_PAGE, 0, _LONGEST_PAGE),
        validate_text(WHERE, "locate", options.get("locate", "")),
    )


def _words(text: QueryText) -> list[str]:
    return [word for word in dict.fromkeys(text.split()) if terms(word)][:MAX_TERMS]
