"""Ids of people: how they are stored and compared, and which arguments hold one."""

from __future__ import annotations

import unicodedata

_IDS = frozenset(
    (
        *(
            "actor",
            "addressees",
            "assignee",
            "bystanders",
            "character_id",
            "issuer",
            "involves",
            "known_by",
            "known_to",
        ),
        *("listener_ids", "listeners", "npc_id", "other_npc_id", "participant"),
        *("participants", "player_id", "scene.listeners", "source_id", "speaker", "target", "teller"),
        *("to", "with_entity"),
    )
)
"""The names of arguments and keys that hold ids of people: these are stored and compared as normal_id()."""
_WITHOUT_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"


def normal_id(id: str) -> str:
    """Return an id as it is stored and compared: in NFC, without spaces and characters without width around
    it.
    """
    text = id if id.isascii() else unicodedata.normalize("NFC", id)
    stripped = text.strip().strip(_WITHOUT_WIDTH)
    return stripped if stripped == text else normal_id(stripped)


def normal_argument(name: str, text: str) -> str:
    """Return a text as it is stored: the normal_id() of one whose name, such as `known_by[2]`, is in _IDS."""
    return normal_id(text) if name.partition("[")[0] in _IDS else text
