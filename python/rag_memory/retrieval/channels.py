"""The channels of relevance besides the meaning of a text: keywords, kinds of events, and times.

Keywords count as in BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
2009, with k1 1.2), over each memory together with its neighbours in the same conversation. A term counts once
per memory and every window as equally long: single turns differ little. The unit is a word that only one
memory has: a memory with two such words of the question has 2.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rag_memory.config.event_words import DEFAULT_EVENT_WORDS
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Channel, Conversations
from rag_memory.index.postings import Postings
from rag_memory.memory.record import DEFAULT_EVENT_TYPE
from rag_memory.text.query_time import QueryTime
from rag_memory.text.terms import NAMED, SPEAKER, WORD, question_terms, terms
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


def event_channel(columns: Columns, question_terms: Sequence[str], event_words: Mapping[str, str]) -> Channel:
    """The share of the question's words for kinds of events that fit each memory's event type, 0..1, in the
    order of the columns. A word that fits fewer memories counts more, as in BM25.

    Args:
        event_words: the game's own words by event type; they take the place of the default ones.
    """
    types, total = columns.event_types, len(columns)
    type_terms = [terms_of_type(event_type, event_words.get(event_type)) for event_type in types]
    counts = (
        np.bincount(columns.events, minlength=len(types)) if total else np.zeros(len(types), dtype=np.int64)
    )
    shares = np.zeros(max(1, len(types)), dtype=np.float32)
    whole = 0.0
    for term in question_terms:
        fitting = [number for number, of_type in enumerate(type_terms) if term in of_type]
        if not fitting and term not in _default_terms():
            continue
        frequency = int(sum(counts[number] for number in fitting))
        rarity = math.log1p((total - frequency + 0.5) / (frequency + 0.5))
        whole += rarity
        shares[fitting] += np.float32(rarity)
    channel: Channel = (
        shares[columns.events] / np.float32(whole) if whole else np.zeros(total, dtype=np.float32)
    )
    return channel


@functools.lru_cache(1024)
def terms_of_type(event_type: str, own_words: str | None = None) -> frozenset[str]:
    """The terms by which a question asks for an event type: its words, and those of its name."""
    if event_type in ("", DEFAULT_EVENT_TYPE):
        return frozenset()
    words = DEFAULT_EVENT_WORDS.get(event_type, "") if own_words is None else own_words
    return frozenset(terms(f"{words} {event_type.replace('_', ' ')}"))


@functools.lru_cache(1)
def _default_terms() -> frozenset[str]:
    return frozenset(term for words in DEFAULT_EVENT_WORDS.values() for term in terms(words))


_MOST_ANCHORS = 3
_LEAST_ANCHOR_SCORE = 0.5
"""Of an event's words, this share has to stand in a memory for the question to be dated by it."""


class TimeScores(NamedTuple):
    """The time scores of every memory, in the order of the columns."""

    inside: Channel
    """How well it fits the time that the query names, 0..1."""
    order: Channel
    """How well it fits "first" or "last", -1..1."""
    is_asked: bool = True
    """True if the query names a time; else both scores are 0."""


def time_scores(
    columns: Columns, postings: Postings, conversations: Conversations, query_time: QueryTime | None
) -> TimeScores:
    """The time channels of a question; zeros when it names no time."""
    total = len(columns)
    if query_time is None or not total:
        none = np.zeros(total, dtype=np.float32)
        return TimeScores(none, none, False)
    moments = columns.timestamps
    inside = query_time.inside(moments, _anchors(columns, postings, conversations, query_time))
    order = query_time.in_order(moments, inside)
    return TimeScores(inside.astype(np.float32), order.astype(np.float32))


def _anchors(
    columns: Columns, postings: Postings, conversations: Conversations, query_time: QueryTime
) -> list[tuple[float, float]]:
    """The moments of the memories that speak of the event by which the question is dated, and how much of its
    words they have.
    """
    if query_time.anchor is None:
        return []
    words = keyword_scores(postings, conversations, query_time.anchor.text, (), 0, 0.0)
    if not words.whole:
        return []
    scores = words.keyword / np.float32(words.whole)
    best = np.argsort(-scores, kind="stable")[:_MOST_ANCHORS]
    # Where many memories speak of such an event, nobody can tell which one is meant.
    share = min(1.0, _MOST_ANCHORS / max(1, int(np.count_nonzero(scores >= scores.max()))))
    return [
        (float(columns.timestamps[place]), share * float(scores[place]))
        for place in best.tolist()
        if scores[place] >= _LEAST_ANCHOR_SCORE
    ]
