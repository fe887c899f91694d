"""Which memories tell that the NPC and the player have met."""

from __future__ import annotations

import json
import re

from rag_memory.memory.classification import FIRST_MILESTONES
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import PLAYER_SLOT

FIRST_MEETING = "first_meeting"
SHARED_EVENTS = (
    FIRST_MEETING,
    "meeting",
    "conversation",
    "player_action",
    "player_info",
    "gift_given",
    "gift_received",
)
"""Events that NPC and player have together, unless the memory names others who took part."""

MEETING_EVENTS = (*SHARED_EVENTS, *FIRST_MILESTONES, *FIRST_MILESTONES.values())
"""The types of all events that may tell of a meeting although nothing in them names the player."""
_THE_PLAYER = ("player", "the player")
_NPC_ITSELF = ("", "i", "we")
_WITH_THE_PLAYER = re.compile(r"(?:the player|(?:I|we) \w+ the player)\b", re.IGNORECASE)


def tells_of_meeting(record: Record) -> bool:
    """Whether the NPC must have met the player for a memory like this: the player took part or spoke, it is
    about what the two have done, or it is how the NPC stands to the player. That somebody else told of the
    player is no meeting.
    """
    if record.event_type == FIRST_MEETING or record.milestone_type in FIRST_MILESTONES.values():
        return True
    participants = [name.casefold() for name in json.loads(record.participants)]
    if PLAYER in participants or record.slot_type == PLAYER_SLOT:
        return True
    speaker = record.speaker.casefold()
    if participants or speaker not in _NPC_ITSELF:
        return speaker in _THE_PLAYER
    return record.event_type in SHARED_EVENTS or _WITH_THE_PLAYER.match(record.document_full) is not None
