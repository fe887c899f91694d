"""Irrelevant memories and mere questions are not in an answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save, ScoreMode

NOW = 1_702_500_000.0
DAY = 86400.0
QUESTION = "Where is the key?"
LINES = (
    "The ferryman takes two coppers for crossing the river.",
    "Bjorn forged a ploughshare for the widow Anna.",
    "My sister plants white roses behind the inn.",
    "The baker's cat had five kittens in the flour.",
    "Old Tobias sleeps in the bell tower since the flood.",
    "The miller's donkey ate the mayor's hat.",
)


@pytest.fixture
def innkeeper(npc: Npc) -> Npc:
    for number in range(40):
        npc.memories.store(
            f"{LINES[number % len(LINES)][:-1]}, so they say in week {number}.",
            5,
            {"timestamp": NOW - 30 * DAY},
        )
    npc.memories.store("The player told me their name is Kit.", 8, {"slot_type": "player_name"})
    npc.memories.store(
        "The player sold my brother to the bandits.", 9, {"event_type": "betrayal", "timestamp": NOW - DAY}
    )
    return npc


def answer(npc: Npc, question: str) -> list[dict[str, Any]]:
    return [memory for memory in npc.recall.retrieve_scored(question, 100_000) if not memory["protected"]]


def test_a_question_about_nothing_that_is_remembered_brings_little(innkeeper: Npc) -> None:
    asked = answer(innkeeper, "Where do the kittens of the baker's cat sleep?")
    unknown = answer(innkeeper, "Which rocket engine burns liquid methane?")
    assert any("kittens" in memory["document_full"] for memory in asked)
    assert len(unknown) <= len(asked) / 2
    assert "The player sold my brother to the bandits." in [memory["document_full"] for memory in unknown]


def test_protected_and_high_signal_memories_come_with_every_answer(innkeeper: Npc) -> None:
    texts = [
        memory["document_full"]
        for memory in innkeeper.recall.retrieve_scored("Which rocket engine burns methane?")
    ]
    assert "The player told me their name is Kit." in texts
    assert "The player sold my brother to the bandits." in texts


def test_the_least_sum_grows_with_the_number_of_memories(innkeeper: Npc) -> None:
    """A memory is relevant from the sum -0.2 + 0.5 ln(number of memories) on."""
    least = -0.2 + 0.5 * math.log(innkeeper.memories.get_memory_count())
    found = {memory["id"] for memory in answer(innkeeper, "Who planted roses?")}
    for memory in innkeeper.recall.retrieve_relevant_raw("Who planted roses?", {"limit": 100}):
        if memory["metadata"]["event_type"] != "betrayal" and not memory["metadata"]["slot_type"]:
            assert (memory["id"] in found) <= (memory["breakdown"]["sum"] >= least)


def test_explain_says_that_a_memory_is_not_relevant(innkeeper: Npc) -> None:
    question = "Which rocket engine burns liquid methane?"
    least_relevant = innkeeper.recall.retrieve_relevant_raw(question, {"limit": 40})[-1]["id"]
    told = innkeeper.recall.explain(question, least_relevant)
    assert (told["is_returned"], told["reason"]) == (False, "not_candidate")
    assert f"Its sum is {told['breakdown']['sum']:.1f}" in told["text"]


def test_with_stream_every_memory_competes(innkeeper: Npc) -> None:
    innkeeper.config = MemoryConfig(score_mode=ScoreMode.STREAM)
    assert len(answer(innkeeper, "Which rocket engine burns liquid methane?")) > 10


@pytest.mark.parametrize("score_mode", list(ScoreMode))
def test_the_players_own_question_is_no_answer(npc: Npc, score_mode: ScoreMode) -> None:
    npc.config = MemoryConfig(score_mode=score_mode)
    asked = npc.memories.store_conversation("player", QUESTION)
    npc.memories.store("The key hangs on a nail behind the door.", 4)
    for question in (QUESTION, ""):
        assert [memory["document"] for memory in answer(npc, question)] == [
            "The key hangs on a nail behind the door."
        ]
    assert npc.recall.recall_best(QUESTION)["document"] == "The key hangs on a nail behind the door."
    assert asked in [memory["id"] for memory in npc.recall.get_recent(5)]
    assert (
        npc.recall.explain(QUESTION, asked)["text"]
        == "It is only a question of the player, and answers nothing."
    )


def test_an_npc_that_was_only_asked_knows_nothing(npc: Npc) -> None:
    npc.memories.store_conversation("player", QUESTION)
    assert not npc.recall.knows(QUESTION, 0.1)
    assert npc.recall.recall_best(QUESTION) == {}
    assert answer(npc, QUESTION) == []
    npc.memories.store_conversation("player", "Where is the key? I lost it in the well.")
    assert npc.recall.recall_best(QUESTION) != {}


def test_a_memory_that_ends_with_a_question_has_a_seventh_of_its_relevance(npc: Npc) -> None:
    npc.memories.store('Bram told me: "Where is the key?"', 5)
    (memory,) = answer(npc, QUESTION)
    assert memory["breakdown"]["relevance"] == pytest.approx(0.14 * memory["breakdown"]["odds"])


def test_the_same_told_twice_is_one_memory(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    for _ in range(2):
        clock.now += 60.0
        npc.memories.store("The player swore to mend the roof.", 7, {"event_type": "promise_made"})
        npc.memories.store_conversation("player", "I will mend your roof before winter.")
        npc.memories.store_player_action("gift_received", "gave me a rose")
        npc.memories.store_witnessed_event("Bram fell into the well")
    assert npc.memories.get_memory_count() == 4
    assert [memory["metadata"]["repeat_count"] for memory in npc.recall.get_recent(4)] == [2, 2, 2, 2]


def test_what_a_talk_tells_twice_is_one_memory(opened: Callable[..., Save], clock: Any) -> None:
    npc = opened().npc("elena")
    for _ in range(2):
        clock.now += DAY
        npc.conversation.store_turn("I promise to bring you three apples.", "Thank you.")
    (promise,) = npc.recall.get_recent(5)
    assert promise["metadata"]["repeat_count"] == 2
    assert promise["metadata"]["event_type"] == "promise_made"
    npc.memories.store("The player promised to bring me three apples.", 5, {"turn": 7})
    npc.memories.store("The player promised to bring me three apples.", 5, {"turn": 8})
    assert npc.memories.get_memory_count() == 3, "what a game keeps under this key tells memories apart"


def test_an_event_that_is_perceived_twice_is_one_memory(opened: Callable[..., Save], clock: Any) -> None:
    mind = opened().npc("elena").mind
    ids = set()
    for _ in range(2):
        clock.now += DAY
        event = {
            "event_type": "gift_received",
            "action": "gifted",
            "content": "gave me a rose",
            "source_id": "player",
        }
        ids.add(mind.perceive(event)["memory_id"])
    assert len(ids) == 1
