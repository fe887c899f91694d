"""Sentences that say nothing, or something else, without the one before them."""

from __future__ import annotations

from rag_memory.text.terms import words

_LEANING = frozenset(
    """
    afterwards also and but he her here hers him his it its nor or she so such that their theirs them then
    there these they this those thus yet
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)


def leans(sentence: str) -> bool:
    """Return True if the first word of an English sentence refers to the sentence before it."""
    return (words(sentence)[:1] or [""])[0] in _LEANING
