"""Which key of a Dictionary was meant by one that has no meaning."""

from __future__ import annotations

import difflib
import functools

_LIKENESS = 0.78
"""From this ratio of difflib on an unknown key is treated as a slip: "event_typ" has 0.95."""
LIKENESS_OF_OPTIONS = 0.6
"""The same where any unknown key is an error."""
_LONGEST = 40
_LEAST_BEGINNING = 3
OTHER_NAMES = {
    "actor": "source_id",
    "amount": "limit",
    "answer": "response",
    "count": "limit",
    "desc": "descending",
    "description": "summary",
    "full_name": "name",
    "health": "health_after",
    "item": "content",
    "k": "limit",
    "killer": "killed_by",
    "listeners": "addressees",
    "max": "limit",
    "max_results": "limit",
    "nickname": "aliases",
    "number": "limit",
    "order": "sort",
    "order_by": "sort",
    "page": "offset",
    "place": "location",
    "player": "source_id speaker",
    "player_name": "name",
    "query": "text",
    "reply": "response",
    "search": "text",
    "sort_by": "sort",
    "text": "description summary response",
    "timestamp": "day",
    "title": "summary",
    "top_k": "limit",
    "type": "event_type task_type",
    "where": "filter",
    "who": "source_id participants actor speaker",
}
"""What else a key may be called, by its names here, the likeliest first."""


@functools.lru_cache(1024)
def slip_for(key: str, names: tuple[str, ...], likeness: float = _LIKENESS) -> str:
    """The name that a key was probably meant to be, or an empty string. A longer one ("location_id") is the
    game's own.
    """
    if key in names or len(key) > _LONGEST:
        return ""
    written = key.lower().replace("-", "_").replace(" ", "_")
    if written not in OTHER_NAMES and any(written.startswith(f"{name}_") for name in names):
        return ""
    matches = [
        *difflib.get_close_matches(written, names, 1, likeness),
        *(name for name in OTHER_NAMES.get(written, "").split() if name in names),
        *(name for name in names if len(written) >= _LEAST_BEGINNING and name.startswith(f"{written}_")),
    ]
    return matches[0] if matches else ""
