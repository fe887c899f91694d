"""A copy of a whole save: its database with what was written last, and its snapshots; all of it or nothing.

Everything is gathered in a folder beside the copy first. The database gets its name last: until then there is
no such save, and what a killed process has left of it is taken away before the next one of that name begins.
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
from rag_memory.storage.sqlite.save_paths import COPYING, SNAPSHOTS, beside, check_beside, suspicion_of

_RESTS = ("-wal", "-journal", ".suspect")
"""What lies beside a database that was not closed, or is damaged."""


def copy_steps(source: Path, target: Path, copy_open: CopyFunction | None) -> Generator[Step, None, None]:
    """Make `target` a copy of `source`, in slices. Nobody else may open one of them meanwhile.

    Args:
        copy_open: writes the database of the source when it is open; None when nobody has it open.

    Raises:
        SaveExistsError: there is something of a save `target` already.
        OSError: a file cannot be read or written; nothing is left of the copy then.
    """
    forget_unfinished(target)
    refuse_taken(target, *(Path(f"{target}{rest}") for rest in _RESTS), beside(target, SNAPSHOTS))
    check_beside(target)
    gathered = beside(target, COPYING)
    try:
        gathered.mkdir()
        if copy_open is None:
            for part in (*own_logs(source), suspicion_of(source), source):
                if part.exists():
                    yield from copy_file_steps(part, gathered / f"save{part.name.removeprefix(source.name)}")
        else:
            yield from copy_open(gathered / "save")
        snapshots = sorted(beside(source, SNAPSHOTS).glob(f"*{SAVE_SUFFIX}"))
        if snapshots:
            (gathered / SNAPSHOTS).mkdir()
        for snapshot in snapshots:
            yield from copy_file_steps(snapshot, gathered / SNAPSHOTS / snapshot.name)
        if snapshots:
            files.replace(gathered / SNAPSHOTS, beside(target, SNAPSHOTS))
        for rest in _RESTS:
            if (gathered / f"save{rest}").exists():
                files.replace(gathered / f"save{rest}", Path(f"{target}{rest}"))
        files.sync_folder(target.parent)
        files.replace(gathered / "save", target)
        files.sync_folder(target.parent)
    finally:
        forget_unfinished(target)


def refuse_taken(target: Path, *rests: Path) -> None:
    """Refuse to make a save of which there is something already."""
    for path in (target, *rests):
        if path.exists():
            raise SaveExistsError(
                f"there is a save {target.name.removesuffix(SAVE_SUFFIX)!r}, or something is left of one",
                f"{path} exists",
                "Copy to another id, or delete it first with MemoryServer.delete_save()",
            )


def forget_unfinished(path: Path) -> None:
    """Take away what a copy that was not finished has left of a save; nobody else may have it open."""
    gathered = beside(path, COPYING)
    if not gathered.exists():
        return
    if not path.exists():
        with contextlib.suppress(OSError):
            files.delete_folder(beside(path, SNAPSHOTS))
        for rest in _RESTS:
            files.delete(Path(f"{path}{rest}"))
    files.delete_folder(gathered)
