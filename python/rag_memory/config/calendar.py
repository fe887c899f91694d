"""The calendar of a game: which day, month, year and season a moment of its clock is in."""

from __future__ import annotations

import datetime
import functools
import itertools
import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from rag_memory.config.config_field import config_field, fields_of, validate_field
from rag_memory.errors import ConfigError
from rag_memory.lazy_pattern import lazy_pattern

SECONDS_PER_DAY = 86400.0
_FIRST_DATED_SECOND = 946_684_800.0
"""Before the year 2000 a time counts seconds since the game began; it is no date."""
_LAST_DATED_SECOND = 253_402_300_799.0
_UNIX_EPOCH = datetime.date(1970, 1, 1).toordinal()
_PLACEHOLDER = lazy_pattern(r"\{([a-z_]+)\}")
_PLACEHOLDERS = ("day", "month", "month_number", "year", "weekday", "season", "day_number", "hour", "minute")
_MOST_DAYS = 10_000
_MOST_DAY_NUMBER = 10**12


class Date(NamedTuple):
    """A day in a calendar. `day` is that of the month. Numbers begin with 1; 0 is what a calendar lacks."""

    year: int
    month: int
    day: int
    weekday: int
    season: int


@dataclass(frozen=True, kw_only=True)
class GameCalendar:
    """Years of the same length, made of months; weekdays; seasons. Without months there are only days.

    Days are numbered from the beginning of the clock: day 0 begins at its second 0.
    """

    title: ClassVar[str] = "MemoryCalendar"

    seconds_per_day: float = config_field(
        SECONDS_PER_DAY,
        group="Days",
        range=(1.0, 1e9, 1.0),
        hint="suffix:s",
        doc="How many seconds of the game's clock (`MemoryServer.set_clock()`) a day has.",
    )
    first_day_number: int = config_field(
        0,
        group="Days",
        range=(-1_000_000, 1_000_000, 1),
        doc='The number of the day that the clock begins with: 1 if second 0 is in "day 1".',
    )
    weekday_names: list[str] = config_field(
        [],
        group="Days",
        doc="The days of the week, in their order. Empty: weeks of seven days without names.",
    )
    first_weekday: int = config_field(
        1,
        group="Days",
        range=(1, 1000, 1),
        doc="Which of `weekday_names` the day is that the clock begins with, counted from 1.",
    )
    month_names: list[str] = config_field(
        [], group="Years", doc="The months of a year, in their order. Empty: there are only numbered days."
    )
    month_days: list[int] = config_field(
        [28],
        group="Years",
        range=(1, 1000, 1),
        doc="How many days each month has: one number for all months, or one for each of `month_names`.",
    )
    first_year: int = config_field(
        1,
        group="Years",
        range=(-1_000_000, 1_000_000, 1),
        doc="The year in which the clock begins.",
    )
    first_day_of_year: int = config_field(
        1,
        group="Years",
        range=(1, _MOST_DAYS, 1),
        doc="Which day of that year the day is that the clock begins with, counted from 1.",
    )
    season_names: list[str] = config_field(
        [], group="Years", doc="The seasons, in the order in which they begin in a year."
    )
    season_starts: list[int] = config_field(
        [],
        group="Years",
        range=(1, _MOST_DAYS, 1),
        doc="The day of the year on which each of `season_names` begins, counted from 1. Days before the "
        "first are in the last season. Empty: all seasons are equally long, and the first begins the year.",
    )
    date_format: str = config_field(
        "",
        group="Text",
        doc="How a day is written. Placeholders: `{day}` of the month, `{month}`, `{month_number}`, "
        '`{year}`, `{weekday}`, `{season}`, `{day_number}`. Empty: `"{day} {month}, year {year}"`, and '
        '`"day {day_number}"` without months.',
    )

    def validated(self) -> GameCalendar:
        """This calendar with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type, lies outside its range or does not fit the others.
        """
        values: dict[str, Any] = {
            field.name: validate_field(field, getattr(self, field.name)) for field in fields_of(GameCalendar)
        }
        calendar = GameCalendar(**values)
        calendar._check_fit()
        return calendar

    def _check_fit(self) -> None:
        months, seasons = len(self.month_names), len(self.season_names)
        if months and len(self.month_days) not in (1, months):
            raise ConfigError(
                f"MemoryCalendar.month_days has {len(self.month_days)} numbers",
                f"month_names has {months} months",
                "Give one number for all months, or one for each",
            )
        if seasons and not months:
            raise ConfigError(
                "MemoryCalendar has seasons and no months",
                "a season is a part of a year, and months make a year",
                "Set month_names, too; the seasons themselves can be the months",
            )
        if self.season_starts and (
            len(self.season_starts) != seasons or sorted(set(self.season_starts)) != self.season_starts
        ):
            raise ConfigError(
                f"MemoryCalendar.season_starts is {self.season_starts}",
                f"it needs one day for each of the {seasons} season_names, each later than the one before",
                "Correct it or leave it empty",
            )
        last = self.year_days
        if months and max([self.first_day_of_year, *self.season_starts]) > last:
            raise ConfigError(
                f"MemoryCalendar has a day of the year after the {last}th",
                f"its months have {last} days together",
                "Correct first_day_of_year and season_starts",
            )
        if self.weekday_names and self.first_weekday > len(self.weekday_names):
            raise ConfigError(
                f"MemoryCalendar.first_weekday is {self.first_weekday}",
                f"weekday_names has {len(self.weekday_names)} names",
                "Correct it",
            )
        for name in _PLACEHOLDER.findall(self.date_format):
            if name not in _PLACEHOLDERS:
                raise ConfigError(
                    f"MemoryCalendar.date_format has the placeholder {{{name}}}",
                    f"there are {', '.join(f'{{{placeholder}}}' for placeholder in _PLACEHOLDERS)}",
                    "Correct it",
                )

    @property
    def has_years(self) -> bool:
        """True if days belong to months and years."""
        return bool(self.month_names)

    @functools.cached_property
    def months(self) -> tuple[int, ...]:
        """The days of each month."""
        days = self.month_days
        return tuple(days * len(self.month_names) if len(days) == 1 else days) if self.month_names else ()

    @functools.cached_property
    def _month_starts(self) -> tuple[int, ...]:
        return tuple(itertools.accumulate(self.months, initial=0))

    @functools.cached_property
    def _season_starts(self) -> tuple[int, ...]:
        count = len(self.season_names)
        if self.season_starts:
            return tuple(start - 1 for start in self.season_starts)
        return tuple(round(number * self.year_days / count) for number in range(count))

    @property
    def week_days(self) -> int:
        """The days of a week."""
        return len(self.weekday_names) or 7

    @property
    def year_days(self) -> float:
        """The days of a year, 365 without months."""
        return sum(self.months) if self.has_years else 365

    @property
    def mean_month_days(self) -> float:
        """The days of a month on average, 30 without months."""
        return self.year_days / len(self.months) if self.has_years else 30

    def day_of(self, timestamp: float) -> int:
        """The number of the day that a moment is in, counted from the beginning of the clock."""
        return math.floor(max(-_MOST_DAY_NUMBER, min(_MOST_DAY_NUMBER, timestamp / self.seconds_per_day)))

    def date(self, day: int) -> Date:
        """The date of a day."""
        weekday = (day + self.first_weekday - 1) % len(self.weekday_names) + 1 if self.weekday_names else 0
        if not self.has_years:
            return Date(0, 0, 0, weekday, 0)
        year, left = divmod(day + self.first_day_of_year - 1, int(self.year_days))
        month = next(number for number, end in enumerate(self._month_starts[1:], 1) if left < end)
        season = 0
        if self.season_names:
            begun = [number for number, start in enumerate(self._season_starts, 1) if start <= left]
            season = begun[-1] if begun else len(self.season_names)
        return Date(self.first_year + year, month, left - self._month_starts[month - 1] + 1, weekday, season)

    def year_span(self, year: int) -> tuple[int, int]:
        """The first day of a year, and the first after it."""
        first = (year - self.first_year) * int(self.year_days) - self.first_day_of_year + 1
        return first, first + int(self.year_days)

    def month_span(self, year: int, month: int) -> tuple[int, int]:
        """The first day of a month, and the first after it."""
        first, _ = self.year_span(year)
        return first + self._month_starts[month - 1], first + self._month_starts[month]

    def season_span(self, year: int, season: int) -> tuple[int, int]:
        """The first day of a season that begins in a year, and the first after it."""
        first, next_year = self.year_span(year)
        starts = self._season_starts
        end = starts[season] + first if season < len(starts) else starts[0] + next_year
        return first + starts[season - 1], end

    def text(self, pattern: str, timestamp: float) -> str:
        """A moment, written as a pattern of placeholders says."""
        day = self.day_of(timestamp)
        date = self.date(day)
        minutes = int((timestamp / self.seconds_per_day - day) * 24 * 60 + 1e-6)
        values = {
            "day": date.day,
            "month": self.month_names[date.month - 1] if date.month else "",
            "month_number": date.month,
            "year": date.year,
            "weekday": self.weekday_names[date.weekday - 1] if date.weekday else "",
            "season": self.season_names[date.season - 1] if date.season else "",
            "day_number": day + self.first_day_number,
            "hour": f"{minutes // 60:02d}",
            "minute": f"{minutes % 60:02d}",
        }
        return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), pattern)


class RealCalendar(GameCalendar):
    """The calendar of a clock that counts seconds since 1970 (UTC), the default of MemoryServer."""

    @property
    def year_days(self) -> float:
        return 365

    @property
    def mean_month_days(self) -> float:
        return 30

    def date(self, day: int) -> Date:
        try:
            date = datetime.date.fromordinal(day + _UNIX_EPOCH)
        except (ValueError, OverflowError):
            return Date(0, 0, 0, 0, 0)
        return Date(date.year, date.month, date.day, date.isoweekday(), date.month % 12 // 3 + 1)

    def year_span(self, year: int) -> tuple[int, int]:
        return _real_day(year, 1), _real_day(year + 1, 1)

    def month_span(self, year: int, month: int) -> tuple[int, int]:
        return _real_day(year, month), _real_day(year, month + 1)

    def season_span(self, year: int, season: int) -> tuple[int, int]:
        # Winter, the first, begins in the December before.
        first = season * 3 - 3
        return _real_day(year, first), _real_day(year, first + 3)


def _real_day(year: int, month: int) -> int:
    """The first day of a month. Month 13 is January of the next year, month 0 December of the last."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return datetime.date(max(1, min(9998, year)), month, 1).toordinal() - _UNIX_EPOCH


PLAIN_DAYS = GameCalendar()
REAL_DATES = RealCalendar(
    weekday_names=["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    month_names=[
        *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
        *("November", "December"),
    ],
    season_names=["winter", "spring", "summer", "autumn"],
)


class ChosenCalendar:
    """The calendar of the game that runs: there is one game in a process, and it has one calendar."""

    def __init__(self) -> None:
        self._calendar: GameCalendar | None = None

    def choose(self, calendar: GameCalendar | None) -> None:
        """Use a calendar from now on; None for that of the clock, see at()."""
        self._calendar = calendar

    def at(self, timestamp: float) -> GameCalendar:
        """The game's own calendar. Without one, real dates for a clock that counts from 1970, and plain days
        for one that counts from the beginning of the game.
        """
        if self._calendar is not None:
            return self._calendar
        return REAL_DATES if _FIRST_DATED_SECOND <= timestamp <= _LAST_DATED_SECOND else PLAIN_DAYS

    @property
    def seconds_per_day(self) -> float:
        """How many seconds of the clock a day has."""
        return SECONDS_PER_DAY if self._calendar is None else self._calendar.seconds_per_day


CALENDAR = ChosenCalendar()
