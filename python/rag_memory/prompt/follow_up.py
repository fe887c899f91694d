"""What an NPC without a language model says to a short question about the memory that it has just told."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.company import OVERHEARD
from rag_memory.memory.document import TIMELESS
from rag_memory.memory.event_templates import WITNESSED_EVENT
from rag_memory.memory.kind import FACT, REFLECTION, SUMMARY
from rag_memory.memory.record import DEFAULT_EVENT_TYPE
from rag_memory.prompt.player_line import HOW_MUCH, SOURCE, SURE, WHEN, WHERE, WHY, tells
from rag_memory.prompt.spoken_memory import DISPUTED, MY_WORDS, TO_YOU, YOUR_WORDS, Passage, SpokenMemory
from rag_memory.text.language import looks_english
from rag_memory.text.languages.tables import TABLES, recall_words
from rag_memory.text.number_words import CARDINAL
from rag_memory.text.relative_days import relative_days
from rag_memory.text.tense import asks_about_now
from rag_memory.world.rumors import RUMOR_HEARD

_NUMBER = lazy_pattern(rf"\d|\b(?:{CARDINAL})\b", re.IGNORECASE)
_GENITIVE = lazy_pattern("['’]s\\b")
_UNKNOWN = {
    WHY: "says_not_why",
    WHEN: "says_not_when",
    WHERE: "says_not_where",
    HOW_MUCH: "says_not_how_much",
    SOURCE: "says_not_source",
    SURE: "says_sure",
}


class FollowUp(NamedTuple):
    """A short question about a memory, and what the NPC knows of the memory besides its text."""

    kind: str
    """What is asked, as from follow_up_of()."""
    memory: Mapping[str, Any]
    age: str
    """How long ago it was that the NPC saw, did or heard it, in words."""
    teller: str = ""
    """The name of the other character who told it, "" for nobody."""
    is_from_asker: bool = False
    """True if whoever asks has told it."""


def answer_of(
    config: MemoryConfig, asked: FollowUp, spoken: SpokenMemory
) -> tuple[Passage, str, dict[str, str]] | None:
    """Return the passage of the memory, and the key of what the NPC says with its values; "" when the passage
    itself tells what is asked. None when nothing of the memory can be said.
    """
    states = functools.partial(_states, config, asked.kind)
    passage = spoken.passage(asked.memory, lambda text: float(states(text)))
    if passage is None:
        return None
    metadata, unknown = asked.memory["metadata"], _UNKNOWN[asked.kind]
    is_heard = bool(asked.teller) or asked.is_from_asker or metadata["event_type"] in (RUMOR_HEARD, OVERHEARD)
    is_said = is_heard or passage.voice in (YOUR_WORDS, DISPUTED, MY_WORDS)
    if asked.kind in (SOURCE, SURE):
        key, values = _source(asked, passage, spoken), {"name": asked.teller}
        return passage, unknown if key is None else key, values
    if asked.kind == WHERE and metadata["location"] and not is_said:
        return passage, "says_where", {"place": metadata["location"]}
    if states(passage.text + passage.note):
        return passage, "", {}
    if asked.kind == WHEN and _is_dated(asked.memory, is_said):
        is_heard |= passage.voice in (YOUR_WORDS, DISPUTED)
        return passage, "says_when_heard" if is_heard else "says_when", {"age": asked.age}
    return passage, unknown, {}


def is_unknown(key: str) -> bool:
    """Return True if an NPC owns up in the sentence of a key to not knowing what is asked."""
    return key in _UNKNOWN.values() and key != _UNKNOWN[SURE]


def _source(asked: FollowUp, passage: Passage, spoken: SpokenMemory) -> str | None:
    """The key of how the NPC knows it; "" when the passage says so, and None when nothing does."""
    metadata = asked.memory["metadata"]
    if asked.is_from_asker or passage.voice == YOUR_WORDS:
        return "says_you_said"
    if metadata["event_type"] == RUMOR_HEARD:
        return "says_rumor_from" if asked.teller else "says_rumor"
    if metadata["event_type"] == OVERHEARD:
        return "says_overheard"
    if asked.teller:
        return "says_told_by"
    if metadata["event_type"] == WITNESSED_EVENT or "source_id" in metadata:
        return "says_saw"
    if passage.voice in (MY_WORDS, DISPUTED) or spoken.is_own(passage.text):
        return ""
    return "says_you_know" if passage.voice == TO_YOU or spoken.is_done_by_asker(asked.memory) else None


def _states(config: MemoryConfig, kind: str, text: str) -> bool:
    """Return True if a text may say what is asked."""
    tables = () if looks_english([text]) else TABLES.values()
    if kind == HOW_MUCH:
        return _NUMBER.search(text) is not None or any(table.has_number(text) for table in tables)
    if kind == WHEN and (relative_days(text) or any(table.english_time(text)[0] for table in tables)):
        return True
    return kind in (WHY, WHEN, WHERE) and tells(config, f"line_told_{kind}", text)


def _is_dated(memory: Mapping[str, Any], is_said: bool) -> bool:
    """Return True if the time of a memory is that of what it tells, or of when it was said."""
    metadata, text = memory["metadata"], str(memory["document_full"])
    if metadata["timestamp"] <= TIMELESS or metadata["slot_type"]:
        return False
    if is_said:
        return True
    if metadata["kind"] in (FACT, REFLECTION) or metadata["event_type"] == SUMMARY:
        return False
    is_english = looks_english([text]) or (recall_words(text) is None and text.isascii())
    is_past = is_english and not asks_about_now(_GENITIVE.sub("", text))
    return is_past or metadata["event_type"] != DEFAULT_EVENT_TYPE
