"""The tense of an English question, and whether it asks for a value."""

from __future__ import annotations

import re
from itertools import pairwise

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.english_verbs import BASE_VERBS, PASTS

_PAST = frozenset("did didn't was wasn't were weren't had hadn't once before formerly previously".split())  # noqa: SIM905
_PRESENT = frozenset(
    """
    is isn't are aren't am do don't does doesn't can can't cannot may has hasn't have haven't will won't
    would could still now
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)
_ASKING = lazy_pattern(r"\b(?:who|whom|whose|what|where|when|which|how|why)\b", re.IGNORECASE)
_WORD = lazy_pattern(r"[a-z]+(?:'[a-z]+)?")
_ENDING = ("'s", "'re", "'m")
_SHORTEST_PAST = 5


def asks_about_now(text: str) -> bool:
    """Return False if a question is about the past: "Who was the sheriff?", "What did I promise?"."""
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    if not _PAST.isdisjoint(words) or ("used", "to") in pairwise(words):
        return False
    return has_present_verb(text) or not any(map(_is_past, words))


def asks_for_value(text: str) -> bool:
    """Return True for a question that does not name its answer: "Who is it?", and not "Is it Aldo?"."""
    return _ASKING.search(text) is not None


def has_present_verb(text: str) -> bool:
    """Return True if a text has a helping verb of the present: "Who is the sheriff?"."""
    words = _WORD.findall(text.lower().replace("\u2019", "'"))
    return any(word in _PRESENT or word.endswith(_ENDING) for word in words)


def _is_past(word: str) -> bool:
    is_irregular = word in PASTS and word not in BASE_VERBS
    return is_irregular or (word.endswith("ed") and len(word) >= _SHORTEST_PAST)
