"""One version of something that the world keeps: a character, an event, a task, a line of a conversation.

A change adds a version, and the newest one holds. So going back in time is forgetting the latest versions.
What is searched, such as an event, has a memory beside it, under the same id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

TIMELESS = -9.0e15
"""The `timestamp` and `stored_at` of what no rollback takes away, such as lore."""

CAMPAIGN = "campaign"
"""The kind and the id of the document with what a save says of itself: {campaign, name, mod_profile: String,
lore: Array of keys, created, last_played: seconds since 1970, generation: int}, each only if it was set.
"""
PLAYED = ("created", "last_played", "generation")
"""Its keys that change because the save is opened."""

TURN = "turn"
"""The kind of the documents with one turn of a conversation each."""

CONVERSATION_SUMMARY = "summary"
"""The kind of the documents with a summary of older turns."""

HANDLED_EVENT = "handled_event"
"""The kind of the documents that say which events of a bus an NPC has perceived: {entry: String}."""

SYNCED = "synced"
"""The kind of the documents that say when an NPC's hot memory was last made anew: {syncedToRedisAt: int}."""


class Document(NamedTuple):
    """A version of a document. `content` holds what JSON keeps; empty: it was removed."""

    key: int
    kind: str
    id: str
    owner: str
    """The owner, such as the npc_id of a conversation; "" for the world itself."""
    content: Mapping[str, Any]
    timestamp: float
    """The game time of the event."""
    stored_at: float
    """The game time at which this version was written."""
    exchange_id: str = ""
    """The exchange that wrote this version; "" for none."""
