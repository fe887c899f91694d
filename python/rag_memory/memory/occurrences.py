"""The game times at which a repeated memory happened, kept in its free metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.validation import mapping_in, to_json

OCCURRENCES = "occurrences"
"""The key of the metadata."""
MOST_TIMES = 20
"""So many of the latest times are stored."""


def times_in(extra: str) -> list[float]:
    """The times in stored metadata, in the order of storing; none for what happened once."""
    return read_times(mapping_in(extra).get(OCCURRENCES)) if OCCURRENCES in extra else []


def read_times(value: Any) -> list[float]:
    """The times in what a memory has under OCCURRENCES."""
    times = value.get("times") if isinstance(value, dict) else None
    numbers = times if isinstance(times, list | tuple) else ()
    return [float(at) for at in numbers if isinstance(at, int | float) and not isinstance(at, bool)]


def with_times(extra: str, times: Sequence[float]) -> str:
    """Stored metadata with the last of these times, or without any."""
    data = mapping_in(extra)
    data.pop(OCCURRENCES, None)
    if times:
        data[OCCURRENCES] = {"times": list(times[-MOST_TIMES:])}
    return to_json(data) if times or OCCURRENCES in extra else extra


def taken_back(extra: str, was: str, became: str, count: int) -> str:
    """Later metadata without the `count` times that a transaction added, which changed `was` to `became`."""
    before, added = times_in(was), times_in(became)
    times = times_in(extra)
    for at in added[len(added) - count :]:
        if at in times:
            times.remove(at)
    pushed_out = before[: max(0, len(before) + count - len(added))]
    times = [*pushed_out, *times]
    return with_times(extra, times if len(times) > 1 else [])
