"""Simple baselines: BM25 over single texts, and reciprocal rank fusion with a ranking by cosine."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from rag_memory.text.terms import STOP_WORDS, terms_of, words

K1, B = 1.2, 0.75
_RRF_K = 60


class Bm25:
    """Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(_terms(text)) for text in texts]
        lengths = [sum(counts.values()) for counts in counted]
        self._mean_length = sum(lengths) / max(1, len(lengths))
        self._lengths = lengths
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, counts in enumerate(counted):
            for term, count in counts.items():
                self._postings[term].append((place, count))

    def ranked(self, question: str) -> list[int]:
        """The places of all texts that share a word with the question, best first."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self._lengths)
        for term in dict.fromkeys(_terms(question)):
            postings = self._postings.get(term, [])
            rarity = math.log1p((total - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                length = 1 - B + B * self._lengths[place] / self._mean_length
                scores[place] += rarity * count * (K1 + 1) / (count + K1 * length)
        return sorted(scores, key=lambda place: (-scores[place], place))


def fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    """Reciprocal rank fusion. Cormack, Clarke and Buettcher, 2009."""
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, place in enumerate(ranking, 1):
            scores[place] += 1 / (_RRF_K + rank)
    return sorted(scores, key=lambda place: (-scores[place], place))


def _terms(text: str) -> list[str]:
    return [term for word in words(text) if word not in STOP_WORDS for term in terms_of(word)]
