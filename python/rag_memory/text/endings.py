"""Endings and articles that are taken off words of Cyrillic and Arabic letters, so that their forms meet."""

from __future__ import annotations

from rag_memory.lazy_pattern import lazy_pattern

_CYRILLIC = lazy_pattern(
    r"(?<=[\u0400-\u04ff]{2})(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|иях|ях|ах|ям|ам|ием|ем|ом|ой|ей|ою|ею|ов|ев"
    r"|ый|ий|ая|яя|ое|ее|ые|ие|ую|юю|ых|их|ым|им|ия|ию|ии|[аеийоуыьюя])\Z"
)
_ARABIC_ARTICLE = lazy_pattern(r"\A(?:[وفبك]?ال|لل)(?=\w{2})")
_ARABIC_ENDING = lazy_pattern(r"(?<=\w{3})(?:تها|تهم|تنا|ها|هم|نا|ات|ان|ون|ين|ية|يه|تي|تك|ته|[ةهيىكا])\Z")
_BROKEN_PLURAL = lazy_pattern(r"(\w\w)[او](\w)|ا(\w\w)ا(\w)|(\w\w)ا(\w\w)")
"""Arabic plurals have a long vowel within the word: "sword", "swords"."""


def without_endings(word: str) -> str:
    """The word, in lower case and without accents, without the endings of its cases and numbers."""
    if "\u0400" <= word[-1] <= "\u04ff":
        return _CYRILLIC.sub("", word)
    if "\u0621" <= word[-1] <= "\u064a":
        return _arabic(word)
    return word


def _arabic(word: str) -> str:
    word = _ARABIC_ENDING.sub("", _ARABIC_ARTICLE.sub("", word))
    plural = _BROKEN_PLURAL.fullmatch(word)
    return "".join(part for part in plural.groups() if part) if plural else word
