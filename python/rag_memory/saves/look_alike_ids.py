"""Ids of two NPCs that a reader takes for one: "Mira" and "mira", or one with a Cyrillic letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.look_alikes import LETTERS

_SEPARATORS = lazy_pattern(r"[\s_\-\u2010-\u2015.]+")
_ACCENTS = lazy_pattern("[\u0300-\u036f]")
_LATIN_OF = {character: letter for letter, characters in LETTERS.items() for character in characters}


class LookAlikeIds:
    """The ids of a save, by what they look like."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._by_look: dict[str, list[str]] = {}
        for id in ids:
            self.add(id)

    def add(self, id: str) -> list[str]:
        """Add an id. Returns the ones before it that look like it."""
        looks = {_folded(id), _latin(id)}
        similar = [
            other
            for other in dict.fromkeys(other for look in looks for other in self._by_look.get(look, ()))
            if other != id and look_alike(other, id)
        ]
        for look in looks:
            others = self._by_look.setdefault(look, [])
            if id not in others:
                others.append(id)
        return similar


def look_alike(one: str, other: str) -> bool:
    """Return True if two ids differ only in case, accents, separators, invisible characters, or in letters
    of two alphabets that are drawn alike. Two words of one alphabet are different words.
    """
    if _folded(one) == _folded(other):
        return True
    letters, others = _visible(one), _visible(other)
    return (
        _latin(one) == _latin(other)
        and len(letters) == len(others)
        and all(
            a.casefold() == b.casefold() or _alphabet(a) != _alphabet(b)
            for a, b in zip(letters, others, strict=True)
        )
    )


def _folded(id: str) -> str:
    return _visible(id).casefold()


def _latin(id: str) -> str:
    """Return an id as it looks to somebody who reads Latin letters. A digit stays a digit."""
    visible = _visible(id)
    if visible.isascii():
        return visible.casefold()
    return "".join(
        character.casefold() if character.isascii() else _LATIN_OF.get(character, character.casefold())
        for character in visible
    )


def _visible(id: str) -> str:
    if not id.isascii():
        id = _ACCENTS.sub("", unicodedata.normalize("NFKD", id))
        id = "".join(character for character in id if unicodedata.category(character) != "Cf")
    return _SEPARATORS.sub(" ", id).strip()


def _alphabet(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
