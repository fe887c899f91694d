"""Cutting a text where a sentence or a word ends."""

from __future__ import annotations

_SENTENCE_ENDS = (". ", "! ", "? ")


def shortened(text: str, limit: int) -> str:
    """Returns the text cut to at most `limit` characters: at the end of a sentence, where that keeps at least
    half of it, else at the end of a word.
    """
    if len(text) <= limit:
        return text
    if limit <= 1:
        return ""
    for mark in _SENTENCE_ENDS:
        end = text.rfind(mark, 0, limit)
        if end >= limit // 2:
            return text[: end + 1]
    start = text[: limit - 1]
    space = start.rfind(" ")
    if text[limit - 1] != " " and space > 0:
        start = start[:space]
    return f"{start.strip()}…"
