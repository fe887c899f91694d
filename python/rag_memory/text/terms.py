"""The terms of the keyword index, made the same way from memories and from queries.

Letters of any script count; case, accents and vowel points do not. English words are stemmed; longer words
of other alphabets are cut to their first letters, which takes most endings off; scripts that put no spaces
between words, and Hangul with its attached particles, are indexed by pairs of neighbouring characters.
(McNamee and Mayfield, "Character n-gram tokenization for European language text retrieval", 2004, compare
such terms with real stemmers.)
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from rag_memory.text.stemming import stem

STOP_WORDS = frozenset(
    """
    a about above after again all am an and any are as at be because been before being below between
    both but by can could did do does doing don down during each few for from further had has have
    having he her here hers him his how i if in into is it its just let ll me more most my no nor not
    now of off on once only or other our out over own re s same she should so some such t than that the
    their them then there these they this those through to too under until up ve very was we were what
    when where which while who whom why will with would you your
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)

_CUT_LENGTH = 5
_LONGEST_WORD = 64
_MOST_MARKS = 30
"""Most marks in a row. No language writes more (Unicode's stream-safe text has the same limit)."""
_SIGNS_IN_A_ROW = re.compile(rf"[^\w\s]{{{_MOST_MARKS},}}")
_ARABIC_ARTICLE = "\u0627\u0644"
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_LETTER, _MARK, _NUMBER = "L", "M", "N"

# Accents of Latin, Greek and Cyrillic, and the points of Hebrew and Arabic; vowel signs of other scripts are
# letters in all but name and stay.
_DROPPED = (
    (0x0300, 0x036F),
    (0x0591, 0x05C7),
    (0x0610, 0x061A),
    (0x0640, 0x0640),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
)

# Thai, Lao, Myanmar, Khmer; Kana, Han, Hangul.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_FIRST_WITHOUT_SPACES = _WITHOUT_SPACES[0][0]
_HAN = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


class _Letters(dict[int, str]):
    """Every character as a part of a word, as nothing, or as a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if _among(code, _DROPPED):
            part = ""
        elif unicodedata.category(character)[0] in (_LETTER, _MARK, _NUMBER):
            part = character
        else:
            part = " "
        self[code] = part
        return part


_LETTERS = _Letters()


def with_few_marks(text: str) -> str:
    """The text with about 30 accents and the like in a row at most. Unicode's normal forms sort them, which
    takes four times as long for twice as many.
    """
    return text if text.isascii() else _SIGNS_IN_A_ROW.sub(_with_first_marks, text)


def _with_first_marks(signs: re.Match[str]) -> str:
    marks = signs.group()
    rest = (sign for sign in marks[_MOST_MARKS:] if not unicodedata.combining(sign))
    return marks[:_MOST_MARKS] + "".join(rest)


def words(text: str) -> list[str]:
    """The words of a text in their order, in lower case and without accents; what is written without spaces
    is one word.
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = unicodedata.normalize("NFKD", with_few_marks(text)).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", folded).split()


def terms_of(word: str) -> tuple[str, ...]:
    """The terms under which a word is found."""
    word = word[:_LONGEST_WORD]
    return (stem(word),) if word.isascii() else _foreign_terms(word)


def terms(text: str) -> list[str]:
    """The terms of a text, each once, in the order in which they occur first."""
    return list(dict.fromkeys(term for word in words(text) for term in terms_of(word)))


def question_terms(text: str) -> list[str]:
    """The terms that a question is looked up by: no stop words, unless there is nothing else."""
    all_words = words(text)
    telling = [word for word in all_words if word not in STOP_WORDS] or all_words
    return list(dict.fromkeys(term for word in telling for term in terms_of(word)))


def is_spaceless(character: str) -> bool:
    """Return True if a character belongs to a script that is indexed by pairs of characters."""
    code = ord(character)
    return code >= _FIRST_WITHOUT_SPACES and _among(code, _WITHOUT_SPACES)


@functools.lru_cache(16384)
def _foreign_terms(word: str) -> tuple[str, ...]:
    parts: list[str] = []
    start = 0
    while start < len(word):
        spaceless = is_spaceless(word[start])
        end = start + 1
        while end < len(word) and is_spaceless(word[end]) == spaceless:
            end += 1
        parts += _pairs(word[start:end]) if spaceless else [_cut(word[start:end])]
        start = end
    return tuple(dict.fromkeys(parts))


def _pairs(run: str) -> list[str]:
    """Pairs of neighbours, and every Han character by itself, because many are words."""
    pairs = [run[place : place + 2] for place in range(max(1, len(run) - 1))]
    return pairs + [character for character in run if _among(ord(character), _HAN)]


def _cut(word: str) -> str:
    if word.isascii():
        return stem(word)
    if word.startswith(_ARABIC_ARTICLE) and len(word) > _CUT_LENGTH:
        word = word[len(_ARABIC_ARTICLE) :]
    return word[:_CUT_LENGTH]


def _among(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)
