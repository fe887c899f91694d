"""The name by which an NPC knows the player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.memory.event_templates import PLAYER
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, written_name


def player_name(records: OwnedRecords, from_game: str, disposition: Mapping[str, Any]) -> str:
    """Return the name, or "" when the NPC knows none.

    The one that the game gives comes first, then what the NPC has learned, then how events named the player.
    """
    if from_game:
        return from_game
    record = records.in_slot(PLAYER_NAME_SLOT)
    if record is not None:
        before, _, after = records.config.sentence("learned_name").partition("{name}")
        text = record.document_full
        if text.startswith(before) and text.endswith(after):
            return text[len(before) : len(text) - len(after)]
        return " ".join(written_name(record))
    name = str(disposition.get("name", ""))
    return "" if name == PLAYER else name
