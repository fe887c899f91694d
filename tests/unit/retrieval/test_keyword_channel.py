"""Keyword channels reused for the next question equal newly computed ones."""

from __future__ import annotations

import numpy as np
import pytest

from rag_memory.index.columns import Columns, SearchedRow
from rag_memory.index.conversations import Conversations
from rag_memory.index.postings import Postings
from rag_memory.retrieval.channels import KeywordScores, keyword_scores
from rag_memory.vectors import Keys

GAP_MINUTES = 30.0
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
            self.columns.add(SearchedRow(key, key % 10 + 1, self._time, 2, "general"))
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

    def anew(self, window: int, weight: float) -> KeywordScores:
        """From the beginning."""
        postings = self._new_postings()
        conversations = Conversations(self.columns, GAP_MINUTES)
        return keyword_scores(postings, conversations, QUESTION, ["ann", "bob", "eve"], window, weight)

    def _new_postings(self) -> Postings:
        return Postings(self.columns, self._look_up, lambda keys: [])

    def _look_up(self, kind: str, term: str) -> Keys:
        return np.array(self._keys.get(kind + term, []), dtype=np.int64)


@pytest.mark.parametrize(("window", "weight"), [(0, 0.6), (1, 0.0), (2, 0.6), (5, 1.0)])
def test_channels_have_the_same_bits_also_after_more_was_stored(window: int, weight: float) -> None:
    life = Life(window)
    for more in (700, 1, 1, 5, 40, 700):
        life.go_on(more)
        kept, anew = life.kept(window, weight), life.anew(window, weight)
        assert kept.known_terms == anew.known_terms
        assert np.array_equal(kept.keyword, anew.keyword)
        assert np.array_equal(kept.names, anew.names)
        assert np.array_equal(kept.episode, anew.episode)


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
