"""The day until which something is to be done, in plain days, in a game's calendar, and in real dates."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.text.due_days import due_day, is_past

DAY = 86400.0
MORNING_OF_4 = 4.3 * DAY


@pytest.fixture
def village() -> Iterator[None]:
    CALENDAR.choose(
        GameCalendar(
            seconds_per_day=1200.0,
            weekday_names=["Moonday", "Towday", "Wendsday", "Thorsday", "Freyday"],
            month_names=["Seedtime", "Harvest", "Frost"],
            month_days=[10],
            season_names=["spring", "autumn", "winter"],
        )
    )
    yield
    CALENDAR.choose(None)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("I'll bring the medicine tomorrow.", 5),
        ("I'll bring it by tomorrow evening", 5),
        ("Tomorrow at noon, then.", 5.5),
        ("by noon tomorrow", 5.5),
        ("You'll have it today.", 4),
        ("I'll be back tonight.", 4),
        ("the day after tomorrow", 6),
        ("before tomorrow", 4),
        ("I'll pay you in three days.", 7),
        ("within two days", 6),
        ("in a week", 11),
        ("within a fortnight", 18),
        ("in a few days", 9),
        ("two weeks from now", 18),
        ("five days at the latest", 9),
        ("by noon", 4.5),
        ("at dawn", 5.25),
        ("before midnight", 4),
        ("by nightfall", 4.8),
        ("at 3 pm", 4.625),
        ("by day 12", 12),
        ("before day 12", 11),
        ("by the end of the week", 11),
    ],
)
def test_days_that_are_named(words: str, day: float) -> None:
    assert due_day(words, MORNING_OF_4) == pytest.approx(day)


@pytest.mark.parametrize(
    "words",
    [
        "I'll bring the medicine.",
        "I'll do it soon.",
        "I came yesterday.",
        "two days ago I lost it",
        "I'll do it some day.",
        "I have been here for three days.",
        "last night",
        "I'll never be late again.",
        "one day you will see",
        "I'll clean the spring.",
        "on Friday",  # Plain days have no weekdays.
    ],
)
def test_days_that_are_not_named(words: str) -> None:
    assert due_day(words, MORNING_OF_4) is None


def test_an_hour_from_now_is_a_part_of_a_day() -> None:
    assert due_day("I'll be back in two hours", 4.5 * DAY) == pytest.approx(4.5 + 2 / 24)
    assert due_day("in half an hour", 4.0 * DAY) == pytest.approx(4 + 0.5 / 24)


@pytest.mark.usefixtures("village")
@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("I'll bring it by Freyday", 4),  # It is Towday.
        ("on Towday", 6),
        ("before Thorsday", 2),
        ("next Moonday", 5),
        ("tomorrow", 2),
        ("next week", 9),
        ("within a week", 6),
        ("by the end of the month", 9),
        ("on the 3rd of Harvest", 12),
        ("by Harvest 3", 12),
        ("by the fifth", 4),
        ("on the 1st", 10),
        ("before winter", 19),
        ("by Frost", 19),
        ("in winter", 29),
    ],
)
def test_names_of_the_games_calendar(words: str, day: int) -> None:
    assert due_day(words, 1.4 * 1200.0) == day


def test_real_dates() -> None:
    thursday = 20783.5 * DAY  # 2026-11-26
    assert due_day("by Friday", thursday) == 20784
    assert due_day("on the 2nd of December", thursday) == 20789
    assert due_day("by the end of the month", thursday) == 20787


def test_a_whole_day_is_over_with_the_day() -> None:
    assert not is_past(5, 5.9)
    assert is_past(5, 6.0)
    assert not is_past(5.5, 5.5)
    assert is_past(5.5, 5.51)
