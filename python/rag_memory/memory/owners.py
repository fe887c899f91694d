"""Owners of memories besides NPCs: the world, for its events and debates, and the lore."""

from __future__ import annotations

from collections.abc import Container

WORLD = "@world"
LORE = "@lore"
RESERVED = frozenset({WORLD, LORE})


def is_npc(owner: str) -> bool:
    """Return True if this owner is an NPC."""
    return owner not in RESERVED


def free_name(reserved: str, taken: Container[str]) -> str:
    """Return the new name for an NPC of an older save that had a reserved name."""
    name = f"npc{reserved}"
    while name in taken:
        name = f"_{name}"
    return name
