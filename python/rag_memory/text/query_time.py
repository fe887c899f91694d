"""The time that a question asks about: "yesterday", "on day 12", "last spring", "the day after the fire".

`query_time()` reads it, and `QueryTime` says how well moments fit. Nothing here knows of memories.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.text import english_times
from rag_memory.text.languages.tables import recall_words
from rag_memory.text.time_spans import NO_SPANS, Reading, Spans, Today
from rag_memory.vectors import NDArray

Moments: TypeAlias = NDArray[np.float64]
Channel: TypeAlias = NDArray[np.float64]


class Anchor(NamedTuple):
    """An event that the question dates itself by, as in "the day after the fire"."""

    text: str
    """The event in the question's words, such as "the fire"."""
    spans: Spans
    """The time of the event, in seconds from the beginning of its day."""
    is_included: bool = True
    """True if the event itself is in the time: false for "before the fire"."""


@dataclass(frozen=True)
class QueryTime:
    """The time that a query names."""

    spans: Spans
    """Moments of the game's clock, in seconds. Empty when the question only says "first" or "last", or dates
    itself by an event."""
    order: float
    """-1 for "the first ...", 1 for "the last ...", 0 when the question says neither."""
    anchor: Anchor | None
    words: str
    """The question without the words of its time, for channels that compare words."""
    seconds_per_day: float
    life_spans: Spans = NO_SPANS
    """Seconds from the beginning of the NPC's first day, as in "in my first week"."""
    date_spans: Spans = NO_SPANS
    """`spans` for clocks that count whole days: before four in the morning, `spans` counts the night as part
    of the day before."""

    @property
    def has_span(self) -> bool:
        """True if the query names a time, so that inside() tells memories apart."""
        return bool(self.spans or self.life_spans or self.anchor)

    def inside(self, timestamps: Moments, anchors: Sequence[tuple[float, float]] = ()) -> Channel:
        """Return how well each moment fits the named time: 1 inside, 0 far from it, and 0 everywhere if the
        query names no time.

        Args:
            timestamps: game times in seconds.
            anchors: moments that `anchor.text` may have been at, with the confidence in each, 0 to 1.
        """
        moments = np.asarray(timestamps, dtype=np.float64)
        channel = np.zeros(moments.shape)
        if not moments.size:
            return channel
        spans = self.date_spans or self.spans if self._counts_days(moments) else self.spans
        for span in spans:
            np.maximum(channel, span.fit(moments), out=channel)
        if self.life_spans:
            since = moments - self._day_start(float(moments.min()))
            for span in self.life_spans:
                np.maximum(channel, span.fit(since), out=channel)
        if self.anchor is not None:
            for moment, confidence in anchors:
                since = moments - self._day_start(moment)
                is_asked = 1.0 if self.anchor.is_included else moments != moment
                for span in self.anchor.spans:
                    np.maximum(channel, confidence * span.fit(since) * is_asked, out=channel)
        return channel

    def in_order(self, timestamps: Moments, inside: Channel | None = None) -> Channel:
        """Return how well each moment fits "first" or "last": -1 to 1 over the NPC's life, or over the named
        time; 0 everywhere if the query says neither.
        """
        moments = np.asarray(timestamps, dtype=np.float64)
        if not self.order or not moments.size:
            return np.zeros(moments.shape)
        among = moments
        if inside is not None and self.has_span and bool((inside > 0.5).any()):
            among = moments[inside > 0.5]
        first, last = float(among.min()), float(among.max())
        if last <= first:
            return np.zeros(moments.shape)
        channel: Channel = self.order * np.clip((2.0 * moments - first - last) / (last - first), -1.0, 1.0)
        return channel

    def _counts_days(self, moments: Moments) -> bool:
        return bool(self.date_spans) and not bool(np.any(moments % self.seconds_per_day))

    def _day_start(self, moment: float) -> float:
        return math.floor(moment / self.seconds_per_day) * self.seconds_per_day


def query_time(question: str, now: float, calendar: GameCalendar | None = None) -> QueryTime | None:
    """Read the time that a question asks about; None when it names none, or in a language without a table.

    Args:
        now: the game's time when it is asked, in seconds.
        calendar: None for the game's.
    """
    used = CALENDAR.at(now) if calendar is None else calendar
    today = Today.of(used, now)
    reading = _read(question, today)
    if reading is None:
        return None
    date_spans = NO_SPANS
    if today.is_night:
        by_date = _read(question, today.by_date())
        date_spans = by_date.spans if by_date is not None else NO_SPANS
    spans = (*reading.spans, *(span.weakened(0.5) for span in date_spans if span not in reading.spans))
    anchor = None
    if reading.anchor:
        anchor = Anchor(reading.anchor, reading.anchor_spans, reading.includes_anchor)
    return QueryTime(
        spans, reading.order, anchor, reading.words, used.seconds_per_day, reading.life_spans, date_spans
    )


def _read(question: str, today: Today) -> Reading | None:
    """Read a time of another language as the English time that its table gives for it."""
    table = recall_words(question)
    if table is None:
        return english_times.read(question, today)
    time, words = table.english_time(question)
    reading = english_times.read(time, today)
    return None if reading is None else reading._replace(words=words)
