"""Memories that say the same in nearly the same words: an answer needs only one of them."""

from __future__ import annotations

import functools

from .stemming import stem
from .terms import words

_WITHOUT_MEANING = frozenset(
    """
    a again also am an and are be been being did do does had has have is just me now really so some that the
    then there these this those too very was were
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)


@functools.lru_cache(16384)
def gist(text: str) -> tuple[str, ...]:
    """What a text says, without case, accents, punctuation, endings and words that carry no meaning.

    Texts of one gist are near-duplicates. The order of the words, numbers, names, negations and prepositions
    all count: "Edda sold the mare to Nils" is not "Nils sold the mare to Edda". Similar embeddings are no
    sign of it: those two have a cosine of 0.97.
    """
    found = tuple(_root(word) for word in words(text) if word not in _WITHOUT_MEANING)
    return found or (text,)


def _root(word: str) -> str:
    return stem(word) if word.isascii() else word
