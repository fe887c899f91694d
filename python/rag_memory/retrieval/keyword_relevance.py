"""Relevance by shared words alone (KEYWORD): no embedding of the question is needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.index.postings import Postings
from rag_memory.retrieval.keyword_channel import MAX_TERMS
from rag_memory.retrieval.relevance import Favour, Match, best_positions
from rag_memory.text.index_terms import WORD
from rag_memory.text.terms import question_terms, terms
from rag_memory.vectors import Mask, Positions

KEYWORD_OVERLAP = "keyword_overlap"


class KeywordRelevance:
    """The share of the question's terms that a memory has, in its text, people, topics or place: 0..1.

    Terms are those of text/terms.py: stems, each once, without stop words unless there is nothing else.
    """

    def __init__(self, columns: Columns, postings: Postings, question: str) -> None:
        self._columns = columns
        query_terms = question_terms(question)[:MAX_TERMS]
        self._shares = np.zeros(len(columns))
        for term in query_terms:
            self._shares[postings.positions(WORD, term)] += 1.0
        self._shares /= max(1, len(query_terms))

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        ranks = self._shares if favour is None else favour.ranks(self._shares)
        return self._matches(best_positions(self._columns, ranks, k, np.flatnonzero(allowed)))

    def measure(self, keys: Sequence[int]) -> list[Match]:
        return self._matches(self._columns.positions(np.array(keys, dtype=np.int64))) if keys else []

    def _matches(self, positions: Positions) -> list[Match]:
        shares = zip(self._columns.keys[positions].tolist(), self._shares[positions].tolist(), strict=True)
        return [Match(key, share, share, {KEYWORD_OVERLAP: share}) for key, share in shares]


def overlap(question: str, text: str) -> float:
    """The share of the question's terms that a text has."""
    query_terms = question_terms(question)[:MAX_TERMS]
    return len(set(query_terms) & set(terms(text))) / max(1, len(query_terms))
