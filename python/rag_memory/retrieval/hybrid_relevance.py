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
from rag_memory.retrieval.keyword_channel import KeywordScores
from rag_memory.retrieval.relevance import Match
from rag_memory.vectors import FloatMatrix, FloatVector, Mask, Positions

_NEIGHBOURS_SHARE = 0.3
"""Of the dense channel: what is said around a memory tells what it is about. Measured on conversations
(docs/retrieval.md); 0.2 to 0.4 make no difference.
"""

_OWN_WEIGHT = np.ones((1, 1), dtype=np.float32)
"""What a memory itself counts among its neighbours."""

_ROUNDING = 1e-5
"""More than float32 rounds the difference of two sums of a few numbers of 0 to 1."""

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
    + name_bonus x names + episode_prior x episode. If no word of the question occurs in any memory, dense
    counts alone. No channel depends on which memories are allowed, so a filter changes no number.

    relevance = (blended / the highest blended of all the NPC's memories, at least 0.3)^3: blended values lie
    close together, and as they are, importance and tier would decide what is remembered.
    """

    def __init__(
        self,
        config: MemoryConfig,
        columns: Columns,
        index: VectorIndex,
        conversations: Conversations,
        neighbour_weight: float,
        question: FloatVector,
        nameless_question: FloatVector,
        scores: KeywordScores,
    ) -> None:
        self._columns = columns
        self._index = index
        self._conversations = conversations
        self._nameless = nameless_question
        self._question = question
        self._scores = scores
        self._window = config.neighbour_window
        self._neighbour_weight = neighbour_weight
        self._shares = shares(config.neighbour_window, neighbour_weight)[:, None]
        weights = config.dense_weight + config.keyword_weight
        self._dense_weight = config.dense_weight / weights if scores.known_terms else 1.0
        self._lexical = _lexical(
            scores,
            config.keyword_weight / weights if scores.known_terms else 0.0,
            config.name_bonus,
            config.episode_prior,
        )
        self._estimated: tuple[Channel, np.float32] | None = None
        self._highest: float | None = None

    def search(self, k: int, allowed: Mask) -> list[Match]:
        k = min(k, int(np.count_nonzero(allowed)))
        if not k:
            return []
        positions = self._candidates(k, allowed)
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

    def _candidates(self, k: int, allowed: Mask) -> Positions:
        """The positions of all allowed memories that can be among the k best blended ones."""
        positions = np.flatnonzero(allowed)
        if len(positions) <= k:
            return positions
        estimates, error = self._estimates()
        of_allowed = estimates[positions]
        least = np.partition(of_allowed, -k)[-k]
        candidates: Positions = positions[of_allowed >= least - error]
        return candidates

    def _highest_candidates(self) -> Positions:
        """The positions of all that can be the best blended one of all memories."""
        return self._candidates(1, np.ones(len(self._columns), dtype=np.bool_))

    def _estimates(self) -> tuple[Channel, np.float32]:
        """About what every memory is blended to; and by how much the difference of two can be wrong."""
        if self._estimated is None:
            rough, error = self._index.rough_similarities(self._nameless)
            np.clip(rough, 0.0, 1.0, out=rough)
            around = self._conversations.means(rough, self._window, self._neighbour_weight)
            blended = np.float32(self._dense_weight * (1.0 - _NEIGHBOURS_SHARE)) * rough
            blended += np.float32(self._dense_weight * _NEIGHBOURS_SHARE) * around
            blended += self._lexical
            # The dense channel is a mean of cosines: it is off by no more than one of them.
            self._estimated = blended, np.float32(2.0 * self._dense_weight * error + _ROUNDING)
        return self._estimated

    def _channels(self, positions: Positions) -> _Channels:
        around, near = self._conversations.around(positions, self._window)
        places = np.concatenate((positions[None], around))
        cosines = self._index.similarities_at(self._nameless, places.ravel()).reshape(places.shape)
        dense = self._dense(cosines, near)
        return _Channels(cosines[0], dense, self._dense_weight * dense + self._lexical[positions])

    def _dense(self, cosines: FloatMatrix, near: Mask) -> NDArray[np.float64]:
        """The dense channel, from the cosines of the memories and, below them, of their neighbours."""
        similarities = _as_similarities(cosines).astype(np.float64)
        weights = np.concatenate((_OWN_WEIGHT.repeat(near.shape[1], axis=1), self._shares * near))
        around = _summed(weights * similarities) / _summed(weights)
        dense: NDArray[np.float64] = (1.0 - _NEIGHBOURS_SHARE) * similarities[0] + _NEIGHBOURS_SHARE * around
        return dense

    def _sharpened(self, blended: NDArray[np.float64]) -> NDArray[np.float64]:
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
            self._sharpened(channels.blended).tolist(),
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


def _lexical(scores: KeywordScores, keyword: float, names: float, episode: float) -> Channel:
    """What the words and names of the question add to each memory's blend, with these weights."""
    blended: Channel = (
        np.float32(keyword) * scores.keyword
        + np.float32(names) * scores.names
        + np.float32(episode) * scores.episode
    )
    return blended


def _union(positions: Positions, others: Positions) -> Positions:
    """All of them once, ascending; np.union1d takes ten times as long."""
    both = np.sort(np.concatenate((positions, others)))
    is_new = np.ones(len(both), dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=is_new[1:])
    union: Positions = both[is_new]
    return union


def _summed(rows: NDArray[Any]) -> NDArray[Any]:
    """The sum of all rows, added one after another: numpy's sum() adds those of a single column in another
    order, and a memory's relevance must not depend on how many are compared.
    """
    total: NDArray[Any] = np.add.accumulate(rows, axis=0)[-1]
    return total


def _as_similarities(cosines: FloatMatrix) -> FloatMatrix:
    similarities: FloatMatrix = np.minimum(np.maximum(cosines, 0.0), 1.0)
    return similarities
