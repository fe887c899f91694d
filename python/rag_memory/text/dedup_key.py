"""Memories that say the same in nearly the same words: an answer needs only one of them."""

from __future__ import annotations

import functools
import unicodedata

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.name_check import is_common_word
from rag_memory.text.terms import uninflected, words

_WITHOUT_MEANING = frozenset(
    """
    a again also am an and are be been being did do does had has have is just me now really so some that the
    then there these this those too very was were
    """.split()  # noqa: SIM905 - as a list literal, nobody could read it
)
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_CAPITALISED = lazy_pattern(r"[A-Z](?<![A-Za-z].)[A-Za-z]*")
"""The words of _LETTERS in ASCII that begin with a capital. The characters before are matched last, because a
set of characters is found more quickly.
"""
_SENTENCE_END = ".!?…:;。！？"
_BEFORE_SENTENCE = " \t\"'“”„‘’‚«([*—-"
_LONGEST_BEFORE_SENTENCE = 8
_MINUS = lazy_pattern(r"(?<!\S)[-\u2212](?=[\d.])")
_ASCII_SYMBOL = lazy_pattern(r"[$%+<=>]")
_SYMBOLS = frozenset({"So", "Sc", "Sm"})


@functools.lru_cache(16384)
def dedup_key(text: str) -> tuple[str, ...]:
    """Return a key of a text's content, without case, accents, punctuation, plurals, endings of verbs and
    words without meaning.

    Texts with the same key are near-duplicates. The order of words, numbers, names, negations, prepositions
    and symbols all count: "Edda sold the mare to Nils" is not "Nils sold the mare to Edda". A word that is
    capitalised within a sentence, or opens one and is no common word, is a name and keeps its ending: Anne is
    not Ann. Similar embeddings are no sign of it: those two have a cosine of 0.97.
    """
    names = _names(text)
    signed = _MINUS.sub("minus ", text) if "-" in text or "\u2212" in text else text
    kept_words = tuple(
        [
            uninflected(word) if word not in names and word.isascii() else word
            for word in words(signed)
            if word not in _WITHOUT_MEANING
        ]
    )
    return kept_words + _symbols(text) or (text,)


def _names(text: str) -> set[str]:
    """The capitalised words of a text, as words() gives them, but no ordinary openers of sentences and
    nothing that is only shouted.
    """
    names: set[str] = set()
    # A text is looked at when it is first a candidate, in the middle of a question: most have few capitals.
    for match in (_CAPITALISED if text.isascii() else _LETTERS).finditer(text):
        word = match.group()
        if not word[0].isupper() or (len(word) > 1 and word.isupper()):
            continue
        if _is_ordinary(word.lower()) and _opens_sentence(text, match.start()):
            continue
        names.update(words(word))
    return names


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _LONGEST_BEFORE_SENTENCE) : start].rstrip(_BEFORE_SENTENCE)
    return not before or before[-1] in _SENTENCE_END or before[-1].isspace()


@functools.lru_cache(4096)
def _is_ordinary(word: str) -> bool:
    return word in _WITHOUT_MEANING or is_common_word(word)


def _symbols(text: str) -> tuple[str, ...]:
    if text.isascii():
        return tuple(_ASCII_SYMBOL.findall(text))
    return tuple(
        character
        for character in text
        if (_ASCII_SYMBOL.match(character) if character < "\x80" else _is_symbol(character))
    )


def _is_symbol(character: str) -> bool:
    return unicodedata.category(character) in _SYMBOLS
