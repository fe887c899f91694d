"""Spans of the game's time with soft edges, and the day from which "yesterday" counts."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from rag_memory.config.calendar import GameCalendar
from rag_memory.vectors import NDArray

_NIGHT_ENDS = 4.0 / 24.0
"""Before four in the morning, "today" means the day that has not ended with sleep yet."""


class Span(NamedTuple):
    """Moments from `start` up to `end`, in seconds. Beyond, the fit falls to 0 within `edge` seconds: on both
    sides, or only before the start (`side` -1) or after the end (1).
    """

    start: float
    end: float
    edge: float = 0.0
    weight: float = 1.0
    side: int = 0

    def fit(self, moments: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how well each moment fits: `weight` inside, 0 beyond the edges."""
        before = self.start - moments if self.side <= 0 else np.where(moments < self.start, np.inf, 0.0)
        after = moments - self.end if self.side >= 0 else np.where(moments >= self.end, np.inf, 0.0)
        outside = np.maximum(np.maximum(before, after), 0.0)
        inside = (moments >= self.start) & (moments < self.end)
        edges = np.clip(1.0 - outside / self.edge, 0.0, 1.0) if self.edge > 0.0 else 0.0
        return self.weight * np.where(inside, 1.0, edges)

    def weakened(self, factor: float) -> Span:
        """Return the same moments with less weight."""
        return self._replace(weight=self.weight * factor)

    def moved(self, seconds: float) -> Span:
        """The span, so much later."""
        return self._replace(start=self.start + seconds, end=self.end + seconds)


Spans: TypeAlias = tuple[Span, ...]
NO_SPANS: Spans = ()


class Reading(NamedTuple):
    """The time expressions of a query; see QueryTime."""

    spans: Spans
    life_spans: Spans
    anchor: str
    anchor_spans: Spans
    order: float
    words: str
    includes_anchor: bool = True
    """True if the event that dates the query is part of what it asks for."""


class Today(NamedTuple):
    """The moment from which a question counts."""

    calendar: GameCalendar
    now: float
    day: int
    is_night: bool

    @classmethod
    def of(cls, calendar: GameCalendar, now: float) -> Today:
        """Return the day that people mean by "today" at this moment."""
        day = calendar.day_of(now)
        is_night = day > 0 and now / calendar.seconds_per_day - day < _NIGHT_ENDS
        return cls(calendar, now, day - is_night, is_night)

    def by_date(self) -> Today:
        """Return the same with the day of the calendar."""
        return self._replace(day=self.calendar.day_of(self.now))

    def days(self, first: float, end: float, edge: float = 0.0, weight: float = 1.0) -> Span:
        """From a day up to another, by their numbers."""
        length = self.calendar.seconds_per_day
        return Span(first * length, end * length, edge * length, weight)

    def ago(self, most: float, least: float, edge: float = 0.0, weight: float = 1.0) -> Span:
        """From the day `most` days ago to the day `least` days ago, both included. Halves are cut."""
        return self.days(self.day - math.floor(most), self.day - math.floor(least) + 1, edge, weight)
