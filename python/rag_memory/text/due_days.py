"""The day until which something is to be done, in English words: "by Friday", "within a week", "at noon"."""

from __future__ import annotations

import functools
import math
import re

from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.number_words import AMOUNT, ORDINAL, amount, ordinal
from rag_memory.text.relative_days import relative_days

_HOURS = {
    "dawn": 0.25,
    "daybreak": 0.25,
    "sunrise": 0.25,
    "first light": 0.25,
    "noon": 0.5,
    "midday": 0.5,
    "sunset": 0.75,
    "sundown": 0.75,
    "dusk": 0.75,
    "nightfall": 0.8,
}
"""The part of the day that is over at an hour that is meant."""
_BEFORE = r"(?:(?P<before>before)|by|on|until|till|for|come|in|this|next)"
_HOUR = lazy_pattern(
    rf"\b(?:by|at|before|until|till|come) (?P<name>{'|'.join(_HOURS)}|midnight|(?P<clock>\d{{1,2}})(?::\d\d)? ?(?P<half>am|pm|o'clock))\b"
)
_SOON = lazy_pattern(
    rf"\b(?:in|within) (?P<amount>{AMOUNT}|half an) (?P<unit>minutes?|hours?|days?|nights?|weeks?|fortnights?|months?|years?)\b"
    rf"|\b(?P<later>{AMOUNT}) (?P<later_unit>days?|weeks?|months?) (?:from now|from today|at (?:the )?(?:most|latest))\b"
)
_END = lazy_pattern(
    r"\b(?P<which>end of (?:the|this|next)|(?:by|before|until|for) the end of (?:the|this|next)|this|next) (?P<unit>week|month|year|weekend)\b"
)
_DAY_NUMBER = lazy_pattern(r"\b(?:by|on|until|before|till) day (?P<number>\d{1,9})\b")
_DAY_OF_MONTH = lazy_pattern(
    rf"\b(?:by|on|until|before|till) the (?P<day>{ORDINAL})\b(?! (?:of\b|day|time|one))"
)
_DAY_BEFORE = lazy_pattern(r"\bbefore (?:the day after )?tomorrow\b")
_HALVES = {"am": 0.0, "pm": 0.5, "o'clock": 0.0}


def due_day(text: str, timestamp: float) -> float | None:
    """Return the day of the game's calendar until which something that is said at a time is to be done; None
    when no day is named. A fraction is an hour of that day; a whole number means all of it.
    """
    calendar = CALENDAR.at(timestamp)
    plain = " ".join(text.lower().replace("’", "'").split())
    moment = timestamp / calendar.seconds_per_day
    today = calendar.day_of(timestamp)
    day = _named_day(plain, calendar, today, moment)
    hour = _HOUR.search(plain)
    if hour is None or (day is not None and day % 1.0):
        return day
    part = _part_of_day(hour)
    if day is None:
        day = today if part >= 1.0 or today + part >= moment else today + 1
    return day if part >= 1.0 else math.floor(day) + part


def is_past(due: float, day: float) -> bool:
    """Return True if a day of due_day() is over on a day of the game, which has a fraction."""
    return day >= due + 1.0 if float(due).is_integer() else day > due


def _part_of_day(hour: re.Match[str]) -> float:
    if not hour["clock"]:
        return _HOURS.get(hour["name"], 1.0)
    number = int(hour["clock"]) % 12 if hour["half"] in ("am", "pm") else int(hour["clock"])
    part = number / 24 + _HALVES[hour["half"]]
    # "At six o'clock" of a working day is in the evening.
    return min(part + 0.5 if hour["half"] == "o'clock" and number < 7 else part, 1.0)


def _named_day(text: str, calendar: GameCalendar, today: int, moment: float) -> float | None:
    days = [ahead for ahead in relative_days(text).values() if ahead is not None and ahead >= 0]
    if days:
        return today + max(0, days[0] - (_DAY_BEFORE.search(text) is not None))
    for read in (_in_some_time, _on_a_weekday, _at_the_end, _on_a_date):
        day = read(text, calendar, today, moment)
        if day is not None:
            return day
    return None


def _in_some_time(text: str, calendar: GameCalendar, today: int, moment: float) -> float | None:
    match = _SOON.search(text)
    if match is None:
        return None
    unit = (match["unit"] or match["later_unit"]).rstrip("s")
    words = match["amount"] or match["later"]
    count = 0.5 if words == "half an" else amount(words)[1]
    if unit in ("minute", "hour"):
        return moment + count / (24 if unit == "hour" else 24 * 60)
    lengths = {
        "week": calendar.week_days,
        "fortnight": 2 * calendar.week_days,
        "month": calendar.mean_month_days,
        "year": calendar.year_days,
    }
    return today + round(count * lengths.get(unit, 1))


def _on_a_weekday(text: str, calendar: GameCalendar, today: int, _moment: float) -> float | None:
    names = tuple(name.lower() for name in calendar.weekday_names)
    match = _names_pattern(names).search(text) if names else None
    if match is None:
        return None
    ahead = (names.index(match["name"]) + 1 - calendar.date(today).weekday) % len(names) or len(names)
    return today + ahead - bool(match["before"])


def _at_the_end(text: str, calendar: GameCalendar, today: int, _moment: float) -> float | None:
    match = _END.search(text)
    if match is None:
        return None
    date, unit, is_next = calendar.date(today), match["unit"], match["which"].endswith("next")
    if unit in ("week", "weekend"):
        left = calendar.week_days - date.weekday if date.weekday else calendar.week_days
        return today + left + calendar.week_days * (is_next and date.weekday > 0)
    if not date.month:
        return today + round(calendar.mean_month_days if unit == "month" else calendar.year_days)
    if unit == "year":
        return calendar.year_span(date.year + is_next)[1] - 1
    months = len(calendar.month_names)
    year, month = divmod(date.month - 1 + is_next, months)
    return calendar.month_span(date.year + year, month + 1)[1] - 1


def _on_a_date(text: str, calendar: GameCalendar, today: int, _moment: float) -> float | None:
    """Read "by day 12", "on the 3rd of Frostmonth", "by the tenth", "before winter"."""
    match = _DAY_NUMBER.search(text)
    if match is not None:
        day = int(match["number"]) - calendar.first_day_number - match[0].startswith("before")
        return day if day >= today else None
    date = calendar.date(today)
    if not date.month:
        return None
    months = tuple(name.lower() for name in calendar.month_names)
    for match in _date_pattern(months).finditer(text):
        number = match["first"] or match["second"]
        month = months.index(match["month"] or match["name"]) + 1
        spans = [calendar.month_span(date.year + later, month) for later in (0, 1)]
        days = [first + _number(number) - 1 for first, _end in spans]
        return next(day for day in days if day >= today or day == days[-1]) - bool(match["before"])
    match = _DAY_OF_MONTH.search(text)
    if match is not None:
        day = calendar.month_span(date.year, date.month)[0] + ordinal(match["day"]) - 1
        if day < today:
            year, month = divmod(date.month, len(months))
            day = calendar.month_span(date.year + year, month + 1)[0] + ordinal(match["day"]) - 1
        return day - match[0].startswith("before")
    for names, span_of in (
        (months, calendar.month_span),
        (tuple(name.lower() for name in calendar.season_names), calendar.season_span),
    ):
        match = _names_pattern(names).search(text) if names else None
        if match is not None:
            number = names.index(match["name"]) + 1
            starts_first = match["before"] or re.match(r"by|until|till|come", match[0])
            spans = [span_of(date.year + later, number) for later in (-1, 0, 1, 2)]
            days = [first - 1 if starts_first else end - 1 for first, end in spans]
            return next(day for day in days if day >= today)
    return None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else ordinal(text)


@functools.lru_cache(16)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern of one of the names of a calendar, with a word before it that makes it a date to come."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name) or "(?!)"
    return re.compile(rf"\b{_BEFORE}(?: (?:this|next|the|end of|coming))* (?P<name>{either})\b")


@functools.lru_cache(8)
def _date_pattern(months: tuple[str, ...]) -> re.Pattern[str]:
    month = "|".join(re.escape(name) for name in sorted(months, key=len, reverse=True) if name) or "(?!)"
    return re.compile(
        rf"\b(?:(?P<before>before) )?(?:(?:the )?(?P<first>{ORDINAL}|\d{{1,3}})(?: day)? (?:of )?(?P<month>{month})"
        rf"|(?P<name>{month}) (?:the )?(?P<second>{ORDINAL}|\d{{1,3}}))\b(?! (?:days|weeks))"
    )
