"""Cutting a text where a sentence or a word ends, and joining sentences."""

from __future__ import annotations

from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern

_SENTENCE_ENDS = (". ", "! ", "? ")
_WIDE_SPACE = lazy_pattern("(?<=[。！？]) |(?<=[。！？][”」』]) ")


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


def joined(sentences: Iterable[str]) -> str:
    """Return the sentences that are not empty with spaces between them; Chinese and Japanese have none."""
    return _WIDE_SPACE.sub("", " ".join(filter(None, sentences)))
