"""Words that are heard only in part: the same words are lost each time."""

from __future__ import annotations

import hashlib
import math

GAP = "…"
_LEVELS = 4
"""Two who hear nearly the same share of a line hear the same words."""


def with_gaps(text: str, share: float) -> str:
    """Return what is heard of a text when only a share of its words can be made out: the others are gaps.

    Which words are lost depends on the text alone, and who hears more hears all that others hear.
    """
    level = math.ceil(share * _LEVELS) / _LEVELS
    words = text.split()
    if level >= 1.0 or not words:
        return text
    ranks = sorted(range(len(words)), key=lambda place: _rank(text, place))
    heard = {*ranks[: max(1, int(len(words) * level))]}
    pieces: list[str] = []
    for place, word in enumerate(words):
        if place in heard:
            pieces.append(word)
        elif not pieces or pieces[-1] != GAP:
            pieces.append(GAP)
    return " ".join(pieces)


def _rank(text: str, place: int) -> bytes:
    return hashlib.blake2b(f"{place} {text}".encode(), digest_size=8).digest()
