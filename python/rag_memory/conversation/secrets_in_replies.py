"""Finds secrets in what the NPC says."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.terms import is_spaceless, words

LEAST_ALIKE = 0.5
"""The likeness of a secret and other words for it."""
_LONGEST = 3
"""How many times as long as the other one of two texts can be that are alike."""
_LEAST_WORDS = 3
"""Words of a sentence that tells a secret, unless it is the whole secret."""
_BETWEEN_SENTENCES = lazy_pattern(r"[.!?…。！？\[\]\n]+")
_BETWEEN_CLAUSES = lazy_pattern(r"[.!?…。！？\[\]\n,;:，；：、–—]+")


def tells_secret(reply: str, secrets: Iterable[str]) -> bool:
    """Return True if a reply has one of these secrets, or a sentence much like one."""
    spoken = f" {' '.join(words(reply))} "
    pieces = {*_pieces(_BETWEEN_SENTENCES, reply), *_pieces(_BETWEEN_CLAUSES, reply)}
    for text in secrets:
        whole = " ".join(words(text))
        sentences = {whole, *_pieces(_BETWEEN_SENTENCES, text)}
        if whole and (f" {whole} " in spoken or (is_spaceless(whole[0]) and whole in spoken)):
            return True
        for part, piece in itertools.product(sentences, pieces):
            shorter, longer = sorted((len(part), len(piece)))
            if longer <= _LONGEST * shorter and likeness(part, piece) >= LEAST_ALIKE:
                return True
    return False


def likeness(text: str, other: str) -> float:
    """Return how many pairs of letters two texts share, from 0 to 1."""
    pairs, others = (Counter(itertools.pairwise(part)) for part in (text.lower(), other.lower()))
    return 2 * (pairs & others).total() / max(1, pairs.total() + others.total())


def _pieces(ends: re.Pattern[str], text: str) -> Iterator[str]:
    """The parts of a text that say enough to be compared, as words between single spaces."""
    for part in ends.split(text):
        parts = words(part)
        if len(parts) >= _LEAST_WORDS or any(is_spaceless(word[0]) for word in parts):
            yield " ".join(parts)
