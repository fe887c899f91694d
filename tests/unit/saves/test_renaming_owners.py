"""Who has another id still knows what texts such as "npc: ulf" say that the former id knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.text.file_text import FileText

SECRET = "The miller hides his silver under the third step."
QUESTION = "Where does the miller hide his silver?"
BOOK = "---\nknown_by: [{owner}]\n---\n# The mill\n\n{text}\n"
PART = "# The mill\n\nIt grinds rye.\n\n# The silver {{known_by: {owner}}}\n\n{text}\n"
IDS = ["ulf", "old tom", "jörg", "guard:3", "o'hara", 'the "rat" king', "100%", "flag", "player_2"]


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    return opened()


def tell(save: Save, way: str, owner: Any) -> None:
    """Tell the world the secret, and who knows it."""
    match way:
        case "fact":
            save.world.facts.set_facts({"silver": {"text": SECRET, "known_by": owner}})
        case "event":
            save.world.events.record_event({"summary": SECRET, "known_by": owner})
        case "book":
            save.world.lore.import_lore(FileText(BOOK.format(owner=owner, text=SECRET)), {"key": "mill"})
        case "option":
            save.world.lore.import_lore(FileText(SECRET), {"key": "mill", "known_by": owner})
        case _:
            save.world.lore.import_lore(FileText(PART.format(owner=owner, text=SECRET)), {"key": "mill"})


def knows(save: Save, *ids: str) -> list[bool]:
    return [SECRET[:-1] in str(save.npc(id).recall.retrieve_scored(QUESTION)) for id in ids]


def meet(save: Save, *ids: str) -> None:
    for id in ids:
        save.npc(id).memories.store("The mill wheel turns.", 4)


@pytest.mark.parametrize("old", IDS)
@pytest.mark.parametrize("way", ["fact", "event", "book", "option", "part"])
def test_a_text_that_names_the_npc_follows_it(save: Save, way: str, old: str) -> None:
    meet(save, old, f"{old}_the_younger")
    tell(save, way, f"npc: {old}")
    assert knows(save, old, "ivo") == [True, False]
    save.identities.rename(old, "ivo")
    assert knows(save, old, f"{old}_the_younger", "ivo") == [False, False, True]


@pytest.mark.parametrize("new", [*IDS, "Ivo: the bold", "and npc: ulf", "rat and flag: x"])
@pytest.mark.parametrize("way", ["fact", "part"])
def test_any_new_id_will_do(save: Save, way: str, new: str) -> None:
    meet(save, "ivo")
    tell(save, way, "npc: ivo")
    save.identities.rename("ivo", new)
    assert knows(save, "ivo", new) == [False, True]


def test_the_other_parts_of_a_condition_stay(save: Save) -> None:
    meet(save, "ulf", "ulf_2")
    save.world.facts.set_flags({"stage": 1})
    owners = ["npc: ulf_2", "flag: stage at_least 3 and NPC : ulf", {"flag": "stage", "is": 4}, "guard:3"]
    tell(save, "fact", owners)
    save.identities.rename("ulf", "flag")
    assert knows(save, "ulf_2", "flag", "guard:3", "ulf") == [True, False, True, False]
    save.world.facts.set_flags({"stage": 3})
    assert knows(save, "ulf_2", "flag", "guard:3", "ulf") == [True, True, True, False]
    save.world.facts.set_flags({"stage": 4})
    save.identities.rename("flag", "ivo")
    assert knows(save, "flag", "ulf") == [True, True], "a flag is no NPC"


@pytest.mark.parametrize("way", ["fact", "event", "book", "option", "part"])
def test_two_who_are_one_know_what_both_were_named_for(save: Save, way: str) -> None:
    meet(save, "masked man", "baker")
    tell(save, way, "npc: masked man")
    save.identities.merge("baker", "masked man")
    assert knows(save, "masked man", "baker") == [False, True]


@pytest.mark.parametrize("way", ["fact", "event", "book", "option", "part"])
def test_a_hero_who_leaves_takes_along_what_only_the_player_knew(save: Save, way: str) -> None:
    save.npc("inn").conversation.store_turn("My name is Falk.", "Welcome, Falk.")
    tell(save, way, "npc: player")
    save.identities.retire_player("falk")
    assert knows(save, "player", "falk") == [False, True]


def test_letters_in_another_form_are_the_same_id(save: Save) -> None:
    meet(save, "Rene\u0301")
    tell(save, "part", "npc: Rene\u0301")
    assert knows(save, "Ren\u00e9") == [True]
    save.identities.rename("Ren\u00e9", "ivo")
    assert knows(save, "Ren\u00e9", "ivo") == [False, True]


def test_lore_whose_key_is_the_id_of_an_npc_stays_whole(save: Save) -> None:
    meet(save, "mill")
    tell(save, "part", "npc: mill")
    save.identities.rename("mill", "ivo")
    assert knows(save, "ivo") == [True]
    found = save.world.lore.search_lore("rye", {})
    assert found and found[0]["source"] == "mill"
