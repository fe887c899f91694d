"""Dates in the calendars of games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.config.calendar import CALENDAR, PLAIN_DAYS, REAL_DATES, Date, GameCalendar
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import ConfigError
from rag_memory.memory.memory_view import age, date_text, moment_text, with_days

DAY = 86400.0
CONFIG = MemoryConfig()
VALLEY = GameCalendar(month_names=["Spring", "Summer", "Autumn", "Winter"], month_days=[28])


@pytest.fixture(autouse=True)
def _no_calendar() -> Iterator[None]:
    yield
    CALENDAR.choose(None)


def test_without_a_calendar_a_game_has_days_and_never_1970() -> None:
    assert CALENDAR.at(30 * DAY) is PLAIN_DAYS
    assert date_text(CONFIG, 30 * DAY) == "day 30"
    assert moment_text(CONFIG, 30.5 * DAY) == "day 30, 12:00"
    assert date_text(CONFIG, -1.0) == "day -1"
    assert date_text(CONFIG, 1e15) == "day 11574074074"


def test_a_clock_that_counts_from_1970_has_dates() -> None:
    assert CALENDAR.at(1_702_500_000.0) is REAL_DATES
    assert moment_text(CONFIG, 1_702_500_000.0) == "2023-12-13 20:40:00"
    assert REAL_DATES.date(CALENDAR.at(1_702_500_000.0).day_of(1_702_500_000.0)) == Date(2023, 12, 13, 3, 1)


def test_the_calendar_of_the_game_holds_for_every_time() -> None:
    CALENDAR.choose(VALLEY)
    assert date_text(CONFIG, 1_702_500_000.0).endswith("year 176")
    assert [age(CONFIG, days * DAY) for days in (6, 7, 28, 112, 365)] == [
        "6 days ago",
        "1 week ago",
        "1 month ago",
        "1 year ago",
        "3 years ago",
    ]


def test_years_may_begin_anywhere_and_seasons_wrap() -> None:
    calendar = GameCalendar(
        month_names=["One", "Two"],
        month_days=[3, 4],
        season_names=["wet", "dry"],
        season_starts=[2, 5],
        weekday_names=["a", "b", "c"],
        first_weekday=2,
        first_year=10,
        first_day_of_year=6,
    ).validated()
    assert [calendar.date(day) for day in range(-1, 3)] == [
        Date(10, 2, 2, 1, 2),
        Date(10, 2, 3, 2, 2),
        Date(10, 2, 4, 3, 2),
        Date(11, 1, 1, 1, 2),
    ]
    assert calendar.year_span(11) == (2, 9)
    assert calendar.month_span(11, 2) == (5, 9)
    assert calendar.season_span(10, 2) == (-1, 3)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=14),
    st.integers(-5000, 5000),
    st.integers(1, 10),
    st.integers(-50, 2000),
)
def test_every_day_lies_in_the_month_and_the_year_of_its_date(
    month_days: list[int], day: int, first_day: int, first_year: int
) -> None:
    calendar = GameCalendar(
        month_names=[f"m{number}" for number in range(len(month_days))],
        month_days=month_days,
        first_year=first_year,
        first_day_of_year=min(first_day, sum(month_days)),
    ).validated()
    for used in (calendar, REAL_DATES):
        date = used.date(day)
        first, end = used.month_span(date.year, date.month)
        assert first <= day < end and day - first + 1 == date.day
        assert used.year_span(date.year)[0] <= day < used.year_span(date.year)[1]
        assert used.year_span(date.year)[1] == used.year_span(date.year + 1)[0]


@pytest.mark.parametrize(
    "values",
    [
        {"seconds_per_day": 0.0},
        {"month_names": ["a", "b"], "month_days": [1, 2, 3]},
        {"month_names": ["a"], "month_days": [0]},
        {"month_names": ["a"], "month_days": []},
        {"season_names": ["wet"]},
        {"month_names": ["a"], "season_names": ["wet"], "season_starts": [1, 2]},
        {"month_names": ["a"], "season_names": ["wet", "dry"], "season_starts": [5, 2]},
        {"month_names": ["a"], "season_names": ["wet"], "season_starts": [29]},
        {"month_names": ["a"], "first_day_of_year": 29},
        {"weekday_names": ["a"], "first_weekday": 2},
        {"date_format": "{day} {moon}"},
        {"month_names": "abc"},
    ],
)
def test_a_calendar_that_does_not_fit_together_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="MemoryCalendar"):
        GameCalendar(**values).validated()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I will come back tomorrow.", " (tomorrow: day 13)"),
        ("Yesterday it rained. Tonight it will snow.", " (yesterday: day 11; tonight: day 12)"),
        ("We leave the day after tomorrow.", " (the day after tomorrow: day 14)"),
        ("He came two days ago.", " (two days ago: day 10)"),
        ("Come back in 3 days.", " (in 3 days: day 15)"),
        ("I'll pay you next week, or tomorrow.", " (tomorrow: day 13; said on day 12)"),
        ("He comes back tomorrow. (tomorrow: day 4)", ""),
        ("She is called Tomorrowind.", ""),
        ("Ich komme morgen.", ""),
    ],
)
def test_words_for_a_day_keep_their_day(text: str, expected: str) -> None:
    assert with_days(CONFIG, text, 12.5 * DAY) == text + expected
