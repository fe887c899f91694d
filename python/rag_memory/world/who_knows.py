"""Who knows of an event: news goes through channels, and an NPC listens to some of them for a time."""

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
    """What an NPC learns through a channel: events from `since` on, before `until`."""

    channel: Channel
    since: float = -math.inf
    until: float = math.inf

    def has(self, time: float) -> bool:
        """Whether she learns of an event of this time."""
        return self.since <= time < self.until


def channels(event: Mapping[str, Any]) -> frozenset[Channel]:
    """Through which channels an event is told. Rumors are told by mouth and have none."""
    told: set[Channel] = {
        ("person", id) for id in (event["actor"], event["target"], *event["known_by"]) if id
    }
    match event["visibility"]:
        case "local":
            told.add(("place", name_key(event["location"])))
        case "faction":
            names = (name_key(event["actor_faction"]), name_key(event["target_faction"]))
            told.update(("faction", name) for name in names if name)
        case "global":
            told.add(_EVERYBODY)
    return frozenset(told)


def windows(npc_id: str, whereabouts: Mapping[str, Any]) -> list[Window]:
    """To what an NPC listens: what happened at a place before she left it for the last time, and what
    happened to a faction while she belonged to it.
    """
    return [
        Window(("person", npc_id)),
        Window(_EVERYBODY),
        *(
            Window(("place", place), until=math.nextafter(left, math.inf))
            for place, left in last_at(whereabouts).items()
        ),
        *(Window(("faction", each.name), each.since, each.until) for each in memberships(whereabouts)),
    ]


class ToldEvents:
    """Which events are told through which channel, in the order of their times."""

    def __init__(self) -> None:
        self._told: dict[Channel, tuple[list[float], list[str]]] = {}
        self._channels: dict[str, tuple[float, frozenset[Channel]]] = {}

    def put(self, id: str, time: float, event: Mapping[str, Any]) -> None:
        """Note an event, in the place of what was noted of it."""
        self._remove(id)
        self._channels[id] = (time, channels(event))
        for channel in self._channels[id][1]:
            times, ids = self._told.setdefault(channel, ([], []))
            place = bisect.bisect(times, time)
            times.insert(place, time)
            ids.insert(place, id)

    def _remove(self, id: str) -> None:
        time, told = self._channels.pop(id, (0.0, frozenset()))
        for channel in told:
            times, ids = self._told[channel]
            place = ids.index(id, bisect.bisect_left(times, time))
            del times[place], ids[place]

    def ids(self, listened: Collection[Window]) -> set[str]:
        """The events that somebody learns of who listens to these."""
        found: set[str] = set()
        for window in listened:
            times, ids = self._told.get(window.channel, ((), ()))
            found.update(
                ids[bisect.bisect_left(times, window.since) : bisect.bisect_left(times, window.until)]
            )
        return found
