"""The terms of the keyword index, made the same way from memories and from queries.

Letters of any script count; case, accents and vowel points do not. English words are stemmed; words of
Cyrillic and Arabic letters lose their endings; longer words of other alphabets are cut to their first
letters; scripts that put no spaces between words, and Hangul with its attached particles, are indexed by
pairs of neighbouring characters.
(McNamee and Mayfield, "Character n-gram tokenization for European language text retrieval", 2004, compare
such terms with real stemmers.)

English stems are Porter's ("An algorithm for suffix stripping", Program 14 (3), 1980), the same as those of
SQLite's FTS5 tokenizer "porter" (a test compares them).

One FTS5 index serves all NPCs of a save. Because the NPC is part of every entry, looking a term up reads the
memories of that NPC only, however many others there are.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.endings import without_endings
from rag_memory.validation import list_in

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
_SIGNS_IN_A_ROW = lazy_pattern(rf"[^\w\s]{{{_MOST_MARKS},}}")
_ASCII_WORD = lazy_pattern(r"[a-z0-9]+")
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
    return without_endings(word)[:_CUT_LENGTH]


def _among(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


_LONGEST = 64
_STEP_2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize")),
    *(("logi", "log"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    *(("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive")),
    *(("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
)
_STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", "")),
    ("ness", ""),
)
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism"),
    *("ate", "iti", "ous", "ive", "ize"),
)


@functools.lru_cache(16384)
def stem(word: str) -> str:
    """The stem of a word in lower case; of ASCII letters, or it comes back as it is."""
    if not 3 <= len(word) <= _LONGEST:
        return word
    word = _in_base_form(word)
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    word = _without_suffix(word)
    word = _without_final_e(word)
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


@functools.lru_cache(16384)
def uninflected(word: str) -> str:
    """The word without the endings of plurals and verbs only, by the same rules: "burning" and "burns" are
    "burn", but "general" and "generous", which have one stem, stay apart.
    """
    if not 3 <= len(word) <= _LONGEST:
        return word
    return _without_final_e(_in_base_form(word))


def _in_base_form(word: str) -> str:
    word = _past(_plural(word))
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _without_final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    measure = _measure(word[:-1])
    return word[:-1] if measure > 1 or (measure == 1 and not _ends_short(word[:-1])) else word


def _plural(word: str) -> str:
    if word.endswith("sses") or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) > 0 else word
    suffix = "ed" if word.endswith("ed") else "ing" if word.endswith("ing") else ""
    if not suffix or not _has_vowel(word[: -len(suffix)]):
        return word
    word = word[: -len(suffix)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _ends_double(word) and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replaced(word: str, suffixes: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in suffixes:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    suffix = max((suffix for suffix in _STEP_4 if word.endswith(suffix)), key=len, default="")
    rest = word[: len(word) - len(suffix)]
    if not suffix or _measure(rest) < 2 or (suffix == "ion" and not rest.endswith(("s", "t"))):
        return word
    return rest


def _is_consonant(word: str, place: int) -> bool:
    letter = word[place]
    if letter == "y":
        return place == 0 or not _is_consonant(word, place - 1)
    return letter not in "aeiou"


def _measure(word: str) -> int:
    """Count how often consonants follow vowels."""
    count = 0
    was_vowel = False
    for place in range(len(word)):
        is_consonant = _is_consonant(word, place)
        count += is_consonant and was_vowel
        was_vowel = not is_consonant
    return count


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, place) for place in range(len(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_short(word: str) -> bool:
    """Return True if the word ends in consonant, vowel, consonant, and the last one is not w, x or y."""
    last = len(word) - 1
    return (
        last >= 2
        and _is_consonant(word, last)
        and not _is_consonant(word, last - 1)
        and _is_consonant(word, last - 2)
        and word[last] not in "wxy"
    )


WORD = "w"
"""A term of the text, a topic, a place or a name."""
SPEAKER = "s"
"""A word of the speaker's name in the memory."""
NAMED = "n"
"""A word of the name of a participant or an entity."""


def entry(npc: int, kind: str, term: str) -> str:
    """A term as the index holds it: the number of the NPC, the kind, the term."""
    return f"{npc}{kind}{term}"


def index_terms(
    text: str, speaker: str, participants: str, entities: str, topics: str, location: str
) -> list[str]:
    """The kinds and terms of a memory, like "wmill"; participants, entities and topics are JSON lists."""
    return list(_index_terms(text, speaker, participants, entities, topics, location))


@functools.lru_cache(64)
def _index_terms(
    text: str, speaker: str, participants: str, entities: str, topics: str, location: str
) -> tuple[str, ...]:
    """The same; a memory that is stored needs them for the save and for the index that is loaded."""
    named = f"{_joined(participants)} {_joined(entities)}"
    entries = [WORD + term for term in terms(f"{text} {named} {_joined(topics)} {location}")]
    entries += [SPEAKER + word for word in words(speaker)]
    entries += [NAMED + word for word in words(named)]
    return tuple(dict.fromkeys(entries))


def keyword_entry(
    npc: int, text: str, speaker: str, participants: str, entities: str, topics: str, location: str
) -> str:
    """Return the index entry of a memory: its terms with spaces between them."""
    prefix = str(npc)
    return " ".join(
        prefix + term for term in index_terms(text, speaker, participants, entities, topics, location)
    )


def entered_terms(npc: int, keywords: str) -> list[str]:
    """The kinds and terms of what keyword_entry() has made for a memory of this NPC."""
    prefix = str(npc)
    return keywords[len(prefix) :].split(f" {prefix}") if keywords else []


@functools.lru_cache(4096)
def _joined(items: str) -> str:
    """Return the joined texts. The same few participants and topics occur again and again."""
    return "" if items == "[]" else " ".join(map(str, list_in(items)))
