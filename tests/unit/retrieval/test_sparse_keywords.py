"""The channels of many memories against those of few, which are computed for each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rag_memory import MemoryConfig, Save
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import MOST_HELD, Conversations
from rag_memory.index.postings import Postings
from rag_memory.retrieval.keyword_channel import ChannelWeights, KeywordScores, keyword_scores
from rag_memory.retrieval.sparse_keywords import SparseKeywords
from rag_memory.vectors import Keys

GAP_MINUTES = 30.0
WEIGHTS = ChannelWeights(0.5, 0.05, 0.05)
QUESTION = "mill fire harbour bread ferry"
_SHARES = {
    "wmill": 0.3,
    "wfire": 0.05,
    "wharbour": 0.01,
    "wbread": 0.002,
    "sann": 0.2,
    "nann": 0.5,
    "nbob": 0.01,
}


class Life:
    """Memories that come one after another, with words by chance."""

    def __init__(self, seed: int) -> None:
        self._source = np.random.default_rng(seed)
        self.columns = Columns()
        self._keys: dict[str, list[int]] = {key: [] for key in _SHARES}
        self.postings = self._new_postings()
        self.conversations = Conversations(self.columns, GAP_MINUTES)
        self._time = 0.0

    def go_on(self, count: int) -> None:
        for _ in range(count):
            key = len(self.columns) + 1
            self._time += float(self._source.choice([60.0, 1700.0, 2400.0, -300.0]))
            self.columns.add(key, key % 10 + 1, self._time, 2, "general")
            terms = [term for term, share in _SHARES.items() if self._source.random() < share]
            for term in terms:
                self._keys[term].append(key)
            self.postings.add(key, terms)
            self.conversations.add_last()

    def kept(self, window: int, weight: float) -> KeywordScores:
        """From what was kept while memories came."""
        return keyword_scores(
            self.postings, self.conversations, QUESTION, ["ann", "bob", "eve"], window, weight
        )

    def dense(self, window: int, weight: float) -> KeywordScores:
        """From the beginning."""
        postings = self._new_postings()
        conversations = Conversations(self.columns, GAP_MINUTES)
        return keyword_scores(postings, conversations, QUESTION, ["ann", "bob", "eve"], window, weight)

    def sparse(self, window: int, weight: float) -> SparseKeywords:
        return SparseKeywords(
            self.postings, self.conversations, QUESTION, ["ann", "bob", "eve"], window, weight
        )

    def _new_postings(self) -> Postings:
        return Postings(self.columns, self._look_up, lambda keys: [])

    def _look_up(self, kind: str, term: str) -> Keys:
        return np.array(self._keys.get(kind + term, []), dtype=np.int64)


@pytest.mark.parametrize(("window", "weight"), [(0, 0.6), (1, 0.0), (2, 0.6), (5, 1.0)])
def test_channels_have_the_same_bits_also_after_more_was_stored(window: int, weight: float) -> None:
    life = Life(window)
    for more in (700, 1, 1, 5, 40, 700):
        life.go_on(more)
        dense, sparse = life.dense(window, weight), life.sparse(window, weight)
        at = np.random.default_rng(more).permutation(len(life.columns))[: len(life.columns) // 2]
        found = sparse.at(at)
        assert found.known_terms == dense.known_terms == sparse.known_terms
        assert np.array_equal(found.keyword, dense.keyword[at])
        assert np.array_equal(found.names, dense.names[at])
        assert np.array_equal(found.episode, dense.episode[at])
        kept = life.kept(window, weight)
        assert np.array_equal(kept.keyword, dense.keyword)
        assert np.array_equal(kept.names, dense.names)
        assert np.array_equal(kept.episode, dense.episode)


@pytest.mark.parametrize("window", [0, 1, 3])
def test_what_conversations_keep_is_what_they_would_be_anew(window: int) -> None:
    life = Life(11)
    source = np.random.default_rng(5)
    for more in (1, 1, 2, 300, 1, 7):
        life.go_on(more)
        count = len(life.columns)
        values = source.random(count).astype(np.float32)
        for every in (1, 5, 40):
            fresh = Conversations(life.columns, GAP_MINUTES)
            positions = np.arange(0, count, every)
            for kept, anew in (
                (life.conversations.means(values, window, 0.6), fresh.means(values, window, 0.6)),
                (life.conversations.around(positions, window), fresh.around(positions, window)),
                (
                    life.conversations.windows_with(f"w{every}", positions, window, 0.6),
                    fresh.windows_with(f"w{every}", positions, window, 0.6),
                ),
            ):
                assert np.array_equal(np.array(kept), np.array(anew))


@pytest.mark.parametrize("share", [0.002, 0.05, 0.4, 1.0])
def test_a_term_is_counted_the_same_for_some_and_for_all(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = Life(13)
    life.go_on(900)
    positions = np.flatnonzero(np.random.default_rng(1).random(900) < share)
    found = []
    for sparse in (0, 10_000):
        monkeypatch.setattr("rag_memory.index.conversations._SPARSE", sparse)
        conversations = Conversations(life.columns, GAP_MINUTES)
        found.append(conversations.windows_with("w", positions, 3, 0.6))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("share", [0.005, 0.3, 1.0])
@pytest.mark.parametrize(("window", "weight"), [(0, 0.6), (1, 0.0), (2, 0.6), (4, 0.3), (5, 1.0)])
def test_a_term_counts_with_its_neighbours(window: int, weight: float, share: float) -> None:
    life = Life(17)
    life.go_on(400)
    has = np.random.default_rng(2).random(400) < share
    positions, times = np.flatnonzero(has), life.columns.timestamps
    counts = np.zeros(400)
    for place in range(400):
        for other in range(max(0, place - window), min(400, place + window + 1)):
            if has[other] and abs(times[other] - times[place]) <= GAP_MINUTES * 60:
                counts[place] += weight ** abs(other - place)
    places, held = life.conversations.windows_with("w", positions, window, weight)
    assert np.array_equal(places, np.flatnonzero(counts))
    assert held == pytest.approx(counts[places], rel=1e-6)
    reach = life.conversations.reach("w", positions, window, weight, 1.2)
    levels = np.zeros(400)
    levels[slice(None) if reach.places is None else reach.places] = reach.levels
    most = 1.0 + 2.0 * sum(weight**distance for distance in range(1, window + 1))
    expected = MOST_HELD * counts / (counts + 1.2) * (most + 1.2) / most
    assert reach.windows == len(places) == np.count_nonzero(levels)
    assert levels == pytest.approx(np.where(counts > 0, np.maximum(expected, 1), 0), abs=0.51)


@pytest.mark.parametrize("window", [0, 2])
@pytest.mark.parametrize("count", [1, 64, 500])
def test_the_best_are_those_that_are_worth_most_but_for_one_percent(window: int, count: int) -> None:
    life = Life(7)
    life.go_on(4000)
    worth = WEIGHTS.blended(life.dense(window, 0.6))
    for allowed in (None, life.columns.importances >= 8):
        possible = np.ones(4000, dtype=np.bool_) if allowed is None else allowed
        best = life.sparse(window, 0.6).best(count, allowed, WEIGHTS)
        assert len(best) == count == len(set(best.tolist()))
        assert np.all(np.diff(best) > 0)
        assert possible[best].all()
        least = np.sort(worth[possible])[-count]
        assert worth[best].min() >= least - 0.01
        surely = np.flatnonzero(possible & (worth > least + 0.01))
        assert np.isin(surely, best).all()


def test_what_is_worth_nothing_is_not_among_the_best() -> None:
    life = Life(3)
    life.go_on(2000)
    weights = ChannelWeights(0.5, 0.0, 0.0)
    keywords = SparseKeywords(life.postings, life.conversations, "bread", [], 0, 0.6)
    has_bread = np.flatnonzero(keywords.at(np.arange(2000)).keyword)
    assert 0 < len(has_bread) < 64
    assert keywords.best(64, None, weights).tolist() == has_bread.tolist()
    nothing = SparseKeywords(life.postings, life.conversations, "dragon", [], 0, 0.6)
    assert nothing.known_terms == 0
    assert not len(nothing.best(64, None, WEIGHTS))


def test_a_graph_answers_like_a_comparison_with_all(opened: Callable[..., Save]) -> None:
    npc = opened().npc("elena", MemoryConfig(exact_search_limit=1_000_000))
    places = ("mill", "harbour", "chapel", "old barn", "tannery")
    who = ("Ann", "Caroline", "Tobias")
    npc.store_batch(
        [
            {
                "text": f"{who[n % 3]} sold sack {n} at the {places[n * 7 % 11 % 5]}.",
                "importance": n % 10 + 1,
                "timestamp": n * 400.0,
                "speaker": who[n % 7 % 3],
            }
            for n in range(1500)
        ]
    )
    questions = [
        "Who sold sack 77?",
        "What did Ann sell at the old barn?",
        "Is it cold?",
        "Tobias, the mill!",
    ]
    options: list[dict[str, Any]] = [
        {"limit": 10},
        {"limit": 5, "min_importance": 10},
        {"limit": 5, "filter": {"importance": 3}},
    ]
    exact = [npc.retrieve_relevant_raw(question, each) for question in questions for each in options]
    npc.config = MemoryConfig(exact_search_limit=1000)
    for _ in npc.build_index_steps():
        pass
    again = [npc.retrieve_relevant_raw(question, each) for question in questions for each in options]
    for found, expected in zip(again, exact, strict=True):
        assert len(found) == len(expected)
        for memory, best in zip(found, expected, strict=True):
            assert memory["breakdown"]["blended"] >= best["breakdown"]["blended"] - 0.01
    assert [memory["id"] for memory in again[0][:1]] == [memory["id"] for memory in exact[0][:1]]
    stored = npc.store("Zephyrine bought the old barn from Ann.", 5, {"timestamp": 600000.0})
    (first,) = npc.retrieve_relevant_raw("What did Zephyrine buy?", {"limit": 1})
    assert first["id"] == stored
