"""The entries of the keyword index: the terms of a memory, each marked with the NPC and its kind.

One FTS5 index serves all NPCs of a save. Because the NPC is part of every term, looking a term up reads the
memories of that NPC only, however many others there are.
"""

from __future__ import annotations

import functools

from rag_memory.text.terms import terms, words
from rag_memory.validation import list_in

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
    named = f"{_joined(participants)} {_joined(entities)}"
    entries = [WORD + term for term in terms(f"{text} {named} {_joined(topics)} {location}")]
    entries += [SPEAKER + word for word in words(speaker)]
    entries += [NAMED + word for word in words(named)]
    return list(dict.fromkeys(entries))


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
