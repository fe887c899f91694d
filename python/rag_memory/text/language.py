"""Detection of English texts, by their commonest words."""

from __future__ import annotations

from collections.abc import Iterable

from rag_memory.text.terms import words

_ENGLISH = frozenset(
    {"the", "and", "that", "with", "to", "his", "my", "from", "it"}
    | {"he", "she", "they", "you", "their", "who", "this", "not", "which"}
)
"""Very common English words that other European languages don't have, or seldom use."""
_SHARE = 0.06
_ENGLISH_LETTER = "z"


def looks_english(texts: Iterable[str]) -> bool:
    """Return True if these texts together look English."""
    all_words = [word for text in texts for word in words(text)]
    is_latin = sum(word[0] <= _ENGLISH_LETTER for word in all_words) * 2 > len(all_words)
    return is_latin and sum(word in _ENGLISH for word in all_words) >= _SHARE * len(all_words)
