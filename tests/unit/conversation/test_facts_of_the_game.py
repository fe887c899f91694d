"""Facts that a game or its extractor gives to store() and store_turn(): incomplete, wrong and secret ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError, StoreError

PAID = ("I paid you back 20 silver.", "Twenty, yes.")


def texts(npc: Npc, *listeners: str) -> list[str]:
    options: dict[str, Any] = {"limit": 20}
    if listeners:
        options["listeners"] = list(listeners)
    memories = npc.recall.retrieve_relevant_raw("", options)
    return [memory["document_full"] for memory in memories if not memory["metadata"]["superseded_by"]]


@pytest.mark.parametrize(
    "fact",
    [
        {"amount": 70},
        {"amount": 70.0, "unit": None},
        {"amount": "many", "unit": 3, "by": None, "to": ["npc"], "quote": None},
        {"kind": "debt", "by": "player", "amount": 70, "unit": "silver"},
        {},
    ],
)
def test_a_payment_is_reckoned_with_a_debt_of_which_the_game_says_little(
    opened: Callable[..., Save], fact: dict[str, Any]
) -> None:
    mira = opened().npc("mira")
    data = {"event_type": "debt", "fact": fact, "participants": ["player"]}
    mira.memories.store("The player owes me 70 silver for the saddle.", 6, data)
    mira.conversation.store_turn(*PAID)
    (rest,) = texts(mira)
    assert rest.startswith("The player still owes me 50 silver: ")


def test_an_own_debt_of_the_game_is_the_npcs(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    data = {"event_type": "own_debt", "fact": {"amount": 9, "unit": "gold"}, "participants": ["player"]}
    mira.memories.store("I owe the player nine gold.", 6, data)
    mira.conversation.store_turn("Well?", "Here are four gold of the nine I owe you.")
    (rest,) = texts(mira)
    assert rest.startswith("I still owe the player 5 gold: ")


@pytest.mark.parametrize(
    "wrong",
    [
        {"fact": {"by": ["player"]}},
        {"fact": {"to": {"id": "npc"}}},
        {"fact": {"claimed_by": 3}},
        {"fact": {"kind": 3}},
        {"fact": {"unit": 1}},
        {"fact": {"quote": ["a"]}},
        {"fact": {"amount": "ten"}},
        {"fact": {"amount": True}},
        {"fact": {"settles": "elena_1"}},
        {"check_names": "yes"},
    ],
)
def test_a_wrong_fact_is_refused_before_anything_is_stored(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture, wrong: dict[str, Any]
) -> None:
    save = opened()
    mira = save.npc("mira")
    memories = ["The player grows plums.", {"text": "The player owes me a sack.", **wrong}]
    with pytest.raises(InvalidArgumentError):
        mira.conversation.store_turn("I grow plums.", "Good.", {"memories": memories})
    assert mira.conversation.get_turns() == []
    assert mira.memories.get_memory_count() == 0
    save.context.extractor = lambda request: memories
    mira.conversation.store_turn("My name is Odo.", "Welcome, Odo.")
    assert texts(mira) == ["The player told me their name: Odo."]
    assert "extractor" in caplog.text


@pytest.mark.parametrize("given", [None, ["The player grows plums.", "The player sells jam."]])
def test_a_turn_and_its_memories_are_stored_together_or_not_at_all(
    opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch, given: list[str] | None
) -> None:
    save = opened()
    mira = save.npc("mira")
    mira.conversation.store_turn("Hello.", "Good day.")
    records = save.context.store.records
    insert, calls = records.insert, []

    def failing(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 2:
            raise StoreError("The save cannot be written", "the disk is full", "Free some room")
        return insert(*arguments)

    said = ("My name is Odo. I promise to mend your fence.", "Thank you.")
    data = {} if given is None else {"memories": given}
    with monkeypatch.context() as patch:
        patch.setattr(records, "insert", failing)
        with pytest.raises(StoreError):
            mira.conversation.store_turn(*said, data)
    assert len(calls) == 2
    assert len(mira.conversation.get_turns()) == 1
    assert mira.memories.get_memory_count() == 0
    mira.conversation.store_turn(*said, data)
    assert len(mira.conversation.get_turns()) == 2
    assert mira.memories.get_memory_count() == 2


@pytest.mark.parametrize("payment", ["Here are 15 silver of my debt.", "I paid you everything I owed."])
def test_what_ends_a_secret_debt_is_a_secret(opened: Callable[..., Save], payment: str) -> None:
    mira = opened().npc("mira")
    data = {"secret": True, "known_to": ["zed"]}
    mira.conversation.store_turn("I owe you 60 silver for the nightshade.", "So you do.", data)
    mira.conversation.store_turn(payment, "Thanks.")
    assert texts(mira, "player", "bob") == []
    assert len(texts(mira, "player", "zed")) == 1


@pytest.mark.parametrize(
    "payment",
    [
        "Here's part of what I owe you.",
        "I paid a bit of my debt.",
        "I paid you some of my debt for the nightshade.",
    ],
)
def test_what_pays_a_part_of_a_secret_debt_is_a_secret(opened: Callable[..., Save], payment: str) -> None:
    save = opened()
    mira, open_hearted = save.npc("mira"), save.npc("otto")
    for npc, data in ((mira, {"secret": True, "known_to": ["zed"]}), (open_hearted, {})):
        npc.conversation.store_turn("I owe you 60 silver for the nightshade.", "So you do.", data)
        npc.conversation.store_turn(payment, "Thanks.")
    assert texts(mira, "player", "bob") == []
    assert len(texts(mira, "player", "zed")) == len(texts(open_hearted, "player", "bob")) == 2
