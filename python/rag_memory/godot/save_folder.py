"""Which files a save id stands for: one database per save in one folder, with what belongs to it."""

from __future__ import annotations

import shutil
from pathlib import Path

from rag_memory.errors import InvalidArgumentError, SaveNotFoundError

SUFFIX = ".sqlite3"
_MAX_ID_BYTES = 200
_FORBIDDEN = set('/\\:*?"<>|')


def check_save_id(save_id: str) -> None:
    """Refuse an id that is no file name on every platform. Raises InvalidArgumentError."""
    problem = ""
    if not save_id.strip():
        problem = "it is empty"
    elif save_id != save_id.strip() or save_id.endswith("."):
        problem = "it begins or ends with a blank or ends with a dot"
    elif save_id.startswith("."):
        problem = "it begins with a dot"
    elif bad := sorted(_FORBIDDEN & set(save_id)) or [c for c in save_id if ord(c) < 32]:
        problem = f"it contains {bad[0]!r}"
    elif len(save_id.encode("utf-8", "replace")) > _MAX_ID_BYTES:
        problem = f"it is longer than {_MAX_ID_BYTES} bytes"
    if problem:
        raise InvalidArgumentError(
            f"{save_id[:80]!r} cannot be the id of a save",
            f"{problem}; the id becomes a file name",
            'use letters, digits, blanks, "-" and "_", for example "slot_1"',
        )


def path_of(folder: Path, save_id: str) -> Path:
    return folder / f"{save_id}{SUFFIX}"


def list_saves(folder: Path) -> list[str]:
    """The ids of all saves in `folder`, sorted; none when the folder does not exist."""
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))


def delete_save(folder: Path, save_id: str) -> None:
    """Delete a save's database, its write-ahead log and its index folder.

    Raises SaveNotFoundError when there is none, OSError when a file cannot be deleted.
    """
    path = path_of(folder, save_id)
    if not path.exists():
        raise SaveNotFoundError(
            f"there is no save {save_id!r}",
            f"{path} does not exist",
            "MemoryServer.list_saves() tells which saves there are",
        )
    path.unlink()
    for ending in ("-wal", "-shm", ".lock"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.rmtree(folder / f"{save_id}.index", ignore_errors=True)
