"""Words of a stored text for a day that counts from when they were said: "tomorrow", "last night"."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.number_words import AMOUNT, amount

_DAYS: Mapping[str, int] = {
    "the day after tomorrow": 2,
    "tomorrow": 1,
    "tonight": 0,
    "today": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "last night": -1,
    "yesterday": -1,
    "the day before yesterday": -2,
}
_NUMBER = lazy_pattern(AMOUNT)
_HINTS = (
    *("day", "morrow", "night", "morning", "afternoon", "evening", "week", "month", "year"),
    *("spring", "summer", "autumn", "fall", "winter", "season"),
)
"""One of them is in every text that has such words."""
_UNITS = "weeks?|months?|years?"
_WORDS = lazy_pattern(
    rf"\b(?:(?P<day>{'|'.join(sorted(_DAYS, key=len, reverse=True))})"
    rf"|in (?P<ahead>(?:a few|a couple of|[\w-]+)) (?:days?|(?P<ahead_unit>{_UNITS}))"
    rf"|(?P<ago>(?:a few|a couple of|[\w-]+)) (?:days?|(?P<ago_unit>{_UNITS})) ago"
    r"|(?P<vague>(?:next|last|this|this coming) "
    r"(?:week|month|year|spring|summer|autumn|fall|winter|season)))\b",
    re.IGNORECASE,
)


@functools.lru_cache(1024)
def relative_days(text: str) -> Mapping[str, int | None]:
    """The English words of a text for another day, in lower case, with how many days later than the words
    that is; None when they only mean a time around it, as "next week" does.
    """
    lower = text.lower()
    days: dict[str, int | None] = {}
    if not any(hint in lower for hint in _HINTS):
        return days
    for match in _WORDS.finditer(text):
        words = " ".join(match[0].lower().split())
        number = (match["ahead"] or match["ago"] or "").lower()
        if match["day"]:
            days[words] = _DAYS[words]
        elif match["vague"]:
            days[words] = None
        elif _NUMBER.fullmatch(number):
            least, most = amount(number)
            is_exact = least == most and not (match["ahead_unit"] or match["ago_unit"])
            days[words] = (least if match["ahead"] else -least) if is_exact else None
    return days
