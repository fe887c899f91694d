"""Who has memories besides the NPCs: the world, for its events and debates, and the lore."""

from __future__ import annotations

WORLD = "@world"
LORE = "@lore"
RESERVED = frozenset({WORLD, LORE})


def is_npc(owner: str) -> bool:
    """Whether memories of this owner are an NPC's."""
    return owner not in RESERVED
