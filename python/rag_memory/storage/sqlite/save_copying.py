"""A copy of a whole save: its database with what was written last, and its snapshots; all of it or nothing.

Everything is gathered in a folder beside the copy first. When that folder gets its second name, it is whole.
From then on a save that it replaces is replaced, if need be by whoever opens that save next. A copy that
replaces none is there as soon as its database has its name: until then there is no such save, and what a
killed process has left of it is deleted before the next one of that name begins.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path

from rag_memory import files
from rag_memory.errors import SaveExistsError
from rag_memory.step import Step
from rag_memory.storage.save_files import CopyFunction
from rag_memory.storage.sqlite.copying import copy_file_steps
from rag_memory.storage.sqlite.leftover_logs import own_logs
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.save_paths import (
    COPIED,
    COPYING,
    INDEX,
    SNAPSHOTS,
    asides_of,
    beside,
    check_beside,
    conflicts_of,
    suspicion_of,
)

_RESTS = ("-wal", "-journal", ".suspect")
"""What lies beside a database that was not closed, or is damaged."""


def copy_steps(
    source: Path, target: Path, copy_open: CopyFunction | None, replaces: bool
) -> Generator[Step, None, None]:
    """Make `target` a copy of `source`, in slices. Nobody else may open one of them meanwhile.

    Args:
        copy_open: writes the database of the source when it is open; None when nobody has it open.
        replaces: whether a save `target` is replaced, with its snapshots.

    Raises:
        SaveExistsError: there is something of a save `target` already, and it is not to be replaced.
        OSError: a file cannot be read or written; nothing is left of the copy then, or all of it.
    """
    finish_or_forget(target)
    if not replaces:
        refuse_taken(target, *(Path(f"{target}{rest}") for rest in _RESTS), beside(target, SNAPSHOTS))
    check_beside(target)
    if copy_open is None:
        finish_or_forget(source)
    gathered = beside(target, COPYING)
    try:
        gathered.mkdir()
        if copy_open is None:
            for part in (*own_logs(source), suspicion_of(source), source):
                if part.exists():
                    yield from copy_file_steps(part, gathered / f"save{part.name.removeprefix(source.name)}")
        else:
            yield from copy_open(gathered / "save")
        (gathered / SNAPSHOTS).mkdir()
        for snapshot in sorted(beside(source, SNAPSHOTS).glob(f"*{SAVE_SUFFIX}")):
            yield from copy_file_steps(snapshot, gathered / SNAPSHOTS / snapshot.name)
        for folder in (gathered / SNAPSHOTS, gathered):
            files.sync_folder(folder)
        files.replace(gathered, beside(target, COPIED))
        files.sync_folder(target.parent)
        _finish(target)
    finally:
        finish_or_forget(target)


def refuse_taken(target: Path, *rests: Path) -> None:
    """Refuse to make a save of which there is something already."""
    for path in (target, *rests):
        if path.exists():
            raise SaveExistsError(
                f"there is a save {target.name.removesuffix(SAVE_SUFFIX)!r}, or something is left of one",
                f"{path} exists",
                'Copy to another id, pass {"replace": true} to copy_save(), or delete it first with '
                "MemoryServer.delete_save()",
            )


def finish_or_forget(path: Path) -> None:
    """Finish the copy that a killed process was about to put in the place of this save, and delete what it
    has left of any other. Nobody else may have the save open.

    Raises:
        OSError: a file cannot be renamed or deleted.
    """
    gathered, copied = beside(path, COPYING), beside(path, COPIED)
    if gathered.exists():
        files.delete_folder(gathered)
    if not copied.exists():
        return
    if path.exists():
        _finish(path)
        return
    if (copied / "save").exists() and not (copied / SNAPSHOTS).exists():
        with contextlib.suppress(OSError):
            files.delete_folder(beside(path, SNAPSHOTS))
    files.delete_folder(copied)


def _finish(target: Path) -> None:
    """Give the parts of a copy that is whole their names. Each step may be repeated, and is, until the folder
    of the copy is gone.
    """
    copied = beside(target, COPIED)
    database = copied / "save"
    if database.exists():
        former = [Path(f"{target}{rest}") for rest in (*_RESTS, "-shm")]
        if target.exists():
            former += [*asides_of(target), *conflicts_of(target)]
        for path in former:
            files.delete(path)
        if (copied / SNAPSHOTS).exists():
            for folder in (beside(target, ending) for ending in (INDEX, SNAPSHOTS)):
                if folder.exists():
                    files.delete_folder(folder)
            files.replace(copied / SNAPSHOTS, beside(target, SNAPSHOTS))
        files.sync_folder(target.parent)
        files.replace(database, target)
        files.sync_folder(target.parent)
    for rest in _RESTS:
        if (copied / f"save{rest}").exists():
            files.replace(copied / f"save{rest}", Path(f"{target}{rest}"))
    with contextlib.suppress(OSError):
        beside(target, SNAPSHOTS).rmdir()  # If there are none.
    files.sync_folder(target.parent)
    files.delete_folder(copied)
