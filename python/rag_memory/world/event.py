"""An event of the world: its keys, as the game passes them and as they are stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.record import validate_importance
from rag_memory.validation import (
    shown,
    validate_fields,
    validate_number,
    validate_text,
)
from rag_memory.world.days import day_of
from rag_memory.world.who_knows import (
    FACTION,
    GLOBAL,
    LOCAL,
    PRIVATE,
    VISIBILITIES,
    validate_known_by,
)

NEVER = -1.0
EVENT, RUMOR = "event", "rumor"
"""Kinds of documents: an event, and who heard of one."""
DEFAULT_IMPORTANCE = 5
DEFAULT_TYPE = "general"
TEXTS = ("title", "summary", "location", "actor", "target", "actor_faction", "target_faction")
KEYS = ("event_type", *TEXTS, "importance", "known_by", "visibility", "day", "expires_day")
OF_ANSWERS = ("id", "text", "confidence", "relevance", "expired")
"""Keys of an event that was read; they are ignored when it is recorded again."""


def validate_event(call: str, event: Any, today: float) -> dict[str, Any]:
    """Check an event that the game passed, and fill in the keys that are missing.

    Raises:
        InvalidArgumentError: a value has the wrong type, or there is no summary.
    """
    fields = validate_fields(call, "event", event, KEYS)
    checked: dict[str, Any] = {"event_type": _text(call, fields, "event_type").strip() or DEFAULT_TYPE}
    for name in TEXTS:
        checked[name] = _text(call, fields, name)
    checked["summary"] = checked["summary"].strip() or checked["title"].strip()
    if not checked["summary"]:
        raise InvalidArgumentError(
            f"{call}: the event has no summary", "it is what NPCs tell of it", 'Add the key "summary"'
        )
    checked["importance"] = validate_importance(call, fields.get("importance", DEFAULT_IMPORTANCE))
    checked["known_by"] = validate_known_by(call, fields.get("known_by", []))
    visibility = fields.get("visibility", PRIVATE if checked["known_by"] else GLOBAL)
    checked["visibility"] = validate_visibility(call, visibility)
    checked["day"] = day_of(call, fields, "day", today)
    checked["expires_day"] = validate_number(call, "expires_day", fields.get("expires_day", NEVER))
    for name, value in fields.items():
        if name not in checked and name not in OF_ANSWERS:
            checked[name] = value
    return checked


def check_reach(
    call: str,
    event: Mapping[str, Any],
    remedy: str = 'Add the key "actor_faction" or "target_faction", or register the faction of its actor',
) -> None:
    """Refuse an event that nobody would learn of, because a key is missing; `remedy` is the advice."""
    visibility = event["visibility"]
    if visibility == LOCAL and not event["location"].strip():
        raise InvalidArgumentError(
            f"{call}: what happens is local and has no location",
            "those who are there learn of it",
            'Add the key "location", or use another visibility',
        )
    if visibility == FACTION and not (event["actor_faction"].strip() or event["target_faction"].strip()):
        raise InvalidArgumentError(
            f"{call}: the event is for a faction and names none",
            "only its members learn of such an event",
            remedy,
        )


def validate_visibility(call: str, value: Any) -> str:
    """Return one of VISIBILITIES for a text in upper or lower case."""
    visibility = validate_text(call, "visibility", value).strip().lower()
    if visibility not in VISIBILITIES:
        choices = ", ".join(f'"{name}"' for name in VISIBILITIES)
        raise InvalidArgumentError(
            f"{call}: visibility is {shown(value)}", "there is no such visibility", f"Use one of {choices}"
        )
    return visibility


def has_expired(event: Mapping[str, Any], today: float) -> bool:
    """Return True if the last day of an event has passed."""
    return bool(0.0 <= event["expires_day"] < today)


def event_id(event: Mapping[str, Any]) -> str:
    """A readable id for an event, which may be taken."""
    kind = re.sub(r"\W+", "_", event["event_type"].lower()).strip("_") or DEFAULT_TYPE
    return f"event_{kind}_day_{int(event['day'] // 1)}"


def numbered(base: str, number: int) -> str:
    """The id with a number, of those that begin alike."""
    return base if number == 1 else f"{base}_{number}"


def free_number(last: int, is_taken: Callable[[int], bool]) -> int:
    """A number after `last` that is not taken: the first one if the taken ones have no gaps."""
    step = 1
    while is_taken(last + step):
        last, step = last + step, 2 * step
    free = last + step
    while free - last > 1:
        middle = (last + free) // 2
        last, free = (middle, free) if is_taken(middle) else (last, middle)
    return free


def searched_text(event: Mapping[str, Any]) -> str:
    """The text by which an event is searched."""
    title, summary = event["title"].strip(), event["summary"]
    return summary if not title or title in summary else f"{title}. {summary}"


def _text(call: str, fields: Mapping[str, Any], name: str) -> str:
    return validate_text(call, name, fields.get(name, ""))
