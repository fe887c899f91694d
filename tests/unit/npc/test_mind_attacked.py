"""Malicious events and configs do no harm to an NPC's mind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rag_memory import Save, open_save
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.npc.npc_mind import NpcMind

DAY = 86400.0
INSIGHT = "has helped me"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "memory"])
def save(clock: Clock, request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Save]:
    path = tmp_path / "village.sqlite3" if request.param == "sqlite" else ":memory:"
    with open_save(path, HashingEmbedder(), clock) as opened:
        yield opened


@pytest.fixture
def mind(save: Save) -> NpcMind:
    return save.npc("mira").mind


def helped(mind: NpcMind, who: str, how: str, **more: Any) -> str:
    event = {"action": "helped", "content": how, "source_id": who, "source_name": who.title(), **more}
    return str(mind.perceive(event)["memory_id"])


@pytest.mark.parametrize("action", ["reflection", "fact", "Reflection", " fact "])
@pytest.mark.parametrize("key", ["action", "event_type"])
def test_an_event_cannot_pass_for_a_conclusion(mind: NpcMind, action: str, key: str) -> None:
    told = {"action": "spoke", "content": "Kael is a thief.", "importance": 9, "source_id": "kael"}
    mind.perceive({**told, key: action})
    assert mind.reflections.get_facts() == []
    assert mind.reflections.get_importance_since_reflection() == 0.9
    for how in ("a knife", "a stone"):
        mind.perceive({"action": "attacked", "content": how, "source_id": "kael", "location": "mill"})
    assert len(mind.reflections.reflect(True)) == 2


def test_an_event_cannot_say_what_came_of_it(mind: NpcMind, caplog: pytest.LogCaptureFixture) -> None:
    lies = {"kind": "fact", "memory_id": "other", "why": "because", "sentiment": 99, "stance": 1}
    felt = mind.perceive({"action": "attacked", "source_id": "kael", **lies})
    assert (felt["kind"], felt["sentiment"]) == ("observation", -30)
    told = mind.get_interactions()[0]
    assert (told["memory_id"], told["kind"], told["sentiment"]) == (felt["memory_id"], "observation", -30)
    assert "encoding rule" in told["why"]
    assert "memory_id" in caplog.text
    mind.perceive({"action": "waved", "source_id": "kael", **lies})
    told = mind.get_interactions()[0]
    assert (told["memory_id"], told["kind"], told["sentiment"]) == ("", "", 0)


def test_pruned_interactions_bring_no_importance_back(mind: NpcMind) -> None:
    helped(mind, "kael", "the roof")
    helped(mind, "kael", "the well")
    mind.reflections.reflect(True)
    for number in range(600):
        mind.perceive({"action": "waved", "content": str(number), "source_id": "kael"})
    assert mind.reflections.get_importance_since_reflection() == 0.0
    helped(mind, "kael", "the fence")
    assert mind.reflections.get_importance_since_reflection() == pytest.approx(0.7)


def test_a_forgotten_memory_takes_no_importance_of_later_ones(save: Save, mind: NpcMind) -> None:
    helped(mind, "kael", "the roof")
    last = helped(mind, "kael", "the well")
    mind.reflections.reflect(True)
    for id in (last, *(each["id"] for each in save.npc("mira").recall.get_recent(9))):
        save.npc("mira").memories.forget(id)
    helped(mind, "kael", "the fence")
    assert mind.reflections.get_importance_since_reflection() == pytest.approx(0.7)


def test_a_conclusion_from_secrets_is_a_secret(mind: NpcMind) -> None:
    helped(mind, "kael", "hid me from the guard", secret=True, known_to=["lena"])
    helped(mind, "kael", "forged my papers", secret=True, known_to=["lena", "aria"])
    mind.reflections.reflect(True)
    assert INSIGHT in mind.listeners.build_listener_context(["kael"])["text"]
    assert INSIGHT in mind.listeners.build_listener_context(["lena", "kael"])["text"]
    for listeners in (["aria", "kael"], ["kael", "guard"]):
        assert INSIGHT not in str(mind.listeners.build_listener_context(listeners, "Has Kael helped?"))
    mind.listeners.nearby = ("guard",)
    assert INSIGHT not in str(mind.listeners.build_listener_context(["kael"], "Has Kael helped?"))


def test_a_conclusion_becomes_a_secret_with_its_evidence(mind: NpcMind) -> None:
    helped(mind, "kael", "the roof")
    helped(mind, "kael", "the well")
    mind.reflections.reflect(True)
    assert INSIGHT in mind.listeners.build_listener_context(["kael", "guard"])["text"]
    helped(mind, "kael", "hid me from the guard", secret=True)
    mind.reflections.reflect(True)
    assert INSIGHT in mind.listeners.build_listener_context(["kael"])["text"]
    assert INSIGHT not in str(mind.listeners.build_listener_context(["kael", "guard"], "Has Kael helped?"))


def test_secrets_are_not_merged_into_summaries(save: Save, clock: Clock) -> None:
    lasting = ["fact", "reflection"]
    config = MemoryConfig(consolidation_min_count=2, consolidation_age_days=1, lasting_kinds=lasting)
    npc = save.npc("mira", config)
    for number in range(8):
        event = {"action": "spoke", "content": f"Ring {number} is mine.", "source_id": "rowan"}
        npc.mind.perceive({**event, "source_name": "Rowan", "secret": number % 2 == 0})
    clock.now += 40 * DAY
    assert npc.archive.consolidate()["removed"] == 4
    both = str(npc.mind.listeners.build_listener_context(["rowan", "kael"], "Whose is ring 4?"))
    assert "Ring 4" not in both
    assert "Ring 4" in npc.mind.listeners.build_listener_context(["rowan"], "Whose is ring 4?")["text"]


def test_what_she_knows_and_concluded_is_not_merged_into_summaries(save: Save, clock: Clock) -> None:
    lasting = ["fact", "reflection"]
    config = MemoryConfig(max_memories_before_consolidate=100, consolidate_target=60, lasting_kinds=lasting)
    npc = save.npc("mira", config)
    for number in range(60):
        npc.mind.reflections.learn_fact(f"Wolf {number} is dangerous.")
        helped(npc.mind, "kael", f"fence {number}")
    ids = npc.mind.reflections.reflect(True)
    clock.now += 400 * DAY
    assert npc.archive.consolidate()["removed"] > 10
    assert len(npc.mind.reflections.get_facts()) == 61
    assert all(npc.memories.get_memory(id) for id in ids)


def test_a_reflectors_insights_about_one_character_stay_apart(save: Save, mind: NpcMind) -> None:
    helped(mind, "kael", "the roof")
    helped(mind, "kael", "the well")
    said = [{"text": "Kael is strong.", "about": ["kael"]}, {"text": "Kael likes fish.", "about": ["kael"]}]
    save.context.reflector = lambda request: said
    ids = mind.reflections.reflect(True)
    texts = [save.npc("mira").memories.get_memory(id)["document_full"] for id in ids]
    assert texts[:2] == ["Kael is strong.", "Kael likes fish."]
    assert mind.reflections.reflect(True)[:2] == ids[:2]


@pytest.mark.parametrize(
    "answer",
    [
        [{"text": "No.", "evidence": [{}, []]}],
        [{"text": "No.", "evidence": [1, 2]}],
        [{"text": "No.", "stance": []}],
        [{"text": "No.", "about": [{}]}],
        [{"text": "x" * 1_000_000}],
        [[]],
        {"text": "No."},
        3.5,
        float("nan"),
        b"No.",
    ],
)
def test_what_a_reflector_answers_wrongly_is_said_in_the_users_words(
    save: Save, mind: NpcMind, answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    helped(mind, "kael", "the roof")
    helped(mind, "kael", "the well")
    save.context.reflector = lambda request: answer
    (insight, _) = mind.reflections.reflect(True)
    assert INSIGHT in save.npc("mira").memories.get_memory(insight)["document_full"]
    assert "They are drawn without it" in caplog.text
    assert not any(word in caplog.text for word in ("unhashable", "NoneType", "'dict'", "<class"))


@pytest.mark.parametrize("name", ["character_id", "reason", "mood"])
def test_no_feeling_has_a_name_or_a_reason_of_ten_megabytes(mind: NpcMind, name: str) -> None:
    long = "x" * 10_000_000
    with pytest.raises(InvalidArgumentError, match=name):
        if name == "mood":
            mind.feelings.feel(long, 5.0)
        elif name == "reason":
            mind.feelings.feel("sad", 5.0, long)
        else:
            mind.feelings.adjust_disposition(long, 5.0)
    if name == "reason":
        with pytest.raises(InvalidArgumentError, match=name):
            mind.feelings.adjust_disposition("kael", 5.0, long)
    assert mind.feelings.get_dispositions() == {}


def test_an_event_has_no_ten_megabytes_beside_its_texts(mind: NpcMind) -> None:
    for more in ({"note": "x" * 10_000_000}, {"entities": ["x" * 100] * 10_000}, {"list": [0] * 1_000_000}):
        with pytest.raises(InvalidArgumentError, match="perceive"):
            mind.perceive({"action": "attacked", "source_id": "kael", **more})
    assert mind.get_interactions() == []
