"""The places and factions of a character over time. They decide which news the character heard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

WHEREABOUTS = "whereabouts"


class Stay(NamedTuple):
    """A time at a place or in a faction: from `since` on, before `until`."""

    name: str
    since: float
    until: float


def name_key(name: Any) -> str:
    """The form of a place's or a faction's name that is compared."""
    return name.strip().casefold() if isinstance(name, str) else ""


def moved(before: Mapping[str, Any], character: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The whereabouts after a character was registered again.

    The first place and the first faction hold for the time before, too.
    """
    location, faction = name_key(character.get("location")), name_key(character.get("faction"))
    left = dict(before.get("left", {}))
    place = before.get("location", "")
    if place != location:
        if place:
            left[place] = now
        left.pop(location, None)
    factions = list(before.get("factions", []))
    if factions and factions[-1][0] != faction:
        factions.append([faction, now])
    elif not factions and faction:
        factions.append([faction, None])
    return {"location": location, "left": left, "factions": factions}


def last_at(whereabouts: Mapping[str, Any]) -> dict[str, float]:
    """The time at which a character left each place; infinite for the current one."""
    here = whereabouts.get("location", "")
    return {**whereabouts.get("left", {}), **({here: float("inf")} if here else {})}


def memberships(whereabouts: Mapping[str, Any]) -> list[Stay]:
    """The factions of a character, with the times of joining and leaving."""
    factions = whereabouts.get("factions", [])
    ends = [since for _, since in factions] + [float("inf")]
    return [
        Stay(name, float("-inf") if since is None else since, until)
        for (name, since), until in zip(factions, ends[1:], strict=True)
        if name
    ]
