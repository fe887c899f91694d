"""The files of saves that are not open: copying and deleting them; a storage.save_files.SaveFiles."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import Any

from rag_memory import files
from rag_memory.errors import SaveDamagedError, SaveError
from rag_memory.step import Step
from rag_memory.storage.save_files import CopyFunction
from rag_memory.storage.sqlite.database import check_ours, locked
from rag_memory.storage.sqlite.file_check import is_large
from rag_memory.storage.sqlite.save_copying import copy_steps, finish_or_forget, refuse_taken
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX, read_header
from rag_memory.storage.sqlite.save_lock import ThisProcess
from rag_memory.storage.sqlite.save_paths import (
    FOLDERS,
    asides_of,
    beside,
    conflicts_of,
    holds_anything,
    journal_of,
    log_of,
    shared_memory_of,
    suspicion_of,
)


class SqliteFiles:
    """One database per save, and folders beside it."""

    suffix = SAVE_SUFFIX

    def engine_versions(self) -> dict[str, str]:
        """The version of SQLite."""
        return {"sqlite": sqlite3.sqlite_version}

    def introduce(self, role: str, is_debug: bool = False) -> None:
        """Say the role in the lock files of the saves that are opened from now on."""
        ThisProcess.role = role
        ThisProcess.is_debug = is_debug

    def is_unread(self, path: Path) -> bool:
        """Whether the log of a former save, whose file is gone, is there. It would change a copy, and its
        memories are in it: opening the save keeps it aside and says so.
        """
        return holds_anything(log_of(path))

    def contents_of(self, path: Path, is_ours: bool = True) -> dict[str, Any]:
        """What is in a save that is not open here, which is left as it is."""
        # Imported when it is asked for: a game that shows its menu needs none of it.
        from rag_memory.storage.sqlite.save_contents import contents_of

        return contents_of(path, is_ours)

    def size_of(self, path: Path) -> int:
        """How many bytes everything takes that belongs to a save."""
        parts = [path, log_of(path), journal_of(path)]
        for ending in FOLDERS:
            parts += beside(path, ending).rglob("*")
        sizes = 0
        for file in parts:
            with contextlib.suppress(OSError):
                sizes += file.stat().st_size if file.is_file() else 0
        return sizes

    def conflicts_of(self, path: Path) -> list[Path]:
        """Other versions of a save, which were put in its place while it was open; oldest first."""
        return conflicts_of(path)

    def copy_steps(
        self, source: Path, path: Path, copy_open: CopyFunction | None, replaces: bool = False
    ) -> Generator[Step, None, None]:
        """Make the save `path` a copy of another one; see save_copying.copy_steps()."""
        check_ours(source)
        if replaces:
            check_ours(path)
        else:
            refuse_taken(path)
        with contextlib.ExitStack() as locks:
            for file in (path,) if copy_open else (path, source):
                locks.callback(locked(file).release)
            if replaces and copy_open is None:
                _check_copied(source)
            yield from copy_steps(source, path, copy_open, replaces)

    def check_closed(self, path: Path) -> None:
        """Refuse a file that is no save, or was not closed."""
        check_ours(path)
        for rest in (log_of(path), journal_of(path)):
            if holds_anything(rest):
                raise SaveError(
                    f"The prepared save {path.name.removesuffix(SAVE_SUFFIX)!r} was not closed",
                    f"what was written last is still in {rest}, and would be missing in the copy",
                    "Open it once with open_save() and close it with close_save(), then put its file there "
                    "again",
                )

    def copy_closed(self, source: Path, path: Path) -> None:
        """Make the save `path` a copy of another one that is closed; whole or not at all."""
        finish_or_forget(path)
        # As SQLite does with what is left of a file that is gone: in another one it would do damage.
        files.delete(journal_of(path))
        unfinished = path.with_name(path.name + ".new")
        files.delete(unfinished)
        try:
            shutil.copyfile(source, unfinished)
            files.sync_file(unfinished)
            files.replace(unfinished, path)
            files.sync_folder(path.parent)
        finally:
            files.delete(unfinished)

    def delete(self, path: Path) -> None:
        """Delete a database, its write-ahead log, its search indexes and its snapshots, and what was put
        aside of other versions of it.

        Snapshots go first and the database after them: a save that could be deleted in part only is still
        listed, and a later save of the same id never finds the snapshots of this one.
        """
        lock = locked(path)
        try:
            for ending in FOLDERS:
                owned = beside(path, ending)
                if owned.exists():
                    files.delete_folder(owned)
            files.delete(path)
            logs = (log_of(path), journal_of(path), shared_memory_of(path))
            for rest in (*logs, suspicion_of(path), *asides_of(path), *conflicts_of(path)):
                files.delete(rest)
        finally:
            lock.release()


def _check_copied(source: Path) -> None:
    """Refuse to put a save that cannot be read in the place of another one."""
    header = read_header(source)
    if header.is_empty or not header.is_sqlite or header.is_damaged:
        raise SaveDamagedError(
            f"The save {source} is not copied over another one",
            "it does not begin like a save",
            "Open it once with open_save(), which keeps what can be read of it, then copy it again",
        )
    if not holds_anything(log_of(source)) and not is_large(source):
        # Imported when it is used: a game that shows its menu needs none of it.
        from rag_memory.storage.sqlite.snapshots import opened_file

        with opened_file(source):
            pass
