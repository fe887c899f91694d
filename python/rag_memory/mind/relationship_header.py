"""The relationship header: one line on how an NPC stands to the player, generated anew for every answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.memory.record import HEADER_SLOT, Record
from rag_memory.mind.relationship import status_label


def header_record(
    npc_id: str, config: MemoryConfig, state: Mapping[str, Any], first_meeting: float | None, now: float
) -> Record:
    """The header as a memory that is not stored. Its metadata has the numbers under `relationship`:
    the five dimensions as integers, `met`, `days_known` and `status`.

    Args:
        state: as from validate_relationship(); `met` counts as a meeting of which there is no memory. Without
            `met` any familiarity does.
        first_meeting: when the two first met, in seconds, or None.
    """
    relationship: dict[str, Any] = {
        name: int(state.get(name, scale.usual)) for name, scale in DIMENSIONS.items()
    }
    is_familiar = state.get("familiarity", 0) > 0
    relationship["met"] = first_meeting is not None or bool(state.get("met", is_familiar))
    since = 0.0 if first_meeting is None else now - first_meeting
    relationship["days_known"] = max(0, int(since / CALENDAR.seconds_per_day))
    relationship["status"] = status_label(state)
    text = header_text(config, relationship)
    return Record(
        key=-1,
        id=f"{npc_id}_{HEADER_SLOT}",
        document_full=text,
        document_short=text,
        event_type=HEADER_SLOT,
        importance=10,
        timestamp=now,
        memory_tier=0,
        is_milestone=0,
        milestone_type="",
        emotion="",
        info_type="",
        slot_type=HEADER_SLOT,
        location="",
        interaction_type="",
        participants="[]",
        topics="[]",
        entities="[]",
        superseded_by="",
        superseded_at=0.0,
        extra=json.dumps({"relationship": relationship}),
        speaker="",
    )


def header_text(config: MemoryConfig, relationship: Mapping[str, Any]) -> str:
    """The line itself, of the numbers in the header's metadata."""
    values = {
        **relationship,
        "met": config.sentence("met" if relationship["met"] else "not_met"),
        "days": relationship["days_known"],
        "status": config.sentence(f"status_{relationship['status']}").replace(" ", "_"),
    }
    return config.sentence("header", **values)
