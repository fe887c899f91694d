"""Names the memory system knows, and a question without them.

A name tells a small embedding model little and misleads it; in the keyword channel it stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .keyword_channel import STOP_WORDS

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\b([^\W_]+)(?:['’]s)?\b")
_SPACES = re.compile(r"\s+")


def name_words(names: Iterable[str]) -> frozenset[str]:
    """The single words of names, in lower case: "npc_al" and "Al Stone" give npc, al and stone."""
    return frozenset(word.casefold() for name in names for word in _WORD.findall(name))


def names_in(text: str) -> list[str]:
    """The capitalised words of a text that says a name, like "The player told me their name is Theron."."""
    return [word for word in _WORD.findall(text) if word[0].isupper() and word.lower() not in STOP_WORDS]


def without_names(text: str, words: frozenset[str]) -> str:
    """The text without the capitalised words that are names; the text itself when nothing else would be left.

    Only capitalised words count, so that the stone in "under the stone" survives an Al Stone.
    """

    def kept(found: re.Match[str]) -> str:
        word = found.group(1)
        return "" if word[0].isupper() and word.casefold() in words else found.group()

    bare = _SPACES.sub(" ", _NAME.sub(kept, text)).strip()
    return bare if _WORD.search(bare) else text
