"""What a model noted about an exchange: complete, within the limits of the config, harmless in a prompt."""

from __future__ import annotations

import contextlib
import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.config.sentences import ENGLISH
from rag_memory.text.harmless import harmless

CHANGES = ("trust_change", "affection_change", "fear_change", "respect_change", "familiarity_change")
HAPPENINGS = ("promise_made", "promise_broken", "gift", "secret_revealed")
"""Keys whose value may be a text or true."""
_LONGEST_DETAIL = 300
_LONGEST_FACT = 200
_LONGEST_NAME = 40
_MOST_FACTS = 5
_LARGEST_CHANGE = 1e9
_MARKS_IN_NAMES = " .'’-"
_SENTENCE_ENDS = (". ", "! ", "? ")


class AnswerAnalysis:
    """Reads the analysis of an answer; `warnings` says what was not as it should be."""

    def __init__(self, proposed: Any, config: MemoryConfig, warnings: list[str]) -> None:
        self._config = config
        self._warnings = warnings
        if not isinstance(proposed, Mapping):
            warnings.append("analysis is no object and was ignored.")
            proposed = {}
        self._proposed = proposed
        self._roles = config.own_roles()
        self._no_words = {*ENGLISH["nothing"].split("|"), *config.sentence("nothing").lower().split("|")}

    def read(self) -> dict[str, Any]:
        """Returns the analysis with all its keys. What is missing or wrong is 0 or empty."""
        changes = {name: self._number(name) for name in CHANGES}
        read: dict[str, Any] = {
            "interaction_type": self._interaction_type(),
            "player_tone": self._detail("player_tone"),
            "emotional_impact": self._detail("emotional_impact"),
        }
        read.update((happening, self._detail(happening)) for happening in HAPPENINGS)
        clamped = self._config.clamp_relationship_deltas(changes)
        for name, change in changes.items():
            read[name] = _rounded(clamped[name])
            if read[name] != _rounded(change):
                self._warnings.append(f"{name} of {change:g} is beyond its limit; {read[name]} is used.")
        read["learned_about_player"] = self._learned()
        return read

    def _interaction_type(self) -> str:
        given = self._proposed.get("interaction_type")
        proposed = "" if given is None else str(given)
        if not proposed:
            return "casual_conversation"
        valid = self._config.validate_interaction_type(proposed)
        if valid != proposed:
            self._warnings.append(f"interaction_type {proposed} is not valid; {valid} is used.")
        return valid

    def _number(self, name: str) -> float:
        value = self._proposed.get(name, 0)
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                value = float(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        # A whole number may be too large for a float.
        if is_number and value == value:
            return float(max(-_LARGEST_CHANGE, min(_LARGEST_CHANGE, value)))
        self._warnings.append(f"{name} is no number and counts as 0.")
        return 0.0

    def _detail(self, key: str) -> str:
        return self._text(self._proposed.get(key, ""))

    def _text(self, value: Any) -> str:
        """A text, or true, or nothing; as a text "" means nothing and "true" that it happened."""
        if isinstance(value, bool):
            return "true" if value else ""
        if not isinstance(value, str):
            return ""
        text = harmless(value, self._roles)
        return "" if text.lower().removesuffix(".") in self._no_words else cut(text, _LONGEST_DETAIL)

    def _learned(self) -> dict[str, Any]:
        value = self._proposed.get("learned_about_player", {})
        if not isinstance(value, Mapping):
            return {"name": "", "notable_facts": []}
        facts = value.get("notable_facts", [])
        texts = [cut(self._text(fact), _LONGEST_FACT) for fact in facts] if isinstance(facts, list) else []
        notable = [text for text in dict.fromkeys(texts) if text not in ("", "true")]
        return {"name": self._name(self._text(value.get("name", ""))), "notable_facts": notable[:_MOST_FACTS]}

    def _name(self, text: str) -> str:
        """A name is letters, spaces and a few marks, and short; anything else is no name."""
        if len(text) <= _LONGEST_NAME and (not text or (text[0].isalpha() and all(map(_is_in_names, text)))):
            return text
        self._warnings.append(f"The learned name is no name and was ignored: {text[:_LONGEST_NAME]}")
        return ""


def _is_in_names(character: str) -> bool:
    """Return True for letters, their accents and vowel signs, and the marks between the parts of a name."""
    return character in _MARKS_IN_NAMES or unicodedata.category(character)[0] in "LM"


def _rounded(value: float) -> int:
    """The nearest whole number, halves away from zero."""
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def cut(text: str, limit: int) -> str:
    """Returns the text cut to at most `limit` characters.

    That is at the end of a sentence, or else of a word, where it leaves at least half of it.
    """
    if len(text) <= limit:
        return text
    if limit <= 1:
        return ""
    part = text[:limit]
    for mark in _SENTENCE_ENDS:
        end = part.rfind(mark)
        if end >= limit >> 1:
            return part[: end + 1]
    part = text[: limit - 1]
    space = part.rfind(" ")
    if text[limit - 1] != " " and space > 0:
        part = part[:space]
    return part.strip() + "…"
