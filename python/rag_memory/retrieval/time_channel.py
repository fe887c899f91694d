"""The time channel of relevance: how well memories fit the time in a query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Channel, Conversations
from rag_memory.index.postings import Postings
from rag_memory.retrieval.keyword_channel import keyword_scores
from rag_memory.text.query_time import QueryTime

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
