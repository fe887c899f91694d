"""What the slots of snapshots are called, and where the snapshot of a slot lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.files import usable
from rag_memory.storage.file_name import check_file_name
from rag_memory.validation import validate_text


def validate_slot(where: str, slot: Any, is_new: bool = False) -> str:
    """The name of a slot. It can be that of a file wherever the save is kept: saves may move.

    Raises:
        InvalidArgumentError: it is no file name.
    """
    name = validate_text(where, "slot", slot)
    check_file_name(name, "the name of a snapshot", "before_the_mill", is_new)
    return name


def slot_path(where: str, folder: Path | None, slot: Any, suffix: str, is_new: bool = False) -> Path:
    """The file of a slot in the folder of a save's snapshots; None is that of a save in memory.

    Raises:
        InvalidArgumentError: the slot is no file name, or the save is in memory.
    """
    name = validate_slot(where, slot, is_new)
    if folder is None:
        raise InvalidArgumentError(
            f"{where}: this save has no snapshots", "it is kept in memory only", "Open a save in a file"
        )
    return usable(folder / f"{name}{suffix}")
