"""Ids of a game as words of a prompt."""

from __future__ import annotations


def spoken_id(text: str) -> str:
    """Returns an id such as "long_dark_bar" as words; a text that is none stays as it is."""
    return text if " " in text.strip() else " ".join(text.replace("_", " ").split())


def spoken_name(id: str) -> str:
    """Returns what a character is called whose id is all that is known, such as "Old Anna" for "old_anna"."""
    words = spoken_id(id)
    return words.title() if words.islower() and words.isascii() else words
