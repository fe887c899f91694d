"""The phrases that introduce quotes in the memories of a game."""

from __future__ import annotations

from rag_memory.config.wording import Wording
from rag_memory.text.statements import Speech


def speech_of(wording: Wording) -> Speech:
    """The introductions that the game's own sentences have, besides the English ones."""
    return Speech(wording.sayings(), wording.own_sayings())
