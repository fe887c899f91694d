"""The places and groups of a character over time. They decide what the character knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

WHEREABOUTS = "whereabouts"
PLACE = "place"
_KEYS = {"location": PLACE, "faction": "faction", "clan": "clan", "culture": "culture"} | {
    "occupation": "occupation",
    "groups": "group",
}
"""The keys of a character that tie it to something, and the kind of each tie."""
GROUPS = tuple(kind for kind in _KEYS.values() if kind != PLACE)

Ties = Mapping[tuple[str, str], float]
"""By kind and name of a place or group, when the character left it; infinite while it belongs there."""


def name_key(name: Any) -> str:
    """The form of a place's or a group's name that is compared."""
    return " ".join(name.split()).casefold() if isinstance(name, str) else ""


def present_ties(character: Mapping[str, Any]) -> set[tuple[str, str]]:
    """The place and the groups of a character now."""
    ties: set[tuple[str, str]] = set()
    for key, kind in _KEYS.items():
        value = character.get(key)
        names = value if isinstance(value, list | tuple) else [value]
        ties.update((kind, name_key(name)) for name in names if name_key(name))
    return ties


def moved(
    left: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], now: float
) -> dict[str, Any]:
    """When a character left each place and group, by kind and name, after its data has changed."""
    times = {kind: dict(names) for kind, names in left.items()}
    here = present_ties(after)
    for kind, name in present_ties(before) - here:
        times.setdefault(kind, {})[name] = now
    for kind, name in here:
        times.get(kind, {}).pop(name, None)
    return {kind: names for kind, names in times.items() if names}


def ties(character: Mapping[str, Any], left: Mapping[str, Any]) -> Ties:
    """Every place and group of a character, those that it left, too."""
    past = {(kind, name): time for kind, names in left.items() for name, time in names.items()}
    return {**past, **dict.fromkeys(present_ties(character), math.inf)}
