"""The protocol of relevance and its modes but HYBRID, which is in hybrid_relevance.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.index.postings import Postings
from rag_memory.index.vector_index import VectorIndex
from rag_memory.retrieval.channels import MAX_TERMS
from rag_memory.text.terms import WORD, question_terms, terms
from rag_memory.vectors import FloatVector, Mask, NDArray, Positions


class Match(NamedTuple):
    """The relevance of one memory to the query."""

    key: int
    similarity: float
    """Cosine of question and memory, 0..1."""
    relevance: float
    """The input of the score's relevance, 0..1."""
    parts: dict[str, float]
    """The parts of the relevance, for the breakdown."""
    is_relevant: bool = True
    """False if the memory cannot be an answer."""


ODDS = "odds"
"""The part of a breakdown that is HYBRID relevance as a whole."""
ODDS_POWER = 0.4
"""With it a sum that is 3 lower than the highest has a relevance of 0.30, and not of 0.05."""


def addable_relevance(match: Match) -> float:
    """Return the relevance on a scale to which bonuses of a few tenths can be added, 0..1.

    Odds fall so steeply that a bonus would decide everything but the first place.
    """
    return match.relevance**ODDS_POWER if ODDS in match.parts else match.relevance


class Favour(NamedTuple):
    """The bonus of memories besides their relevance, when both are added."""

    weight: float
    """Of relevance."""
    amounts: NDArray[np.float32]
    """Of every memory, in the order of the columns."""

    def ranks(self, relevances: NDArray[Any]) -> NDArray[Any]:
        """Return the ranks of all memories, given the relevance of each."""
        ranks: NDArray[Any] = np.float32(self.weight) * relevances + self.amounts
        return ranks


class Relevance(Protocol):
    """The relevance of one NPC's memories to one question."""

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        """The k most relevant of the allowed memories, best first, of equal ones the newest; fewer only when
        fewer are allowed. With a favour those that rank highest by both.
        """

    def measure(self, keys: Sequence[int]) -> list[Match]:
        """The relevance of these memories, in their order."""


class NothingAsked:
    """Relevance when the question is empty: no memory is relevant, and the newest ones stand in."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        positions = np.flatnonzero(allowed)
        if favour is not None:
            positions = best_positions(self._columns, favour.amounts, k, positions)
            return self.measure(self._columns.keys[positions].tolist())
        return self.measure(self._columns.newest(positions, k)) if k else []

    def measure(self, keys: Sequence[int]) -> list[Match]:
        return [Match(key, 0.0, 0.0, {"dense": 0.0}) for key in keys]


class DenseRelevance:
    """Relevance by the cosine of the question's and the memory's embedding.

    Which of equally similar memories are among the k is decided by when they were stored: the index knows no
    timestamps.
    """

    def __init__(self, columns: Columns, index: VectorIndex, question: FloatVector) -> None:
        self._columns = columns
        self._index = index
        self._question = question

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        if favour is not None:
            return self._favoured(k, allowed, favour)
        keys, cosines = self._index.search(self._question, k, None if allowed.all() else allowed)
        timestamps = self._columns.timestamps[self._columns.positions(keys)]
        order = np.lexsort((-keys, -timestamps, -cosines))
        return [
            _dense_match(key, cosine)
            for key, cosine in zip(keys[order].tolist(), cosines[order].tolist(), strict=True)
        ]

    def _favoured(self, k: int, allowed: Mask, favour: Favour) -> list[Match]:
        rough, error = self._index.rough_similarities(self._question)
        ranks = favour.ranks(np.clip(rough, 0.0, 1.0))
        positions = possible_positions(ranks, k, allowed, 2.0 * favour.weight * error)
        cosines = np.clip(self._index.similarities_at(self._question, positions), 0.0, 1.0)
        ranks[positions] = favour.weight * cosines + favour.amounts[positions]
        return self.measure(self._columns.keys[best_positions(self._columns, ranks, k, positions)].tolist())

    def measure(self, keys: Sequence[int]) -> list[Match]:
        if not keys:
            return []
        positions = self._columns.positions(np.array(keys, dtype=np.int64))
        cosines = self._index.similarities_at(self._question, positions)
        return [_dense_match(key, cosine) for key, cosine in zip(keys, cosines.tolist(), strict=True)]


def _dense_match(key: int, cosine: float) -> Match:
    similarity = min(1.0, max(0.0, cosine))
    return Match(key, similarity, similarity, {"dense": similarity})


def possible_positions(ranks: NDArray[Any], k: int, allowed: Mask, error: float | np.float32) -> Positions:
    """The positions of all allowed memories that can be among the k best, ascending.

    Args:
        error: by how much the difference of two ranks can be wrong.
    """
    positions = np.flatnonzero(allowed)
    if len(positions) <= k:
        return positions
    of_allowed = ranks[positions]
    least = of_allowed.max() if k == 1 else np.partition(of_allowed, -k)[-k]
    possible: Positions = positions[of_allowed >= least - error]
    return possible


def best_positions(columns: Columns, ranks: NDArray[Any], k: int, positions: Positions) -> Positions:
    """The positions of the k memories with the highest ranks, best first, of equal ones the newest."""
    if k < len(positions):
        of_positions = ranks[positions]
        edge = np.partition(of_positions, -k)[-k] if k else np.inf
        better, equal = positions[of_positions > edge], positions[of_positions == edge]
        # Many may be equally good, such as all that have no word of the question.
        newest = columns.newest(equal, k - len(better)) if k else []
        positions = np.concatenate((better, columns.positions(np.array(newest, dtype=np.int64))))
    best: Positions = positions[np.lexsort((-positions, -columns.timestamps[positions], -ranks[positions]))]
    return best


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


ASKED_ABOUT = 200
"""The rule is asked about so many memories: the most relevant ones without it."""
RULE_CHANNEL = "rule_channel"
"""The part of a breakdown that the rule said."""


class RuledRelevance:
    """Another relevance, changed by the game's rule for the memories most relevant by it.

    The rule moves a relevance towards 1 (0.5: half the way) or towards 0 (-0.5: half the way). It is asked
    once per question, and of the same memories whatever is allowed, so a filter changes no number.
    """

    def __init__(
        self,
        inner: Relevance,
        columns: Columns,
        ask: Callable[[Sequence[Match]], list[float] | None],
    ) -> None:
        self._inner = inner
        self._columns = columns
        self._ask = ask
        self._said: dict[int, float] | None = None

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        said = self._answers()
        if not k or not said:
            return self._inner.search(k, allowed, favour)
        # However many of them sink, k others are there.
        by_key = {match.key: match for match in self._inner.search(k + len(said), allowed, favour)}
        more = [key for key in said if key not in by_key and allowed[self._position(key)]]
        by_key.update((match.key, match) for match in self._inner.measure(more))
        matches = [self._moved(match) for match in by_key.values()]
        matches.sort(key=lambda match: self._order(match, favour))
        return matches[:k]

    def measure(self, keys: Sequence[int]) -> list[Match]:
        return [self._moved(match) for match in self._inner.measure(keys)]

    def _answers(self) -> dict[int, float]:
        """By key; empty when the rule leaves the question to the addon."""
        if self._said is None:
            matches = self._inner.search(ASKED_ABOUT, np.ones(len(self._columns), dtype=np.bool_))
            said = self._ask(matches)
            self._said = (
                {} if said is None else dict(zip([match.key for match in matches], said, strict=True))
            )
        return self._said

    def _moved(self, match: Match) -> Match:
        said = self._answers().get(match.key, 0.0)
        relevance = match.relevance
        relevance += said * ((1.0 - relevance) if said > 0.0 else relevance)
        return match._replace(
            relevance=relevance,
            parts={**match.parts, RULE_CHANNEL: said},
            is_relevant=match.is_relevant or said > 0.0,
        )

    def _position(self, key: int) -> int:
        return int(self._columns.positions(np.array([key], dtype=np.int64))[0])

    @property
    def inner(self) -> Relevance:
        """The relevance that the rule changes."""
        return self._inner

    def _order(self, match: Match, favour: Favour | None) -> tuple[float, float, int]:
        position = self._position(match.key)
        rank = match.relevance
        if favour is not None:
            rank = favour.weight * addable_relevance(match) + float(favour.amounts[position])
        return (-rank, -float(self._columns.timestamps[position]), -position)


def bare(relevance: Relevance) -> Relevance:
    """Return a relevance without the game's rule."""
    return relevance.inner if isinstance(relevance, RuledRelevance) else relevance
