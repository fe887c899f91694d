"""The score of STREAM, computed a second time from the document alone: recency + importance + relevance."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.conftest import GameClock

from rag_memory import ConfigError, MemoryConfig, Npc, RelevanceMode, Save, ScoreMode
from rag_memory.retrieval.scoring import score_curves

HOUR = 3600.0
# One form each, none the beginning of another: sharing a word is sharing its letters.
NOUNS = """wolf river mill bridge anvil sword bread roof lamp harbour cellar monk queen forest candle
    wagon tower ring plague orchard""".split()  # noqa: SIM905
STREAM = MemoryConfig(
    score_mode=ScoreMode.STREAM,
    relevance_mode=RelevanceMode.KEYWORD,
    protected_slot_types=[],
    min_semantic_importance=1,
    high_signal_limit=0,
    semantic_top_k=12,
    memory_token_budget=1_000_000,
)


class ParkMemory:
    """A memory as the document has it."""

    def __init__(self, content: str, importance: float, timestamp: float) -> None:
        self.content = set(re.findall(r"[a-z]+", content.lower()))
        self.importance = importance
        self.timestamp = self.last_accessed = timestamp

    def parts(self, query: str, now: float) -> tuple[float, float, float]:
        """recency, importance, relevance."""
        asked = set(re.findall(r"[a-z]+", query.lower()))
        overlap = len(asked & self.content) / len(asked)
        return 0.995 ** ((now - self.last_accessed) / HOUR), self.importance, overlap


def test_thousands_of_scores_are_those_of_the_document(opened: Callable[..., Save], clock: GameClock) -> None:
    chance = random.Random(2023)
    npc = opened().npc("elena", STREAM)
    park: dict[str, ParkMemory] = {}
    checked = 0
    for _round in range(64):
        stored: list[dict[str, Any]] = []
        for _ in range(20):
            text = " ".join(chance.sample(NOUNS, chance.randint(1, 6)))
            timestamp = clock.now - chance.random() * 500 * HOUR
            importance = chance.randint(1, 10)
            stored.append({"text": text, "importance": importance, "timestamp": timestamp})
        for id, memory in zip(npc.memories.store_batch(stored), stored, strict=True):
            # What was said before in the same words is told again: it is the later of both, and weighs more.
            known = park.get(id)
            if known is None:
                park[id] = ParkMemory(memory["text"], memory["importance"] / 10, memory["timestamp"])
            else:
                weight = npc.memories.get_memory(id)["metadata"]["importance"] / 10
                assert weight >= max(known.importance, memory["importance"] / 10)
                known.importance = weight
                known.timestamp = max(known.timestamp, memory["timestamp"])
                known.last_accessed = max(known.last_accessed, memory["timestamp"])
        clock.now += chance.random() * 30 * HOUR
        query = " ".join(chance.sample(NOUNS, chance.randint(1, 5)))
        expected = sorted(
            ((sum(memory.parts(query, clock.now)), memory.timestamp, id) for id, memory in park.items()),
            key=lambda each: (-each[0], -each[1], each[2]),
        )
        explained = {each["memory_id"]: each for each in npc.recall.explain(query)["memories"]}
        answer: list[dict[str, Any]] = npc.recall.retrieve_scored(query)
        # Near-duplicates are one place of the answer.
        texts = {" ".join(sorted(park[id].content)) for _, _, id in expected[:12]}
        assert len(answer) == 12 or len(texts) < 12
        ids = [memory["id"] for memory in answer]
        assert ids == [id for _, _, id in expected if id in ids]
        assert min(sum(park[id].parts(query, clock.now)) for id in ids) >= expected[15][0] - 1e-9
        for memory in answer:
            recency, weight, relevance = park[memory["id"]].parts(query, clock.now)
            parts = memory["breakdown"]
            assert parts["recency"] == pytest.approx(recency, abs=1e-12)
            assert parts["importance"] == pytest.approx(weight, abs=1e-12)
            assert parts["relevance"] == pytest.approx(relevance, abs=1e-12)
            assert memory["score"] == pytest.approx(recency + weight + relevance, abs=1e-12)
            assert npc.recall.calculate_memory_score(memory, query) == memory["score"]
            assert npc.recall.calculate_memory_score(memory) == memory["score"]
            assert explained[memory["id"]]["score"] == memory["score"]
            assert explained[memory["id"]]["is_returned"]
            assert memory["metadata"]["last_accessed"] == park[memory["id"]].last_accessed
            checked += 1
        for id in ids:
            park[id].last_accessed = clock.now
        for id in chance.sample(list(park), min(len(park), 40)):
            expected_score = pytest.approx(sum(park[id].parts(query, clock.now)), abs=1e-12)
            assert npc.recall.calculate_memory_score(npc.memories.get_memory(id), query) == expected_score
            checked += 1
    assert checked > 3000 and len(park) > 1000


@pytest.mark.parametrize("mode", RelevanceMode)
def test_no_memory_with_a_better_sum_is_left_out(
    opened: Callable[..., Save], clock: GameClock, mode: RelevanceMode
) -> None:
    """Estimates of the index, and matches by words, must not keep a memory from competing."""
    chance = random.Random(int(mode))
    npc = opened().npc("elena", MemoryConfig(relevance_mode=mode, min_semantic_importance=1))
    npc.memories.store_batch(
        [
            {
                "text": f"{' '.join(chance.sample(NOUNS, 4))} {number}",
                "importance": chance.randint(1, 10),
                "timestamp": clock.now - chance.random() * 900 * HOUR,
            }
            for number in range(600)
        ]
    )
    for weights in ([1.0, 1.0, 1.0], [0.2, 0.5, 3.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]):
        clock.now += HOUR
        query = " ".join(chance.sample(NOUNS, 3))
        npc.config = MemoryConfig(
            relevance_mode=mode,
            score_mode=ScoreMode.STREAM,
            stream_weights=weights,
            min_semantic_importance=1,
            memory_token_budget=1_000_000,
            protected_slot_types=[],
            high_signal_limit=0,
        )
        every = sorted(
            (npc.recall.calculate_memory_score(each, query) for each in npc.recall.get_recent(600)),
            reverse=True,
        )
        answer = npc.recall.retrieve_scored(query)
        assert [memory["score"] for memory in answer] == pytest.approx(every[: len(answer)], abs=1e-6)
        assert len(answer) >= npc.config.semantic_top_k


def test_what_was_recalled_last_counts_as_most_recent(npc: Npc, clock: GameClock) -> None:
    """The paper's own program sorts the other way round: what was recalled longest ago gets most."""
    npc.config = STREAM
    ids = [npc.memories.store(f"The {noun} stood there.", 5) for noun in ("mill", "tower", "bridge")]
    for noun in ("bridge", "mill", "tower"):
        clock.now += 10 * HOUR
        npc.recall.retrieve_relevant(noun, {"limit": 1})
    clock.now += HOUR
    mill, tower, bridge = ids
    answer = npc.recall.retrieve_scored("Who stood there?")
    assert [memory["id"] for memory in answer] == [tower, mill, bridge]
    recency = [memory["breakdown"]["recency"] for memory in answer]
    assert recency == pytest.approx([0.995**hours for hours in (1, 11, 21)])
    assert [m["breakdown"]["recency"] for m in npc.recall.retrieve_scored("Who stood there?")] == [1.0] * 3


def test_keyword_relevance_embeds_no_question(
    opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch
) -> None:
    save = opened()
    npc = save.npc("elena", STREAM)
    npc.memories.store("Rowan mended the roof of the mill.", 5, {"location": "Thornhaven"})
    npc.memories.store("It rained.", 5)

    def embed(texts: Any) -> np.ndarray[Any, Any]:
        raise AssertionError(f"{texts} were embedded")

    monkeypatch.setattr(save.embedder, "embed", embed)
    first, second = npc.recall.retrieve_scored("Who mended roofs in Thornhaven, and a fence?")
    # mend, roof, thornhaven and fence: stems, each once, without stop words; the place counts.
    assert first["similarity"] == first["breakdown"]["relevance"] == 0.75
    assert first["breakdown"]["keyword_overlap"] == 0.75
    assert second["breakdown"]["relevance"] == 0.0
    assert npc.recall.retrieve_relevant_raw("roof", {"limit": 1})[0]["id"] == first["id"]
    assert npc.recall.explain("roof", first["id"])["keywords"] == {"roof": 1}
    assert npc.recall.calculate_memory_score(
        {"document": "A roof of straw."}, "roof or fence"
    ) == pytest.approx(0.995 ** (save.context.now() / HOUR) + 0.5 + 0.5)


def test_tier_weights_and_floors_do_not_count_and_supersession_does(npc: Npc) -> None:
    npc.config = STREAM
    made = npc.memories.store("The player promised a ring.", 6, {"event_type": "promise_made"})
    npc.memories.store("The player gave no ring.", 6, {"event_type": "promise_broken"})
    (superseded,) = [memory for memory in npc.recall.retrieve_scored("ring") if memory["id"] == made]
    assert superseded["score"] == pytest.approx(0.1 * (1.0 + 0.6 + 1.0))


def test_the_weights_are_those_of_the_config(npc: Npc, clock: GameClock) -> None:
    npc.config = MemoryConfig(
        score_mode=ScoreMode.STREAM,
        relevance_mode=RelevanceMode.KEYWORD,
        stream_weights=[0.5, 2.0, 3.0],
        stream_decay_per_hour=0.9,
    )
    npc.memories.store("The wolf came.", 4)
    clock.now += 2 * HOUR
    (memory,) = [each for each in npc.recall.retrieve_scored("wolf river") if not each["protected"]]
    assert memory["score"] == pytest.approx(0.5 * 0.81 + 2.0 * 0.4 + 3.0 * 0.5)


@pytest.mark.parametrize("weights", [[], [1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
def test_other_weights_are_refused(npc: Npc, weights: list[float]) -> None:
    with pytest.raises(ConfigError, match="stream_weights"):
        npc.config = MemoryConfig(stream_weights=weights)


@pytest.mark.parametrize(("decay", "days"), [(0.995, 28.8), (1.0, 35.0), (0.0, 0.0035)])
def test_the_curve_ends_when_almost_nothing_is_left(decay: float, days: float) -> None:
    config = MemoryConfig(score_mode=ScoreMode.STREAM, stream_decay_per_hour=decay)
    curves = score_curves(config, 2, 5, [1.0, 0.0])
    assert curves.days[-1] == pytest.approx(days, rel=0.01)
    assert curves.scores[0][0] == 2.5 and curves.scores[1][0] == 1.5
    hours = curves.days[-1] * 24
    assert curves.recency[-1] == pytest.approx(decay**hours)
    assert curves.scores[1] == pytest.approx([recency + 0.5 for recency in curves.recency])


def test_a_switch_to_stream_finds_when_memories_were_recalled(
    opened: Callable[..., Save], clock: GameClock, save_path: Path
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    id = npc.memories.store("The wolf came.")
    clock.now += 30 * HOUR
    npc.recall.retrieve_scored("wolf")
    save.close()
    clock.now += HOUR
    npc = opened(save_path).npc("elena", STREAM)
    (memory,) = npc.recall.retrieve_scored("wolf")
    assert memory["id"] == id and memory["breakdown"]["recency"] == pytest.approx(0.995)
