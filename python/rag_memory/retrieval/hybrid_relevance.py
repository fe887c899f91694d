"""Relevance by sentence similarity together with keywords and names (HYBRID)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Channel, Conversations, shares
from rag_memory.index.vector_index import VectorIndex
from rag_memory.retrieval.keyword_channel import ChannelWeights, KeywordScores
from rag_memory.retrieval.relevance import Match
from rag_memory.retrieval.sparse_keywords import SparseKeywords
from rag_memory.vectors import FloatMatrix, FloatVector, Mask, Positions

_CANDIDATES_PER_MATCH = 4
_LEAST_CANDIDATES = 64
_SPARE = 1.3
"""Looked for besides, because a filter may take more of the nearest than of all."""
_LEAST_WIDE = 160
"""Enough for an ordinary answer, so that the yardstick of other questions comes from as many."""
_WIDENED = 2
"""So many times more than a filter leaves, at most: beyond it, searching what it leaves is quicker."""
_NEIGHBOURS_SHARE = 0.3
"""Of the dense channel: what is said around a memory tells what it is about. Measured on conversations
(docs/retrieval.md); 0.2 to 0.4 make no difference.
"""

_OWN_WEIGHT = np.ones((1, 1), dtype=np.float32)
"""What a memory itself counts among its neighbours."""

_ROUNDING = 1e-5
"""Twice what float32 sums of a few numbers of 0 to 1 can be off by, and more."""

_LEAST_YARDSTICK = 0.3
"""Below it nothing answers the question, like small talk; 19 of 20 questions of LoCoMo find more."""
_CONTRAST = 3
"""Of 1 to 8, measured on a long play: with 3 hardly anything that only weighs more outscores what was asked
for; above 4 importance has little say (docs/retrieval.md).
"""

SHARPENED = "sharpened"
"""The part of a breakdown that is HYBRID relevance as a whole."""


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
        scores: KeywordScores | SparseKeywords,
    ) -> None:
        self._columns = columns
        self._index = index
        self._conversations = conversations
        self._nameless = nameless_question
        self._question = question
        self._scores = scores
        self._window = config.neighbour_window
        self._neighbour_weight = config.neighbour_weight
        self._shares = shares(config.neighbour_window, config.neighbour_weight)[:, None]
        weights = config.dense_weight + config.keyword_weight
        self._dense_weight = config.dense_weight / weights if scores.known_terms else 1.0
        self._weights = ChannelWeights(
            config.keyword_weight / weights if scores.known_terms else 0.0,
            config.name_bonus,
            config.episode_prior,
        )
        self._highest: float | None = None
        self._rough: _Rough | None = None
        self._wide = 0
        self._by_vector = self._by_worth = np.empty(0, dtype=np.intp)

    def search(self, k: int, allowed: Mask) -> list[Match]:
        k = min(k, int(np.count_nonzero(allowed)))
        if not k:
            return []
        positions = self._looked_at(k, allowed).best(k)
        if self._highest is None:
            positions = _union(positions, self._highest_candidates())
        channels = self._channels(positions)
        if self._highest is None:
            self._highest = float(channels.blended.max())
        best = np.lexsort((-positions, -self._columns.timestamps[positions], -channels.blended))
        best = best[allowed[positions[best]]][:k]
        return self._matches(positions[best], channels.at(best))

    def measure(self, keys: Sequence[int]) -> list[Match]:
        if not keys:
            return []
        positions = self._columns.positions(np.array(keys, dtype=np.int64))
        return self._matches(positions, self._channels(positions))

    def _looked_at(self, k: int, allowed: Mask) -> _Rough:
        """A rough look at the allowed memories that can be among the k best: at all of them, unless there are
        so many that a graph is searched.
        """
        if isinstance(self._scores, SparseKeywords):
            return self._ann_candidates(self._scores, k, allowed)
        if self._rough is None:
            self._rough = self._rough_everywhere(self._scores)
        if allowed.all():
            return self._rough
        return self._rough.at(np.flatnonzero(allowed))

    def _ann_candidates(self, scores: SparseKeywords, k: int, allowed: Mask) -> _Rough:
        """A look at the best by vectors and the best by everything else: what is best blended is among them.

        Those of all memories serve both the answer and the yardstick, unless the filter leaves too few.
        """
        count = max(_CANDIDATES_PER_MATCH * k, _LEAST_CANDIDATES)
        allowed_count = int(np.count_nonzero(allowed))
        if allowed_count <= 2 * count:
            return self._rough_at(np.flatnonzero(allowed))
        by_vector = by_worth = None
        if allowed_count * _WIDENED >= len(allowed):
            wide = max(_LEAST_WIDE, int(_SPARE * count * len(allowed) / allowed_count) + 1)
            if self._rough is None or self._wide < wide:
                self._wide = wide
                self._by_vector = self._index.near(self._nameless, wide)
                self._by_worth = scores.best(wide, None, self._weights)
                self._rough = self._rough_at(_union(self._by_vector, self._by_worth))
            by_vector = self._by_vector[allowed[self._by_vector]]
            by_worth = self._by_worth[allowed[self._by_worth]]
            # Of many that are worth the same, a few more or less are no loss.
            has_worth = len(by_worth) * _SPARE >= count or len(self._by_worth) < self._wide
            if len(by_vector) >= count and has_worth:
                return self._rough.at(np.flatnonzero(allowed[self._rough.positions]))
            by_worth = by_worth if has_worth else None
        if by_vector is None or len(by_vector) < count:
            by_vector = self._index.near(self._nameless, count, allowed)
        if by_worth is None:
            by_worth = scores.best(count, allowed, self._weights)
        return self._rough_at(_union(by_vector, by_worth))

    def _highest_candidates(self) -> Positions:
        """The positions of all that can be the best blended one of all memories."""
        return self._looked_at(1, np.ones(len(self._columns), dtype=np.bool_)).best(1)

    def _rough_everywhere(self, scores: KeywordScores) -> _Rough:
        rough, error = self._index.rough_similarities(self._nameless)
        np.clip(rough, 0.0, 1.0, out=rough)
        around = self._conversations.means(rough, self._window, self._neighbour_weight)
        blended = np.float32(self._dense_weight * (1.0 - _NEIGHBOURS_SHARE)) * rough
        blended += np.float32(self._dense_weight * _NEIGHBOURS_SHARE) * around
        blended += self._weights.blended(scores)
        return _Rough(np.arange(len(blended)), blended, self._slack(error))

    def _rough_at(self, positions: Positions) -> _Rough:
        places, near = self._surrounded(positions)
        rough, error = self._index.rough_similarities(self._nameless, places.ravel())
        blended = self._blended(positions, self._dense(rough.reshape(places.shape), near))
        return _Rough(positions, blended.astype(np.float32), self._slack(error))

    def _slack(self, error: float) -> float:
        """What two memories can be off by together, when their cosines are off by `error`: the dense channel
        is a mean of cosines.
        """
        return 2.0 * self._dense_weight * error + _ROUNDING

    def _channels(self, positions: Positions) -> _Channels:
        places, near = self._surrounded(positions)
        cosines = self._index.similarities_at(self._nameless, places.ravel()).reshape(places.shape)
        dense = self._dense(cosines, near)
        return _Channels(cosines[0], dense, self._blended(positions, dense))

    def _surrounded(self, positions: Positions) -> tuple[Positions, Mask]:
        """The positions, below them those of their neighbours; and which neighbours there are."""
        around, near = self._conversations.around(positions, self._window)
        return np.concatenate((positions[None], around)), near

    def _dense(self, cosines: FloatMatrix, near: Mask) -> NDArray[np.float64]:
        """The dense channel, from the cosines of the memories and, below them, of their neighbours."""
        similarities = _as_similarities(cosines).astype(np.float64)
        weights = np.concatenate((_OWN_WEIGHT.repeat(near.shape[1], axis=1), self._shares * near))
        around = _summed(weights * similarities) / _summed(weights)
        dense: NDArray[np.float64] = (1.0 - _NEIGHBOURS_SHARE) * similarities[0] + _NEIGHBOURS_SHARE * around
        return dense

    def _blended(self, positions: Positions, dense: NDArray[np.float64]) -> NDArray[np.float64]:
        blended: NDArray[np.float64] = self._dense_weight * dense + self._weights.blended(
            self._scores.at(positions)
        )
        return blended

    def _contrasted(self, blended: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._highest is None:
            self._highest = float(self._channels(self._highest_candidates()).blended.max())
        yardstick = max(min(1.0, self._highest), _LEAST_YARDSTICK)
        relative: NDArray[np.float64] = np.minimum(1.0, blended / yardstick)
        return relative**_CONTRAST

    def _matches(self, positions: Positions, channels: _Channels) -> list[Match]:
        scores = self._scores.at(positions)
        cosines = (
            channels.nameless_cosine
            if self._question is self._nameless
            else self._index.similarities_at(self._question, positions)
        )
        rows = zip(
            self._columns.keys[positions].tolist(),
            _as_similarities(cosines).tolist(),
            channels.dense.tolist(),
            scores.keyword.tolist(),
            scores.names.tolist(),
            scores.episode.tolist(),
            channels.blended.tolist(),
            self._contrasted(channels.blended).tolist(),
            strict=True,
        )
        return [
            Match(
                key,
                similarity,
                sharpened,
                {
                    "dense": similarity,
                    "dense_channel": dense,
                    "keyword_channel": keyword,
                    "names_channel": names,
                    "episode_channel": episode,
                    "blended": min(1.0, blended),
                    SHARPENED: sharpened,
                },
            )
            for key, similarity, dense, keyword, names, episode, blended, sharpened in rows
        ]


class _Channels(NamedTuple):
    """What vectors say about some memories, and everything blended."""

    nameless_cosine: FloatVector
    dense: NDArray[np.float64]
    blended: NDArray[np.float64]

    def at(self, places: Positions) -> _Channels:
        """The same of the memories at these places only."""
        return _Channels(self.nameless_cosine[places], self.dense[places], self.blended[places])


class _Rough(NamedTuple):
    """About what some memories, in the order of the columns, are blended to."""

    positions: Positions
    blended: Channel
    slack: float
    """What two of them can be off by together."""

    def at(self, places: Positions) -> _Rough:
        """The same of the memories at these places only."""
        return _Rough(self.positions[places], self.blended[places], self.slack)

    def best(self, k: int) -> Positions:
        """Those that can be among the k best."""
        count = len(self.positions)
        if count <= k:
            return self.positions
        edge = np.partition(self.blended, count - k)[count - k]
        return self.positions[np.flatnonzero(self.blended >= edge - np.float32(self.slack))]


def _union(positions: Positions, others: Positions) -> Positions:
    """All of them once, ascending; np.union1d takes ten times as long."""
    both = np.sort(np.concatenate((positions, others)))
    is_new = np.ones(len(both), dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=is_new[1:])
    union: Positions = both[is_new]
    return union


def _summed(rows: NDArray[Any]) -> NDArray[Any]:
    """The sum of all rows, added one after another: numpy's sum() adds those of a single column in another
    order, and what a memory is worth must not depend on how many are looked at.
    """
    total: NDArray[Any] = np.add.accumulate(rows, axis=0)[-1]
    return total


def _as_similarities(cosines: FloatMatrix) -> FloatMatrix:
    similarities: FloatMatrix = np.minimum(np.maximum(cosines, 0.0), 1.0)
    return similarities
