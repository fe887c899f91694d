"""Owners of memories besides NPCs: the world, for its events and debates, and the lore."""

from __future__ import annotations

WORLD = "@world"
LORE = "@lore"
RESERVED = frozenset({WORLD, LORE})


def is_npc(owner: str) -> bool:
    """Return True if this owner is an NPC."""
    return owner not in RESERVED
