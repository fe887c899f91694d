"""What another person has, or holds of another thing, is no newer state of what was asked for."""

from __future__ import annotations

import pytest

from rag_memory.retrieval.other_matter import AskedMatter

OTHERS = [
    ("Odila lives above the bakery.", "Wendel lives in the gatehouse.", "Where does Odila live?"),
    ("Odila lives above the bakery.", "Wendel lives in the gatehouse.", "where does odila live?"),
    ("Odila lives above the bakery.", "Wendel lives in the gatehouse.", "Does Odila live at the bakery?"),
    ("Queen Ilse rules Tarn.", "King Oswin rules Vell.", "Who rules Tarn?"),
    ("Captain Rudd sails the Heron.", "Captain Moss sails the Gull.", "What does Captain Rudd sail?"),
    ("Odila's cousin is a tanner.", "Wendel's cousin is a scribe.", "What does Odila's cousin do?"),
    ("Odila is a tanner.", "Odila's cousin is a scribe.", "What is Odila's trade?"),
    ("Odila's cousin lives on the quay.", "Odila lives in the tower.", "Where does Odila's cousin live?"),
    (
        "The horse market is on the green.",
        "The cloth market has moved to the quay.",
        "Where is the horse market?",
    ),
    ("Room three is let to a bard.", "Room seven has been empty for a week.", "Who lives in room three?"),
    ("The player owes me 30 crowns.", "I owe the player 12 crowns.", "How much does the player owe me?"),
    ("Odila owes Wendel 30 crowns.", "Wendel owes Odila a goat.", "What does Odila owe Wendel?"),
    (
        "Der Spieler schuldet mir 30 Kronen.",
        "Ich schulde dem Spieler 12 Kronen.",
        "Wie viel schuldet mir der Spieler?",
    ),
    ("Odila wohnt in der Mühle.", "Wendel wohnt im Torhaus.", "Wo wohnt Odila?"),
    ("Lucía vive en el molino.", "Tomás vive en la torre.", "¿Dónde vive Lucía?"),
    ("Odila grows beans.", "Odila grows leeks as well.", "What does Odila grow?"),
    ("The well has a roof.", "The well's roof leaks.", "Has the well a roof?"),
    ("Марфа живёт на мельнице.", "Егор живёт в башне.", "Где живёт Марфа?"),
]
CHANGES = [
    ("Odila lives above the bakery.", "Odila lives in the gatehouse.", "Where does Odila live?"),
    ("Wendel guards the ford.", "The ford is guarded by Odila.", "Who guards the ford?"),
    ("Wendel is the reeve.", "Odila is the reeve.", "Is Wendel the reeve?"),
    ("Captain Rudd sails the Heron.", "Rudd sails the Gull.", "What does Captain Rudd sail?"),
    ("The player owes me 30 crowns.", "The player owes me 12 crowns.", "How much does the player owe me?"),
    ("Odila is single.", "Odila's husband is the miller.", "Is Odila married?"),
    ("Wendel sells bread.", "Odila bakes bread and sells it.", "Who sells bread?"),
    ("The old mill is shut.", "The mill grinds again.", "Is the old mill shut?"),
    ("Odila grows beans.", "Odila no longer grows beans.", "What does Odila grow?"),
    ("Odila feeds the hens.", "Odila feeds the hens twelve times a day.", "Who feeds the hens?"),
    ("Odila wohnt in der Mühle.", "Odila wohnt nicht mehr in der Mühle.", "Wo wohnt Odila?"),
    ("Марфа живёт на мельнице.", "Дом Марфы теперь в башне.", "Где живёт Марфа?"),
]


@pytest.mark.parametrize(("older", "newer", "question"), OTHERS)
def test_another_matter_is_no_change(older: str, newer: str, question: str) -> None:
    assert AskedMatter(question).differs(older, newer)


@pytest.mark.parametrize(("older", "newer", "question"), CHANGES)
def test_the_same_matter_in_other_words_may_have_changed(older: str, newer: str, question: str) -> None:
    assert not AskedMatter(question).differs(older, newer)


def test_the_key_of_the_chapel_is_no_newer_key_of_the_mill() -> None:
    asked = AskedMatter("Where is the key of the mill?")
    older = "Greta hides the mill's key under the sundial."
    assert asked.differs(older, "The key of the chapel is lost.")
    assert not asked.differs(older, "The key of the mill is lost.")
