"""Where a character was until when, and to which faction she belonged from when on: it decides which news
reached her.
"""

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
    """What is compared of the name of a place or of a faction."""
    return name.strip().casefold() if isinstance(name, str) else ""


def moved(known: Mapping[str, Any], character: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The whereabouts after a character was told anew.

    What is told first of place and faction holds for the time before, too: she did not begin to live then.
    """
    location, faction = name_key(character.get("location")), name_key(character.get("faction"))
    left = dict(known.get("left", {}))
    before = known.get("location", "")
    if before != location:
        if before:
            left[before] = now
        left.pop(location, None)
    factions = list(known.get("factions", []))
    if factions and factions[-1][0] != faction:
        factions.append([faction, now])
    elif not factions and faction:
        factions.append([faction, None])
    return {"location": location, "left": left, "factions": factions}


def last_at(whereabouts: Mapping[str, Any]) -> dict[str, float]:
    """Until when she was at each place; infinite for where she is."""
    here = whereabouts.get("location", "")
    return {**whereabouts.get("left", {}), **({here: float("inf")} if here else {})}


def memberships(whereabouts: Mapping[str, Any]) -> list[Stay]:
    """When she belonged to which faction."""
    factions = whereabouts.get("factions", [])
    ends = [since for _, since in factions] + [float("inf")]
    return [
        Stay(name, float("-inf") if since is None else since, until)
        for (name, since), until in zip(factions, ends[1:], strict=True)
        if name
    ]
