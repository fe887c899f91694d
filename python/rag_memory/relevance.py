"""How relevant memories are to a question: by sentence similarity (DENSE), with keywords and names besides
(HYBRID), or not at all when nothing was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .config import MemoryConfig
from .conversation import Conversations
from .keyword_channel import KeywordScores
from .postings import Positions
from .search import VectorIndex
from .vector import FloatVector, Mask

_CANDIDATES_PER_MATCH = 4
_LEAST_CANDIDATES = 64
_NEIGHBOURS_SHARE = 0.3
"""Of the dense channel: what is said around a memory tells what it is about. Measured on conversations
(docs/retrieval.md); 0.2 to 0.4 make no difference.
"""

_LEAST_YARDSTICK = 0.3
"""Below it nothing answers the question, like small talk; 19 of 20 questions of LoCoMo find more."""
_CONTRAST = 3
"""The lowest power that lets the memory that was asked for outscore those that only weigh more; measured on a
long play (docs/retrieval.md).
"""

CONTRASTED = "contrasted"
"""The part of a breakdown that is HYBRID relevance as a whole."""


class Match(NamedTuple):
    """How well one memory answers the question."""

    rowid: int
    similarity: float
    """Cosine of question and memory, 0..1."""
    relevance: float
    """What the score's relevance is made of, 0..1."""
    order: float
    """What memories are ordered by when relevance alone decides; unlike relevance it is not cut off at 0."""
    parts: dict[str, float]
    """What relevance was made of, for the breakdown."""


class Relevance(Protocol):
    """The relevance of one NPC's memories to one question."""

    def search(self, k: int, allowed: Mask) -> list[Match]:
        """The k most relevant of the allowed memories, best first; fewer only when fewer are allowed."""

    def measure(self, rowids: Sequence[int]) -> list[Match]:
        """The relevance of these memories, in their order."""


class NothingAsked:
    """Relevance when the question is empty: no memory is relevant, and the newest ones stand in."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def search(self, k: int, allowed: Mask) -> list[Match]:
        return self.measure(self._columns.newest(np.flatnonzero(allowed), k)) if k else []

    def measure(self, rowids: Sequence[int]) -> list[Match]:
        return [Match(rowid, 0.0, 0.0, 0.0, {"dense": 0.0}) for rowid in rowids]


class DenseRelevance:
    """Relevance by the cosine of the question's and the memory's embedding."""

    def __init__(self, index: VectorIndex, question: FloatVector) -> None:
        self._index = index
        self._question = question

    def search(self, k: int, allowed: Mask) -> list[Match]:
        found = self._index.search(self._question, k, None if allowed.all() else allowed)
        return [
            _dense_match(rowid, cosine)
            for rowid, cosine in zip(found.rowids.tolist(), found.similarities.tolist(), strict=True)
        ]

    def measure(self, rowids: Sequence[int]) -> list[Match]:
        if not rowids:
            return []
        cosines = self._index.similarities_of(self._question, np.array(rowids, dtype=np.int64))
        return [_dense_match(rowid, cosine) for rowid, cosine in zip(rowids, cosines.tolist(), strict=True)]


class HybridRelevance:
    """Relevance by four channels, each 0..1, blended by the config's weights.

    * dense: the cosine with the question without names that are everywhere, and a share of the neighbours'
      cosines;
    * keyword: how much of the question stands in the memory and its neighbours;
    * names: whether the people asked about speak, or are present;
    * episode: how much of the question stands in the memory's conversation.

    blended = (dense_weight x dense + keyword_weight x keyword) / (dense_weight + keyword_weight)
    + name_bonus x names + episode_prior x episode. A question none of whose words occurs anywhere
    says nothing about keywords: then dense counts alone. No channel depends on which memories are allowed,
    so a filter changes no number.

    relevance = (blended / the highest blended of all the NPC's memories, at least 0.3)^3: blended values lie
    close together, and as they are, importance and tier would decide what is remembered.
    """

    def __init__(
        self,
        config: MemoryConfig,
        columns: Columns,
        index: VectorIndex,
        conversations: Conversations,
        question: FloatVector,
        nameless_question: FloatVector,
        scores: KeywordScores,
    ) -> None:
        self._columns = columns
        self._index = index
        self._conversations = conversations
        self._nameless = nameless_question
        self._plain = DenseRelevance(index, question)
        self._scores = scores
        self._window = config.neighbour_window
        self._neighbour_weight = config.neighbour_weight
        weights = config.dense_weight + config.keyword_weight
        self._dense_weight = config.dense_weight / weights if scores.known_terms else 1.0
        self._bonus = (
            np.float32(config.keyword_weight / weights if scores.known_terms else 0.0) * scores.keyword
            + np.float32(config.name_bonus) * scores.names
            + np.float32(config.episode_prior) * scores.episode
        )
        self._highest: float | None = None

    def search(self, k: int, allowed: Mask) -> list[Match]:
        k = min(k, int(np.count_nonzero(allowed)))
        if not k:
            return []
        positions = self._candidates(max(_CANDIDATES_PER_MATCH * k, _LEAST_CANDIDATES), allowed)
        dense = self._dense(positions)
        blended = self._blended(positions, dense)
        if len(allowed) == np.count_nonzero(allowed):
            self._highest = min(1.0, float(blended.max()))
        best = np.lexsort((positions, -blended))[:k]
        return self._matches(positions[best], dense[best], blended[best])

    def measure(self, rowids: Sequence[int]) -> list[Match]:
        if not rowids:
            return []
        positions = np.searchsorted(self._columns.rowids, np.array(rowids, dtype=np.int64))
        dense = self._dense(positions)
        return self._matches(positions, dense, self._blended(positions, dense))

    def _candidates(self, count: int, allowed: Mask) -> Positions:
        """The positions of the best by vectors and the best by everything else, ascending: what is best
        blended is among them.
        """
        positions = np.flatnonzero(allowed)
        if len(positions) <= 2 * count:
            return positions
        found = self._index.search(self._nameless, count, None if len(positions) == len(allowed) else allowed)
        positions = positions[self._bonus[positions] > 0.0]
        if len(positions) > count:
            bonus = self._bonus[positions]
            positions = positions[bonus >= np.partition(bonus, len(bonus) - count)[len(bonus) - count]]
            positions = positions[np.lexsort((positions, -self._bonus[positions]))[:count]]
        by_vector = np.searchsorted(self._columns.rowids, found.rowids)
        return np.union1d(by_vector, positions)

    def _dense(self, positions: Positions) -> NDArray[np.float64]:
        """The dense channel."""
        if not self._window:
            return self._cosines(positions)
        shifts = [shift for distance in range(1, self._window + 1) for shift in (-distance, distance)]
        around = [self._conversations.neighbours(positions, shift) for shift in shifts]
        is_needed = np.zeros(len(self._columns), dtype=np.bool_)
        for places in (positions, *(places[near] for places, near in around)):
            is_needed[places] = True
        needed = np.flatnonzero(is_needed)
        cosines = self._cosines(needed)
        own = cosines[np.searchsorted(needed, positions)]
        total, weights = own.copy(), np.ones_like(own)
        for shift, (places, near) in zip(shifts, around, strict=True):
            share = np.where(near, self._neighbour_weight ** abs(shift), 0.0)
            total += share * cosines[np.minimum(np.searchsorted(needed, places), len(needed) - 1)]
            weights += share
        blended: NDArray[np.float64] = (1.0 - _NEIGHBOURS_SHARE) * own + _NEIGHBOURS_SHARE * total / weights
        return blended

    def _cosines(self, positions: Positions) -> NDArray[np.float64]:
        found = self._index.similarities_of(self._nameless, self._columns.rowids[positions])
        cosines: NDArray[np.float64] = np.clip(found.astype(np.float64), 0.0, 1.0)
        return cosines

    def _blended(self, positions: Positions, dense: NDArray[np.float64]) -> NDArray[np.float64]:
        blended: NDArray[np.float64] = self._dense_weight * dense + self._bonus[positions]
        return blended

    def _contrasted(self, blended: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._highest is None:
            positions = self._candidates(_LEAST_CANDIDATES, np.ones(len(self._columns), dtype=np.bool_))
            self._highest = min(1.0, float(self._blended(positions, self._dense(positions)).max()))
        shares: NDArray[np.float64] = np.minimum(1.0, blended / max(self._highest, _LEAST_YARDSTICK))
        return shares**_CONTRAST

    def _matches(
        self, positions: Positions, dense: NDArray[np.float64], blended: NDArray[np.float64]
    ) -> list[Match]:
        scores = self._scores
        plain = self._plain.measure(self._columns.rowids[positions].tolist())
        rows = zip(
            plain,
            dense.tolist(),
            scores.keyword[positions].tolist(),
            scores.names[positions].tolist(),
            scores.episode[positions].tolist(),
            blended.tolist(),
            self._contrasted(blended).tolist(),
            strict=True,
        )
        return [
            Match(
                match.rowid,
                match.similarity,
                contrasted,
                order,
                {
                    **match.parts,
                    "dense_channel": dense_channel,
                    "keyword_channel": keyword,
                    "names_channel": names,
                    "episode_channel": episode,
                    "blended": min(1.0, order),
                    CONTRASTED: contrasted,
                },
            )
            for match, dense_channel, keyword, names, episode, order, contrasted in rows
        ]


def _dense_match(rowid: int, cosine: float) -> Match:
    similarity = min(1.0, max(0.0, cosine))
    return Match(rowid, similarity, similarity, cosine, {"dense": similarity})
