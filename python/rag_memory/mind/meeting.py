"""Which memories tell that the NPC and the player have met."""

from __future__ import annotations

import re

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.classification import FIRST_MILESTONES
from rag_memory.memory.company import OVERHEARD
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.former_player import is_of_former_player
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import PLAYER_SLOT, slot_of
from rag_memory.validation import list_in

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
_WITH_THE_PLAYER = lazy_pattern(r"(?:the player|(?:I|we) \w+ the player)\b", re.IGNORECASE)


def tells_of_meeting(record: Record) -> bool:
    """Return whether a memory proves that the NPC has met the player; see tells_of_meeting_with() for others.

    It does if the player took part or spoke, if it is about something that the two did, or if it is their
    relationship. Hearing of the player from others is no meeting.
    """
    if is_of_former_player(record) or record.event_type == OVERHEARD:
        return False
    speaker = record.speaker.casefold()
    is_first = record.event_type == FIRST_MEETING or record.milestone_type in FIRST_MILESTONES.values()
    if is_first and speaker in (*_NPC_ITSELF, *_THE_PLAYER):
        return True
    participants = [name.casefold() for name in list_in(record.participants)]
    if PLAYER in participants or record.slot_type == PLAYER_SLOT:
        return True
    if participants or speaker not in _NPC_ITSELF:
        return speaker in _THE_PLAYER
    return record.event_type in SHARED_EVENTS or _WITH_THE_PLAYER.match(record.document_full) is not None


def tells_of_meeting_with(record: Record, id: str) -> bool:
    """Return whether a memory proves that the NPC has met a character: they spoke, or both took part."""
    if record.event_type == OVERHEARD:
        return False
    return id in (*list_in(record.participants), record.speaker) or record.slot_type == slot_of("", id)
