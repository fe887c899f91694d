"""Finding invented inns, shops and smithies in a text."""

from __future__ import annotations

import pytest

from rag_memory.world.world_knowledge import WorldKnowledge

WORLD = WorldKnowledge(
    people={"mira": ["Mira"], "aldric": ["Aldric", "the captain"]},
    other_names=["Iron Guard", "Thornhaven"],
    establishments=[
        {"name": "Copper Kettle", "kind": "inn", "location": "Thornhaven", "owner": "mira"},
        {"name": "Anvil", "kind": "smithy", "location": "Iron Hollow"},
    ],
)


def unknown(text: str, location: str = "") -> list[str]:
    checked = WORLD.check_establishments(text, location)
    assert checked["accepted"] is not bool(checked["unknown_establishments"])
    assert bool(checked["reason"]) is not checked["accepted"]
    result: list[str] = checked["unknown_establishments"]
    return result


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("You can sleep at the Weary Wanderer.", "Weary Wanderer"),
        ("Go to the Golden Hen, it is cheap.", "Golden Hen"),
        ("The Weary Wanderer serves the best ale.", "Weary Wanderer"),
        ("The Weary Wanderer has warm beds.", "Weary Wanderer"),
        ("There is a fine inn called the Anchor.", "Anchor"),
        ("Ask in the Drunken Goat tavern.", "Drunken Goat"),
        ("My brother runs the Silver Lute.", "Silver Lute"),
        ("He sleeps at the Hen and Wolf of Ferry.", "Hen and Wolf of Ferry"),
        ("Try Blackwood Bakery.", "Blackwood Bakery"),
        ("I slept at the Golden Kettle.", "Golden Kettle"),
        ("Sie schläft at the Öde Ähre.", "Öde Ähre"),
        ("Sleep at the Жёлтый Гусь.", "Жёлтый Гусь"),
        ("Our bakery sells good bread.", "bakery"),
        ("There is a small library behind the well.", "library"),
    ],
)
def test_an_invented_establishment_is_found(text: str, name: str) -> None:
    assert any(name in invented for invented in unknown(text))
    assert "NPCWorldKnowledge.add_establishment()" in WORLD.check_establishments(text)["reason"]


@pytest.mark.parametrize(
    "text",
    [
        "You can sleep at the Copper Kettle.",
        "Visit Copper Kettle tavern. The Kettle has beds.",
        "The tavern is warm, and the smithy is loud.",
        "Go to the Captain Aldric, he is at the Iron Guard.",
        "There is no bakery here, and I never saw a library.",
        "I dream of a bakery of my own.",
        "You find it in the blacksmith's shop.",
        "The old mill is haunted. The Iron Guard has good swords.",
        "Our tavern is closed. He stood on the wrong bank, at my stable door.",
        "Aldric went to the inn. Mira waved.",
        "Hello.",
        "",
        "Ale And Beds " * 20_000,
    ],
)
def test_what_exists_is_accepted(text: str) -> None:
    assert unknown(text) == []


def test_a_world_that_lists_none_accepts_everything() -> None:
    assert WorldKnowledge().check_establishments("Sleep at the Weary Wanderer.")["accepted"]


def test_a_kind_has_to_be_at_the_place_or_the_text_says_where() -> None:
    assert unknown("Ask in the smithy.", "iron hollow") == []
    assert unknown("Ask in the smithy.", "Thornhaven") == ["smithy"]
    assert (
        "There is no smithy in Thornhaven."
        in (WORLD.check_establishments("Ask in the smithy.", "Thornhaven")["reason"])
    )
    assert unknown("Ask in the smithy in Iron Hollow.", "Thornhaven") == []
    assert unknown("Ask in the shop.", "Iron Hollow") == [], "a smithy may be called a shop"
    assert unknown("Ask in the shop.", "Thornhaven") == ["shop"], "an inn may not"
