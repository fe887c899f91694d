"""Finds where a text names a person whose name may be an ordinary word, such as Will, Hope or Rose."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.name_check import is_common_word, people_in, starts_sentence
from rag_memory.text.person_words import ARTICLES
from rag_memory.text.whole_words import whole_words


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALSO_WORDS = _words(
    "amber art bill bob chase christian clay daisy drew earl faith forest frank gene grace grant guy "
    "hazel heather holly iris ivy jack jade jasmine jasper jewel joy lance lily mark miles misty "
    "nick olive pat pearl pierce ray rich rob robin rose ruby rusty sage sandy skip sterling sue "
    "violet wade ward wren"
)
"""Names that are ordinary words, besides those that is_common_word() has."""
_MODALS = _words("can could may might must should will would")
_NO_VERBS = ARTICLES | _words(
    "i you he she it we they there anyone anybody anything someone somebody something nobody nothing "
    "everyone everybody everything one not be never also always"
)
"""Words after "Will" or "May" at the start of a sentence that are no deed of a person."""
_UNMISTAKABLE = "Xaveria"
"""A name that is no word, to judge a sentence by what stands around the name."""
_DEED = lazy_pattern(r" \w+ed (?:the|an?|my|your|his|her|our|their|its|me|you|him|us|them)\b|['’]s ")
_NEXT = lazy_pattern(r" ([^\W\d_]+)")
_REST = lazy_pattern(r"[^.!?]*[.!?]?")


class NameMentions:
    """Tells whether texts name a person.

    Args:
        everywhere: words that name the person in small letters and in capitals.
        names: names of one word, which are looked for as names are written, and longer ones, which no text
            has by chance and which are looked for everywhere.
    """

    def __init__(self, everywhere: Iterable[str], names: Iterable[str]) -> None:
        free, exact, self._values = set(everywhere), set[str](), set[str]()
        for name in names:
            if not name.isalpha():
                free.add(name)
                continue
            self._values.add(name.casefold())
            exact.add(name[0].upper() + name[1:])
            if not _is_word(name):
                exact |= {name, name.upper()}
        self._free, self._exact = _pattern(free, re.IGNORECASE), _pattern(exact, 0)

    def are_in(self, text: str) -> bool:
        """Return True if a text names the person, or is the name alone."""
        return (
            self._free.search(text) is not None
            or text.strip().casefold() in self._values
            or any(_is_name(text, match) for match in self._exact.finditer(text))
        )


def _pattern(words: Iterable[str], flags: int) -> re.Pattern[str]:
    within = {word for word in words if len(word) > 1}
    alone = whole_words(within ^ set(words))
    return re.compile(rf"{whole_words(within)}|(?<!\w){alone}(?!\w)", flags)


def _is_word(name: str) -> bool:
    return name.casefold() in _ALSO_WORDS or is_common_word(name.casefold())


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Return True if a match of a name is not an ordinary word there: where a sentence starts, or after an
    article, most are.
    """
    if not _is_word(match.group()):
        return True
    before, after = text[: match.start()], text[match.end() :]
    if not starts_sentence(before):
        last = re.search(r"(\w+)\W*$", before)
        return last is None or last.group(1).casefold() not in ARTICLES
    following = _NEXT.match(after)
    if match.group().casefold() in _MODALS and following is not None:
        word, rest = following.group(1), _REST.match(after)
        is_question = rest is not None and rest.group().endswith("?")
        return word.islower() and word not in _NO_VERBS and not is_question
    judged = people_in(before[-1:] + _UNMISTAKABLE + after)
    return any(person.startswith(_UNMISTAKABLE) for person in judged) or _DEED.match(after) is not None
