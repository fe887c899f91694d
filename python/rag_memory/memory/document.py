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
"""The kind and the id of the document that says which campaign a save belongs to, and which lore it searches:
{campaign: String, lore: Array of keys}, each when it was told.
"""

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
    """Whose it is, such as the npc_id of a conversation; "" for the world's own."""
    content: Mapping[str, Any]
    timestamp: float
    """When it happened, in the game's time."""
    stored_at: float
    """When this version was written."""
