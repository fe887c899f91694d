"""Marks of all saves that are open: the one that the game chose, and the one in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.save import Save
from rag_memory.storage.mark import parse_token


def mark(saves: Sequence[Save]) -> str:
    """Mark all saves with the same code, and return the token, which names the first save.

    Raises:
        StoreError: a mark could not be written.
    """
    first, *others = saves
    token = first.marks.add()
    parsed = parse_token(token)
    assert parsed is not None
    for save in others:
        save.marks.add(parsed.code)
    return token


def rollback_to(saves: Sequence[Save], moment: Any) -> int:
    """Roll back all saves, and return how many memories of NPCs were forgotten.

    The save in memory has no marks of an earlier run of the game: it goes back to the time of the mark.

    Raises:
        InvalidArgumentError: as Marks.rollback_to(), of the first; nothing was changed.
    """
    first, *others = saves
    time = first.marks.find(moment).timestamp if isinstance(moment, str) else moment
    forgotten = first.marks.rollback_to(moment)
    for save in others:
        forgotten += save.marks.rollback_to(moment if save.marks.has(moment) else time)
    return forgotten
