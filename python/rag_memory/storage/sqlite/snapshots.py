"""Snapshots of a save: whole copies of its database in named slots, in a folder beside it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from rag_memory import files
from rag_memory.errors import SaveDamagedError, SaveError, SaveNotFoundError, in_words
from rag_memory.step import Step
from rag_memory.storage.file_name import check_no_other_case
from rag_memory.storage.save_files import CopyFunction
from rag_memory.storage.snapshot_slot import slot_path
from rag_memory.storage.sql.browsing import Browsing
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sqlite.database import validate_header
from rag_memory.storage.sqlite.file_check import check_whole
from rag_memory.storage.sqlite.page_report import report
from rag_memory.storage.sqlite.page_sums import damaged_pages, read_pages
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, check_schema
from rag_memory.storage.sqlite.sqlite_failure import UNREADABLE, cause
from rag_memory.storage.sqlite.statements import Statements

_UNFINISHED = ".unfinished"


class OpenedSnapshot:
    """A snapshot that is open to be read; a storage.protocol.SaveState."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        statements = Statements(connection)
        self.records = Records(statements)
        self.browsing = Browsing(statements)
        self.documents = Documents(statements)

    @property
    def is_current(self) -> bool:
        """Whether it is of the current schema version."""
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return bool(version == SCHEMA_VERSION)


class Snapshots:
    """The snapshots of an open save; see storage.protocol.Snapshots."""

    def __init__(self, folder: Path | None, copy_steps: CopyFunction) -> None:
        """`folder`: of the snapshots; None for a save in memory."""
        self._folder = folder
        self._copy_steps = copy_steps

    def slots(self) -> list[str]:
        """The slots that hold a snapshot, in alphabetical order."""
        return slots_in(self._folder)

    def write_steps(self, slot: Any) -> Generator[Step, None, None]:
        """Copy the save as it is now into a slot, in slices; the slot's former snapshot stays until the new
        one is whole and on the disk.

        Raises:
            InvalidArgumentError: the slot is no file name, another differs from it in capital letters only,
                or the save is in memory.
            SaveError: the copy could not be written.
        """
        path = slot_path("snapshot()", self._folder, slot, SAVE_SUFFIX, is_new=True)
        check_no_other_case(slot, "the name of a snapshot", self.slots())
        unfinished = path.with_name(path.name + _UNFINISHED)
        try:
            files.make_folder(path.parent)
            # What a killed process, or somebody else, has left under this name is not written through.
            files.delete(unfinished)
            try:
                yield from self._copy_steps(unfinished)
                files.replace(unfinished, path)
            finally:
                files.delete(unfinished)
            files.sync_folder(path.parent)
        except OSError as error:
            raise SaveError(
                f"The snapshot {path} could not be written",
                in_words(error),
                "Check that the disk has room and that the save's folder may be written to",
            ) from error

    def delete(self, slot: Any) -> None:
        """Delete the snapshot in a slot.

        Raises:
            InvalidArgumentError: the slot is no file name, or the save is in memory.
            SaveNotFoundError: the slot is empty.
            SaveError: it could not be deleted.
        """
        path = slot_path("delete_snapshot()", self._folder, slot, SAVE_SUFFIX)
        if not path.exists():
            raise _not_found(path)
        try:
            files.delete(path)
            files.sync_folder(path.parent)
        except OSError as error:
            raise SaveError(
                f"The snapshot {path} could not be deleted",
                in_words(error),
                "Close what has the file open, and check that its folder may be written to",
            ) from error

    @contextlib.contextmanager
    def opened(self, call: str, slot: Any) -> Iterator[OpenedSnapshot]:
        """The snapshot in a slot, to be read; `call` names the call in error messages.

        Raises:
            SaveNotFoundError: the slot is empty.
            SaveError: the snapshot is damaged or was written by a newer version; it is left untouched.
        """
        path = slot_path(call, self._folder, slot, SAVE_SUFFIX)
        if not path.exists():
            raise _not_found(path)
        with opened_file(path, names_damage=True) as snapshot:
            yield snapshot


@contextlib.contextmanager
def opened_file(path: Path, names_damage: bool = False) -> Iterator[OpenedSnapshot]:
    """The file of a snapshot or of a closed save, to be read.

    Args:
        names_damage: whether a warning names the memories on pages that were changed.

    Raises:
        SaveError: it is damaged or was written by a newer version; it is left untouched.
    """
    header = validate_header(path)
    if not header.is_sqlite or header.is_damaged:
        raise _damaged(path, "it does not begin like a save")
    try:
        pages = read_pages(path)
        # Immutable: reading leaves no trace, not even a lock.
        connection = sqlite3.connect(f"{files.sqlite_uri(path.absolute())}?mode=ro&immutable=1", uri=True)
    except (OSError, sqlite3.Error) as error:
        raise SaveError(
            f"{path} cannot be opened",
            f"{in_words(error) if isinstance(error, OSError) else cause(error)}; the save was left as it was",
            "Check its drive and that it may be read, then do it again",
        ) from error
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        check_schema(connection, header.version)
        check_whole(connection)
        is_compared = names_damage and header.version == SCHEMA_VERSION
        changed = damaged_pages(connection, pages, set()) if is_compared else None
        if changed:
            with open(path, "rb", buffering=0) as stream:
                report(path, stream, changed, connection)
        yield OpenedSnapshot(connection)
    except UNREADABLE as error:
        raise _damaged(path, str(error)) from error
    finally:
        connection.close()


def slots_in(folder: Path | None) -> list[str]:
    """The slots that hold a snapshot, in alphabetical order."""
    paths = [] if folder is None else folder.glob(f"*{SAVE_SUFFIX}")
    return sorted(path.name.removesuffix(SAVE_SUFFIX) for path in paths)


def _not_found(path: Path) -> SaveNotFoundError:
    slots = ", ".join(slots_in(path.parent))
    return SaveNotFoundError(
        f"there is no snapshot {path.name.removesuffix(SAVE_SUFFIX)!r} of this save",
        f"{path} does not exist",
        f"The snapshots are {slots}" if slots else "snapshot() makes one",
    )


def _damaged(path: Path, why: str) -> SaveDamagedError:
    return SaveDamagedError(
        f"The snapshot {path} is damaged", f"{why}; the save was left as it is", "Restore another snapshot"
    )
