"""Sentences about the player, said to the player."""

from __future__ import annotations

import pytest

from rag_memory.text.second_person import to_second_person


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The player owes me two silver for the mule.", "You owe me two silver for the mule."),
        ("The player promised me a coil of rope.", "You promised me a coil of rope."),
        ("The player was the first to cross the ice.", "You were the first to cross the ice."),
        ("The player has a sister in Lowmoor.", "You have a sister in Lowmoor."),
        ("The player doesn't eat fish.", "You don't eat fish."),
        ("The player carries the key to my cellar.", "You carry the key to my cellar."),
        ("The player never pays on time.", "You never pay on time."),
        ("The player brought me plums and sat by my bed.", "You brought me plums and sat by my bed."),
        ("The player can read the old runes.", "You can read the old runes."),
        ('The player told me: "He owes her his boat."', 'You told me: "He owes her his boat."'),
        ("player gave me a lantern.", "You gave me a lantern."),
        ("I gave the player a coin.", "I gave you a coin."),
        ("I owe the player a boat.", "I owe you a boat."),
        (
            "We hid the player from the guards, for I trust the player.",
            "We hid you from the guards, for I trust you.",
        ),
    ],
)
def test_the_player_is_spoken_to(text: str, said: str) -> None:
    assert to_second_person(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "The player said he would bring me rope.",
        "The player lost their hat in the ferry.",
        "The player owes me two silver and wants a horse.",
        "The player is late, has no money.",
        "The player and I crossed the river.",
        "The player who cut the rope came back.",
        "The player's mule bit me.",
        "The player named Rowan owes me a hen.",
        "The player told me that the player's sister is ill.",
        "The player bitten by the dog limped home.",
        "The player quietly mends nets.",
        "Rowan owes the player a boat.",
        "I owe Rowan a boat.",
        "I gave the player his coin.",
        "I know the player owes me a boat.",
        "I mended the player's boat.",
        'I told the player: "Pay the player."',
    ],
)
def test_what_may_come_out_wrong_stays_as_it_is(text: str) -> None:
    assert to_second_person(text) == ""
