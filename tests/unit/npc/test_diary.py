"""The diary: what happened to an NPC, day by day, in plain lines and in the words of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.errors import InvalidArgumentError

DAY = 86_400.0


@pytest.fixture
def save(opened: Callable[..., Save], clock: GameClock) -> Save:
    clock.now = 3 * DAY + 8 * 3600.0
    return opened()


@pytest.fixture
def smith(save: Save) -> Npc:
    return save.npc("smith")


def happened(npc: Npc, day: float, text: str, importance: int = 5, **data: Any) -> str:
    return npc.memories.store(text, importance, {"timestamp": day * DAY, **data})


def texts(npc: Npc, *arguments: Any) -> list[str]:
    return [entry["text"] for entry in npc.diary.get_diary(*arguments)]


def test_a_day_is_told_in_the_order_in_which_things_happened(smith: Npc) -> None:
    happened(smith, 2.7, "The roof of the forge fell in.", 8)
    happened(smith, 2.3, "A traveller bought nails.", 3)
    happened(smith, 1.5, "It rained.", 3)
    (entry,) = smith.diary.get_diary(2)
    assert entry["text"] == "A traveller bought nails.\nThe roof of the forge fell in."
    assert (entry["day"], entry["date"], entry["is_written"]) == (2, "day 2", False)
    assert len(entry["memories"]) == 2


def test_without_a_day_it_is_about_today_and_a_span_has_each_day_with_memories(smith: Npc) -> None:
    for day in (0.5, 2.5, 3.1):
        happened(smith, day, f"Something at {day}.")
    assert texts(smith) == ["Something at 3.1."]
    assert [entry["day"] for entry in smith.diary.get_diary(0, 3)] == [0, 2, 3]
    assert texts(smith, 1) == []


def test_what_was_repeated_is_told_once_with_its_count(smith: Npc, clock: GameClock) -> None:
    for number in range(3):
        happened(smith, 2.1 + number / 10, "The bell rang.", location=f"place {number}")
    happened(smith, 2.9, "The bell fell.")
    assert texts(smith, 2) == ["The bell rang. (three times)\nThe bell fell."]


def test_the_budget_chooses_what_weighs_most(smith: Npc) -> None:
    happened(smith, 2.1, "My son was born this morning, a strong boy.", 10)
    for number in range(30):
        happened(smith, 2.2 + number / 100, f"Customer number {number} bought horseshoes and left.", 2)
    (entry,) = smith.diary.get_diary(2, 2, {"token_budget": 30})
    assert entry["text"].startswith("My son was born") and len(entry["memories"]) < 4
    assert smith.diary.get_diary(2, 2, {"min_importance": 9})[0]["memories"] == entry["memories"][:1]


def test_the_days_are_those_of_the_calendar(smith: Npc) -> None:
    happened(smith, 0.2, "The sun rose.")
    happened(smith, 0.7, "The sun set.")
    CALENDAR.choose(GameCalendar(seconds_per_day=DAY / 2, month_names=["Thaw"], month_days=[30]).validated())
    try:
        assert texts(smith, 0, 1) == ["The sun rose.", "The sun set."]
        assert smith.diary.get_diary(1)[0]["date"] == "2 Thaw, year 1"
    finally:
        CALENDAR.choose(None)


def test_a_merged_day_is_told_from_what_it_was_merged_from(smith: Npc, clock: GameClock) -> None:
    for number in range(5):
        text = f"The player asked about sword {number}."
        happened(smith, 1.1 + number / 10, text, 3, event_type="conversation")
    clock.now = 60 * DAY
    assert smith.archive.consolidate()["removed"] == 5
    (entry,) = smith.diary.get_diary(1)
    assert entry["text"].count("\n") == 4


def test_numbers_of_a_relationship_are_no_event(smith: Npc) -> None:
    smith.relationship.store_relationship("player", {"trust": 30})
    smith.memories.store_with_conflict_check("The forge is mine.", 5, {"slot_type": "player_name"})
    assert texts(smith) == ["The forge is mine."]


def test_a_model_writes_it_in_the_voice_of_the_npc(save: Save, smith: Npc) -> None:
    requests: list[dict[str, Any]] = []

    def write(request: dict[str, Any]) -> str:
        requests.append(request)
        return "Dear diary, what a day!"

    happened(smith, 2.5, "The roof of the forge fell in.", 8)
    save.world.profiles.set_profile("smith", {"speech_style": "Gruff, few words."})
    save.summarizer = write
    (entry,) = smith.diary.get_diary(2)
    assert entry["text"] == "Dear diary, what a day!" and entry["is_written"]
    (request,) = requests
    assert request["purpose"] == "diary" and request["voice"] == "Gruff, few words."
    assert request["extract"] == "The roof of the forge fell in." and request["dates"] == ["day 2"]
    assert texts(smith, 2, 2, {"use_model": False}) == ["The roof of the forge fell in."]
    assert smith.memories.get_memory_count() == 1


@pytest.mark.parametrize(
    ("line", "characters"), [("The roof of the forge fell in.", 4), ("铁匠铺的屋顶塌了", 1.33)]
)
def test_a_model_is_asked_for_fewer_characters_where_each_takes_more_room(
    save: Save, smith: Npc, line: str, characters: float
) -> None:
    asked: list[int] = []

    def write(request: dict[str, Any]) -> str:
        asked.append(request["max_chars"])
        return line

    happened(smith, 2.5, line)
    save.summarizer = write
    smith.diary.get_diary(2, 2, {"token_budget": 300})
    assert asked == [pytest.approx(300 * characters, rel=0.01)]


def test_a_model_that_fails_leaves_the_plain_lines(save: Save, smith: Npc) -> None:
    def fail(_request: dict[str, Any]) -> str:
        raise RuntimeError("no answer")

    happened(smith, 2.5, "The roof fell in.")
    save.summarizer = fail
    assert texts(smith, 2) == ["The roof fell in."]


@pytest.mark.parametrize(
    "arguments", [(3, 1), ("today",), (1, 2, {"budget": 3}), (1, 2, {"token_budget": -1}), (float("nan"),)]
)
def test_wrong_arguments_are_refused(smith: Npc, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidArgumentError):
        smith.diary.get_diary(*arguments)
