"""A day of an NPC as a diary has it: which memories, in which order and in how many words."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.former_player import named
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.memory_view import date_text, with_days
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import EVENT_TYPE as RELATIONSHIP
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.text.dedup_key import dedup_key
from rag_memory.validation import mapping_in

_NO_EVENTS = (RELATIONSHIP, SUMMARY)
"""Event types of memories that tell of no day: a state, and what stands for others."""


class Happening(NamedTuple):
    """Something that happened on a day, perhaps several times."""

    record: Record
    at: float
    times: int
    text: str

    @property
    def weight(self) -> tuple[int, int, float]:
        """What is chosen first: what matters, then milestones, then what was felt or happened last."""
        return self.record.importance, self.record.is_milestone, self.at


class Day(NamedTuple):
    """A day with what happened on it, in order."""

    number: int
    date: str
    happenings: list[Happening]

    def lines(self) -> list[str]:
        """Return what happened as plain lines."""
        return [happening.text for happening in self.happenings]


def days_of(
    config: MemoryConfig, records: Iterable[Record], first: int, last: int, min_importance: int
) -> list[Day]:
    """Return the days of a span on which something happened, in order."""
    days: dict[int, dict[Any, Happening]] = {}
    for record in records:
        if record.event_type in _NO_EVENTS or record.importance < min_importance:
            continue
        for at in _times(record):
            number = CALENDAR.at(at).day_of(at)
            if first <= number <= last:
                happenings = days.setdefault(number, {})
                key = dedup_key(record.document_full) or record.id
                before = happenings.get(key)
                happenings[key] = (
                    Happening(record, at, 1, "")
                    if before is None
                    else Happening(
                        max(before.record, record, key=lambda one: one.importance),
                        min(before.at, at),
                        before.times + 1,
                        "",
                    )
                )
    return [
        Day(
            number,
            date_text(config, min(happening.at for happening in happenings.values())),
            [
                happening._replace(text=_text(config, happening))
                for happening in sorted(happenings.values(), key=lambda one: (one.at, one.record.key))
            ],
        )
        for number, happenings in sorted(days.items())
    ]


def within(days: list[Day], token_budget: int) -> list[Day]:
    """Return what fits a number of tokens: what weighs most comes first, over all days."""
    everything = [happening for day in days for happening in day.happenings]
    chosen: set[int] = set()
    for happening in heapq.nlargest(len(everything), everything, key=lambda one: one.weight):
        tokens = estimate_tokens(happening.text)
        if tokens <= token_budget:
            token_budget -= tokens
            chosen.add(id(happening))
    fitting = [day._replace(happenings=[one for one in day.happenings if id(one) in chosen]) for day in days]
    return [day for day in fitting if day.happenings]


def _times(record: Record) -> list[float]:
    """Return when the same thing happened: each of its times, as far as they are stored."""
    occurrences = mapping_in(record.extra).get("occurrences")
    times = occurrences.get("times") if isinstance(occurrences, dict) else None
    if isinstance(times, list) and times and all(isinstance(time, int | float) for time in times):
        return [float(time) for time in times]
    return [record.timestamp] * max(1, record.repeat_count)


def _text(config: MemoryConfig, happening: Happening) -> str:
    text = named(config, happening.record, happening.record.document_full)
    text = with_days(config, text, happening.at)
    return f"{text} ({config.often(happening.times)})" if happening.times > 1 else text
