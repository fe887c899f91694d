"""Relevance by sentence similarity, keywords and kinds of events together (HYBRID)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Channel, Conversations, shares
from rag_memory.index.vector_index import VectorIndex
from rag_memory.retrieval.channels import KeywordScores, TimeScores
from rag_memory.retrieval.relevance import (
    ODDS,
    ODDS_POWER,
    Favour,
    Match,
    Relevance,
    bare,
    possible_positions,
)
from rag_memory.vectors import FloatMatrix, FloatVector, Mask, NDArray, Positions

_NEIGHBOURS_SHARE = 0.3
"""Of the dense channel: what is said around a memory tells what it is about. Measured on conversations
(docs/retrieval.md); 0.2 to 0.4 make no difference.
"""

_OWN_WEIGHT = np.ones((1, 1), dtype=np.float32)
"""The weight of a memory itself among its neighbours."""

_ROUNDING = 1e-4
"""More than float32 rounds the difference of two sums of a few numbers of 0 to 20."""

_LEAST_BEST = 3.0
"""The sum below which nothing answers the question, like small talk: 19 of 20 questions of games have a
higher one.
"""
_LEAST_SUM = -0.2
_LEAST_SUM_PER_LOG_COUNT = 0.5
"""A memory is relevant from this sum on, and from more among more memories, of which some fit by chance: 1.7
among 45, 3.1 among 700. Measured on games: it costs 1 of 100 answers (bench/recall.md).
"""


class RankingWeights(NamedTuple):
    """The weight of each number of a memory in the sum. The sum is a log-odds: a memory with 1 more is e
    times as likely to be the right one.

    `python3 build.py python bench/fit_ranking.py` fits the weights on the games and talks in bench/games/.
    Two kinds of question have weights of their own: those that speak of the player and the NPC ("Did I bring
    you flowers?"), whose few words are in many memories, and all others.
    """

    dense: float
    """Of the cosine with the question, 0 to 1, its neighbours included."""
    keyword: float
    """Of the question's words that the memory has, 1 for each word that only one memory has."""
    event: float
    """Of the share of the question's words for kinds of events that fit the memory's, 0 to 1."""
    names: float
    """Of whether those whom the question names speak or are present, 0 to 1."""
    episode: float
    """Of the share of the question's words that the memory's conversation has, 0 to 1."""
    time: float
    """Of whether the memory is of the time that the question names, 0 to 1."""
    time_order: float
    """Of how well the memory fits "first" or "last", -1 to 1."""


PERSONAL = RankingWeights(
    dense=14.4, keyword=1.6, event=4.3, names=0.0, episode=0.0, time=5.6, time_order=4.2
)
GENERAL = RankingWeights(
    dense=11.4, keyword=1.75, event=2.9, names=1.1, episode=1.1, time=7.9, time_order=2.3
)


class HybridRelevance:
    """Relevance by a weighted sum of channels, 0..1 unless said otherwise (RankingWeights).

    * dense: the cosine with the question as it is embedded (searchable/searcher.py), and a share of the
      neighbours' cosines;
    * keyword: how much of the question stands in the memory and its neighbours; 1 for each word that only one
      memory has;
    * event: how many of the question's words for kinds of events fit the memory's event type;
    * time: whether the memory is of the time that the question names;
    * order: how well it fits "first" or "last", -1..1;
    * names: whether the people asked about speak, or are present;
    * episode: how much of the question stands in the memory's conversation.

    The weights are those of a log-linear model (a softmax over an NPC's memories), so that e^(sum) is
    proportional to the probability that a memory is the one that was asked for. relevance = e^(sum - the
    highest sum of all the NPC's memories, at least 3). No channel depends on which memories are allowed, so a
    filter changes no number.
    """

    def __init__(
        self,
        config: MemoryConfig,
        columns: Columns,
        index: VectorIndex,
        conversations: Conversations,
        neighbour_weight: float,
        question: FloatVector,
        scores: KeywordScores,
        events: Channel,
        times: TimeScores,
        weights: RankingWeights,
    ) -> None:
        """`events`: the event channel of every memory."""
        self._columns = columns
        self._index = index
        self._conversations = conversations
        self._question = question
        self._scores = scores
        self._events = events
        self._times = times
        self._window = config.neighbour_window
        self._neighbour_weight = neighbour_weight
        self._shares = shares(config.neighbour_window, neighbour_weight)[:, None]
        self._dense_weight = weights.dense
        self._others = _sum_of_others(scores, events, times, weights)
        self._estimated: tuple[Channel, np.float32] | None = None
        self._highest: float | None = None
        self._elsewhere = _LEAST_BEST
        """The highest sum of what is ranked beside these memories."""

    def highest_sum(self, allowed: Mask) -> float:
        """Return the highest sum of the allowed memories."""
        if not allowed.any():
            return _LEAST_BEST
        return float(self._channels(self._candidates(1, allowed)).sum.max())

    def rank_beside(self, highest: float, elsewhere: float) -> None:
        """Rank these memories beside others.

        Args:
            highest: the highest sum of these.
            elsewhere: the highest sum of the others.
        """
        self._highest, self._elsewhere = highest, elsewhere

    def search(self, k: int, allowed: Mask, favour: Favour | None = None) -> list[Match]:
        k = min(k, int(np.count_nonzero(allowed)))
        if not k:
            return []
        positions = self._candidates(k, allowed) if favour is None else self._favoured(k, allowed, favour)
        if self._highest is None:
            positions = _union(positions, self._highest_candidates())
        channels = self._channels(positions)
        if self._highest is None:
            self._highest = float(channels.sum.max())
        ranks = channels.sum
        if favour is not None:
            ranks = favour.weight * self._odds(ranks) ** ODDS_POWER + favour.amounts[positions]
        best = np.lexsort((-positions, -self._columns.timestamps[positions], -ranks))
        best = best[allowed[positions[best]]][:k]
        return self._matches(positions[best], channels.at(best))

    def measure(self, keys: Sequence[int]) -> list[Match]:
        if not keys:
            return []
        positions = self._columns.positions(np.array(keys, dtype=np.int64))
        return self._matches(positions, self._channels(positions))

    def _candidates(self, k: int, allowed: Mask) -> Positions:
        """The positions of all allowed memories that can be among the k with the highest sums."""
        estimates, error = self._estimates()
        return possible_positions(estimates, k, allowed, error)

    def _favoured(self, k: int, allowed: Mask, favour: Favour) -> Positions:
        """The positions of all allowed memories that can be among the k best with a favour."""
        estimates, difference = self._estimates()
        error = difference / np.float32(2.0)
        highest = estimates.max()
        least, most = (
            favour.ranks(
                _odds(estimates + off, max(highest, np.float32(self._elsewhere)) - off)
                ** np.float32(ODDS_POWER)
            )
            for off in (-error, error)
        )
        positions = np.flatnonzero(allowed)
        if k < len(positions):
            edge = np.partition(least[positions], -k)[-k] - np.float32(_ROUNDING)
            positions = positions[most[positions] >= edge]
        return positions

    def _highest_candidates(self) -> Positions:
        """The positions of all that can have the highest sum of all memories."""
        return self._candidates(1, np.ones(len(self._columns), dtype=np.bool_))

    def _estimates(self) -> tuple[Channel, np.float32]:
        """About the sum of every memory; and by how much the difference of two can be wrong."""
        if self._estimated is None:
            rough, error = self._index.rough_similarities(self._question)
            np.clip(rough, 0.0, 1.0, out=rough)
            around = self._conversations.means(rough, self._window, self._neighbour_weight)
            sums = np.float32(self._dense_weight * (1.0 - _NEIGHBOURS_SHARE)) * rough
            sums += np.float32(self._dense_weight * _NEIGHBOURS_SHARE) * around
            sums += self._others
            # The dense channel is a mean of cosines: it is off by no more than one of them.
            self._estimated = sums, np.float32(2.0 * self._dense_weight * error + _ROUNDING)
        return self._estimated

    def _channels(self, positions: Positions) -> _Channels:
        around, near = self._conversations.around(positions, self._window)
        places = np.concatenate((positions[None], around))
        cosines = self._index.similarities_at(self._question, places.ravel()).reshape(places.shape)
        dense = self._dense(cosines, near)
        return _Channels(cosines[0], dense, self._dense_weight * dense + self._others[positions])

    def _dense(self, cosines: FloatMatrix, near: Mask) -> NDArray[np.float64]:
        """The dense channel, from the cosines of the memories and, below them, of their neighbours."""
        similarities = _as_similarities(cosines).astype(np.float64)
        weights = np.concatenate((_OWN_WEIGHT.repeat(near.shape[1], axis=1), self._shares * near))
        around = _summed(weights * similarities) / _summed(weights)
        dense: NDArray[np.float64] = (1.0 - _NEIGHBOURS_SHARE) * similarities[0] + _NEIGHBOURS_SHARE * around
        return dense

    def _odds(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._highest is None:
            self._highest = float(self._channels(self._highest_candidates()).sum.max())
        return _odds(sums, max(self._highest, self._elsewhere))

    def _matches(self, positions: Positions, channels: _Channels) -> list[Match]:
        scores = self._scores.at(positions)
        least = _LEAST_SUM + _LEAST_SUM_PER_LOG_COUNT * math.log(max(1, len(self._columns)))
        rows = zip(
            self._columns.keys[positions].tolist(),
            _as_similarities(channels.cosine).tolist(),
            channels.dense.tolist(),
            scores.keyword.tolist(),
            self._events[positions].tolist(),
            self._times.inside[positions].tolist(),
            self._times.order[positions].tolist(),
            scores.names.tolist(),
            scores.episode.tolist(),
            channels.sum.tolist(),
            self._odds(channels.sum).tolist(),
            strict=True,
        )
        return [
            Match(
                key,
                similarity,
                odds,
                {
                    "dense": similarity,
                    "dense_channel": dense,
                    "keyword_channel": keyword,
                    "event_channel": event,
                    "time_channel": time,
                    "order_channel": order,
                    "names_channel": names,
                    "episode_channel": episode,
                    "sum": total,
                    ODDS: odds,
                },
                total >= least,
            )
            for key, similarity, dense, keyword, event, time, order, names, episode, total, odds in rows
        ]


class _Channels(NamedTuple):
    """The similarities of some memories, and the sum of all channels."""

    cosine: FloatVector
    dense: NDArray[np.float64]
    sum: NDArray[np.float64]

    def at(self, places: Positions) -> _Channels:
        """Return the same for the memories at these positions."""
        return _Channels(self.cosine[places], self.dense[places], self.sum[places])


def rank_together(relevances: Sequence[tuple[Relevance, Mask]]) -> None:
    """Make the relevances of several collections comparable: of each that is a sum, with the memories among
    it that count.
    """
    hybrids = [
        (hybrid, hybrid.highest_sum(allowed))
        for relevance, allowed in relevances
        if isinstance(hybrid := bare(relevance), HybridRelevance)
    ]
    highest = max((total for _, total in hybrids), default=_LEAST_BEST)
    for hybrid, total in hybrids:
        hybrid.rank_beside(total, highest)


def _sum_of_others(
    scores: KeywordScores, events: Channel, times: TimeScores, weights: RankingWeights
) -> Channel:
    """Return the sum of all channels but the dense one, for each memory."""
    total: Channel = np.float32(weights.keyword) * scores.keyword
    rest = [(weights.event, events), (weights.names, scores.names), (weights.episode, scores.episode)]
    if times.is_asked:
        rest += [(weights.time, times.inside), (weights.time_order, times.order)]
    for weight, channel in rest:
        if weight:
            total += np.float32(weight) * channel
    return total


def _union(positions: Positions, others: Positions) -> Positions:
    """All of them once, ascending; np.union1d takes ten times as long."""
    both = np.sort(np.concatenate((positions, others)))
    is_new = np.ones(len(both), dtype=np.bool_)
    np.not_equal(both[1:], both[:-1], out=is_new[1:])
    union: Positions = both[is_new]
    return union


def _odds(sums: NDArray[Any], highest: Any) -> NDArray[Any]:
    """Return the probability of each memory beside the one with the highest sum, 0..1."""
    best = sums.dtype.type(max(highest, _LEAST_BEST))
    odds: NDArray[Any] = np.exp(np.minimum(sums - best, 0.0))
    return odds


def _summed(rows: NDArray[Any]) -> NDArray[Any]:
    """The sum of all rows, added one after another: numpy's sum() adds those of a single column in another
    order, and a memory's relevance must not depend on how many are compared.
    """
    total: NDArray[Any] = np.add.accumulate(rows, axis=0)[-1]
    return total


def _as_similarities(cosines: FloatMatrix) -> FloatMatrix:
    similarities: FloatMatrix = np.minimum(np.maximum(cosines, 0.0), 1.0)
    return similarities
