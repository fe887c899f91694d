"""The events of a world as NPCWorldEvents has them: by their number, with times in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError, SaveNotFoundError
from rag_memory.validation import (
    validate_filled_text,
    validate_number,
    validate_option,
    validate_options,
    validate_texts,
)
from rag_memory.world.event import EVENT, NEVER, OF_ANSWERS, TEXTS, validate_event
from rag_memory.world.event_filter import event_filter, participants
from rag_memory.world.who_knows import GLOBAL, PRIVATE, is_known, validate_known_by, windows
from rag_memory.world.world import World

FILTER = ("event_type", "participant", "location", "since", "until", "known_to", "limit")
_SAME = ("event_type", "participant", "location")
_DAYS = {"since": "since_day", "until": "until_day"}
_MOST = 10_000
_OWN_KEYS = ("sequence", "event_type", "description")
_LISTS = ("participants", "witnesses")
_DEFAULTS: Mapping[str, Any] = {**dict.fromkeys(TEXTS, ""), "visibility": GLOBAL, "known_by": []}
_REMEDY = "Pass an event_type and a description"


def new_event(event_type: Any, description: Any, data: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Return an event of the log without a number.

    Args:
        now: its time in seconds unless the data has one.

    Raises:
        InvalidArgumentError: a value has the wrong type, or a text is empty.
    """
    call = "NPCWorldEvents.append()"
    for key in _OWN_KEYS:
        if key in data:
            raise InvalidArgumentError(f"{call}: data must not have the key {key}", "", "Leave it out")
    event = {
        "event_type": validate_filled_text(call, "event_type", event_type, _REMEDY),
        "description": validate_filled_text(call, "description", description, _REMEDY),
        **data,
    }
    event["timestamp"] = data.get("timestamp", now)
    event.pop("check_names", None)
    validate_number(call, "timestamp", event["timestamp"])
    for key in _LISTS:
        validate_texts(call, key, event.get(key, []))
    if "known_by" in event:
        event["known_by"] = validate_known_by(call, event["known_by"])
    return event


class WorldLog:
    """The log of the open save; without one that of the events that wait for a save."""

    def __init__(self, world: World | None, waiting: Sequence[Mapping[str, Any]] = ()) -> None:
        self._world = world
        self._waiting = [{**event, "sequence": number} for number, event in enumerate(waiting)]

    def append(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Write an event that `new_event()` made, and return it with its number; without a save it has none
        yet.
        """
        if self._world is None:
            validate_event("NPCWorldEvents.append()", _recorded(event), 0.0)
            return dict(event)
        id = self._world.events.record_event(_recorded(event))
        numbers = self._numbers()
        return _view(self._world.context.all(EVENT)[id].content, numbers[id])

    def append_missing(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Write the events that the save does not have, and return how many these are."""
        stored = {_identity(event) for event in self.events({})}
        missing = [_recorded(event) for event in events if _identity(event) not in stored]
        return len(self._saved.events.record_events(missing))

    def count(self) -> int:
        """Return how many events there are."""
        return len(self._waiting) if self._world is None else len(self._numbers())

    def event(self, sequence: int) -> dict[str, Any]:
        """Return an event by its number; empty when there is none."""
        if self._world is None:
            return self._waiting[sequence] if 0 <= sequence < len(self._waiting) else {}
        events = list(self._world.context.all(EVENT).values())
        return _view(events[sequence].content, sequence) if 0 <= sequence < len(events) else {}

    def events(self, filter: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the events that meet the conditions of FILTER, oldest first. With `known_to` they have the
        `text` as this NPC tells it, and its `confidence`.

        Raises:
            InvalidArgumentError: there is no such condition, or it has the wrong type.
        """
        call = "NPCWorldEvents.get_events()"
        filter = validate_options(call, filter, FILTER)
        wanted = {key: filter[key] for key in _SAME if key in filter}
        for key, day in _DAYS.items():
            if key in filter:
                wanted[day] = validate_number(call, key, filter[key]) / CALENDAR.seconds_per_day
        if self._world is None:
            return self._waiting_events(call, wanted, filter)
        for key in ("known_to", "limit"):
            if key in filter:
                wanted[key] = filter[key]
        if "known_to" not in filter:
            wanted["include_expired"] = True
        numbers = self._numbers()
        events = self._world.events.get_events(wanted)
        told_by = ("text", "confidence") if "known_to" in filter else ()
        return [
            {**_view(event, numbers[event["id"]]), **{key: event[key] for key in told_by}} for event in events
        ]

    def _waiting_events(
        self, call: str, wanted: Mapping[str, Any], filter: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        matches, npc_id = event_filter(call, wanted), filter.get("known_to")
        matching = [
            event
            for event in sorted(self._waiting, key=lambda event: float(event["timestamp"]))
            if matches(content := {**_DEFAULTS, **_recorded(event)})
            and ("known_to" not in filter or _knows(npc_id, content))
        ]
        limit = validate_option(call, filter, "limit", len(matching), 0, max(_MOST, len(matching)))
        return matching[max(0, len(matching) - limit) :]

    @property
    def _saved(self) -> World:
        if self._world is None:
            raise SaveNotFoundError(
                "Events that waited for a save were not written",
                "it was closed at once",
                "Open a save, and append them again",
            )
        return self._world

    def _numbers(self) -> dict[str, int]:
        """The numbers of the events of the save, by id: the order in which they were written."""
        return {id: number for number, id in enumerate(self._saved.context.all(EVENT))}


def _recorded(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event of the log as `record_event()` takes it. Without witnesses everybody may know of it."""
    witnesses = event.get("witnesses", [])
    fields = {key: value for key, value in event.items() if key not in ("sequence", "description")}
    fields["summary"] = event["description"]
    fields["day"] = event["timestamp"] / CALENDAR.seconds_per_day
    known_by = event.get("known_by", [])
    if witnesses or known_by:
        fields.setdefault("visibility", PRIVATE)
    if witnesses:
        present = dict.fromkeys([*witnesses, *event.get("participants", [])])
        fields["known_by"] = [*known_by, *(id for id in present if id.strip() and id not in known_by)]
    return fields


def _view(content: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return a recorded event as one of the log, without the keys that say nothing."""
    event = {"sequence": number, "event_type": content["event_type"], "description": content["summary"]}
    event["timestamp"] = content["day"] * CALENDAR.seconds_per_day
    for key, value in content.items():
        is_silent = (key in TEXTS and not value) or (key == "expires_day" and value == NEVER)
        if not is_silent and key not in ("summary", "day", *OF_ANSWERS):
            event[key] = value
    if "participants" not in content:
        event["participants"] = [id for id in participants(content) if id]
    return event


def _knows(npc_id: Any, content: Mapping[str, Any]) -> bool:
    if content["visibility"] == GLOBAL or npc_id in participants(content):
        return True
    owners = content["known_by"]
    return bool(owners) and is_known(owners, content["day"], windows(str(npc_id), {}), {})


def _identity(event: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes an event the same as another one. As text a time may lose its last digits."""
    return event["event_type"], event["description"], round(float(event["timestamp"]) * 1000.0)
