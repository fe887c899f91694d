"""The files of saves that are not open: copying and deleting them; a storage.save_files.SaveFiles."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

from rag_memory.errors import SaveError
from rag_memory.storage.sqlite.database import (
    check_ours,
    holds_anything,
    journal_of,
    locked,
    log_of,
    suspicion_of,
)
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.save_lock import ThisProcess

_OWNED = (".snapshots", ".index")


class SqliteFiles:
    """One database per save, and folders beside it."""

    suffix = SAVE_SUFFIX

    def engine_versions(self) -> dict[str, str]:
        """The version of SQLite."""
        return {"sqlite": sqlite3.sqlite_version}

    def introduce(self, role: str) -> None:
        """Say it in the lock files of the saves that are opened from now on."""
        ThisProcess.role = role

    def is_unread(self, path: Path) -> bool:
        """Whether the log of a former save, whose file is gone, is there. It would change a copy, and its
        memories are in it: opening the save keeps it aside and says so.
        """
        return holds_anything(log_of(path))

    def copy_closed(self, source: Path, path: Path) -> None:
        """Make the save `path` a copy of another one that is closed; whole or not at all."""
        check_ours(source)
        for rest in (log_of(source), journal_of(source)):
            if holds_anything(rest):
                raise SaveError(
                    f"The prepared save {source.name.removesuffix(SAVE_SUFFIX)!r} was not closed",
                    f"what was written last is still in {rest}, and would be missing in the copy",
                    "Open it once with open_save() and close it with close_save(), then put its file there "
                    "again",
                )
        # As SQLite does with what is left of a file that is gone: in another one it would do damage.
        journal_of(path).unlink(missing_ok=True)
        unfinished = path.with_name(path.name + ".new")
        try:
            shutil.copyfile(source, unfinished)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    def delete(self, path: Path) -> None:
        """Delete a database, its write-ahead log, its search indexes and its snapshots.

        Snapshots go first and the database after them: a save that could be deleted in part only is still
        listed, and a later save of the same id never finds the snapshots of this one.
        """
        lock = locked(path)
        try:
            for ending in _OWNED:
                owned = Path(f"{str(path).removesuffix(SAVE_SUFFIX)}{ending}")
                if owned.exists():
                    shutil.rmtree(owned)
            path.unlink()
            shared = path.with_name(f"{path.name}-shm")
            for rest in (log_of(path), journal_of(path), shared, suspicion_of(path)):
                rest.unlink(missing_ok=True)
        finally:
            lock.release()
