"""Which tables the words of a talk are read by."""

from __future__ import annotations

from rag_memory.conversation.languages.chinese import TALK_CHINESE
from rag_memory.conversation.languages.french import TALK_FRENCH
from rag_memory.conversation.languages.german import TALK_GERMAN
from rag_memory.conversation.languages.japanese import TALK_JAPANESE
from rag_memory.conversation.languages.portuguese import TALK_PORTUGUESE
from rag_memory.conversation.languages.russian import TALK_RUSSIAN
from rag_memory.conversation.languages.spanish import TALK_SPANISH
from rag_memory.conversation.languages.talk_words import TalkWords
from rag_memory.text.languages.portuguese import PORTUGUESE
from rag_memory.text.languages.spanish import SPANISH
from rag_memory.text.languages.tables import recall_words
from rag_memory.text.terms import STOP_WORDS, words

TALK_TABLES = {
    "de": TALK_GERMAN,
    "es": TALK_SPANISH,
    "fr": TALK_FRENCH,
    "ja": TALK_JAPANESE,
    "pt": TALK_PORTUGUESE,
    "ru": TALK_RUSSIAN,
    "zh": TALK_CHINESE,
}
"""By the code of the language. English has modules of its own, and in every other language the rules are silent."""
_SHARED = frozenset(("am", "an", "as", "do", "has", "he", "in", "me", "no", "on", "so", "was"))
"""English words that other languages have, too."""


def talk_tables(message: str) -> list[TalkWords]:
    """Return the tables by which a message may be read: that of its language, or where a few words do not tell
    it, those of its letters; none for English.
    """
    recall = recall_words(message)
    tables = TALK_TABLES.values()
    if recall is not None:
        is_iberian = recall in (SPANISH, PORTUGUESE)
        return [t for t in tables if t.recall is recall or (is_iberian and t.recall in (SPANISH, PORTUGUESE))]
    if any(word in STOP_WORDS and word not in _SHARED for word in words(message) if len(word) > 1):
        return []
    return [table for table in tables if table.recall.has_spaces]
