"""Dates in the names of a calendar: "on the 3rd of Frostmonth", "last spring", "on Friday", "in 1203"."""

from __future__ import annotations

import functools
import re

from rag_memory.config.calendar import GameCalendar
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.number_words import CARDINAL, ORDINAL, cardinal, ordinal
from rag_memory.text.time_spans import NO_SPANS, Span, Spans, Today

_OLDER = 0.7
"""The weight of a month, a season or a weekday once earlier than the latest."""
_EARLIER = 3
"""So many of them are meant at most."""
_PART = (
    r"(?:the )?(?:(?P<part>early|late|mid|beginning|start|middle|end|first half|second half)(?:[- ]of)?[- ])?"
)
_PARTS = {
    "early": (0.0, 0.4),
    "beginning": (0.0, 0.35),
    "start": (0.0, 0.35),
    "first half": (0.0, 0.5),
    "mid": (0.25, 0.75),
    "middle": (0.25, 0.75),
    "second half": (0.5, 1.0),
    "late": (0.6, 1.0),
    "end": (0.65, 1.0),
}
_YEAR = (
    r"(?:(?:, ?| )(?:(?:in|of) )?(?:the )?(?:year )?(?P<year>\d{1,6})"
    r"|,? (?:of |in )?(?P<year_ago>(?:the )?(?:last|previous) year|the year before)\b)?"
)
_BEFORE_NAME = (
    r"(?:\b(?P<year_first>last year(?:'s)?),? )?"
    r"(?:\b(?P<which>in|on|during|since|of|last|previous|this|over|until|by|from)"
    r"(?: (?:the )?(?:last|previous|this))? |(?<=last year's ))"
)


_WORD = lazy_pattern(r"[^\W\d_]+")


class _Patterns:
    """The patterns for the names of one calendar."""

    def __init__(self, months: tuple[str, ...], seasons: tuple[str, ...], weekdays: tuple[str, ...]) -> None:
        month, season, weekday = (_either(names) for names in (months, seasons, weekdays))
        day = rf"(?:the )?(?P<day>{ORDINAL}|\d{{1,3}})"
        self.dates = [
            re.compile(rf"\b(?:on )?{day} (?:day )?(?:of )?(?P<month>{month})\b{_YEAR}"),
            re.compile(rf"\b(?:on )?(?P<month>{month}) {day}\b(?! (?:days|weeks|years)){_YEAR}"),
        ]
        self.month = re.compile(
            rf"(?:{_BEFORE_NAME}{_PART}|\blast )(?:the month of )?"
            rf"(?P<name>{month})\b(?! \d{{1,2}}\b){_YEAR}"
        )
        self.season = re.compile(
            rf"{_BEFORE_NAME}{_PART}(?:the )?(?P<name>{season})\b(?! of (?!the year|year|last)){_YEAR}"
        )
        self.before_last = re.compile(rf"\b(?:in )?the (?P<name>{month}|{season}) before last\b")
        self.ago = re.compile(rf"\b(?P<count>{CARDINAL}|a couple of) (?P<name>{month}|{season})s? ago\b")
        self.weekday = re.compile(rf"\b(?P<which>on|last|this past|since|on last) (?P<name>{weekday})\b")


_YEAR_ALONE = lazy_pattern(
    r"\b(?:in|during|since|of) (?:the )?(?:year (?P<year>\d{1,6})|(?P<number>\d{3,6}))\b(?! \w)"
)


def dates_in(text: str, today: Today) -> tuple[Spans, re.Match[str] | None]:
    """Find the first date in lower-case text that is in the names of the calendar."""
    calendar = today.calendar
    patterns = _patterns_of(calendar)
    date = calendar.date(today.day)
    if calendar.has_years and date.month:
        for pattern in patterns.dates:
            match = pattern.search(text)
            if match is not None:
                return _day(match, today), match
        for pattern in (patterns.ago, patterns.before_last):
            match = pattern.search(text)
            if match is not None:
                return _one_of_the_last(match, today), match
        for pattern, names in (
            (patterns.month, calendar.month_names),
            (patterns.season, calendar.season_names),
        ):
            match = pattern.search(text)
            if match is not None:
                return _named(match, names, today), match
        match = _YEAR_ALONE.search(text)
        if match is not None:
            return (today.days(*calendar.year_span(int(match["year"] or match["number"]))),), match
    match = patterns.weekday.search(text)
    if match is not None:
        back = (date.weekday - 1 - _number(match["name"], calendar.weekday_names)) % calendar.week_days
        days = [today.day - back - calendar.week_days * weeks for weeks in range(_EARLIER)]
        if not back and match["which"] != "this":
            days = days[1:]
        return tuple(
            today.days(day, day + 1, 0.0, _OLDER**earlier) for earlier, day in enumerate(days)
        ), match
    return NO_SPANS, None


def _day(match: re.Match[str], today: Today) -> Spans:
    calendar = today.calendar
    month = _number(match["month"], calendar.month_names) + 1
    day = (int(match["day"]) if match["day"].isdigit() else ordinal(match["day"])) - 1
    year = calendar.date(today.day).year
    years = [year - earlier for earlier in range(_EARLIER + 1)]
    if match["year"] or match["year_ago"]:
        years = [int(match["year"] or year - 1)]
    days = [calendar.month_span(candidate, month)[0] + day for candidate in years]
    past = [number for number in days if match["year"] or number <= today.day][:_EARLIER]
    return tuple(today.days(number, number + 1, 0.0, _OLDER**earlier) for earlier, number in enumerate(past))


def _named(match: re.Match[str], names: list[str], today: Today) -> Spans:
    """Find the latest months, or seasons, of this name."""
    year = int(match["year"]) if match["year"] else None
    if match["year_ago"] or match["year_first"]:
        year = today.calendar.date(today.day).year - 1
    words = match[0].split()
    is_over = "previous" in words or ("last" in words and year is None)
    return _latest(match["name"], names, today, is_over, _PARTS.get(match["part"] or "", (0.0, 1.0)), year)


def _one_of_the_last(match: re.Match[str], today: Today) -> Spans:
    """Read "two springs ago" and "the spring before last"."""
    calendar = today.calendar
    is_month = match["name"] in [name.lower() for name in calendar.month_names]
    names = calendar.month_names if is_month else calendar.season_names
    count = match.groupdict().get("count") or "a couple of"
    back = 2 if count.startswith("a ") else cardinal(count)
    spans = _latest(match["name"], names, today, is_over=True)[back - 1 : back]
    return tuple(span._replace(weight=1.0) for span in spans)


def _latest(
    name: str,
    names: list[str],
    today: Today,
    is_over: bool,
    part: tuple[float, float] = (0.0, 1.0),
    year: int | None = None,
) -> Spans:
    """Months, or seasons, of a name, the latest first; of one year if it is given.

    Args:
        is_over: leave out the one that today is in.
        part: of its length, from 0 to 1.
    """
    calendar = today.calendar
    span_of = calendar.month_span if names is calendar.month_names else calendar.season_span
    number = _number(name, names) + 1
    this_year = calendar.date(today.day).year
    years = [this_year + 1 - earlier for earlier in range(_EARLIER + 2)] if year is None else [year]
    spans: list[Span] = []
    for candidate in years:
        first, end = span_of(candidate, number)
        begun = first <= today.day and not (is_over and end > today.day)
        if year is not None or begun:
            length = end - first
            spans.append(
                today.days(
                    first + part[0] * length, first + part[1] * length, 0.05 * length, _OLDER ** len(spans)
                )
            )
    return tuple(spans[:_EARLIER])


def _number(name: str, names: list[str]) -> int:
    return [entry.lower() for entry in names].index(name)


def _patterns_of(calendar: GameCalendar) -> _Patterns:
    return _compiled(tuple(calendar.month_names), tuple(calendar.season_names), tuple(calendar.weekday_names))


def words_of_names(calendar: GameCalendar) -> frozenset[str]:
    """The words of all names of months, seasons and weekdays, in lower case."""
    return _words_of(tuple(calendar.month_names + calendar.season_names + calendar.weekday_names))


@functools.lru_cache(8)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for name in names for word in _WORD.findall(name.lower()))


@functools.lru_cache(8)
def _compiled(months: tuple[str, ...], seasons: tuple[str, ...], weekdays: tuple[str, ...]) -> _Patterns:
    return _Patterns(months, seasons, weekdays)


def _either(names: tuple[str, ...]) -> str:
    """A pattern for one of the names; one that matches nothing for none."""
    if not names:
        return r"(?!)"
    return (
        "|".join(re.escape(name.lower()) for name in sorted(names, key=len, reverse=True) if name) or r"(?!)"
    )
