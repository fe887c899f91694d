"""The channels through which events become known. An NPC listens to some of them for a time."""

from __future__ import annotations

import bisect
import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from rag_memory.world.whereabouts import last_at, memberships, name_key

PRIVATE, LOCAL, FACTION, GLOBAL, RUMOR = "private", "local", "faction", "global", "rumor"
VISIBILITIES = (PRIVATE, LOCAL, FACTION, GLOBAL, RUMOR)

Channel = tuple[str, str]
"""A person, a place, a faction or everybody, and which one."""
_EVERYBODY: Channel = ("everybody", "")


class Window(NamedTuple):
    """A time in which an NPC listens to a channel: events from `since` on, before `until`."""

    channel: Channel
    since: float = -math.inf
    until: float = math.inf

    def has(self, time: float) -> bool:
        """Return True if an event of this time is in the window."""
        return self.since <= time < self.until


def channels(event: Mapping[str, Any]) -> frozenset[Channel]:
    """The channels of an event. A rumor has none: it is spread by word of mouth."""
    reached: set[Channel] = {
        ("person", id) for id in (event["actor"], event["target"], *event["known_by"]) if id
    }
    match event["visibility"]:
        case "local":
            reached.add(("place", name_key(event["location"])))
        case "faction":
            names = (name_key(event["actor_faction"]), name_key(event["target_faction"]))
            reached.update(("faction", name) for name in names if name)
        case "global":
            reached.add(_EVERYBODY)
    return frozenset(reached)


def windows(npc_id: str, whereabouts: Mapping[str, Any]) -> list[Window]:
    """The windows of an NPC: to a place until it left it for the last time, and to a faction while it was a
    member.
    """
    return [
        Window(("person", npc_id)),
        Window(_EVERYBODY),
        *(
            Window(("place", place), until=math.nextafter(left, math.inf))
            for place, left in last_at(whereabouts).items()
        ),
        *(Window(("faction", stay.name), stay.since, stay.until) for stay in memberships(whereabouts)),
    ]


class EventChannels:
    """The events of each channel, in the order of their times."""

    def __init__(self) -> None:
        self._events: dict[Channel, tuple[list[float], list[str]]] = {}
        self._channels: dict[str, tuple[float, frozenset[Channel]]] = {}

    def put(self, id: str, time: float, event: Mapping[str, Any]) -> None:
        """Add or replace an event."""
        self._remove(id)
        self._channels[id] = (time, channels(event))
        for channel in self._channels[id][1]:
            times, ids = self._events.setdefault(channel, ([], []))
            place = bisect.bisect(times, time)
            times.insert(place, time)
            ids.insert(place, id)

    def _remove(self, id: str) -> None:
        time, event_channels = self._channels.pop(id, (0.0, frozenset()))
        for channel in event_channels:
            times, ids = self._events[channel]
            place = ids.index(id, bisect.bisect_left(times, time))
            del times[place], ids[place]

    def ids(self, listened: Collection[Window]) -> set[str]:
        """The ids of the events in these windows."""
        known_ids: set[str] = set()
        for window in listened:
            times, ids = self._events.get(window.channel, ((), ()))
            known_ids.update(
                ids[bisect.bisect_left(times, window.since) : bisect.bisect_left(times, window.until)]
            )
        return known_ids
