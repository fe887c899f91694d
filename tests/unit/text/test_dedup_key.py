"""Which texts say the same in nearly the same words, and which only look like it."""

from __future__ import annotations

import pytest

from rag_memory import MemoryConfig, Npc
from rag_memory.text.dedup_key import dedup_key


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Ann burned the mill.", "ann BURNED the mill!"),
        ("Wolves attacked the goats.", "The wolves attack these goats"),
        ("He was changing the horses", "He changed horses."),
        ("The promises were broken again", "promise, broken"),
        ("ANN SAW THE WOLVES.", "Ann saw the wolves."),
        ("Müller sah die Mühle.", "Muller sah die Muhle"),
        ("The ship sank.\n\nShips sink.", "the ships sank. ship sinks"),
        ('"Wolves!" he said.', "wolves? he said"),
    ],
)
def test_the_same_in_nearly_the_same_words(text: str, other: str) -> None:
    assert dedup_key(text) == dedup_key(other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Ann burned the mill.", "Anne burned the mill."),
        ("I saw Mary at the mill.", "I saw Marie at the mill."),
        ("The mill belongs to Nils.", "The mill belongs to Nil."),
        ("I met James' brother.", "I met Jame's brother."),
        ("Bert is a general man.", "Bert is a generous man."),
        ("The debt is 5 gold.", "The debt is -5 gold."),
        ("I do trust you.", "I do not trust you."),
        ("She told me 😀", "She told me 😡"),
        ("It costs $5", "It costs €5"),
        ("😀", "😡"),
        ("the", "a"),
    ],
)
def test_what_tells_memories_apart_counts(text: str, other: str) -> None:
    assert dedup_key(text) != dedup_key(other)


def test_names_that_collide_are_two_memories_in_an_answer(npc: Npc) -> None:
    stored = [
        npc.memories.store(f"{name} burned the old mill down.", 5)
        for name in ("Ann", "Anne", "Mary", "Marie")
    ]
    found = [
        memory["id"]
        for memory in npc.recall.retrieve_scored("Who burned the mill?")
        if not memory["protected"]
    ]
    assert sorted(found) == sorted(stored)


@pytest.mark.parametrize("by_score", [False, True])
def test_what_is_protected_stays_whatever_it_says(npc: Npc, by_score: bool) -> None:
    npc.config = MemoryConfig(
        protected_slot_types=["player_name", "nickname"], use_score_based_selection=by_score
    )
    name = npc.memories.store("They call the player Theron.", 5, {"slot_type": "player_name"})
    nickname = npc.memories.store("They call the player Theron!", 5, {"slot_type": "nickname"})
    said = npc.memories.store("They called the player Theron.", 5)
    found = {memory["id"]: memory.get("duplicates", []) for memory in npc.recall.retrieve_scored("Theron?")}
    assert found == {name: [said], nickname: []}
    told = npc.recall.explain("Theron?", said)
    assert (told["reason"], told["duplicate_of"]) == ("duplicate", name)
    assert "is protected" in told["text"]
