"""Words that are heard only in part: the same words are lost each time."""

from __future__ import annotations

import hashlib
import math

from rag_memory.lazy_pattern import lazy_pattern

GAP = "…"
_UNSPACED = "\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = lazy_pattern(rf"[{_UNSPACED}]{{1,2}}[^\w\s]*|[^\s{_UNSPACED}]+")
"""Chinese and Japanese have no spaces between words: two signs are about one."""
_LEVELS = 4
"""Two who hear nearly the same share of a line hear the same words."""


def with_gaps(text: str, share: float) -> str:
    """Return what is heard of a text when only a share of its words can be made out: the others are gaps.

    Which words are lost depends on the text alone, and who hears more hears all that others hear.
    """
    level = math.ceil(share * _LEVELS) / _LEVELS
    words = list(_WORD.finditer(text))
    if level >= 1.0 or not words:
        return text
    ranks = sorted(range(len(words)), key=lambda place: _rank(text, place))
    heard = {*ranks[: max(1, int(len(words) * level))]}
    pieces = ""
    for place, word in enumerate(words):
        space = " " if pieces and text[word.start() - 1].isspace() else ""
        if place in heard:
            pieces += space + word.group()
        elif not pieces.endswith(GAP):
            pieces += space + GAP
    return pieces


def _rank(text: str, place: int) -> bytes:
    return hashlib.blake2b(f"{place} {text}".encode(), digest_size=8).digest()
