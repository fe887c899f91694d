"""An event of the world, as the game tells it and as it is kept."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.importance import LEAST_IMPORTANCE, MOST_IMPORTANCE
from rag_memory.validation import (
    shown,
    validate_integer,
    validate_metadata,
    validate_number,
    validate_text,
    validate_texts,
    wrong_type,
)
from rag_memory.world.days import day_of
from rag_memory.world.who_knows import FACTION, GLOBAL, LOCAL, VISIBILITIES

_LOG = logging.getLogger("rag_memory")
NEVER = -1.0
EVENT, RUMOR = "event", "rumor"
"""Kinds of documents: an event, and who heard of one."""
DEFAULT_IMPORTANCE = 5
DEFAULT_TYPE = "general"
TEXTS = ("title", "summary", "location", "actor", "target", "actor_faction", "target_faction")
_OF_ANSWERS = ("id", "text", "confidence", "relevance", "expired")
"""Keys that an event has when it is read, and that say nothing when it is told."""


def validate_event(where: str, told: Any, today: float) -> dict[str, Any]:
    """An event with every key that has a meaning.

    Raises:
        InvalidArgumentError: a value has the wrong type, or what makes the event known is missing.
    """
    if not isinstance(told, Mapping):
        raise wrong_type(where, "event", told, "a Dictionary")
    own: dict[str, Any] = validate_metadata(where, "event", told)
    event: dict[str, Any] = {"event_type": _text(where, own, "event_type").strip() or DEFAULT_TYPE}
    for name in TEXTS:
        event[name] = _text(where, own, name)
    event["summary"] = event["summary"].strip() or event["title"].strip()
    if not event["summary"]:
        raise InvalidArgumentError(
            f"{where}: the event has no summary", "it is what NPCs tell of it", 'Add the key "summary"'
        )
    event["importance"] = _importance(where, own.get("importance", DEFAULT_IMPORTANCE))
    event["visibility"] = validate_visibility(where, own.get("visibility", GLOBAL))
    event["known_by"] = validate_texts(where, "known_by", own.get("known_by", []))
    event["day"] = day_of(where, own, "day", today)
    event["expires_day"] = validate_number(where, "expires_day", own.get("expires_day", NEVER))
    for name, value in own.items():
        if name not in event and name not in _OF_ANSWERS:
            event[name] = value
    return event


def check_reach(
    where: str,
    event: Mapping[str, Any],
    remedy: str = 'Add the key "actor_faction" or "target_faction", or register the faction of its actor',
) -> None:
    """Refuse an event that its visibility would show to nobody by mistake; `remedy` gives it a faction."""
    visibility = event["visibility"]
    if visibility == LOCAL and not event["location"].strip():
        raise InvalidArgumentError(
            f"{where}: what happens is local and has no location",
            "those who are there learn of it",
            'Add the key "location", or use another visibility',
        )
    if visibility == FACTION and not (event["actor_faction"].strip() or event["target_faction"].strip()):
        raise InvalidArgumentError(
            f"{where}: what happens is known to a faction and names none",
            "its members learn of it",
            remedy,
        )


def validate_visibility(where: str, value: Any) -> str:
    """One of VISIBILITIES, from a text in any case."""
    visibility = validate_text(where, "visibility", value).strip().lower()
    if visibility not in VISIBILITIES:
        known = ", ".join(f'"{each}"' for each in VISIBILITIES)
        raise InvalidArgumentError(
            f"{where}: visibility is {shown(value)}", "there is no such visibility", f"Use one of {known}"
        )
    return visibility


def has_expired(event: Mapping[str, Any], today: float) -> bool:
    """Whether its last day has passed."""
    return bool(0.0 <= event["expires_day"] < today)


def event_id(event: Mapping[str, Any]) -> str:
    """A readable id for an event; another event may have it."""
    kind = re.sub(r"\W+", "_", event["event_type"].lower()).strip("_") or DEFAULT_TYPE
    return f"event_{kind}_day_{int(event['day'] // 1)}"


def numbered(base: str, number: int) -> str:
    """One of the ids that begin alike."""
    return base if number == 1 else f"{base}_{number}"


def free_number(last: int, is_taken: Callable[[int], bool]) -> int:
    """A number after `last` that is not taken; the first one where none is left out."""
    step = 1
    while is_taken(last + step):
        last, step = last + step, 2 * step
    free = last + step
    while free - last > 1:
        middle = (last + free) // 2
        last, free = (middle, free) if is_taken(middle) else (last, middle)
    return free


def searched_text(event: Mapping[str, Any]) -> str:
    """What questions are compared with."""
    title, summary = event["title"].strip(), event["summary"]
    return summary if not title or title in summary else f"{title}. {summary}"


def _text(where: str, own: Mapping[str, Any], name: str) -> str:
    return validate_text(where, name, own.get(name, ""))


def _importance(where: str, value: Any) -> int:
    importance = validate_integer(where, "importance", value)
    clamped = max(LEAST_IMPORTANCE, min(MOST_IMPORTANCE, importance))
    if clamped != importance:
        _LOG.warning("%s: importance %d is outside 1 to 10, so %d is stored", where, importance, clamped)
    return clamped
