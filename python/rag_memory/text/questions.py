"""Recognising texts that only ask."""

from __future__ import annotations

_CLOSING = " \t\n\"'”’“»›」』)]"
_QUESTION_MARKS = ("?", "？", "؟")


def ends_with_question(text: str) -> bool:
    """Return whether the last sentence of a text is a question, whatever quotes close it."""
    return text.rstrip(_CLOSING).endswith(_QUESTION_MARKS)
