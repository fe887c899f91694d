"""Names of unknown people are marked once the game has said who exists. No text is changed."""

from __future__ import annotations

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


def suspects(npc: Npc, id: str) -> list[str]:
    metadata = npc.memories.get_memory(id)["metadata"]
    return list(metadata.get("name_suspects", []))


@pytest.mark.parametrize("text", texts_of("test_memories_of_known_people_are_accepted"))
def test_memories_of_known_people_are_stored_as_they_are(text: str, mira: Npc) -> None:
    id = mira.memories.store(text)
    assert mira.memories.get_memory(id)["document_full"] == text
    assert suspects(mira, id) == []


@pytest.mark.parametrize("text", texts_of("test_memories_of_unknown_people_are_rejected_with_a_reason"))
def test_memories_of_unknown_people_are_stored_with_the_name_as_a_suspect(text: str, mira: Npc) -> None:
    id = mira.memories.store(text)
    assert mira.memories.get_memory(id)["document_full"] == text
    assert "Zorblax" in "".join(suspects(mira, id))


def test_the_texts_of_the_gdscript_tests_were_found() -> None:
    assert len(texts_of("test_memories_of_known_people_are_accepted")) >= 11
    assert len(texts_of("test_memories_of_unknown_people_are_rejected_with_a_reason")) >= 6


def test_memories_are_checked_without_being_stored() -> None:
    memories: list[dict[str, Any]] = [
        {"text": "Gregorr and Rowan met Zorblax.", "participants": ["Gregorr", "player"]},
        {"text": "It rains."},
    ]
    names, nobody = name_check.check_memories(memories, ["Gregor"], ["I am Rowan."])
    assert names == {"unknown_names": ["Zorblax"]}
    assert nobody == {"unknown_names": []}
    with pytest.raises(InvalidArgumentError, match="text"):
        name_check.check_memories([{"text": 5}], [], [])


ALMOST_KNOWN = [
    "The player helped Gregorr and Elnea.",
    "The player has a sister, Mina.",
    "Marius is not Marcus, said Gregor.",
    "Gregors Schwester Elenas Hund bellt.",
    "Я отдал Грегору платок.",
]


@pytest.mark.parametrize("text", ALMOST_KNOWN)
def test_no_name_is_taken_for_another_and_one_like_it_is_no_suspect(text: str, save: Save, mira: Npc) -> None:
    save.register_names(["Marcus", "Грегор"], check_people=True)
    id = mira.memories.store(text, 5, {"participants": ["Gregorr"]})
    assert mira.memories.get_memory(id)["document_full"] == text
    assert mira.memories.get_memory(id)["metadata"]["participants"] == ["Gregorr"]
    assert suspects(mira, id) == []


NO_PEOPLE = [
    "Gregorville burned down in the war.",
    "We crossed Zorland and came to Lake Zorblax.",
    "The Zorblaxians said that they come in peace.",
    "The Zorblax Guild asked for tribute.",
    "Travelling made Gregor tired.",
    "Otherwise, Elena said, we starve.",
    'He read "Captain Zorblax" again.',
    "Der Müller hat Brot und Wein verkauft.",
    "В Зорблаксе открыли мельницу.",
    "老王は村を出た。",
]


@pytest.mark.parametrize("text", NO_PEOPLE)
def test_places_peoples_titles_and_first_words_are_no_people(text: str, mira: Npc) -> None:
    assert suspects(mira, mira.memories.store(text)) == []


PEOPLE_OF_A_TEXT = [
    ("Gregor and Zorblax mended the roof.", "Zorblax"),
    ("Elena und Zorblax tanzen.", "Zorblax"),
    ("Мира и Зорблакс чинят крышу.", "Зорблакс"),
    ("I owe 20 gold to Zorblax.", "Zorblax"),
    ("It was Zorblax who stole it.", "Zorblax"),
    ("Nurse Zorblax asked for water.", "Zorblax"),
    ("His uncle Zorblax lives far away.", "Zorblax"),
    ("Письмо принёс Зорблакс.", "Зорблакс"),
    ("A man called Zorblax came.", "Zorblax"),
    ("They said that Rider42 cheated.", "Rider42"),
]


@pytest.mark.parametrize(("text", "name"), PEOPLE_OF_A_TEXT)
def test_the_words_around_a_name_make_it_a_person(text: str, name: str, save: Save, mira: Npc) -> None:
    save.register_names(["Мира"], check_people=True)
    assert suspects(mira, mira.memories.store(text)) == [name]


def test_the_check_can_be_switched_off_for_a_memory_and_for_an_npc(save: Save, mira: Npc) -> None:
    id = mira.memories.store("I saw Zorblax.", 5, {"check_names": False})
    assert "check_names" not in mira.memories.get_memory(id)["metadata"]
    assert suspects(mira, id) == []
    bjorn = save.npc("bjorn", MemoryConfig(check_names=False))
    assert suspects(bjorn, bjorn.memories.store("I saw Zorblax.")) == []
    with pytest.raises(InvalidArgumentError, match="check_names"):
        mira.memories.store("It rains.", 5, {"check_names": "no"})


def test_a_game_that_registers_nobody_is_not_affected(opened: Callable[..., Save]) -> None:
    save = opened()
    save.register_names(OTHERS)
    id = save.npc("mira").memories.store("I saw Zorblax.", 5, {"check_names": True, "participants": ["Xy"]})
    assert save.npc("mira").memories.get_memory(id)["document_full"] == "I saw Zorblax."


def test_every_call_that_stores_marks_unknown_people(mira: Npc) -> None:
    text = "Zorblax said that the mine is haunted."
    calls: list[Callable[[], Any]] = [
        lambda: mira.memories.store(text),
        lambda: mira.memories.store_witnessed_event(text),
        lambda: mira.memories.store_player_action("gift_given", f"The player knows that {text}"),
        lambda: mira.memories.store_milestone("first_meeting", text),
        lambda: mira.memories.store_npc_awareness("elena", text),
        lambda: mira.memories.store_conversation("mira", text),
        lambda: mira.memories.store_batch([{"text": text}])[0],
    ]
    for call in calls:
        stored = call()
        assert suspects(mira, stored["id"] if isinstance(stored, dict) else stored) == ["Zorblax"]


def test_what_others_say_and_what_the_player_is_called_is_hearsay(mira: Npc) -> None:
    name = {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"}
    assert suspects(mira, mira.memories.store_conversation("player", "Zorblax sent me.")) == []
    assert suspects(mira, mira.memories.store("The player's name is Rowan Ashby.", 9, name)) == []
    assert suspects(mira, mira.memories.store("I like Rowan.")) == []
    assert suspects(mira, mira.memories.store("I like Zorblax.")) == ["Zorblax"]


def test_states_and_relationships_name_whom_they_like(mira: Npc) -> None:
    assert mira.relationship.store_npc_state(False, {"killed_by": "Zorblax", "cause": "Zorblax killed me."})
    assert mira.relationship.store_relationship("Zorblax", {"trust": -50})


def test_people_registered_later_are_known(save: Save, mira: Npc) -> None:
    assert suspects(mira, mira.memories.store("I saw Zorblax.")) == ["Zorblax"]
    save.register_names(["Zorblax"], check_people=True)
    assert suspects(mira, mira.memories.store("I saw Zorblax.")) == []
    save.npc("tobias").memories.store("Hello.")
    assert suspects(mira, mira.memories.store("I saw Tobias.")) == [], "an NPC with memories exists"


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
    for sentence in (text, f"It rains. {text}"):
        assert suspects(mira, mira.memories.store(sentence)) == ["Sarah"]
    assert suspects(mira, mira.memories.store(text.replace("Sarah", "Gregor"))) == []


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
    assert suspects(mira, mira.memories.store(text.format("Gregor"))) == []
    assert suspects(mira, mira.memories.store(text.format("Ravenna"))) == ["Ravenna"]
