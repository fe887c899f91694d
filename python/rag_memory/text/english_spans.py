"""English words for a time that counts from today: "yesterday", "three weeks ago", "last month"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.number_words import AMOUNT, CARDINAL, amount, cardinal
from rag_memory.text.time_spans import NO_SPANS, Span, Spans, Today

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str], Today], Spans]]

UNIT = r"(?P<unit>day|night|week|fortnight|month|year)s?"
_SHORT_UNIT = r"(?P<short>second|minute|hour)s?"
_ABOUT = r"(?P<about>about|around|roughly|nearly|almost|maybe|over|more than|less than|at least)\s"
_EXACT = r"(?P<exact>exactly|precisely)\s"


def unit_days(unit: str, today: Today) -> float:
    """The days that a unit has in the calendar."""
    calendar = today.calendar
    week = float(calendar.week_days)
    lengths = {
        "week": week,
        "fortnight": 2 * week,
        "month": calendar.mean_month_days,
        "year": calendar.year_days,
    }
    return float(lengths.get(unit, 1.0))


def slack_of(unit: str, days: float) -> float:
    """Return by how many days a distance in this unit may be wrong: people count days well, months badly."""
    if unit in ("day", "night"):
        return min(max(0.0, 0.25 * (days - 2.0)), 3.0)
    return {"week": 3.0, "fortnight": 4.0}.get(unit, 12.0) + 0.1 * days


def _ago(match: re.Match[str], today: Today) -> Spans:
    least, most = amount(match["count"])
    unit = match["unit"]
    days = unit_days(unit, today)
    half = 0.5 if match["half"] else 0.0
    near, far = (least + half) * days, (most + half) * days
    slack = slack_of(unit, near)
    if match["about"]:
        slack = 2 * slack + 1
    if match["exact"]:
        slack /= 3
    return today.ago(far, near), today.ago(far, near, slack, 0.8)


def _shortly_ago(match: re.Match[str], today: Today) -> Spans:
    least, most = amount(match["count"])
    hour = today.calendar.seconds_per_day / 24
    unit = {"second": hour / 3600, "minute": hour / 60}.get(match["short"], hour)
    start, end = today.now - most * unit, today.now - least * unit
    slack = max(hour / 4, (today.now - start) / 4)
    return (Span(start - slack, end + slack, slack),)


def _past_units(match: re.Match[str], today: Today) -> Spans:
    """Read "the last three days" and "the past week"."""
    most = amount(match["count"])[1] if match["count"] else 1
    days = most * unit_days(match["unit"], today)
    return today.ago(days, 0), today.ago(days, 0, 0.25 * days, 0.5)


def _last_unit(match: re.Match[str], today: Today) -> Spans:
    """Read "last week": the calendar's, and about seven days ago."""
    unit = match["unit"]
    if unit == "night":
        return today.days(today.day - 0.3, today.day + 0.25), today.ago(1, 1, 0.0, 0.8)
    calendar, days = today.calendar, unit_days(unit, today)
    date = calendar.date(today.day)
    if unit == "month" and date.month:
        first, _ = calendar.month_span(date.year, date.month)
        before = calendar.date(first - 1)
        return (today.days(*calendar.month_span(before.year, before.month), 0.1 * days),)
    if unit == "year" and date.month:
        return (today.days(*calendar.year_span(date.year - 1), 0.02 * days),)
    spans = today.ago(1.4 * days, 0.45 * days), today.ago(2 * days - 1, 1, 0.0, 0.6)
    if unit == "week" and date.weekday:
        monday = today.day - date.weekday + 1
        return (*spans, today.days(monday - days, monday))
    return spans


def _this_unit(match: re.Match[str], today: Today) -> Spans:
    calendar, unit = today.calendar, match["unit"]
    date = calendar.date(today.day)
    first = today.day - unit_days(unit, today)
    if unit == "week" and date.weekday:
        first = today.day - date.weekday + 1
    elif unit == "month" and date.month:
        first = calendar.month_span(date.year, date.month)[0]
    elif unit == "year" and date.month:
        first = calendar.year_span(date.year)[0]
    return (today.days(math.ceil(first), today.day + 1),)


def _part_of_today(match: re.Match[str], today: Today) -> Spans:
    begin, end = {"morning": (0.15, 0.5), "afternoon": (0.5, 0.8)}.get(match["part"], (0.65, 1.2))
    return today.days(today.day + begin, today.day + end), today.ago(0, 0, 0.0, 0.8)


def _numbered_days(match: re.Match[str], today: Today) -> Spans:
    zero = today.calendar.first_day_number
    first = cardinal(match["first"]) - zero
    return (today.days(first, (cardinal(match["last"]) - zero if match["last"] else first) + 1),)


_RULES: list[_Rule] = [
    (lazy_pattern(pattern), build)
    for pattern, build in (
        (
            rf"\b(?:(?:on|between|from) )?days? (?:number )?#?(?P<first>{CARDINAL})\b"
            rf"(?: (?:and|to|until) (?:day )?(?P<last>{CARDINAL})\b)?",
            _numbered_days,
        ),
        (
            rf"\b(?:{_ABOUT}|{_EXACT})?(?P<count>{AMOUNT}) (?:(?:full|whole|long|short) )?{UNIT}"
            r"(?P<half> and a half)? (?:ago|back|earlier)\b(?! then)",
            _ago,
        ),
        (rf"\b(?P<count>{AMOUNT}) {_SHORT_UNIT} (?:ago|back|earlier)\b", _shortly_ago),
        (r"\b(?:the )?day before yesterday\b", lambda _, today: (today.ago(2, 2),)),
        (
            r"\byesterday(?:'s)?\b(?: (?:morning|evening|afternoon|night))?",
            lambda _, today: (today.ago(1, 1),),
        ),
        (r"\b(?:this|today's) (?P<part>morning|afternoon|evening)\b", _part_of_today),
        (r"\b(?P<part>tonight)\b", _part_of_today),
        (r"\b(?:earlier )?today(?:'s)?\b", lambda _, today: (today.ago(0, 0),)),
        (r"\bthe other (?:day|night|week)\b", lambda _, today: (today.ago(6, 1, 6.0),)),
        (r"\b(?:just now|a moment ago|a (?:little|short) while ago)\b", lambda _, today: (today.ago(0, 0),)),
        (
            r"\b(?:in |over |for |during |within )?(?:the|these|my|our) (?:last|past) "
            rf"(?:(?P<count>{AMOUNT}) )?{UNIT}\b",
            _past_units,
        ),
        (r"\blast (?P<unit>night|week|month|year)\b", _last_unit),
        (r"\bthis (?:past )?(?P<unit>week|month|year)\b", _this_unit),
        (
            r"\b(?:recently|lately|of late|not (?:so |too |that )?long ago|in recent (?:days|times))\b",
            lambda _, today: (today.ago(7, 0, 14.0, 0.4),),
        ),
    )
]


def spans_in(text: str, today: Today) -> tuple[Spans, re.Match[str] | None]:
    """Find the first time in lower-case text that counts from today, or names a day by its number."""
    for pattern, build in _RULES:
        match = pattern.search(text)
        if match is not None:
            return build(match, today), match
    return NO_SPANS, None
