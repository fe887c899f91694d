"""Memories as lines of a prompt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from rag_memory.config import MemoryConfig
from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.prompt.memory_line import memory_line

DAY = 86400.0
CONFIG = MemoryConfig()


@pytest.fixture
def four_seasons() -> Iterator[None]:
    seasons = ["Spring", "Summer", "Autumn", "Winter"]
    CALENDAR.choose(GameCalendar(month_names=seasons, month_days=[28], season_names=seasons))
    yield
    CALENDAR.choose(None)


def line(days: float, **metadata: Any) -> str:
    memory = {"document": "The castle fell.", "metadata": {"timestamp": 2000 * DAY - days * DAY, **metadata}}
    return memory_line(CONFIG, memory, "document", 2000 * DAY)


@pytest.mark.usefixtures("four_seasons")
@pytest.mark.parametrize(
    ("days", "age"),
    [
        *((0.5, "today"), (1, "yesterday"), (6, "6 days ago"), (13, "1 week ago"), (28, "1 month ago")),
        *((56, "2 months ago"), (111, "3 months ago"), (112, "1 year ago"), (365, "3 years ago")),
        (-1, "today"),
    ],
)
def test_an_age_is_that_of_the_games_calendar(days: float, age: str) -> None:
    assert line(days) == f"- ({age}) The castle fell."


def test_without_a_calendar_a_year_has_365_days() -> None:
    assert line(364) == "- (12 months ago) The castle fell."
    assert line(365) == "- (1 year ago) The castle fell."


def test_a_line_without_an_age_and_of_what_no_longer_holds() -> None:
    memory = {"document": "The castle fell.", "metadata": {"superseded_by": "x", "timestamp": 0.0}}
    assert memory_line(CONFIG, memory, "document", math.nan) == "- (no longer holds) The castle fell."
    assert memory_line(CONFIG, {"text": "It rains."}, "text", 5.0) == "- It rains."
