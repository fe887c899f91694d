"""The game's time: seconds as floats, counted from wherever the game begins."""

from __future__ import annotations

from typing import Any

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86400.0
"""Of the clock. What is printed or asked counts the days of the game's calendar instead (CALENDAR)."""
MOST_DAYS = 1e9
"""The most days; less than the seconds of a clock that shows the year 2001."""


def number_in(value: Any, most: float = 1e15) -> float | None:
    """Return a number of kept data; None for what is none, is not finite, or is beyond all use."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= most
    return float(value) if is_number else None
