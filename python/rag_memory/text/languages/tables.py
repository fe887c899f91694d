"""Which of the tables a question is read by."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.chinese import CHINESE
from rag_memory.text.languages.french import FRENCH
from rag_memory.text.languages.german import GERMAN
from rag_memory.text.languages.japanese import JAPANESE
from rag_memory.text.languages.recall_words import RecallWords
from rag_memory.text.languages.russian import RUSSIAN
from rag_memory.text.languages.spanish import SPANISH
from rag_memory.text.terms import STOP_WORDS, words

TABLES: Mapping[str, RecallWords] = {
    "de": GERMAN,
    "es": SPANISH,
    "fr": FRENCH,
    "ja": JAPANESE,
    "ru": RUSSIAN,
    "zh": CHINESE,
}
"""By the code of the language. English has modules of its own."""
_LATIN = (GERMAN, FRENCH, SPANISH)
_FEWEST_WORDS = 2
_LATIN_LETTERS = lazy_pattern(r"[A-Za-z\u00c0-\u024f]")
_KANA = lazy_pattern(r"[\u3041-\u30ff]")
_HAN = lazy_pattern(r"[\u3400-\u9fff]")
_CYRILLIC = lazy_pattern(r"[\u0400-\u04ff]")
_NOT_RUSSIAN = lazy_pattern(r"[іїєґўђјљњћџѓќ]")


@functools.lru_cache(256)
def recall_words(question: str) -> RecallWords | None:
    """The table of a question's language, by its letters and a few frequent words; None for English and for
    every language without a table.
    """
    latin = len(_LATIN_LETTERS.findall(question))
    kana, han = len(_KANA.findall(question)), len(_HAN.findall(question))
    if kana + han > latin:
        return JAPANESE if kana else CHINESE
    if len(_CYRILLIC.findall(question)) > latin:
        return None if _NOT_RUSSIAN.search(question.lower()) else RUSSIAN
    return _latin_table(question)


def _latin_table(question: str) -> RecallWords | None:
    folded = words(question)
    # Words such as "me" are of several languages: they speak for English only, and "a" and "t" for none.
    english = sum(word == "i" or (len(word) > 1 and word in STOP_WORDS) for word in folded)
    counts = [
        table.count_in(question, [word for word in folded if word not in STOP_WORDS]) for table in _LATIN
    ]
    most = max(counts)
    is_clear = most >= _FEWEST_WORDS and most > english and counts.count(most) == 1
    return _LATIN[counts.index(most)] if is_clear else None
