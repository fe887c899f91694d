"""Which part of an NPC's life a timeline is asked for, and how finely."""

from __future__ import annotations

from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import validate_number, validate_option, validate_options

SUPERSEDED = "superseded"
"""The kind of a link from a memory to the one that superseded it; those of a summary are "consolidated"."""

_WHERE = "get_timeline()"
_OPTIONS = ("begin", "end", "buckets", "marks")
_DEFAULT_BUCKETS = 200
_MOST_BUCKETS = 4000
_DEFAULT_MARKS = 100
_MOST_MARKS = 1000


MARK_FIELDS = (
    *("id", "timestamp", "memory_tier", "importance", "event_type", "kind", "is_milestone"),
    "superseded_by",
)
"""What a mark tells of a memory, besides its text."""


class TimelineRange(NamedTuple):
    """Which part of a life is asked for, and how finely; None for its begin and its end."""

    begin: float | None
    end: float | None
    buckets: int
    marks: int


def span_of(options: Any) -> TimelineRange:
    """What the options of get_timeline() ask for.

    Raises:
        InvalidArgumentError: an unknown option, a value of a wrong type or out of range, or an end before
            the begin.
    """
    options = validate_options(_WHERE, options, _OPTIONS)
    begin, end = (
        validate_number(_WHERE, name, options[name]) if name in options else None for name in ("begin", "end")
    )
    if begin is not None and end is not None and end < begin:
        raise InvalidArgumentError(f"{_WHERE}: end is before begin", f"{end} < {begin}", "Swap them")
    return TimelineRange(
        begin,
        end,
        validate_option(_WHERE, options, "buckets", _DEFAULT_BUCKETS, 1, _MOST_BUCKETS),
        validate_option(_WHERE, options, "marks", _DEFAULT_MARKS, 0, _MOST_MARKS),
    )
