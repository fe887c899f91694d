"""The relationship header: one line on how an NPC stands to the player, generated anew for every answer."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.classification import FIRST_MILESTONES
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import HEADER_SLOT, Record
from rag_memory.validation import validate_flag, validate_number, warn_of_slips, wrong_type

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

PLAYER_RELATIONSHIP_SLOT = f"relationship:{PLAYER}"
DEFAULT_STATE: Mapping[str, int] = {"trust": 50, "affection": 0, "fear": 0, "respect": 30, "familiarity": 10}
"""The values in the header of dimensions that nothing has set."""
RANGES: Mapping[str, tuple[int, int]] = {
    "trust": (-100, 100),
    "respect": (-100, 100),
    "affection": (-100, 100),
    "fear": (-100, 100),
    "familiarity": (0, 100),
}

MEETING_EVENTS = (*SHARED_EVENTS, *FIRST_MILESTONES, *FIRST_MILESTONES.values())
"""The types of all events that may tell of a meeting although nothing in them names the player."""
_THE_PLAYER = ("player", "the player")
_NPC_ITSELF = ("", "i", "we")
_WITH_THE_PLAYER = re.compile(r"(?:the player|(?:I|we) \w+ the player)\b", re.IGNORECASE)
SHOWN = (*DEFAULT_STATE, "met")
YIELDS_TO_PROFILE = "yields_to_profile"
"""The key of an initial relationship that counts only where the NPC's profile says nothing."""
_LONGEST_SHOWN_KEY = 40

_LOG = logging.getLogger("rag_memory")

_TERRIFIED_FEAR = 75
_CAUTIOUS_FEAR = 40
_WARM_AFFECTION = 50
_DEVOTED_AFFECTION = 80
_ACQUAINTED_FAMILIARITY = 40
_CLOSE_FAMILIARITY = 60


def validate_dimension(call: str, name: str, value: Any) -> float:
    """A dimension of a relationship within its range: one outside is clamped, with a logged warning.

    Raises:
        InvalidArgumentError: it is no finite number.
    """
    least, most = RANGES[name]
    validate_number(call, name, value)
    clamped: float = max(least, min(most, value))
    if clamped != value:
        _LOG.warning("%s: %s is %s, outside %d to %d, so %s is kept", call, name, value, least, most, clamped)
    return clamped


def validate_state(call: str, state: Any) -> dict[str, Any]:
    """A relationship state whose dimensions are numbers within their ranges (clamped, with a warning) and
    whose `met` and `yields_to_profile` are bools; other keys are kept as they are, with a warning when one
    looks like a slip for a known key that is not there, or when no key is known at all.

    Raises:
        InvalidArgumentError: it is no dictionary, or one of these values has the wrong type.
    """
    if not isinstance(state, Mapping):
        raise wrong_type(call, "state", state, "a Dictionary")
    if any(not isinstance(key, str) for key in state):
        raise InvalidArgumentError(f"{call}: a key of state is no String", "", 'Use keys like "trust"')
    checked = dict(state)
    has_slips = warn_of_slips(call, "state", checked, SHOWN)
    if checked and not has_slips and not any(name in checked for name in SHOWN):
        _LOG.warning(
            "%s: the relationship header does not show %s; it shows %s", call, _list(checked), _list(SHOWN)
        )
    for name in RANGES:
        if name in checked:
            checked[name] = validate_dimension(call, name, checked[name])
    for name in ("met", YIELDS_TO_PROFILE):
        if name in checked:
            validate_flag(call, name, checked[name])
    return checked


def _list(names: Iterable[str]) -> str:
    return ", ".join(json.dumps(name[:_LONGEST_SHOWN_KEY], ensure_ascii=False) for name in names)


def status_label(state: Mapping[str, Any]) -> str:
    """The relationship in a word, from "hostile" to "trusted_ally".

    Trust and affection decide as in the reference design; great fear, and how well the two know each other,
    refine it.
    """
    trust, affection, fear, _, familiarity = (
        int(state.get(name, usual)) for name, usual in DEFAULT_STATE.items()
    )
    if fear >= _TERRIFIED_FEAR:
        return "terrified"
    if trust < 20:
        return "hostile" if affection < 0 else "distrustful"
    if trust < 40:
        return "wary"
    if trust < 60:
        if fear >= _CAUTIOUS_FEAR:
            return "cautious"
        return "acquaintance" if familiarity >= _ACQUAINTED_FAMILIARITY else "neutral"
    close = familiarity >= _CLOSE_FAMILIARITY
    if trust < 80:
        return "close_friend" if affection > _WARM_AFFECTION and close else "friendly"
    if affection > _WARM_AFFECTION:
        return "devoted" if affection > _DEVOTED_AFFECTION and close else "trusted_ally"
    return "respected"


def tells_of_meeting(record: Record) -> bool:
    """Whether the NPC must have met the player for a memory like this: the player took part or spoke, it is
    about what the two have done, or it is how the NPC stands to the player. That somebody else told of the
    player is no meeting.
    """
    if record.event_type == FIRST_MEETING or record.milestone_type in FIRST_MILESTONES.values():
        return True
    participants = [name.casefold() for name in json.loads(record.participants)]
    if PLAYER in participants or record.slot_type == PLAYER_RELATIONSHIP_SLOT:
        return True
    speaker = record.speaker.casefold()
    if participants or speaker not in _NPC_ITSELF:
        return speaker in _THE_PLAYER
    return record.event_type in SHARED_EVENTS or _WITH_THE_PLAYER.match(record.document_full) is not None


def header_record(
    npc_id: str, config: MemoryConfig, state: Mapping[str, Any], first_meeting: float | None, now: float
) -> Record:
    """The header as a memory that is not stored. Its metadata has the numbers under `relationship`:
    the five dimensions as integers, `met`, `days_known` and `status`.

    Args:
        state: as from validate_state(); `met` counts as a meeting of which there is no memory. Without `met`
            any familiarity does.
        first_meeting: when the two first met, in seconds, or None.
    """
    relationship: dict[str, Any] = {
        name: int(state.get(name, usual)) for name, usual in DEFAULT_STATE.items()
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
