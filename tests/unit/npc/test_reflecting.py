"""Reflections, whatever else is stored and whoever draws the conclusions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_memory import Save, open_save
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.npc.npc import Npc
from rag_memory.step import Step, run

HELP = ("the barn", "the well", "the roof", "the hay", "the mill")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def save(clock: Clock) -> Iterator[Save]:
    with open_save(":memory:", HashingEmbedder(), clock) as save:
        yield save


@pytest.fixture
def mira(save: Save, clock: Clock) -> Npc:
    mira = save.npc("mira")
    be_helped(mira, clock)
    return mira


def be_helped(npc: Npc, clock: Clock, deed: str = "Kael helped me with") -> None:
    for each in HELP:
        clock.now += 100.0
        npc.mind.perceive({"action": "helped", "source_id": "kael", "description": f"{deed} {each}"})


def test_greetings_gather_no_importance(mira: Npc) -> None:
    mira.mind.config = NPCMindConfig(kept_interactions=30)
    mira.mind.reflections.reflect(force=True)
    for _ in range(200):
        mira.mind.perceive({"action": "waved", "source_id": "kael"})
    assert mira.mind.reflections.get_importance_since_reflection() == 0.0


def test_what_she_concludes_and_learns_gathers_no_importance(mira: Npc) -> None:
    mira.mind.reflections.reflect(force=True)
    mira.mind.reflections.learn_fact("Wolves are dangerous at night.")
    assert mira.mind.reflections.get_importance_since_reflection() == 0.0


def test_what_happens_while_the_reflector_thinks_counts_for_the_next_reflection(
    save: Save, mira: Npc
) -> None:
    def thinks(request: dict[str, Any]) -> Any:
        mira.memories.store("A stranger came into the inn.", 9)
        yield Step(0, 1, "thinking")
        return ["Kael is a friend."]

    save.context.reflector = thinks
    assert run(mira.mind.reflections.reflect.steps(force=True))
    assert mira.mind.reflections.get_importance_since_reflection() == 0.9


def test_what_the_game_stores_under_the_names_of_insights_is_no_error(mira: Npc) -> None:
    mira.memories.store(
        "Kael is a quiet man.", 5, {"kind": "reflection", "subject": "person:kael", "stance": "calm"}
    )
    mira.memories.store(
        "Kael will stay.", 5, {"kind": "reflection", "subject": "person:kael", "stance": 1, "evidence": 7}
    )
    assert mira.mind.reflections.reflect(force=True)


@pytest.mark.parametrize(
    "answer",
    [
        ["y" * 5001],
        [{"text": "Kael is a friend.", "about": ["x" * 1000]}],
        [{"text": "Kael is a friend.", "evidence": [{}, []]}],
    ],
)
def test_an_answer_that_is_no_memory_is_said_and_replaced(
    save: Save, mira: Npc, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    mira.config = MemoryConfig(max_text_chars=5000, max_metadata_chars=5000)
    save.context.reflector = lambda request: answer
    ids = mira.mind.reflections.reflect(force=True)
    memory = mira.memories.get_memory(ids[0])
    assert memory["document"].startswith("kael has helped me")
    assert "The reflector drew no conclusions for mira: " in caplog.text
    assert "unhashable" not in caplog.text


def test_a_long_insight_about_nobody_is_kept(save: Save, mira: Npc) -> None:
    mira.config = MemoryConfig(max_metadata_chars=2000)
    save.context.reflector = lambda request: ["Times are hard. " * 300]
    first = mira.mind.reflections.reflect(force=True)
    assert mira.mind.reflections.reflect(force=True)[0] == first[0]


def test_the_evidence_of_years_has_room(mira: Npc, clock: Clock) -> None:
    mira.config = MemoryConfig(max_metadata_chars=1000)
    ids = []
    for deed in ("Kael came to mend", "Kael cleaned", "He looked after", "He watched over", "Kael saw to"):
        be_helped(mira, clock, deed)
        ids += mira.mind.reflections.reflect(force=True)[:1]
    assert len(set(ids)) == 1
    insight = mira.memories.get_memory(ids[0])
    evidence = insight["metadata"]["evidence"]
    assert evidence[-1] == mira.mind.get_interactions()[0]["memory_id"]
    assert 10 <= len(evidence) < 30


def test_a_debt_ends_when_the_favour_is_returned(npc: Npc, clock: Clock) -> None:
    def happened(action: str, what: str) -> None:
        clock.now += 60.0
        event = {"action": action, "description": what, "source_id": "kael", "source_name": "Kael"}
        npc.mind.perceive(event)

    def facts() -> list[str]:
        return [each["document"] for each in npc.mind.reflections.get_facts()]

    happened("helped", "Kael mended the roof.")
    happened("helped", "Kael cleaned the well.")
    npc.mind.reflections.reflect(True)
    assert facts() == ["I owe Kael a favour."]
    happened("repaid", "I gave Kael a barrel of ale for his help.")
    npc.mind.reflections.reflect(True)
    assert facts() == ["I owe Kael nothing any more."]
    npc.mind.reflections.reflect(True)
    assert facts() == ["I owe Kael nothing any more."]
    happened("helped", "Kael fed the hens.")
    happened("helped", "Kael carried wood.")
    npc.mind.reflections.reflect(True)
    assert facts() == ["I owe Kael a favour."]


def test_what_was_never_owed_is_not_settled(npc: Npc) -> None:
    npc.mind.perceive({"action": "repaid", "source_id": "kael", "description": "I paid Kael for the ale."})
    npc.mind.perceive({"action": "helped", "source_id": "aria", "description": "Aria swept the floor."})
    npc.mind.reflections.reflect(True)
    assert npc.mind.reflections.get_facts() == []
