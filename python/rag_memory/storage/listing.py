"""What a list of one NPC's memories holds, and in which order."""

from __future__ import annotations

from typing import NamedTuple

from rag_memory.storage.filter import Condition

SORTS = ("timestamp", "importance", "memory_tier", "event_type", "id", "text")
ARCHIVE_SORTS = (*SORTS, "archived_at", "archived_reason")
SEARCHED = ("document_full", "participants", "topics", "entities", "location")
"""The fields of an archived memory in which words are searched."""


class Listing(NamedTuple):
    """A list of memories, or of what the archive holds of them.

    All conditions have to hold, and all words have to occur. A memory has a word in any of its forms, or as
    the beginning of a longer one; an archived memory has its letters anywhere. `sort` is one of SORTS, or of
    ARCHIVE_SORTS; what is equal by it comes in the order in which it was stored.
    """

    conditions: tuple[Condition, ...]
    words: tuple[str, ...]
    is_archive: bool
    sort: str
    is_descending: bool
