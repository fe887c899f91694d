"""The query of `knows_event()`: events by type, participants, place, time and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.conflicts import outcome_word
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.record import Record
from rag_memory.memory.secrecy import PLAYER_ALONE, validate_listeners
from rag_memory.text.other_names import OtherNames, folded
from rag_memory.validation import (
    did_you_mean,
    list_in,
    mapping_in,
    shown,
    validate_number,
    validate_texts,
    wrong_type,
)

KEYS = ("event_type", "participants", "location", "status", "since", "data", "listeners")
CURRENT, SUPERSEDED, ANY, OPEN = "current", "superseded", "any", "open"
_STATUSES = (CURRENT, OPEN, SUPERSEDED, ANY)
_SOURCE_KEYS = ("source_id", "source_name")


class EventQuery(NamedTuple):
    """The conditions that one event has to meet, all of them."""

    event_types: tuple[str, ...]
    participants: tuple[str, ...]
    """In the form of `folded()`."""
    location: str
    """In the form of `folded()`, or empty."""
    status: str
    since: float
    data: Mapping[str, Any]
    """Metadata that the game has stored with the event."""
    listeners: list[str]


def parse_event_query(call: str, filter: Any, config: MemoryConfig) -> EventQuery:
    """The query of a filter dictionary.

    Raises:
        InvalidArgumentError: a key or a status is unknown, the event type is missing, or a value has the
            wrong type.
    """
    if not isinstance(filter, Mapping):
        raise wrong_type(call, "filter", filter, "a Dictionary")
    for key in filter:
        if key not in KEYS:
            raise InvalidArgumentError(
                f"{call}: filter has the key {shown(key)}",
                "there is no such key",
                f"{did_you_mean(key, KEYS)}Use {', '.join(KEYS)}",
            )
    if not filter.get("event_type"):
        raise InvalidArgumentError(
            f"{call}: filter has no event_type",
            "the type selects the events",
            'Pass, for example, {"event_type": "promise_made"}',
        )
    event_types = _texts(call, "event_type", filter["event_type"])
    location = _texts(call, "location", filter["location"]) if "location" in filter else []
    participants = _texts(call, "participants", filter["participants"]) if "participants" in filter else []
    data = filter.get("data", {})
    if not isinstance(data, Mapping):
        raise wrong_type(call, "data", data, "a Dictionary")
    return EventQuery(
        tuple(event_types),
        tuple(map(folded, participants)),
        folded(location[0]) if location else "",
        _status(call, filter.get("status", CURRENT), config),
        validate_number(call, "since", filter.get("since", float("-1e18"))),
        data,
        validate_listeners(call, filter.get("listeners", PLAYER_ALONE)),
    )


class EventDetails(NamedTuple):
    """What a query looks at in an event."""

    names: Sequence[Any]
    location: str
    timestamp: float
    metadata: Mapping[str, Any]


def details_of(query: EventQuery, record: Record, npc_id: str) -> EventDetails:
    """The details of an event that is a memory of an NPC."""
    extra = mapping_in(record.extra)
    names = [*list_in(record.participants), *(extra.get(key, "") for key in _SOURCE_KEYS)]
    metadata = record.metadata(npc_id) if query.data else {}
    return EventDetails(names, record.location, record.timestamp, metadata)


def has_details(query: EventQuery, event: EventDetails, others: OtherNames) -> bool:
    """Return whether participants, place, time and data are those of the query.

    Args:
        others: the people with several names.
    """
    present = {folded(name) for name in event.names if isinstance(name, str)}
    is_there = not query.location or query.location == folded(event.location)
    if (
        not is_there
        or not all(present & others.same(name) for name in query.participants)
        or event.timestamp < query.since
    ):
        return False
    metadata = event.metadata
    return all(key in metadata and metadata[key] == value for key, value in query.data.items())


def has_status(query: EventQuery, is_superseded: bool, outcome: str) -> bool:
    """Return whether an event has the status of the query.

    Args:
        outcome: the type of the event that superseded it, or "".
    """
    if query.status == ANY:
        return True
    if query.status in (CURRENT, OPEN):
        return not is_superseded
    if query.status == SUPERSEDED:
        return is_superseded
    return bool(outcome) and query.status == outcome_word(outcome)


def _status(call: str, value: Any, config: MemoryConfig) -> str:
    statuses = _texts(call, "status", value)
    outcomes = sorted({*map(outcome_word, (*config.supersession_pairs.values(), *config.ending_event_types))})
    if len(statuses) != 1 or statuses[0] not in (*_STATUSES, *outcomes):
        raise InvalidArgumentError(
            f"{call}: status is {shown(value)}",
            "there is no such status",
            f"Use one of {', '.join((*_STATUSES, *outcomes))}",
        )
    return statuses[0]


def _texts(call: str, name: str, value: Any) -> list[str]:
    """A String or an Array of Strings as a list.

    Raises:
        InvalidArgumentError: one is empty, which an unset variable would be: it must not open a gate.
    """
    values = validate_texts(call, name, [value] if isinstance(value, str) else value)
    if not values or not all(text.strip() for text in values):
        raise InvalidArgumentError(
            f"{call}: {name} is {shown(value)}", "it is empty", f"Pass a value, or leave {name} out"
        )
    return values
