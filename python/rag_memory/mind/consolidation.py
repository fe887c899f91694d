"""Consolidation: which memories become a summary, and what it says. Nothing is made up: a summary consists of
its sources' own sentences, unless a summarizer writes it (summarizer.py).

Two rules: old conversations are merged by day and topic; and when there are too many memories, those of the
lowest score are.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.consolidation import WRITTEN
from rag_memory.config.interaction_type import DEFAULT as DEFAULT_INTERACTION_TYPE
from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, MemoryConfig
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.memory_view import date_text, described, with_days
from rag_memory.memory.record import Record, new_record
from rag_memory.memory.repetition import TURN
from rag_memory.memory.secrecy import is_secret
from rag_memory.memory.speech import speech_of
from rag_memory.mind.meeting import FIRST_MEETING
from rag_memory.retrieval.scoring import Rated, scores
from rag_memory.step import Step, Steps
from rag_memory.text.short_form import details_of, sentences_of, short_form
from rag_memory.validation import list_in, mapping_in

_ABOUT = ("dates", "topics", "people", "numbers", "source_ids")
SUMMARY_IMPORTANCE = 6

_CONVERSATION = "conversation"
_MAX_SOURCES = 12
"""More memories than these would leave too little of each."""

_MAX_CHARS = 1200
"""As much of each of the most sources as its own short form has."""
_NEUTRAL_RELEVANCE = 0.5
_AT_ONCE = 200
_PLANNING = Step(0, 1, "choosing memories to summarise")
_UNTITLED = frozenset({"general", "player"})

Group = list[Record]
Grouping = Callable[[Sequence[Record]], list[Group]]


class Plan(NamedTuple):
    """The groups of memories that are each to become one summary, in the order of time."""

    groups: list[Group]

    @property
    def sources(self) -> list[Record]:
        """Every memory of every group."""
        return [record for group in self.groups for record in group]


def plan_steps(config: MemoryConfig, records: Sequence[Record], now: float) -> Steps[Plan]:
    """Plan which memories to merge, in slices, because very many take a second.

    Never merged are memories of MemoryConfig.lasting_kinds, those that are PINNED, milestones, in a slot or a
    piece of player_info, first meetings, secrets (a summary would tell them), and what is or may yet be part
    of a supersession: a promise has to be found to be broken.
    """
    free: list[Record] = []
    for start in range(0, len(records), _AT_ONCE):
        free += (record for record in records[start : start + _AT_ONCE] if is_ordinary(config, record))
        yield _PLANNING
    oldest = now - config.consolidation_age_days * SECONDS_PER_DAY
    old = [record for record in free if record.timestamp < oldest and _is_conversation(record)]
    groups = [
        part
        for group in _by_day_and_topic(old)
        if len(group) >= config.consolidation_min_count
        for part in _parts(group)
    ]
    merged = {record.key for group in groups for record in group}
    left = len(records) - len(merged) + len(groups)
    if left > config.max_memories_before_consolidate:
        free = [record for record in free if record.key not in merged]
        groups += yield from _lowest_steps(config, free, left - config.consolidate_target, now)
    groups.sort(key=lambda group: (group[0].timestamp, group[0].key))
    return Plan(groups)


def summary_of(
    npc_id: str, config: MemoryConfig, now: float, data: Mapping[str, Any], text: str, is_extractive: bool
) -> Record:
    """The memory that stands for its sources; `data` from about(), `text` from extract() or a summarizer.

    No limit holds for it: each of its sources kept to those of its time.
    """
    unlimited = dataclasses.replace(config, max_text_chars=sys.maxsize, max_metadata_chars=sys.maxsize)
    return new_record(
        "consolidate()",
        npc_id,
        unlimited,
        now,
        text,
        SUMMARY_IMPORTANCE,
        {**data, "is_extractive": is_extractive},
    )


def request(
    npc_id: str, config: MemoryConfig, sources: Sequence[Record], data: Mapping[str, Any], text: str
) -> dict[str, Any]:
    """Make the request to a summarizer: the sources as memories, the data of about(), and the extract."""
    return {
        "npc_id": npc_id,
        "sources": [described(record, npc_id, config) for record in sources],
        "extract": text,
        **{name: data[name] for name in _ABOUT},
        "max_chars": _MAX_CHARS,
    }


def about(npc_id: str, config: MemoryConfig, sources: Sequence[Record]) -> dict[str, Any]:
    """Return the metadata of a summary: the sources' ids, dates, topics, people and numbers."""
    metadatas = [record.metadata(npc_id) for record in sources]
    people = _united(
        [
            *metadata["participants"],
            *metadata["entities"],
            *([record.speaker] if record.speaker else []),
            *_listed(metadata, "people"),
            *(detail for detail in sorted(_details(config, record)) if not _is_number(detail)),
        ]
        for record, metadata in zip(sources, metadatas, strict=True)
    )
    topics = _united(metadata["topics"] for metadata in metadatas)
    locations = {record.location for record in sources}
    emotions = [record.emotion for record in sources if record.emotion]
    return {
        "event_type": SUMMARY,
        "memory_tier": TIER_IMPORTANT,
        "is_milestone": False,
        "timestamp": max(record.timestamp for record in sources),
        "participants": _united(metadata["participants"] for metadata in metadatas),
        "topics": topics,
        "entities": people,
        "location": locations.pop() if len(locations) == 1 else "",
        "emotion": max(emotions, key=emotions.count) if emotions else "",
        "source_ids": _united(
            _listed(metadata, "source_ids") or [record.id]
            for record, metadata in zip(sources, metadatas, strict=True)
        ),
        "dates": _united(
            _listed(metadata, "dates") or [date_text(config, record.timestamp)]
            for record, metadata in zip(sources, metadatas, strict=True)
        ),
        "people": people,
        "numbers": _united(
            [
                *_listed(metadata, "numbers"),
                *(detail for detail in sorted(_details(config, record)) if _is_number(detail)),
            ]
            for record, metadata in zip(sources, metadatas, strict=True)
        ),
    }


def extract(sources: Sequence[Record], config: MemoryConfig) -> str:
    """Join one piece of the text of each source, in the order of time: the whole text while there is room,
    else the short form. Sentences of one source that do not follow one another are never joined.
    """
    speech, own_words = speech_of(config), config.own_words()
    pieces: dict[int, str] = {}
    room = _MAX_CHARS
    shortest_first = sorted(range(len(sources)), key=lambda place: len(sources[place].document_full))
    for number, place in enumerate(shortest_first):
        source = sources[place]
        metadata = source.metadata("")
        share = max(1, room // (len(sources) - number))
        names = [*metadata["participants"], *metadata["entities"]]
        text = with_days(config, source.document_full, source.timestamp)
        piece = short_form(text, share, share, names, speech, own_words)
        if len(piece) <= room and piece not in pieces.values():
            pieces[place] = piece
            room -= len(piece) + 1
    if not pieces:
        return max(sources, key=lambda source: source.importance).document_full
    return " ".join(pieces[place] for place in sorted(pieces))


def is_ordinary(config: MemoryConfig, record: Record) -> bool:
    """Return whether a memory may be merged with others, and may fade; see plan_steps()."""
    return not (
        record.memory_tier == TIER_PINNED
        or record.is_milestone
        or record.slot_type
        or record.info_type
        or record.superseded_by
        or record.event_type == FIRST_MEETING
        or _lasts(config, record)
        or is_secret(record)
        or record.event_type in config.supersession_pairs
        or record.event_type in config.supersession_pairs.values()
        or record.event_type in config.ending_event_types
        or record.event_type in config.ending_event_types.values()
    )


def _lasts(config: MemoryConfig, record: Record) -> bool:
    lasting = config.lasting_kinds
    return (
        record.kind in lasting
        or record.event_type in lasting
        or (WRITTEN in lasting and not _is_conversation(record) and _is_written(record))
    )


def _is_written(record: Record) -> bool:
    """Return whether the text is the game's own: of no exchange, turn, perceived event or summary."""
    if record.exchange_id or record.event_type == SUMMARY:
        return False
    extra = mapping_in(record.extra)
    is_perceived = bool(record.kind) and "sentiment" in extra and "source_id" in extra
    return not is_perceived and TURN not in str(extra.get("turn", ""))


def _is_conversation(record: Record) -> bool:
    return record.event_type == _CONVERSATION or (
        record.interaction_type == DEFAULT_INTERACTION_TYPE and record.event_type != SUMMARY
    )


def scores_steps(
    config: MemoryConfig, records: Sequence[Record], now: float
) -> Steps[list[tuple[float, float, int, Record]]]:
    """Return score, time, key and record of each memory, without a question, in slices."""
    scored: list[tuple[float, float, int, Record]] = []
    for start in range(0, len(records), _AT_ONCE):
        part = records[start : start + _AT_ONCE]
        scored += (
            (score, record.timestamp, record.key, record)
            for record, (_, score) in zip(part, scores(config, now, map(_rated, part)), strict=True)
        )
        yield _PLANNING
    return scored


def _lowest_steps(config: MemoryConfig, free: list[Record], surplus: int, now: float) -> Steps[list[Group]]:
    """Groups of the lowest scored memories that take `surplus` memories away; the finest grouping that does,
    or else the one that comes nearest.
    """
    scored = yield from scores_steps(config, free, now)
    ranked = [record for *_, record in sorted(scored)]
    tried: list[list[Group]] = []
    for grouping in (_by_topic_then_day, _by_day, _by_time):
        groups = yield from _enough_steps(ranked, surplus, grouping)
        if _saved(groups) >= surplus:
            return groups
        tried.append(groups)
    return max(tried, key=_saved)


def _enough_steps(ranked: list[Record], surplus: int, grouping: Grouping) -> Steps[list[Group]]:
    """The groups of as few memories, from the lowest score on, as take `surplus` away."""
    few, many = 0, len(ranked)
    all_groups = grouping(ranked)
    if _saved(all_groups) <= surplus:
        return all_groups
    while few < many:
        yield _PLANNING
        middle = (few + many) // 2
        if _saved(grouping(ranked[:middle])) >= surplus:
            many = middle
        else:
            few = middle + 1
    return grouping(ranked[:many])


def _saved(groups: Iterable[Group]) -> int:
    return sum(len(group) - 1 for group in groups)


def _rated(record: Record) -> Rated:
    return Rated(
        record.memory_tier,
        record.importance,
        record.timestamp,
        record.last_accessed,
        record.superseded_by != "",
        _NEUTRAL_RELEVANCE,
    )


def _by_topic_then_day(records: Sequence[Record]) -> list[Group]:
    groups = _by_day_and_topic(records)
    alone = [group[0] for group in groups if len(group) == 1]
    return [part for group in groups if len(group) > 1 for part in _parts(group)] + _by_day(alone)


def _by_day(records: Sequence[Record]) -> list[Group]:
    groups = _grouped(records, lambda record: _day(record.timestamp))
    return [part for group in groups if len(group) > 1 for part in _parts(group)]


def _by_time(records: Sequence[Record]) -> list[Group]:
    return _parts(_in_order(records)) if len(records) > 1 else []


def _by_day_and_topic(records: Sequence[Record]) -> list[Group]:
    return _grouped(records, lambda record: (_day(record.timestamp), _topic(record)))


def _grouped(records: Sequence[Record], key: Callable[[Record], Any]) -> list[Group]:
    groups: dict[Any, Group] = {}
    for record in _in_order(records):
        groups.setdefault(key(record), []).append(record)
    return list(groups.values())


def _parts(group: Group) -> list[Group]:
    """The group in parts of nearly one size, none larger than a summary can hold."""
    count = -(-len(group) // _MAX_SOURCES)
    edges = [len(group) * number // count for number in range(count + 1)]
    return [group[start:end] for start, end in itertools.pairwise(edges)]


def _in_order(records: Sequence[Record]) -> Group:
    return sorted(records, key=lambda record: (record.timestamp, record.key))


def _day(timestamp: float) -> int:
    return CALENDAR.at(timestamp).day_of(timestamp)


def _topic(record: Record) -> str:
    return _first_topic(record.topics) or f"event {record.event_type}"


@functools.lru_cache(4096)
def _first_topic(topics: str) -> str:
    return "".join(map(str, list_in(topics)[:1])).casefold()


def _details(config: MemoryConfig, record: Record) -> frozenset[str]:
    return _details_in(config, record.document_full, record)


def _details_in(config: MemoryConfig, text: str, record: Record) -> frozenset[str]:
    metadata = record.metadata("")
    details = details_of(text, sentences_of(text), [*metadata["participants"], *metadata["entities"]])
    untitled = _UNTITLED | config.own_words()
    return frozenset(detail for detail in details if detail.casefold() not in untitled)


def _is_number(detail: str) -> bool:
    return detail[:1].isdigit()


def _listed(metadata: dict[str, Any], name: str) -> list[str]:
    value = metadata.get(name) if metadata["event_type"] == SUMMARY else None
    return [str(item) for item in value] if isinstance(value, list) else []


def _united(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(item for items in lists for item in items))
