"""Owners of memories besides NPCs: the world, for its events and debates, and the lore."""

from __future__ import annotations

from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.ids import normal_id
from rag_memory.validation import clean_text, shown, validate_text

WORLD = "@world"
LORE = "@lore"
RESERVED = frozenset({WORLD, LORE})
LONGEST_ID = 1_000
"""Of an id or a name, in characters."""


def is_npc(owner: str) -> bool:
    """Return True if this owner is an NPC."""
    return owner not in RESERVED


def is_valid_owner(owner: str) -> bool:
    """Return True if this owner is reserved, or has the id of an NPC as it is stored."""
    return 0 < len(owner) <= LONGEST_ID and normal_id(clean_text(owner)) == owner


def refuse_long_id(call: str, name: str, id: str) -> None:
    """Refuse an id or a name that is none: looking for it in texts would take long.

    Raises:
        InvalidArgumentError: it is longer than LONGEST_ID.
    """
    if len(id) > LONGEST_ID:
        raise InvalidArgumentError(
            f"{call}: {name} has {len(id):,} characters",
            f"an id has at most {LONGEST_ID:,}",
            'Pass a short id, for example "elena", and the text elsewhere',
        )


def validate_npc_id(npc_id: Any) -> str:
    """Return the id of an NPC as it is stored and compared.

    Raises:
        InvalidArgumentError: it is empty, reserved, too long, or has characters that cannot be written.
    """
    text = validate_text("an NPC", "npc_id", npc_id)
    refuse_long_id("an NPC", "npc_id", text)
    if not text or clean_text(npc_id) != npc_id:
        raise InvalidArgumentError(
            f"the npc_id is {shown(npc_id)}",
            "a name must not be empty or contain characters that cannot be stored",
            'Pass a name, for example "elena"',
        )
    if not is_npc(text):
        raise InvalidArgumentError(
            f"the npc_id is {shown(npc_id)}",
            "the addon stores the memories of the world under that name",
            'Pass another name, for example "elena"',
        )
    return text
