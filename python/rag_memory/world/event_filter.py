"""The conditions of get_events() and search_events()."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.validation import validate_number, validate_text
from rag_memory.world.event import validate_visibility
from rag_memory.world.whereabouts import name_key

_SAME = ("event_type", "actor", "target")
CONDITIONS = (*_SAME, "location", "faction", "participant", "visibility", "since_day", "until_day")

EventFunction = Callable[[Mapping[str, Any]], bool]


def event_filter(call: str, options: Mapping[str, Any]) -> EventFunction:
    """Make a function that checks whether an event meets all conditions in these options.

    Raises:
        InvalidArgumentError: a condition has the wrong type.
    """
    wanted = [_condition(call, name, options[name]) for name in CONDITIONS if name in options]
    return lambda event: all(meets(event) for meets in wanted)


def _condition(call: str, name: str, value: Any) -> EventFunction:
    if name in ("since_day", "until_day"):
        day = validate_number(call, name, value)
        return (
            (lambda event: event["day"] >= day)
            if name == "since_day"
            else (lambda event: event["day"] <= day)
        )
    if name == "visibility":
        visibility = validate_visibility(call, value)
        return lambda event: bool(event["visibility"] == visibility)
    text = validate_text(call, name, value)
    if name == "location":
        return lambda event: name_key(event["location"]) == name_key(text)
    if name == "faction":
        return lambda event: (
            name_key(text) in map(name_key, (event["actor_faction"], event["target_faction"]))
        )
    if name == "participant":
        return lambda event: text in participants(event)
    return lambda event: bool(event[name] == text)


def participants(event: Mapping[str, Any]) -> list[str]:
    """The ids of the participants of an event."""
    others = event.get("participants", [])
    return [event["actor"], event["target"], *(others if isinstance(others, list) else [])]
