"""Keyword relevance: BM25 over each memory together with its neighbours in the same conversation.

The words of one memory are found by FTS5 (stems, no diacritics); a window counts how many of its memories
hold a word. BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009,
with k1 1.2 and b 0.75.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .vector import RowIds

K1 = 1.2
B = 0.75

CONVERSATION_GAP_SECONDS = 3600.0
"""Memories stored one after another belong to one conversation while no longer time lies between them."""

_MAX_WORDS = 32
_WORD = re.compile(r"[^\W_]+")
STOP_WORDS = frozenset(
    """
    a about above after again all am an and any are as at be because been before being below between
    both but by can could did do does doing don down during each few for from further had has have
    having he her here hers him his how i if in into is it its just let ll me more most my no nor not
    now of off on once only or other our out over own re s same she should so some such t than that the
    their them then there these they this those through to too under until up ve very was we were what
    when where which while who whom why will with would you your
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)

WordLookup = Callable[[str], RowIds]
"""The rowids of the NPC's memories that contain a word, ascending."""


def question_words(text: str) -> list[str]:
    """The words of a question that are looked up, each once: no stop words, unless there is nothing else."""
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
    telling = [word for word in words if word not in STOP_WORDS]
    return (telling or words)[:_MAX_WORDS]


class KeywordChannel:
    """Keyword scores of one NPC's memories. Looked-up words are kept until the memories change."""

    def __init__(self, columns: Columns, look_up: WordLookup) -> None:
        self._columns = columns
        self._look_up = look_up
        self._presence: dict[str, NDArray[np.intp]] = {}
        self._conversations: NDArray[np.int64] | None = None

    def forget(self) -> None:
        """Drop what was looked up: the memories have changed."""
        self._presence.clear()
        self._conversations = None

    def scores(self, text: str, window: int) -> NDArray[np.float64]:
        """The BM25 score of every memory's window for a question, in the order of the columns.

        Args:
            window: how many memories before and after one count with it.
        """
        total = len(self._columns)
        scores = np.zeros(total, dtype=np.float64)
        for word in question_words(text):
            positions = self._positions(word)
            if not len(positions):
                continue
            places, counts = self._windows(positions, window)
            frequency = len(places)
            rarity = np.log1p((total - frequency + 0.5) / (frequency + 0.5))
            # Every window counts as equally long: single turns differ little, and FTS5 tells lengths only
            # row by row.
            scores[places] += rarity * counts * (K1 + 1.0) / (counts + K1)
        return scores

    def _positions(self, word: str) -> NDArray[np.intp]:
        known = self._presence.get(word)
        if known is None:
            known = np.searchsorted(self._columns.rowids, self._look_up(word))
            self._presence[word] = known
        return known

    def _windows(
        self, positions: NDArray[np.intp], window: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The memories whose window holds a word, and in how many memories of the window it stands."""
        conversations = self._conversation_numbers()
        counts = np.zeros(len(self._columns), dtype=np.float64)
        counts[positions] += 1.0
        for distance in range(1, window + 1):
            for shift in (-distance, distance):
                places = positions + shift
                inside = (places >= 0) & (places < len(counts))
                near, origin = places[inside], positions[inside]
                near = near[conversations[near] == conversations[origin]]
                counts[near] += 1.0
        places = np.flatnonzero(counts)
        return places, counts[places]

    def _conversation_numbers(self) -> NDArray[np.int64]:
        if self._conversations is None:
            gaps = np.abs(np.diff(self._columns.timestamps, prepend=self._columns.timestamps[:1]))
            self._conversations = np.cumsum(gaps > CONVERSATION_GAP_SECONDS).astype(np.int64)
        return self._conversations
