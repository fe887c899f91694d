"""Newer memories about the same matter lead, and older ones are marked as earlier."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag_memory import MemoryConfig, Npc, RelevanceMode, ScoreMode, open_save
from rag_memory.embedding.registry import default_embedder
from rag_memory.text.tense import asks_about_now, asks_for_value, has_present_verb

HOUR = 3600.0
DAY = 24 * HOUR
SMALL_TALK = (
    "The player asked me about the weather.",
    "Two carters quarrelled in front of the stable.",
    "My back aches when the wind is in the east.",
    "The innkeeper's dog had four puppies.",
)


class Village:
    """An NPC, and a clock that goes on with every memory."""

    def __init__(self, npc: Npc, clock: list[float]) -> None:
        self.npc = npc
        self._clock = clock

    def store(self, text: str, hours: float = 1.0) -> str:
        """Store a text some hours later."""
        self._clock[0] += hours * HOUR
        id: str = self.npc.memories.store(text, 5)
        return id


@pytest.fixture
def village() -> Iterator[Village]:
    clock = [DAY]
    with open_save(":memory:", default_embedder(), clock=lambda: clock[0]) as save:
        village = Village(save.npc("osric"), clock)
        for text in SMALL_TALK:
            village.store(text)
        yield village


CHANGES = [
    ("The chapel bell is silent.", "The chapel bell rings every evening.", "Does the chapel bell ring?"),
    ("A night in the inn costs four pennies.", "A night in the inn costs six.", "What does a night cost?"),
    ("The ford is guarded by Aldo.", "The ford is guarded by Berta.", "Who guards the ford?"),
    ("The player lives at the mill.", "The player lives in the tower.", "Where do I live?"),
    ("My sister Tilda is betrothed to Hugo.", "My sister Tilda is Hugo's wife.", "What is Tilda to Hugo?"),
]


@pytest.mark.parametrize("hours", [1.0, 480.0])
@pytest.mark.parametrize(("older", "newer", "question"), CHANGES)
def test_the_newest_leads_and_the_older_one_is_marked(
    village: Village, older: str, newer: str, question: str, hours: float
) -> None:
    old = village.store(older)
    new = village.store(newer, hours)
    memories = {memory["id"]: memory for memory in village.npc.recall.retrieve_scored(question)}
    ids = list(memories)
    assert ids.index(new) < ids.index(old)
    assert memories[old]["newer"] == new
    assert memories[new]["earlier"] == [old]
    assert memories[old]["rendered_text"] == f"earlier: {older}"
    assert memories[old]["document_full"] == older, "nothing that was stored is changed"
    assert "newer" not in memories[new]
    assert village.npc.recall.recall_best(question)["id"] == new


def test_what_no_longer_holds_is_not_known(village: Village) -> None:
    village.store("The ford is guarded by Aldo.")
    assert village.npc.recall.knows("Aldo guards the ford")
    village.store("The ford is guarded by Berta.")
    assert village.npc.recall.knows("Berta guards the ford")
    assert not village.npc.recall.knows("Aldo guards the ford")


def test_a_forgotten_newer_memory_marks_nothing(village: Village) -> None:
    village.store("The player lives at the mill.")
    village.npc.memories.forget(village.store("The player lives in the tower."))
    (best,) = [
        memory
        for memory in village.npc.recall.retrieve_scored("Where do I live?")
        if "mill" in memory["document"]
    ]
    assert "newer" not in best


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("The key of the cellar is brass.", "The key of the chest is iron.", "Which key is for the cellar?"),
        (
            "The east tower has nine steps.",
            "The west tower has forty steps.",
            "How many steps has the east tower?",
        ),
        ("Odila lives above the bakery.", "Wendel lives in the gatehouse.", "Where does Odila live?"),
        ("Queen Ilse rules Tarn.", "King Oswin rules Vell.", "Who rules Tarn?"),
        ("Odila wohnt in der Mühle.", "Wendel wohnt im Torhaus.", "Wo wohnt Odila?"),
        ("The player owes me 30 crowns.", "I owe the player 12 crowns.", "How much do I owe you?"),
    ],
)
def test_another_thing_is_no_newer_state_of_this_one(
    village: Village, first: str, second: str, question: str
) -> None:
    wanted = village.store(first)
    village.store(second, 120.0)
    best = village.npc.recall.recall_best(question)
    assert best["id"] == wanted
    assert "newer" not in best


def test_a_question_about_the_past_changes_nothing(village: Village) -> None:
    old = village.store("The player lives at the mill.")
    village.store("The player lives in the tower.")
    memories = village.npc.recall.retrieve_scored("Where did I live at the mill before?")
    assert not [memory for memory in memories if "newer" in memory]
    assert old in [memory["id"] for memory in memories]


def test_an_explanation_names_what_is_newer(village: Village) -> None:
    old = village.store("The player lives at the mill.")
    new = village.store("The player lives in the tower.")
    assert village.npc.recall.explain("Where do I live?", old)["newer"] == new
    explained = village.npc.recall.explain("Where do I live?", new)
    assert explained["earlier"] == [old]
    assert (explained["rank"], explained["score_rank"]) == (2, 1), "the relationship header comes first"


def test_the_score_stays_the_product_of_its_factors(village: Village) -> None:
    village.store("The ford is guarded by Aldo.")
    new = village.store("The ford is guarded by Berta.")
    memories = [m for m in village.npc.recall.retrieve_scored("Who guards the ford?") if not m["protected"]]
    assert memories[0]["id"] == new
    assert memories[0]["score"] >= memories[1]["score"]


@pytest.mark.parametrize(
    "config",
    [MemoryConfig(score_mode=ScoreMode.PRODUCT), MemoryConfig(relevance_mode=RelevanceMode.DENSE)],
)
def test_the_documents_formula_and_plain_vectors_stay_as_they_are(
    village: Village, config: MemoryConfig
) -> None:
    village.npc.config = config
    village.store("The ford is guarded by Aldo.")
    village.store("The ford is guarded by Berta.")
    assert not [m for m in village.npc.recall.retrieve_scored("Who guards the ford?") if "newer" in m]


@pytest.mark.parametrize(
    ("question", "is_about_now"),
    [
        ("Who is the reeve?", True),
        ("Who's the reeve?", True),
        ("Where do I live?", True),
        ("The reeve", True),
        ("Who was the reeve?", False),
        ("Who did I owe?", False),
        ("Who stole the bell?", False),
        ("What have I promised?", True),
        ("Where did you use to live?", False),
        ("What used to be here?", False),
        ("Wer ist der Vogt?", True),
    ],
)
def test_questions_about_the_past_are_told_by_their_verbs(question: str, is_about_now: bool) -> None:
    assert asks_about_now(question) == is_about_now


def test_a_question_for_a_value_names_no_answer() -> None:
    assert asks_for_value("Who is the reeve?")
    assert not asks_for_value("Is it Aldo?")
    assert has_present_verb("Is it Aldo?")
    assert not has_present_verb("The reeve")
