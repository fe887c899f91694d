"""Recognising texts that only ask."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLOSING = " \t\n\"'”’“»›」』)]"
_QUESTION_MARKS = ("?", "？", "؟")
_AFTER_SENTENCE = re.compile(r"(?<=[.!?…؟])[\"'”’)]*\s+|(?<=[。！？])")


def ends_with_question(text: str) -> bool:
    """Return whether the last sentence of a text is a question, whatever quotes close it."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)


def only_asks(text: str, sayings: Sequence[tuple[str, str]]) -> bool:
    """Return True if a memory has nothing but questions of the player.

    A text in which somebody states or answers anything is knowledge, and so is a question of anybody else.

    Args:
        sayings: what stands before and after the player's words in such memories.
    """
    if not ends_with_question(text):
        return False
    return any(
        text.startswith(before)
        and text.endswith(after)
        and _are_questions(text[len(before) : len(text) - len(after)])
        for before, after in sayings
    )


def _are_questions(words: str) -> bool:
    sentences = [sentence.strip(_CLOSING) for sentence in _AFTER_SENTENCE.split(words)]
    return all(sentence.endswith(_QUESTION_MARKS) for sentence in sentences if sentence)
