"""The event channel of relevance: "a present" asks for memories whose event type is a gift."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from rag_memory.config.event_words import DEFAULT_EVENT_WORDS
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Channel
from rag_memory.memory.record import DEFAULT_EVENT_TYPE
from rag_memory.text.terms import terms


def event_channel(columns: Columns, question_terms: Sequence[str], event_words: Mapping[str, str]) -> Channel:
    """The share of the question's words for kinds of events that fit each memory's event type, 0..1, in the
    order of the columns. A word that fits fewer memories counts more, as in BM25.

    Args:
        event_words: the game's own words by event type; they take the place of the default ones.
    """
    types, total = columns.event_types, len(columns)
    type_terms = [_terms_of_type(event_type, event_words.get(event_type)) for event_type in types]
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
def _terms_of_type(event_type: str, own_words: str | None) -> frozenset[str]:
    """The terms by which a question asks for an event type: its words, and those of its name."""
    if event_type in ("", DEFAULT_EVENT_TYPE):
        return frozenset()
    words = DEFAULT_EVENT_WORDS.get(event_type, "") if own_words is None else own_words
    return frozenset(terms(f"{words} {event_type.replace('_', ' ')}"))


@functools.lru_cache(1)
def _default_terms() -> frozenset[str]:
    return frozenset(term for words in DEFAULT_EVENT_WORDS.values() for term in terms(words))
