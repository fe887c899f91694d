"""Newer memories about the same matter as older ones: "The toll is five pennies" after "The toll is two".

Nothing is stored for it. When a question about the present is answered, the best candidates are compared with
each other and with the nearest newer memories of the first one. For each pair of an older and a newer memory
the logistic of a sum of `NUMBERS` says how probable it is that the newer one says how the same matter stands
now. The numbers are cosines and what the question made of both memories, so they hold in any language;
change_weights.py has their weights. Nothing is deleted, and no language model is asked.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rag_memory.config.conflicts import stand_apart
from rag_memory.index.columns import Columns
from rag_memory.index.vector_index import VectorIndex
from rag_memory.memory.record import DEFAULT_EVENT_TYPE
from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.change_weights import BIAS, WEIGHTS
from rag_memory.retrieval.other_matter import AskedMatter
from rag_memory.text.tense import has_present_verb
from rag_memory.text.terms import terms
from rag_memory.vectors import FloatMatrix, NDArray

NUMBERS = (
    *("similarity", "lead", "lead_of_older", "sum_difference", "place", "odds_below_best", "is_present"),
    *("is_next", "is_neighbour", "is_older_untyped", "shared_keywords", "is_newer_ahead"),
)
"""The numbers of a pair, in their order."""

_COMPARED = 12
"""The number of candidates that are compared."""
_LEADERS = 3
"""One of a pair is among so many."""
_NEIGHBOURS = 3
"""The number of newer memories compared with the first candidate though the question did not find them."""
_LEAST_PROBABILITY = 0.2
"""From it on the newer one leads: of 100 changes in games, 69 are in order then. With 0.1 it is 76, but fewer
right memories come first where people talk about many things (bench/recall.md).
"""
_LEAST_SCORE = 1e-9
_HEARSAY = '"heard_from"'
"""In the data of a rumour's memory."""


class Pair(NamedTuple):
    """An older and a newer memory, and the numbers that say whether they are about the same matter."""

    older: Candidate
    newer: Candidate
    numbers: list[float]

    @property
    def probability(self) -> float:
        """The probability that the newer one says how the matter of the older one stands now."""
        total = sum(map(operator.mul, WEIGHTS.values(), self.numbers)) + BIAS
        return 1.0 / (1.0 + math.exp(-total))


class Changes:
    """Compares the candidates for one question about the present."""

    def __init__(self, columns: Columns, vectors: VectorIndex, question: str) -> None:
        self._columns = columns
        self._vectors = vectors
        self._is_present = has_present_verb(question)
        self._asked = AskedMatter(question)

    def newest_first(
        self, candidates: Sequence[Candidate], read: Callable[[Sequence[int]], list[Candidate]]
    ) -> list[Candidate]:
        """The candidates, with newer ones before the older ones about the same matter. A newer one gets at
        least the score of the older one, and both say so in `newer` and `earlier`.

        Args:
            candidates: without protected ones, best first.
            read: returns the candidates with these keys, without those that may not be returned.
        """
        order = list(candidates)
        best: dict[int, tuple[float, Pair]] = {}
        for pair in self.pairs(candidates, read):
            probability = pair.probability
            if probability > best.get(pair.older.record.key, (_LEAST_PROBABILITY,))[0]:
                best[pair.older.record.key] = (probability, pair)
        for _probability, (older, newer, _numbers) in best.values():
            is_apart = stand_apart(older.record.event_type, newer.record.event_type)
            if is_apart and older.record.superseded_by != newer.id:
                continue
            if set(terms(older.document_full)) == set(terms(newer.document_full)):
                continue
            _put_before(order, newer, older)
            older.newer = newer.id
            newer.earlier.append(older.id)
        return order

    def pairs(
        self, candidates: Sequence[Candidate], read: Callable[[Sequence[int]], list[Candidate]]
    ) -> list[Pair]:
        """The pairs of an older and a newer memory, in the order of the better one."""
        # What others told of the world is one telling among several, and no state of a matter.
        own = [one for one in candidates if not one.is_shared and _HEARSAY not in one.record.extra]
        if not own:
            return []
        compared = own[:_COMPARED]
        keys = {candidate.record.key for candidate in own}
        neighbours = read([key for key in self._newer_neighbours(compared[0]) if key not in keys])
        every = [*compared, *neighbours]
        vectors = self._vectors.matrix_of([candidate.record.key for candidate in every])
        cosines = vectors @ vectors.T
        moments = np.array([candidate.record.timestamp for candidate in every])
        pairs = []
        for place, first in enumerate(compared[:_LEADERS]):
            # Of the others only the first candidate is the neighbour.
            for other in range(place + 1, len(every) if place == 0 else len(compared)):
                older, newer = (place, other) if moments[place] < moments[other] else (other, place)
                texts = (every[older].document_full, every[newer].document_full)
                if moments[older] == moments[newer] or self._asked.differs(*texts):
                    continue
                numbers = [
                    *_leads(cosines, moments, older, newer),
                    first.match.parts["sum"] - every[other].match.parts["sum"],
                    float(place),
                    math.log(max(compared[0].score, _LEAST_SCORE) / max(first.score, _LEAST_SCORE)),
                    float(self._is_present),
                    float(other == place + 1),
                    float(other >= len(compared)),
                    float(every[older].record.event_type in ("", DEFAULT_EVENT_TYPE)),
                    min(candidate.match.parts["keyword_channel"] for candidate in (first, every[other])),
                    float(newer == place),
                ]
                pairs.append(Pair(every[older], every[newer], numbers))
        return pairs

    def _newer_neighbours(self, candidate: Candidate) -> list[int]:
        """The keys of the newer memories that are most similar to a candidate."""
        is_newer = self._columns.timestamps > candidate.record.timestamp
        if not is_newer.any():
            return []
        (vector,) = self._vectors.matrix_of([candidate.record.key])
        keys: list[int] = self._vectors.search(vector, _NEIGHBOURS, is_newer).keys.tolist()
        return keys


def _leads(cosines: FloatMatrix, moments: NDArray[np.float64], older: int, newer: int) -> list[float]:
    """The similarity of a pair; how much more similar the newer one is to this older one than to the next
    other, and the older one to this newer one.
    """
    similarity = float(cosines[older, newer])
    rivals, rivals_of_older = moments < moments[newer], moments > moments[older]
    rivals[older] = rivals_of_older[newer] = False
    return [
        similarity,
        similarity - float(cosines[newer][rivals].max(initial=0.0)),
        similarity - float(cosines[older][rivals_of_older].max(initial=0.0)),
    ]


def _put_before(order: list[Candidate], newer: Candidate, older: Candidate) -> None:
    if newer in order:
        if order.index(newer) < order.index(older):
            return
        order.remove(newer)
    order.insert(order.index(older), newer)
    if newer.score < older.score:
        ratio = older.score / max(newer.score, _LEAST_SCORE)
        newer.factors = newer.factors._replace(supersession=newer.factors.supersession * ratio)
        newer.score = older.score
