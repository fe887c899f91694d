"""Questions to an NPC with a few memories stored at once, as new users try it."""

from __future__ import annotations

import pytest
from tests.unit.conftest import NOW
from tests.unit.npc.first_memories import EVERY_SET, FirstMemories

from rag_memory import Npc, open_save
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import default_embedder

PLENTY = 100_000


@pytest.fixture(scope="module")
def model() -> Embedder:
    return default_embedder()


def places(npc: Npc, ids: list[str], known: FirstMemories) -> dict[str, int]:
    """Where the right memory of each question comes, from 1."""
    found = {}
    for question, right in known.questions.items():
        answer = [
            each["id"] for each in npc.recall.retrieve_scored(question, PLENTY) if not each["protected"]
        ]
        found[question] = answer.index(ids[right]) + 1
    return found


@pytest.mark.parametrize("name", EVERY_SET)
def test_the_right_memory_of_a_few_comes_first_or_second(model: Embedder, name: str) -> None:
    known = EVERY_SET[name]
    with open_save(":memory:", embedder=model, clock=lambda: NOW) as save:
        npc = save.npc(name)
        ids = npc.memories.store_batch([{"text": text} for text in known.texts])
        found = places(npc, ids, known)
    assert {question: place for question, place in found.items() if place > 2} == {}
    assert list(found.values()).count(2) <= 2


def test_neighbours_count_more_the_more_memories_there_are(npc: Npc) -> None:
    npc.memories.store("The dragon burned the mill.")
    after = npc.memories.store("It was on a Sunday.")
    counted: list[float] = []
    for count in (20, 60, 100, 150):
        have = npc.memories.get_memory_count()
        npc.memories.store_batch([{"text": f"Sack {number} was sold."} for number in range(have, count)])
        counted.append(npc.recall.explain("dragon mill", after)["breakdown"]["keyword_channel"])
    assert counted[0] == 0.0
    assert 0.0 < counted[1] < counted[2] == pytest.approx(counted[3], rel=0.05)
