"""Five fresh betrayals do not push out of an answer what was asked for."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from rag_memory import MemoryConfig, Npc, ScoreMode

DAY = 86400.0
NOW = 1_702_500_000.0
FIRST_FEW = 5
SMALL_PROMPT_TOKENS = 100

BETRAYALS = (
    "The player sold my brother to the bandits of Iron Hollow for a purse of silver.",
    "The player told the guards in which cellar I hide the smuggled wine.",
    "The player swore to pay me for the horse and ran off with the whole purse.",
    "The player handed my letters over to Captain Varn, who read them aloud.",
    "The player opened the gate for the raiders that night and let them burn the barn.",
)


class Asked(NamedTuple):
    """An ordinary memory, a question about it, and how it was stored."""

    text: str
    question: str
    importance: int
    days_ago: float


ORDINARY = (
    Asked("Old Tobias keeps the mill key under the blue flower pot.", "Where is the mill key kept?", 5, 12),
    Asked("Caroline bought a copper kettle at the harbour market.", "Who bought the copper kettle?", 4, 20),
    Asked("Rowan mended the roof of the chapel after the storm.", "Did Rowan mend the chapel roof?", 6, 9),
    Asked("My sister Elena plants white roses behind the inn.", "Who plants roses behind the inn?", 5, 30),
    Asked("The ferryman takes two coppers for crossing the river.", "What does the ferryman take?", 4, 15),
    Asked("Bjorn forged a ploughshare for the widow Anna.", "What did Bjorn forge for Anna?", 6, 40),
)


@pytest.fixture
def betrayed(npc: Npc) -> Npc:
    for number, text in enumerate(BETRAYALS):
        npc.memories.store(text, 9, {"event_type": "betrayal", "timestamp": NOW - number * 3600.0})
    for each in ORDINARY:
        npc.memories.store(each.text, each.importance, {"timestamp": NOW - each.days_ago * DAY})
    return npc


@pytest.mark.parametrize("asked", ORDINARY, ids=lambda asked: asked.question)
def test_by_default_what_was_asked_for_comes_among_the_first(betrayed: Npc, asked: Asked) -> None:
    assert asked.text in _texts(betrayed, asked)[:FIRST_FEW]


@pytest.mark.parametrize("asked", ORDINARY, ids=lambda asked: asked.question)
def test_by_default_what_was_asked_for_fits_a_small_prompt(betrayed: Npc, asked: Asked) -> None:
    assert asked.text in _texts(betrayed, asked, SMALL_PROMPT_TOKENS)


@pytest.mark.parametrize("asked", ORDINARY, ids=lambda asked: asked.question)
def test_product_puts_all_the_betrayals_first(betrayed: Npc, asked: Asked) -> None:
    betrayed.config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    assert set(_texts(betrayed, asked)[:FIRST_FEW]) == set(BETRAYALS)
    assert asked.text not in _texts(betrayed, asked, SMALL_PROMPT_TOKENS)[:2]


def _texts(npc: Npc, asked: Asked, token_budget: int = -1) -> list[str]:
    answer = npc.recall.retrieve_scored(asked.question, token_budget)
    return [memory["document_full"] for memory in answer if not memory["protected"]]
