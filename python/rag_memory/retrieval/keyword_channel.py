"""Keyword relevance: BM25 over each memory together with its neighbours in the same conversation.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with k1 1.2. A
term counts once per memory and every window as equally long: single turns differ little. The unit is a word
that only one memory has: a memory with two such words of the question has 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rag_memory.index.conversations import Channel, Conversations
from rag_memory.index.postings import Postings
from rag_memory.text.index_terms import NAMED, SPEAKER, WORD
from rag_memory.text.terms import question_terms
from rag_memory.vectors import Positions

_K1 = 1.2
_PRESENT_SHARE = 0.5
"""Somebody who is present counts half as much as the one who speaks."""
MAX_TERMS = 64


class KeywordScores(NamedTuple):
    """The keyword scores of every memory, in the order of the columns."""

    keyword: Channel
    """The question's words in the memory and its neighbours: 1 for each that only one memory has, less for
    one that several have.
    """
    episode: Channel
    """The share of the query that is anywhere in the memory's conversation."""
    names: Channel
    """The number of people in the query who speak in the memory, or are present."""
    known_terms: int
    """The number of the query's terms that occur in any memory."""
    whole: float
    """The `keyword` score of a memory with every term of the query that occurs in any memory."""

    def at(self, positions: Positions) -> KeywordScores:
        """The channels of the memories at these positions only, in their order."""
        return self._replace(
            keyword=self.keyword[positions], episode=self.episode[positions], names=self.names[positions]
        )


def keyword_scores(
    postings: Postings,
    conversations: Conversations,
    text: str,
    names: Sequence[str],
    window: int,
    neighbour_weight: float,
) -> KeywordScores:
    """The keyword, episode and names channels of a question.

    Args:
        names: the words of the names in the question.
        window: how many memories before and after one count with it.
        neighbour_weight: what a word of the next memory counts; one further away, this to the power of its
            distance.
    """
    numbers = conversations.numbers
    total = len(numbers)
    keyword = np.zeros(total, dtype=np.float32)
    episodes = np.zeros(int(numbers[-1]) + 1 if total else 0, dtype=np.float32)
    most = most_episode = 0.0
    known_terms = 0
    for term in question_terms(text)[:MAX_TERMS]:
        positions = postings.positions(WORD, term)
        if not len(positions):
            continue
        known_terms += 1
        places, held = conversations.windows_with(term, positions, window, neighbour_weight)
        rarity = _idf(total, len(places))
        keyword[places] += np.float32(rarity * (_K1 + 1.0)) * held / (held + np.float32(_K1))
        most += rarity * (_K1 + 1.0)
        rarity = _idf(total, len(positions))
        # A place that comes several times is added to once: that is how numpy assigns.
        episodes[numbers[positions]] += np.float32(rarity)
        most_episode += rarity
    whole = 0.0
    if most > 0.0:
        unit = _idf(total, 1)
        whole = most / (_K1 + 1.0) / unit
        keyword /= np.float32(unit)
        episodes /= np.float32(most_episode)
    return KeywordScores(keyword, episodes[numbers], _named(postings, names, total), known_terms, whole)


def _named(postings: Postings, names: Sequence[str], total: int) -> Channel:
    scores = np.zeros(total, dtype=np.float32)
    name_count = 0
    for name in names:
        speaks, present = postings.positions(SPEAKER, name), postings.positions(NAMED, name)
        if not len(speaks) and not len(present):
            continue
        name_count += 1
        of_name = np.zeros(total, dtype=np.float32)
        of_name[present] = _PRESENT_SHARE
        of_name[speaks] = 1.0
        scores += of_name
    return scores / np.float32(name_count) if name_count else scores


def _idf(total: int, frequency: int) -> float:
    """BM25's inverse document frequency, never negative."""
    return float(np.log1p((total - frequency + 0.5) / (frequency + 0.5)))
