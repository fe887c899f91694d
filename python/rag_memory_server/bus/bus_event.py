"""An event of the bus: what was sent, checked, and what an NPC perceives of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import (
    shown,
    to_json,
    validate_metadata,
    validate_number,
    validate_text,
    wrong_type,
)

INTERACTION, COMBAT, QUEST, GIFT = "interaction_recorded", "combat_hit", "quest_completed", "item_gifted"
PROXIMITY = "proximity_update"
KEPT_TYPES = (INTERACTION, COMBAT, QUEST, GIFT)
"""Kinds of events that must not be lost."""
TYPES = (*KEPT_TYPES, PROXIMITY)

IN_STREAM = b',"inStream":true}'
"""The end of an event on the channel that is in the stream, too: games take it from there."""

_MOST_BYTES = 64 * 1024
_LONGEST_ID = 200
_MOST_NEARBY = 1000
_ACTIONS = {COMBAT: "attacked", QUEST: "helped", GIFT: "gifted"}
"""The text of an event without an action."""
_OWN = ("type", "eventId", "npcId", "entityId", "timestamp")
_NAMES = {
    "sourceId": "source_id",
    "sourceName": "source_name",
    "healthBefore": "health_before",
    "healthAfter": "health_after",
    "knownTo": "known_to",
}
"""Names of keys for perceive(). Other keys are passed unchanged."""
_BEINGS = ("character", "companion")
_COMPANION = "companion"


class BusEvent(NamedTuple):
    """An event with its id, which is the same however often it is delivered."""

    id: str
    type: str
    npc_id: str
    fields: dict[str, Any]
    """All of it."""

    def perceived(self, now: float) -> dict[str, Any]:
        """The event for perceive(). Future times become now, because the clocks of machines differ."""
        event = {_NAMES.get(key, key): value for key, value in self.fields.items() if key not in _OWN}
        if not event.get("action") and self.type in _ACTIONS:
            event["action"] = _ACTIONS[self.type]
        if "timestamp" in self.fields:
            event["timestamp"] = min(self.fields["timestamp"] / 1000.0, now)
        return event

    def nearby(self, is_companion: bool = False) -> list[str]:
        """The characters near the NPC in a proximity_update, with companions, or companions only."""
        kinds = (_COMPANION,) if is_companion else _BEINGS
        npc_ids = []
        for neighbour in self.fields.get("nearby", []):
            if isinstance(neighbour, str):
                npc_ids.append(neighbour)
            elif neighbour.get("type", _COMPANION) in kinds:
                npc_ids.append(neighbour["id"])
        return list(dict.fromkeys(npc_ids))


def read_event(payload: Any, entry: str) -> BusEvent:
    """An event as it came from the server; without an id of its own it has that of its entry.

    Raises:
        InvalidArgumentError: it is none; names what is wrong.
    """
    if not isinstance(payload, bytes):
        raise InvalidArgumentError("an entry of the bus has no event", "", "Send it with publish_event()")
    if len(payload) > _MOST_BYTES:
        raise InvalidArgumentError(
            f"an event of the bus has {len(payload):,} bytes", f"it may have {_MOST_BYTES:,}", "Send less"
        )
    try:
        fields = json.loads(payload.decode("utf-8"), parse_constant=_refuse_number)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            "an event of the bus is no JSON", str(error)[:200], "Correct it"
        ) from error
    event = _checked(fields, "an event of the bus")
    return event if event.id else event._replace(id=entry)


def written_event(event: Any) -> tuple[BusEvent, bytes]:
    """An event that is to be published, with an id, and its bytes.

    Raises:
        InvalidArgumentError: it is none; names what is wrong.
    """
    checked = _checked(event, "publish_event()")
    id = checked.id or uuid.uuid4().hex
    checked = checked._replace(id=id, fields={**checked.fields, "eventId": id})
    payload = to_json(checked.fields).encode("utf-8")
    if len(payload) > _MOST_BYTES:
        raise InvalidArgumentError(
            f"publish_event(): the event has {len(payload):,} bytes",
            f"it may have {_MOST_BYTES:,}",
            "Send less",
        )
    return checked, payload


def _checked(event: Any, where: str) -> BusEvent:
    if not isinstance(event, Mapping):
        raise wrong_type(where, "it", event, "a Dictionary")
    fields: dict[str, Any] = validate_metadata(where, "event", event)
    type = validate_text(where, "type", fields.get("type"))
    if type not in TYPES:
        raise InvalidArgumentError(
            f"{where}: its type is {shown(type)}", "there is no such type", f"Use one of {', '.join(TYPES)}"
        )
    named = "npcId" if "npcId" in fields or type != PROXIMITY else "entityId"
    npc_id = _id(where, named, fields.get(named))
    id = _id(where, "eventId", fields["eventId"]) if "eventId" in fields else ""
    if "timestamp" in fields:
        validate_number(where, "timestamp", fields["timestamp"])
    if type == PROXIMITY:
        _check_nearby(where, fields.get("nearby", []))
    return BusEvent(id, type, npc_id, fields)


def _id(where: str, name: str, value: Any) -> str:
    text = validate_text(where, name, value)
    if not text.strip() or len(text) > _LONGEST_ID:
        raise InvalidArgumentError(
            f"{where}: {name} is {shown(text)}", f"it has to have 1 to {_LONGEST_ID} characters", "Correct it"
        )
    return text


def _check_nearby(where: str, nearby: Any) -> None:
    if not isinstance(nearby, list):
        raise wrong_type(where, "nearby", nearby, "an Array")
    if len(nearby) > _MOST_NEARBY:
        raise InvalidArgumentError(
            f"{where}: nearby has {len(nearby):,} items", f"it may have {_MOST_NEARBY:,}", "Name the nearest"
        )
    for number, neighbour in enumerate(nearby):
        _id(where, f"nearby[{number}]", neighbour.get("id") if isinstance(neighbour, Mapping) else neighbour)


def _refuse_number(text: str) -> None:
    raise ValueError(f"{text} is no number that JSON has")
