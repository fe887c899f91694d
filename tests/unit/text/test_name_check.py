"""A memory that speaks of people nobody knows is not stored once the game has said who exists."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.errors import InvalidArgumentError
from rag_memory.text import name_check

PEOPLE = ["gregor", "Gregor", "elena", "Elena", "mira", "Mira", "aldric", "Captain Aldric", "the captain"]
OTHERS = ["Thornhaven", "Iron Hollow", "Copper Kettle"]
WORLD_TESTS = Path(__file__).parents[2] / "engine" / "prompt" / "test_world_knowledge.gd"


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    save = opened()
    save.register_names(PEOPLE, check_people=True)
    save.register_names(OTHERS)
    return save


@pytest.fixture
def mira(save: Save) -> Npc:
    return save.npc("mira")


@pytest.mark.parametrize("names", ["Bjorn", b"Bjorn", None, 7, [3], {"Bjorn": 1, 2: 3}])
@pytest.mark.parametrize("check_people", [False, True])
def test_names_that_are_no_list_of_texts_are_refused(
    check_people: bool, names: Any, opened: Callable[..., Save]
) -> None:
    save = opened()
    with pytest.raises(InvalidArgumentError, match=r"register_names\(\): names"):
        save.register_names(names, check_people)
    assert save.context.names.check() is None
    assert save.context.names.words() == set()


def texts_of(test: str) -> list[str]:
    """The texts of a GDScript test of NPCWorldKnowledge.check_memory(), which has the same rules."""
    body = WORLD_TESTS.read_text(encoding="utf-8").partition(f"func {test}(")[2].partition("\nfunc ")[0]
    return re.findall(r'^\t\t"(.+)",$', body, re.MULTILINE)


@pytest.mark.parametrize("text", texts_of("test_memories_of_known_people_are_accepted"))
def test_memories_of_known_people_are_stored_as_they_are(text: str, mira: Npc) -> None:
    assert mira.memories.get_memory(mira.memories.store(text))["document_full"] == text


@pytest.mark.parametrize("text", texts_of("test_memories_of_unknown_people_are_rejected_with_a_reason"))
def test_memories_of_unknown_people_are_rejected_with_the_name(text: str, mira: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match=r"nobody in this world is called .*Zorblax"):
        mira.memories.store(text)
    assert mira.memories.get_memory_count() == 0


def test_the_texts_of_the_gdscript_tests_were_found() -> None:
    assert len(texts_of("test_memories_of_known_people_are_accepted")) >= 11
    assert len(texts_of("test_memories_of_unknown_people_are_rejected_with_a_reason")) >= 6


def test_memories_are_checked_without_being_stored() -> None:
    memories: list[dict[str, Any]] = [
        {"text": "Gregorr and Rowan met Zorblax.", "participants": ["Gregorr", "player"]},
        {"text": "It rains."},
    ]
    names, nobody = name_check.check_memories(memories, ["Gregor"], ["I am Rowan."])
    assert names == {
        "text": "Gregor and Rowan met Zorblax.",
        "participants": ["Gregor", "player"],
        "unknown_names": ["Zorblax"],
        "corrections": {"Gregorr": "Gregor"},
    }
    assert nobody == {"text": "It rains.", "participants": [], "unknown_names": [], "corrections": {}}
    with pytest.raises(InvalidArgumentError, match="text"):
        name_check.check_memories([{"text": 5}], [], [])


def test_a_misspelled_name_is_corrected_and_said(mira: Npc, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        id = mira.memories.store("The player helped Gregorr and Elnea.", 5, {"participants": ["Gregorr"]})
    memory = mira.memories.get_memory(id)
    assert memory["document_full"] == "The player helped Gregor and Elena."
    assert memory["metadata"]["participants"] == ["Gregor"]
    assert memory["metadata"]["name_corrections"] == {"Gregorr": "Gregor", "Elnea": "Elena"}
    assert "Gregor is stored instead" in caplog.text


def test_short_names_are_not_corrected(mira: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match="Mina"):
        mira.memories.store("The player has a sister, Mina.")


def test_the_check_can_be_switched_off_for_a_memory_and_for_an_npc(save: Save, mira: Npc) -> None:
    id = mira.memories.store("I saw Zorblax.", 5, {"check_names": False})
    assert "check_names" not in mira.memories.get_memory(id)["metadata"]
    assert save.npc("bjorn", MemoryConfig(check_names=False)).memories.store("I saw Zorblax.")
    with pytest.raises(InvalidArgumentError, match="check_names"):
        mira.memories.store("It rains.", 5, {"check_names": "no"})


def test_a_game_that_registers_nobody_is_not_affected(opened: Callable[..., Save]) -> None:
    save = opened()
    save.register_names(OTHERS)
    id = save.npc("mira").memories.store("I saw Zorblax.", 5, {"check_names": True, "participants": ["Xy"]})
    assert save.npc("mira").memories.get_memory(id)["document_full"] == "I saw Zorblax."


def test_every_call_that_stores_is_checked(mira: Npc) -> None:
    text = "Zorblax said that the mine is haunted."
    calls: list[Callable[[], Any]] = [
        lambda: mira.memories.store(text),
        lambda: mira.memories.store_witnessed_event(text),
        lambda: mira.memories.store_player_action("gift_given", f"The player knows that {text}"),
        lambda: mira.memories.store_milestone("first_meeting", text),
        lambda: mira.memories.store_npc_awareness("elena", text),
        lambda: mira.memories.store_conversation("mira", text),
        lambda: mira.memories.store_batch([{"text": "It rains."}, {"text": text}]),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match="Zorblax"):
            call()
    assert mira.memories.get_memory_count() == 0


def test_what_others_say_and_what_the_player_is_called_is_hearsay(mira: Npc) -> None:
    name = {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"}
    assert mira.memories.store_conversation("player", "Zorblax sent me.")
    assert mira.memories.store("The player's name is Rowan Ashby.", 9, name)
    assert mira.memories.store("I like Rowan.")
    with pytest.raises(InvalidArgumentError, match="Zorblax"):
        mira.memories.store("I like Zorblax.")


def test_states_and_relationships_name_whom_they_like(mira: Npc) -> None:
    assert mira.relationship.store_npc_state(False, {"killed_by": "Zorblax", "cause": "Zorblax killed me."})
    assert mira.relationship.store_relationship("Zorblax", {"trust": -50})


def test_people_registered_later_are_known(save: Save, mira: Npc) -> None:
    with pytest.raises(InvalidArgumentError):
        mira.memories.store("I saw Zorblax.")
    save.register_names(["Zorblax"], check_people=True)
    assert mira.memories.store("I saw Zorblax.")
    save.npc("tobias").memories.store("Hello.")
    assert mira.memories.store("I saw Tobias."), "an NPC with memories exists"


UNKNOWN_AT_THE_START = [
    "Sarah sells no rope.",
    "Sarah never liked me.",
    "Sarah bakes the best bread.",
    "Sarah owns the mill by the river.",
    "Sarah runs the smithy now.",
    "Sarah cheats at cards.",
    "Sarah can forge swords.",
    "Sarah won't sing today.",
    "Sarah does not trust you.",
    "Sarah drinks too much.",
    "Sarah secretly hates the captain.",
    "Sarah fled to the hills.",
    "Sarah looked for her ring.",
    "Sarah wrote a letter.",
    "Sarah's brother came back.",
]
NOBODY_AT_THE_START = [
    f"{noun} {does}."
    for noun in [
        "Garlic",
        "Pepper",
        "Ivy",
        "Turnips",
        "Onions",
        "Mushrooms",
        "Carrots",
        "Cabbage",
        "Thatch",
        "Hinges",
        "Buckets",
        "Velvet",
        "Amber",
        "Tin",
        "Nettles",
        "Hornets",
        "Weddings",
        "Hammers",
        "Vinegar",
        "Thunderclouds",
    ]
    for does in (
        "keeps vampires away",
        "costs a lot",
        "sells well",
        "grows on the wall",
        "comes from the south",
        "helps against fever",
        "brings bad luck",
        "can burn",
        "will help",
        "makes me sad",
        "does not last",
    )
]


@pytest.mark.parametrize("text", UNKNOWN_AT_THE_START)
def test_unknown_people_at_the_start_of_a_sentence_are_found(text: str, mira: Npc) -> None:
    for each in (text, f"It rains. {text}"):
        with pytest.raises(InvalidArgumentError, match="nobody in this world is called Sarah"):
            mira.memories.store(each)
    assert mira.memories.store(text.replace("Sarah", "Gregor"))


@pytest.mark.parametrize("text", NOBODY_AT_THE_START)
def test_things_at_the_start_of_a_sentence_are_nobody(text: str) -> None:
    assert name_check.people_in(text) == []


REQUESTS = [
    "Ask {} at the well.",
    "Tell {} that I sent you.",
    "Find {} before dusk.",
    "Trust {}, who is wise.",
    "Thank {} for me.",
    "Dear {} is asleep.",
    "Bring {} the ale.",
    "The guard told me: Ask {} about it.",
    'Mother whispered "Avoid {} tonight" to me.',
]


@pytest.mark.parametrize("text", REQUESTS)
def test_the_word_before_a_name_that_opens_a_request_is_no_part_of_it(text: str, mira: Npc) -> None:
    told = text.format("Gregor")
    assert mira.memories.get_memory(mira.memories.store(told))["document_full"] == told
    assert mira.memories.get_memory(mira.memories.store(text.format("Gregorr")))["document_full"] == told
    with pytest.raises(InvalidArgumentError, match="nobody in this world is called Ravenna"):
        mira.memories.store(text.format("Ravenna"))
