"""Finds inns, shops and smithies in a text that are not among those of the world. It reads English."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.world.whereabouts import name_key

_KINDS = (
    ("inn", "tavern", "pub", "alehouse", "taproom", "hostel", "guesthouse"),
    ("smithy", "forge", "armoury", "armory"),
    ("shop", "store", "emporium", "trading post"),
    ("bakery",),
    ("brewery", "distillery"),
    ("apothecary", "pharmacy", "herbalist's"),
    ("butchery", "butcher's"),
    ("tailor's", "draper's"),
    ("pawnshop",),
    ("bathhouse",),
    ("brothel",),
    ("library", "bookshop"),
    ("stables",),
)
"""Words for one kind of establishment each."""
_ALL_KINDS = tuple(word for words in _KINDS for word in words)
_ARTICLES = ("the", "an", "our", "my", "your", "his", "her", "their")
_NO_NAMES = frozenset(_ARTICLES + _ALL_KINDS)


def _capitals() -> str:
    """A character class of the capital letters of every script, in the plane that has nearly all of them."""
    return "[" + "".join(chr(code) for code in range(0x10000) if chr(code).isupper()) + "]"


_LETTER = r"(?:[^\W\d_]|['’-])"
_KIND = f"(?:(?i:{'|'.join(_ALL_KINDS)}))"
_GOODS = "(?:[a-z]+ )?(?:rooms?|beds?|ale|beer|wine|food|stew|bread|tools|swords|rope)"
_OF_KIND = lazy_pattern(
    rf"(?i)(?:\b(?:the|our|my|your|his|her|their|local) (?:{_LETTER}+ )?"
    rf"|\b(?:there is|there's|we have|we've got) an? (?:{_LETTER}+ ){{0,2}})({'|'.join(_ALL_KINDS)})\b"
)
_ANY_WORD = lazy_pattern(f"{_LETTER}+")
_ENDS_OF_SENTENCES = '.!?…"]'


@functools.cache
def _named() -> tuple[re.Pattern[str], ...]:
    """The patterns of names; made at the first use, because the capitals of every script take a while."""
    word = f"{_capitals()}{_LETTER}{{1,30}}"
    joined = f"(?: (?:(?:and|of|the) )?{word})"
    # At most five words, so that a text of nothing but capitals takes no longer.
    name, long_name = f"{word}{joined}{{0,4}}", f"{word}{joined}{{1,4}}"
    patterns = (
        # "at the Weary Wanderer", "called The Anchor"
        rf"\b(?:at|inside|outside|called|named) [Tt]he ({name})",
        r"\b(?:in|into|to|near|behind|beside|opposite|from|by|visit|try|owns?|runs?|keeps?)"
        rf" [Tt]he ({long_name})",
        # "the Weary Wanderer inn", "Anchor Tavern"
        rf"\b[Tt]he ({name}) {_KIND}\b",
        rf"\b((?:{word} ){{1,5}}{_KIND})\b",
        # "the tavern Weary Wanderer", "an inn called the Anchor"
        rf"\b{_KIND} (?:called |named )?(?:[Tt]he )?({name})",
        # "The Weary Wanderer serves ale."
        rf"\b[Tt]he ({long_name}) (?:sells|serves|offers|brews|bakes|has {_GOODS})\b",
    )
    return tuple(re.compile(pattern) for pattern in patterns)


def unknown_establishments(
    text: str,
    establishments: Sequence[Mapping[str, Any]],
    names: Iterable[str],
    people: Iterable[str],
    location: str = "",
) -> list[str]:
    """Return what a text calls an inn, a shop or a smithy that does not exist; nothing in a world without
    establishments.

    Args:
        names: all names of the world.
        people: the names of its people.
        location: where the speaker is: "the smithy" has to be there, or the text says where it is.
    """
    if not establishments:
        return []
    unknown = _unknown_names(text, frozenset(_words(" ".join(names))), frozenset(_words(" ".join(people))))
    for match in _OF_KIND.finditer(text):
        kind = match[1].lower()
        if kind not in unknown and not any(
            _is_of_kind(establishment, kind) and _is_near(establishment, location, text)
            for establishment in establishments
        ):
            unknown.append(kind)
    return unknown


def _unknown_names(text: str, names: frozenset[str], people: frozenset[str]) -> list[str]:
    unknown: list[str] = []
    for pattern in _named():
        for match in pattern.finditer(text):
            words = [word for word in _words(match[1]) if word not in _NO_NAMES]
            # Somebody with a title is no house: "to the Captain Aldric". Neither is a verb: "Visit".
            exists = not words or words[-1] in people or names.issuperset(words)
            if not exists and len(words) > 1 and _starts_a_sentence(text, match.start()):
                exists = names.issuperset(words[1:])
            if not exists and match[1] not in unknown:
                unknown.append(match[1])
    return unknown


def _words(text: str) -> list[str]:
    return list(
        dict.fromkeys(word.lower().removesuffix("'s").removesuffix("’s") for word in _ANY_WORD.findall(text))
    )


def _starts_a_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 100) : start].strip()
    return not before or before[-1] in _ENDS_OF_SENTENCES


def _is_near(establishment: Mapping[str, Any], location: str, text: str) -> bool:
    place = name_key(establishment.get("location"))
    return not location or not place or place == name_key(location) or place in text.casefold()


def _is_of_kind(establishment: Mapping[str, Any], kind: str) -> bool:
    """A smithy or a bakery may be called a shop, an inn may not."""
    if kind == "shop" and not _is_of_kind(establishment, _KINDS[0][0]):
        return True
    own = f" {establishment.get('kind', '')} {establishment.get('name', '')}".lower()
    words = next(words for words in _KINDS if kind in words)
    return any(f" {word}" in own for word in words)
