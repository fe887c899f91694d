"""Which of the tables a question is read by."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.text.languages.arabic import ARABIC
from rag_memory.text.languages.chinese import CHINESE
from rag_memory.text.languages.french import FRENCH
from rag_memory.text.languages.german import GERMAN
from rag_memory.text.languages.japanese import JAPANESE
from rag_memory.text.languages.korean import KOREAN
from rag_memory.text.languages.portuguese import PORTUGUESE
from rag_memory.text.languages.recall_words import RecallWords
from rag_memory.text.languages.russian import RUSSIAN
from rag_memory.text.languages.spanish import SPANISH
from rag_memory.text.terms import STOP_WORDS, words

TABLES: Mapping[str, RecallWords] = {
    "ar": ARABIC,
    "de": GERMAN,
    "es": SPANISH,
    "fr": FRENCH,
    "ja": JAPANESE,
    "ko": KOREAN,
    "pt": PORTUGUESE,
    "ru": RUSSIAN,
    "zh": CHINESE,
}
"""By the code of the language. English has modules of its own."""
_LATIN = (GERMAN, FRENCH, SPANISH, PORTUGUESE)
_FEWEST_WORDS = 2
_LATIN_LETTERS = lazy_pattern(r"[A-Za-z\u00c0-\u024f]")
_LATIN_WORDS = lazy_pattern(rf"{_LATIN_LETTERS.pattern}+")
_KANA = lazy_pattern(r"[\u3041-\u3096\u30a1-\u30fa]")
_HAN = lazy_pattern(r"[\u3400-\u9fff]")
_HANGUL = lazy_pattern(r"[\u1100-\u11ff\uac00-\ud7a3]")
_ARABIC = lazy_pattern(r"[\u0621-\u064a]")
_NOT_ARABIC = lazy_pattern(r"[\u0671-\u06d3]|\b(?:است|که|این|را)\b")
"""Letters and words of Persian, Urdu and Kurdish."""
_CYRILLIC = lazy_pattern(r"[\u0400-\u04ff]")
_NOT_RUSSIAN = lazy_pattern(
    r"[іїєґўђјљњћџѓќәғқңөұүһ]|ъ(?![еёюя])|\b(?:какво|кой|защо|кога|ми|ти|си|ще|беше|това|има)\b"
)
_NAME = lazy_pattern(r"(?<=[\w,][ \t])(?:[dl]['’])?[A-ZÀ-ÖØ-Þ][a-zß-ÿ][^\W_]*|\b[dl]['’][A-ZÀ-ÖØ-Þ][^\W_]*")
"""A capitalised word that does not open a sentence."""
_NEIGHBOURS = lazy_pattern(
    r"[ășțţğışåøłęążźćśńčřšžěůőű]"
    r"|\b(?:che|è|ho|hai|sono|perché|gli|della|chi|dove|tuo|tua|ieri|cos)\b"  # Italian
    r"|\b(?:är|här|har|vad|var|hvem|hva|hvad|jeg|jag|ikke|inte|och|dig|mig|deg|meg|det|av)\b"  # of the North
    r"|\b(?:het|een|ik|heb|hebt|heeft|jij|jou|jouw|niet|wat|zijn|hij|mijn|waar|voor|gisteren)\b"  # Dutch
    r"|\b(?:què|amb|és|això|vaig|ahir|meva|teva|teu|dels|unde|sunt|când|pe)\b"  # Catalan, Romanian
    r"|\b(?:bana|sana|beni|seni|misin|nerede|mı|mu|mü|dün)\b"  # Turkish
)
"""Letters and words of languages near German, French and Spanish, for questions in lower case. Without
IGNORECASE: for Python, "i" is a form of the Turkish dotless one."""
_PORTUGUESE = lazy_pattern(
    r"[ãõ]|\b(?:você|meus?|minhas?|teus?|algu(?:ma|ém)|ontem|foi|foste|quem|onde|isso|mim|comigo|uma|lembras)\b"
)
"""Letters and words that of these languages only Portuguese has; some of them look like Catalan."""
_SHARED = frozenset(("am", "an", "as", "has", "he", "in", "me", "no", "on", "so", "was"))
"""English words that German, French or Spanish have, too."""


@functools.lru_cache(256)
def recall_words(question: str) -> RecallWords | None:
    """The table of a question's language, by its letters and a few frequent words; None for English and for
    every language without a table.
    """
    latin = len(_LATIN_LETTERS.findall(question))
    kana, han = len(_KANA.findall(question)), len(_HAN.findall(question))
    latin_words = len(_LATIN_WORDS.findall(question))
    if kana + han > latin or (kana + han > latin_words and not _english_words(question)):
        return JAPANESE if kana else CHINESE
    if len(_HANGUL.findall(question)) > latin:
        return KOREAN
    if len(_ARABIC.findall(question)) > latin:
        return None if _NOT_ARABIC.search(question) else ARABIC
    if len(_CYRILLIC.findall(question)) > latin:
        return None if _NOT_RUSSIAN.search(question.lower()) else RUSSIAN
    return _latin_table(question)


def _english_words(question: str) -> list[str]:
    return [word for word in words(question) if word == "i" or (len(word) > 1 and word in STOP_WORDS)]


def _latin_table(question: str) -> RecallWords | None:
    nameless = _NAME.sub(" ", question)
    lower = nameless.lower()
    is_portuguese = _PORTUGUESE.search(lower) is not None
    if not is_portuguese and _NEIGHBOURS.search(lower):
        return None
    # Words such as "me" are of several languages: they speak for English only, and "a" and "t" for none.
    # Where something can be of one language only, they do not speak at all.
    english = _english_words(question)
    foreign = [word for word in words(nameless) if word not in STOP_WORDS]
    counts = [table.count_in(nameless, foreign) for table in _LATIN]
    if _SHARED.issuperset(english):
        sure = [table.is_sure(nameless) for table in _LATIN]
        counts = [count + _FEWEST_WORDS * is_sure for count, is_sure in zip(counts, sure, strict=True)]
        english = [] if any(sure) else english
    own = [
        not table.has_foreign_words(lower) and (table is PORTUGUESE or not is_portuguese) for table in _LATIN
    ]
    counts = [count * is_own for count, is_own in zip(counts, own, strict=True)]
    most = max(counts)
    is_clear = most >= _FEWEST_WORDS and most > len(english) and counts.count(most) == 1
    return _LATIN[counts.index(most)] if is_clear else None
