"""The keyword, episode and names channels of many memories: roughly for all of them, exactly for some.

With hundreds of thousands of memories, exact numbers for all of them cost more than everything else of a
question. Two bytes for each tell which memories are worth most; only those get exact numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_memory.index.conversations import MOST_HELD, Channel, Conversations, Reach, shares
from rag_memory.index.postings import Postings
from rag_memory.retrieval.keyword_channel import (
    K1,
    MAX_TERMS,
    NAMED_SHARE,
    ChannelWeights,
    KeywordScores,
    rarity_of,
)
from rag_memory.text.index_terms import NAMED, SPEAKER, WORD
from rag_memory.text.terms import question_terms
from rag_memory.vectors import Mask, Positions

_MOST_WORTH = 65535
_HALVINGS = 5

_RoughWorth = NDArray[np.uint16]


class SparseKeywords:
    """What keyword_scores() says, with the same bits, but only of some memories."""

    def __init__(
        self,
        postings: Postings,
        conversations: Conversations,
        text: str,
        names: Sequence[str],
        window: int,
        neighbour_weight: float,
    ) -> None:
        """See keyword_scores()."""
        self._conversations = conversations
        self._window = window
        self._shares = shares(window, neighbour_weight)
        numbers = conversations.numbers
        self._total = total = len(numbers)
        self._rough: _RoughWorth | None = None
        self._known: KeywordScores | None = None
        self._known_positions: Positions = np.empty(0, dtype=np.intp)
        self._terms: list[_Term] = []
        self._episodes = np.zeros(int(numbers[-1]) + 1 if total else 0, dtype=np.float32)
        self._most = most_episode = 0.0
        for term in question_terms(text)[:MAX_TERMS]:
            positions = postings.positions(WORD, term)
            if not len(positions):
                continue
            reach = conversations.reach(term, positions, window, neighbour_weight, K1)
            weight = rarity_of(total, reach.windows) * (K1 + 1.0)
            self._terms.append(_Term(weight, reach, self._having(positions)))
            self._most += weight
            rarity = rarity_of(total, len(positions))
            if len(self._episodes) == 1:
                self._episodes += np.float32(rarity)
            else:
                self._episodes[numbers[positions]] += np.float32(rarity)
            most_episode += rarity
        if self._most > 0.0:
            self._episodes /= np.float32(most_episode)
        self._names: list[tuple[Mask, Mask]] = []
        for name in names:
            speaks, present = postings.positions(SPEAKER, name), postings.positions(NAMED, name)
            if len(speaks) or len(present):
                self._names.append((self._having(speaks), self._having(present)))

    @property
    def known_terms(self) -> int:
        """How many terms of the question occur in any memory."""
        return len(self._terms)

    def at(self, positions: Positions) -> KeywordScores:
        """The channels of the memories at these positions, in their order; quick for some of those of the
        widest look so far.
        """
        if self._known is not None:
            places = np.searchsorted(self._known_positions, positions)
            if np.array_equal(self._known_positions.take(places, mode="clip"), positions):
                return self._known.at(places)
        scores = self._scores_at(positions)
        if len(positions) > len(self._known_positions) and (positions[1:] > positions[:-1]).all():
            self._known, self._known_positions = scores, positions
        return scores

    def _scores_at(self, positions: Positions) -> KeywordScores:
        return KeywordScores(
            self._keyword_at(positions),
            self._episodes[self._conversations.numbers[positions]],
            self._names_at(positions),
            self.known_terms,
        )

    def best(self, count: int, allowed: Mask | None, weights: ChannelWeights) -> Positions:
        """The positions of the `count` allowed memories that are worth most, ascending, or of all that are
        worth anything.

        What they are worth is rounded: of memories that differ by less than about 1 % of the most there can
        be, either may be taken, and of equal ones the first stored.
        """
        keyword_score = self._rough_keyword_score(weights)
        if allowed is not None:
            keyword_score = keyword_score * allowed
        # The best of each of many groups: as many memories are worth at least as much as the worst of these.
        groups = keyword_score
        for _ in range(_HALVINGS):
            half = (len(groups) + 1) // 2
            if half <= count:
                break
            rest = groups[half:]
            groups = groups[:half].copy()
            np.maximum(groups[: len(rest)], rest, out=groups[: len(rest)])
        edge = np.partition(groups, len(groups) - count)[len(groups) - count] if count < len(groups) else 0
        found = np.flatnonzero(keyword_score >= max(int(edge), 1))
        if len(found) > count:
            of_found = keyword_score[found]
            edge = np.sort(of_found)[-count]
            better, equal = found[of_found > edge], found[of_found == edge]
            found = np.sort(np.concatenate((better, equal[: count - len(better)])))
        return found

    def _rough_keyword_score(self, weights: ChannelWeights) -> _RoughWorth:
        if self._rough is None:
            most_held = 1.0 + float(self._shares.sum())
            keyword = weights.keyword * (K1 + 1.0) * most_held / (most_held + K1) / (K1 + 1.0)
            episodes = weights.episode * self._episodes
            most = keyword + weights.names + (float(episodes.max()) if len(episodes) else 0.0)
            # Each term is rounded by itself: that must not make the sum too large.
            step = (_MOST_WORTH - MOST_HELD * (len(self._terms) + 1)) / max(most, 1e-9)
            keyword_score = np.zeros(self._total, dtype=np.uint16)
            product = np.empty(self._total, dtype=np.uint16)
            for term in self._terms:
                factor = np.uint16(round(step * keyword * term.weight / self._most / MOST_HELD))
                reach = term.reach
                if reach.places is None:
                    np.multiply(reach.levels, factor, out=product, dtype=np.uint16)
                    keyword_score += product
                else:
                    keyword_score[reach.places] += reach.levels * factor
            for speaks, present in self._names:
                share = step * weights.names / len(self._names)
                keyword_score += np.maximum(
                    speaks * np.uint16(share), present * np.uint16(NAMED_SHARE * share)
                )
            if len(episodes) == 1:
                keyword_score += np.uint16(step * float(episodes[0]))
            elif episodes.any():
                keyword_score += (step * episodes).astype(np.uint16).take(self._conversations.numbers)
            self._rough = keyword_score
        return self._rough

    def _keyword_at(self, positions: Positions) -> Channel:
        keyword = np.zeros(len(positions), dtype=np.float32)
        if not self._terms:
            return keyword
        around, near = self._conversations.around(positions, self._window)
        places = np.concatenate((positions[None], around))
        counts = np.concatenate((np.ones((1, len(positions)), dtype=np.bool_), near))
        weights = np.concatenate(([np.float32(1.0)], self._shares))[:, None] * counts
        for term in self._terms:
            held = np.zeros(len(positions), dtype=np.float32)
            for share in weights * term.has.take(places):
                held += share
            keyword += np.float32(term.weight) * held / (held + np.float32(K1))
        keyword /= np.float32(self._most)
        return keyword

    def _names_at(self, positions: Positions) -> Channel:
        scores = np.zeros(len(positions), dtype=np.float32)
        for speaks, present in self._names:
            scores += np.maximum(speaks[positions], np.float32(NAMED_SHARE) * present[positions])
        return scores / np.float32(len(self._names)) if self._names else scores

    def _having(self, positions: Positions) -> Mask:
        has = np.zeros(self._total, dtype=np.bool_)
        has[positions] = True
        return has


class _Term(NamedTuple):
    weight: float
    """BM25's, of a memory that has it any number of times."""
    reach: Reach
    has: Mask
    """Which memories have it themselves."""
