"""Who has memories besides the NPCs: the world, for its events and debates, and the lore."""

from __future__ import annotations

from collections.abc import Container

WORLD = "@world"
LORE = "@lore"
RESERVED = frozenset({WORLD, LORE})


def is_npc(owner: str) -> bool:
    """Whether memories of this owner are an NPC's."""
    return owner not in RESERVED


def free_name(reserved: str, taken: Container[str]) -> str:
    """What an NPC of an older save is called from now on that had a reserved name."""
    name = f"npc{reserved}"
    while name in taken:
        name = f"_{name}"
    return name
