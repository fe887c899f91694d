"""Counts, lists and pictures of memories in memory."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.archived import CONSOLIDATED, ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.storage.comparison import COMPARED, ComparedRow
from rag_memory.storage.filter import COMPARE, FLAGS, LISTS, NUMBERS, TEXTS, Condition, meets
from rag_memory.storage.in_memory.archive import Archive
from rag_memory.storage.listing import SEARCHED, Listing
from rag_memory.storage.timeline import MARK_FIELDS, SUPERSEDED, Span
from rag_memory.text.index_terms import WORD
from rag_memory.text.terms import terms
from rag_memory.vectors import Keys

_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class Browsing(Archive):
    """See storage.protocol.Browsing."""

    def count(self, npc: int | None = None) -> int:
        memories = self._tables.memories
        return len(memories.rows) if npc is None else len(memories.of(npc))

    def statistics(self, npc: int) -> dict[str, Any]:
        records = self._tables.memories.records(npc)
        times = [record.timestamp for record in records] or [0.0]
        return {
            "total": len(records),
            "average_importance": sum(each.importance for each in records) / max(1, len(records)),
            "oldest": min(times),
            "newest": max(times),
            "milestones": sum(record.is_milestone for record in records),
            "superseded": sum(record.superseded_by != "" for record in records),
        }

    def counts_by(self, npc: int, field: str) -> dict[Any, int]:
        return dict(
            sorted(Counter(getattr(each, field) for each in self._tables.memories.records(npc)).items())
        )

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        records = self._tables.memories.records(npc)
        return _keys(record.key for record in records if record_meets(condition, record))

    def listed(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        tables = self._tables
        numbers = self._numbers_shown(npc) if listing.is_archive else tables.memories.of(npc)
        rows = {
            number: (
                tables.archive.rows[number] if listing.is_archive else tables.memories.rows[number]
            ).record
            for number in numbers
        }
        found = {
            number: record
            for number, record in rows.items()
            if all(
                meets(each, npc_id) if each.field == "npc_id" else record_meets(each, record)
                for each in listing.conditions
            )
        }
        if listing.is_archive:
            wanted = [word.translate(_ASCII_LOWER) for word in listing.words]
            kept = {
                number
                for number, record in found.items()
                if all(
                    any(word in getattr(record, name).translate(_ASCII_LOWER) for name in SEARCHED)
                    for word in wanted
                )
            }
        else:
            kept = set(found)
            for term in (WORD + term for word in listing.words for term in terms(word)):
                kept &= set().union(
                    *(
                        keys
                        for known, keys in tables.memories.with_term[npc].items()
                        if known.startswith(term)
                    )
                )
        order = self._order(listing.sort)
        return _keys(
            sorted(
                kept, key=lambda number: (order(number, found[number]), number), reverse=listing.is_descending
            )
        )

    def _order(self, sort: str) -> Callable[[int, Record], Any]:
        archive = self._tables.archive.rows
        if sort == "archived_at":
            return lambda number, record: archive[number].archived.at
        if sort == "archived_reason":
            return lambda number, record: archive[number].archived.reason
        name = "document_full" if sort == "text" else sort
        return lambda number, record: getattr(record, name)

    def archived_with(self, numbers: Sequence[int]) -> list[ArchivedRecord]:
        return [self._archived(number) for number in numbers]

    def archived_numbers(self, npc: int, id: str) -> list[int]:
        return self._tables.archive.of(npc, "id", id)[::-1]

    def timeline(self, npc: int | None, span: Span) -> dict[str, Any]:
        records = [] if npc is None else self._tables.memories.records(npc)
        archived = [] if npc is None else [each.record.timestamp for each in self.archived(npc)]
        times = [*(record.timestamp for record in records), *archived] or [0.0]
        first, last = min(times), max(times)
        begin = first if span.begin is None else span.begin
        end = max(begin, last if span.end is None else span.end)
        width = (end - begin) / span.buckets or 1.0

        def counts(moments: Iterable[float]) -> list[int]:
            found = [0] * span.buckets
            for moment in moments:
                if begin <= moment <= end:
                    # The last moment belongs to the last stretch.
                    found[min(span.buckets - 1, int((moment - begin) / width))] += 1
            return found

        inside = [record for record in records if begin <= record.timestamp <= end]
        inside.sort(
            key=lambda each: (
                -each.is_milestone,
                each.memory_tier,
                -each.importance,
                -each.timestamp,
                -each.key,
            )
        )
        marks = [
            {name: getattr(each, name) for name in MARK_FIELDS}
            | {"is_milestone": bool(each.is_milestone), "text": each.document_short}
            for each in inside[: span.marks]
        ]
        links = (
            []
            if npc is None
            else [
                *self._supersessions(npc, begin, end, span.marks),
                *self._consolidations(npc, begin, end, span.marks),
            ]
        )
        return {
            "begin": begin,
            "end": end,
            "first": first,
            "last": last,
            "counts": [
                counts(each.timestamp for each in records if each.memory_tier == tier)
                for tier in range(TIER_REGULAR + 1)
            ],
            "archived": counts(archived),
            "marks": marks,
            "links": links,
        }

    def _supersessions(self, npc: int, begin: float, end: float, limit: int) -> list[dict[str, Any]]:
        by_id = {record.id: record for record in self._tables.memories.records(npc)}
        pairs = [(old, by_id[old.superseded_by]) for old in by_id.values() if old.superseded_by in by_id]
        pairs = [(old, new) for old, new in pairs if old.timestamp <= end and new.timestamp >= begin]
        pairs.sort(key=lambda pair: (pair[1].timestamp, pair[0].key), reverse=True)
        return [_link(SUPERSEDED, 1, old, new) for old, new in pairs[:limit]]

    def _consolidations(self, npc: int, begin: float, end: float, limit: int) -> list[dict[str, Any]]:
        archive = self._tables.archive
        by_id = {record.id: record for record in self._tables.memories.records(npc)}
        sources: defaultdict[str, list[Record]] = defaultdict(list)
        for number in archive.of(npc):
            archived = archive.rows[number].archived
            if archived.reason == CONSOLIDATED and archived.by in by_id:
                sources[archived.by].append(archive.rows[number].record)
        found = [
            (len(olds), min(olds, key=lambda each: each.timestamp), by_id[by]) for by, olds in sources.items()
        ]
        found = [each for each in found if each[1].timestamp <= end and each[2].timestamp >= begin]
        found.sort(key=lambda each: (each[2].timestamp, each[2].key), reverse=True)
        return [_link(CONSOLIDATED, count, old, new) for count, old, new in found[:limit]]

    def npc_overview(self) -> list[dict[str, Any]]:
        npcs = sorted(
            self._tables.npcs.rows.items(),
            key=lambda each: (each[1].npc_id.translate(_ASCII_LOWER), each[1].npc_id),
        )
        found = []
        for number, npc in npcs:
            tiers, known = self.counts_by(number, "memory_tier"), self.statistics(number)
            found.append(
                {
                    "npc_id": npc.npc_id,
                    "total": known["total"],
                    "pinned": tiers.get(0, 0),
                    "important": tiers.get(1, 0),
                    "regular": tiers.get(2, 0),
                    "superseded": known["superseded"],
                    "archived": len(self._numbers_shown(number)),
                    "oldest": known["oldest"],
                    "newest": known["newest"],
                }
            )
        return found

    def compared_rows(self) -> Iterator[ComparedRow]:
        tables = self._tables
        rows = [
            (tables.npcs.rows[each.npc].npc_id, *(getattr(each.record, name) for name in COMPARED))
            for each in tables.memories.rows.values()
        ]
        yield from sorted(rows, key=lambda row: row[:2])


def record_meets(condition: Condition, record: Record) -> bool:
    """Whether a record meets a condition on any field but npc_id."""
    field, name, wanted = condition
    if field in LISTS:
        return wanted in json.loads(getattr(record, field))
    if field in TEXTS or field in NUMBERS or field in FLAGS:
        return meets(condition, getattr(record, field))
    own = json.loads(record.extra)
    value = own.get(field)
    if name == "contains":
        return isinstance(value, list) and any(_equal(item, wanted) for item in value)
    if name in ("in", "not_in"):
        return (field in own and any(_equal(value, each) for each in wanted)) == (name == "in")
    if name in ("=", "!="):
        return (field in own and _equal(value, wanted)) == (name == "=")
    return field in own and _kind(value) == _kind(wanted) and bool(COMPARE[name](value, wanted))


def _equal(value: Any, wanted: Any) -> bool:
    return _kind(value) == _kind(wanted) and bool(value == wanted)


def _kind(value: Any) -> type:
    return float if type(value) is int else type(value)


def _keys(numbers: Iterable[int]) -> Keys:
    return np.array(list(numbers), dtype=np.int64)


def _link(kind: str, count: int, old: Record, new: Record) -> dict[str, Any]:
    return {"kind": kind, "count": count, "from": _end_of(old), "to": _end_of(new)}


def _end_of(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "timestamp": record.timestamp,
        "memory_tier": record.memory_tier,
        "text": record.document_short,
    }
