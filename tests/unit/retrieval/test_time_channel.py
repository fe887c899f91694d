"""The time that a question asks about, among memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save

DAY = 86400.0


@pytest.fixture
def npc_of_sixty_days(opened: Callable[..., Save], clock: Any) -> Npc:
    npc = opened().npc("elena")
    for day in range(60):
        clock.now = day * DAY + 36000.0
        if day == 21:
            npc.memories.store("The great fire burned down the mill.")
        elif day != 22:
            npc.memories.store(f"The player bought {day + 2} loaves of bread from me.")
        else:
            npc.memories.store("The player bought a honey cake from me.")
    clock.now = 60 * DAY + 72000.0
    return npc


def best(npc: Npc, question: str) -> tuple[float, dict[str, Any]]:
    memory = npc.recall.retrieve_relevant_raw(question, {"limit": 1})[0]
    return memory["metadata"]["timestamp"] // DAY, memory["breakdown"]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did I buy from you yesterday?", 59),
        ("What did I buy from you three days ago?", 57),
        ("What did I buy from you on day 12?", 12),
        ("What did I buy the day after the fire?", 22),
    ],
)
def test_the_named_time_decides_among_what_is_alike(npc_of_sixty_days: Npc, question: str, day: int) -> None:
    found_day, _ = best(npc_of_sixty_days, question)
    assert found_day == day


def test_first_and_last_lean_to_the_ends_of_the_npcs_life(npc_of_sixty_days: Npc) -> None:
    first, _ = best(npc_of_sixty_days, "What was the first thing that I bought from you?")
    last, _ = best(npc_of_sixty_days, "What was the last thing that I bought from you?")
    assert first < 10
    assert last > 49


def test_both_channels_are_in_the_breakdown(npc_of_sixty_days: Npc) -> None:
    _, parts = best(npc_of_sixty_days, "What did I buy from you yesterday?")
    assert (parts["time_channel"], parts["order_channel"]) == (1.0, 0.0)
    question = "What was the last thing that I bought from you?"
    memories = npc_of_sixty_days.recall.retrieve_relevant_raw(question, {"limit": 60})
    orders = {
        memory["metadata"]["timestamp"] // DAY: memory["breakdown"]["order_channel"] for memory in memories
    }
    assert (orders[0], orders[59]) == (-1.0, 1.0)


def test_a_question_without_a_time_leaves_both_at_zero(npc_of_sixty_days: Npc) -> None:
    for memory in npc_of_sixty_days.recall.retrieve_relevant_raw("Who bought bread?", {"limit": 60}):
        assert memory["breakdown"]["time_channel"] == memory["breakdown"]["order_channel"] == 0.0


def test_an_event_that_nobody_remembers_dates_nothing(npc_of_sixty_days: Npc) -> None:
    for memory in npc_of_sixty_days.recall.retrieve_relevant_raw("What did I buy before the coronation?"):
        assert memory["breakdown"]["time_channel"] == 0.0
