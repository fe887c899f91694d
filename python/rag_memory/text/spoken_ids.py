"""Ids of a game as words of a prompt."""

from __future__ import annotations


def spoken_id(text: str) -> str:
    """Returns an id such as "long_dark_bar" as words; a text that is none stays as it is."""
    return text if " " in text.strip() else " ".join(text.replace("_", " ").split())
