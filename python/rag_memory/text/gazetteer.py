"""Names the memory system knows: which of them a question mentions, and the question without them.

A name that is everywhere tells a small embedding model little and misleads it; in the keyword channel it
stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.terms import STOP_WORDS, is_spaceless, words

IsName = Callable[[str], bool]
"""A function that tells whether a word, as words() gives it, belongs to a name."""

# A letter or digit, with the accents and vowel signs that follow it, which \w does not count as such.
_WORD = lazy_pattern(
    "[^\\W_](?:[^\\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd\u102b-\u103e\u17b4-\u17d3])*"
)
_POSSESSIVE = lazy_pattern("['\u2019]s\\b")
_SPACES = lazy_pattern(r"\s+")
_LONGEST_SPACELESS_NAME = 12
_I = "I"


class Question(NamedTuple):
    """A question, taken apart by the names in it."""

    names: list[str]
    """The words of the names it mentions, as words() gives them."""
    nameless: str
    """The question without those that tell nothing; the question itself when nothing else would be left."""


def name_words(names: Iterable[str]) -> frozenset[str]:
    """The single words of names, in lower case: "npc_al" and "Al Stone" give npc, al and stone."""
    return frozenset(word for name in names for word in words(name))


def names_in(text: str) -> frozenset[str]:
    """Return the capitalised words of a text that says a name, such as "The player told me their name is
    Theron.".
    """
    return name_words(written_names(text))


def written_names(text: str) -> list[str]:
    """Return the same words as they are written, in their order."""
    return [word for word in _WORD.findall(text) if word[0].isupper() and not _is_stop(word)]


def parse_query(text: str, is_name: IsName, is_telling: IsName = lambda word: False) -> Question:
    """The names in a question, and the question without those that are not telling.

    In scripts with capital letters only capitalised words count, so that the stone in "under the stone"
    survives an Al Stone. In scripts without spaces a name is found inside what surrounds it.
    """
    names: list[str] = []
    parts: list[str] = []
    end = 0
    is_first = True
    for match in _WORD.finditer(text):
        remainder, mentioned = _without_names(match.group(), is_first, is_name)
        is_first = False
        names += mentioned
        if not mentioned or any(map(is_telling, mentioned)):
            continue
        parts += [text[end : match.start()], remainder]
        possessive = None if remainder else _POSSESSIVE.match(text, match.end())
        end = possessive.end() if possessive else match.end()
    bare = _SPACES.sub(" ", "".join([*parts, text[end:]])).strip()
    return Question(list(dict.fromkeys(names)), bare if parts and _WORD.search(bare) else text)


def _without_names(word: str, is_first: bool, is_name: IsName) -> tuple[str, list[str]]:
    """Return the rest of a word of the query, and the names in it."""
    if not word.isascii() and any(map(is_spaceless, word)):
        return _without_inner_names(word, is_name)
    is_caseless = word.lower() == word.upper()
    # A memory may have "I" as its speaker; in a question it is whoever asks.
    if not (word[0].isupper() or is_caseless) or (_is_stop(word) and is_first) or word == _I:
        return word, []
    folded = words(word)
    return ("", folded) if folded and all(map(is_name, folded)) else (word, [])


def _without_inner_names(run: str, is_name: IsName) -> tuple[str, list[str]]:
    """Return the same for a run of characters without spaces. Of overlapping names the longest first one
    counts.
    """
    folded = " ".join(words(run))
    names: list[str] = []
    remainder = ""
    start = 0
    while start < len(folded):
        for end in range(min(len(folded), start + _LONGEST_SPACELESS_NAME), start + 1, -1):
            if is_name(folded[start:end]):
                names.append(folded[start:end])
                start = end
                break
        else:
            remainder += folded[start]
            start += 1
    return (remainder, names) if names else (run, [])


def _is_stop(word: str) -> bool:
    return word.lower() in STOP_WORDS
