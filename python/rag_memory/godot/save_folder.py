"""Which files a save id stands for: one database per save in one folder, with what belongs to it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rag_memory.errors import SaveError, SaveNotFoundError
from rag_memory.storage.file_name import check_file_name
from rag_memory.storage.sqlite.database import check_ours, holds_anything, journal_of, locked, log_of
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX


def check_save_id(save_id: str, is_new: bool = False) -> None:
    """Refuse an id that is no file name, or for a new save none on every platform. Raises
    InvalidArgumentError.
    """
    check_file_name(save_id, "the id of a save", "slot_1", is_new)


def path_of(folder: Path, save_id: str) -> Path:
    return folder / f"{save_id}{SAVE_SUFFIX}"


def list_saves(folder: Path) -> list[str]:
    """The ids of all saves in `folder`, sorted; none when the folder does not exist."""
    return sorted(path.name.removesuffix(SAVE_SUFFIX) for path in folder.glob(f"*{SAVE_SUFFIX}"))


def begin_as(path: Path, prepared_folder: Path, prepared: str) -> None:
    """Make the new save `path` a copy of the prepared save `prepared`, whole or not at all.

    The log of a former save, whose file is gone, would change the copy. Its memories are in it, so that
    nothing is copied then: opening the save keeps it aside and says so.

    Raises SaveNotFoundError when there is no such prepared save, SaveError when the file of that name is
    none or was not closed, OSError when a file cannot be read or written.
    """
    if holds_anything(log_of(path)):
        return
    source = path_of(prepared_folder, prepared)
    if not source.is_file():
        found = ", ".join(list_saves(prepared_folder)) or "none"
        raise SaveNotFoundError(
            f"there is no prepared save {prepared!r}",
            f"{source} does not exist; prepared saves found there: {found}",
            "Put the file there; for an exported game tick rag_memory/prepared_saves in its export preset",
        )
    check_ours(source)
    for rest in (log_of(source), journal_of(source)):
        if holds_anything(rest):
            raise SaveError(
                f"The prepared save {prepared!r} was not closed",
                f"what was written last is still in {rest}, and would be missing in the copy",
                "Open it once with open_save() and close it with close_save(), then put its file there again",
            )
    # As SQLite does with what is left of a file that is gone: in another one it would do damage.
    journal_of(path).unlink(missing_ok=True)
    unfinished = path.with_name(path.name + ".new")
    try:
        shutil.copyfile(source, unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def delete_save(folder: Path, save_id: str) -> None:
    """Delete a save's database, its write-ahead log, its search indexes and its snapshots.

    Snapshots go first and the database after them: a save that could be deleted in part only is still listed,
    and a later save of the same id never finds the snapshots of this one.

    Nobody can open the save meanwhile. Raises SaveNotFoundError when there is none, SaveLockedError when it
    is open, SaveError when something cannot be deleted.
    """
    path = path_of(folder, save_id)
    if not path.exists():
        raise SaveNotFoundError(
            f"there is no save {save_id!r}",
            f"{path} does not exist",
            "MemoryServer.list_saves() lists them",
        )
    try:
        lock = locked(path)
        try:
            for ending in (".snapshots", ".index"):
                owned = folder / f"{save_id}{ending}"
                if owned.exists():
                    shutil.rmtree(owned)
            path.unlink()
            for rest in (log_of(path), journal_of(path), path.with_name(f"{path.name}-shm")):
                rest.unlink(missing_ok=True)
        finally:
            lock.release()
    except OSError as error:
        raise SaveError(
            f"The save {save_id!r} could not be deleted",
            str(error),
            "Close what has its files open, check that their folder may be written to, and delete it again",
        ) from error
