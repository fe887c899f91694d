"""Snapshots of a save: whole copies of its database in named slots, in a folder beside it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from rag_memory.errors import InvalidArgumentError, SaveDamagedError, SaveError, SaveNotFoundError
from rag_memory.step import Step
from rag_memory.storage.file_name import check_file_name
from rag_memory.storage.sqlite.database import MEMORY_PATH, validate_header
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.store import Store
from rag_memory.validation import validate_text

_UNFINISHED = ".unfinished"


def snapshot_folder(save_path: str) -> Path:
    """Where the snapshots of a save lie."""
    return Path(f"{save_path.removesuffix(SAVE_SUFFIX)}.snapshots")


def slots(save_path: str) -> list[str]:
    """The slots that hold a snapshot of a save, in alphabetical order."""
    if save_path == MEMORY_PATH:
        return []
    return sorted(
        path.name.removesuffix(SAVE_SUFFIX) for path in snapshot_folder(save_path).glob(f"*{SAVE_SUFFIX}")
    )


def write_steps(store: Store, slot: Any) -> Generator[Step, None, None]:
    """Copy the save as it is now into a slot, in slices; the slot's former snapshot stays until the new one
    is whole and on the disk.

    Raises:
        InvalidArgumentError: the slot is no file name, or the save is in memory.
        SaveError: the copy could not be written.
    """
    path = _path("snapshot()", store.path, slot, is_new=True)
    unfinished = path.with_name(path.name + _UNFINISHED)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield from store.copy_steps(unfinished)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise SaveError(
            f"The snapshot {path} could not be written",
            str(error),
            "Check that the disk has room and that the save's folder may be written to",
        ) from error


@contextlib.contextmanager
def opened(where: str, save_path: str, slot: Any) -> Iterator[sqlite3.Connection]:
    """The snapshot in a slot, to be read; `where` names the call in error messages.

    Raises:
        SaveNotFoundError: the slot is empty.
        SaveError: the snapshot is damaged or was written by a newer version; it is left untouched.
    """
    with _opened(_path(where, save_path, slot)) as snapshot:
        yield snapshot


def _path(where: str, save_path: str, slot: Any, is_new: bool = False) -> Path:
    name = validate_text(where, "slot", slot)
    check_file_name(name, "the name of a snapshot", "before_the_mill", is_new)
    if save_path == MEMORY_PATH:
        raise InvalidArgumentError(
            f"{where}: this save has no snapshots", "it is kept in memory only", "Open a save in a file"
        )
    return snapshot_folder(save_path) / f"{name}{SAVE_SUFFIX}"


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.exists():
        known = ", ".join(
            path.name.removesuffix(SAVE_SUFFIX) for path in sorted(path.parent.glob(f"*{SAVE_SUFFIX}"))
        )
        raise SaveNotFoundError(
            f"there is no snapshot {path.name.removesuffix(SAVE_SUFFIX)!r} of this save",
            f"{path} does not exist",
            f"The snapshots are {known}" if known else "snapshot() makes one",
        )
    if not validate_header(path).is_sqlite:
        raise _damaged(path, "it does not begin like an SQLite file")
    # Immutable: reading leaves no trace, not even a lock.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise _damaged(path, str(found))
        yield connection
    except sqlite3.DatabaseError as error:
        raise _damaged(path, str(error)) from error
    finally:
        connection.close()


def _damaged(path: Path, why: str) -> SaveDamagedError:
    return SaveDamagedError(
        f"The snapshot {path} is damaged", f"{why}; the save was left as it is", "Restore another snapshot"
    )


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where folders can be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
