"""Opening a save's file: is it ours, whole, current, and free? What holds memories is never deleted."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
import sqlite3
from pathlib import Path
from typing import NamedTuple

from rag_memory import files
from rag_memory.errors import (
    NotASaveError,
    SaveDamagedError,
    SaveError,
    SaveLockedError,
    SaveTooNewError,
    SaveTooOldError,
    SaveUnwritableError,
    in_words,
)
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.sqlite.file_check import check_whole, is_large
from rag_memory.storage.sqlite.leftover_logs import put_foreign_aside, was_begun
from rag_memory.storage.sqlite.page_report import mend, report
from rag_memory.storage.sqlite.page_sums import read_pages
from rag_memory.storage.sqlite.salvage import salvage
from rag_memory.storage.sqlite.save_copying import finish_or_forget
from rag_memory.storage.sqlite.save_header import Header, is_nearly_ours, read_header, was_save
from rag_memory.storage.sqlite.save_lock import SaveLock, locked_error, take
from rag_memory.storage.sqlite.save_paths import check_beside, holds_anything, log_of, suspicion_of, unused
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, UNRELEASED_ID, check_schema, migrate
from rag_memory.storage.sqlite.sqlite_failure import (
    UNREADABLE,
    cause,
    is_damage,
    is_lock,
    is_nonsense,
    remedy,
)
from rag_memory.storage.sqlite.write_ahead_log import WriteAheadLog

_LOG = logging.getLogger("rag_memory")
_BUSY_TIMEOUT_SECONDS = 0.25
_CACHED_STATEMENTS = 256
_MOST_PAGES = 1 << 22
"""16 GiB: no game has so many memories, but a mistake may write for ever."""


class Database(NamedTuple):
    """An open file of a save, its log, and the lock that keeps others out; one that only we can find needs
    neither.
    """

    connection: sqlite3.Connection
    log: WriteAheadLog | None
    lock: SaveLock | None

    def close(self) -> None:
        """Put everything into the main file and let others in."""
        try:
            if self.log is not None:
                self.log.close()
            self.connection.close()
            if self.log is not None:
                self.log.sums.close()
        finally:
            if self.lock is not None:
                self.lock.release()


def open_database(path: str) -> Database:
    """Open or create the file of a save and bring it to the current schema.

    The operating system takes the lock from a killed process.

    Raises:
        SaveError: the file is damaged (it is then kept aside), was written by a newer version, is no save, is
            open in another process, or its folder cannot be written to.
    """
    if path in (MEMORY_PATH, TEMPORARY_PATH):
        connection = _connect(path)
        _prepare(connection, Path(path), 0, None)
        return Database(connection, None, None)
    file = Path(path)
    is_new = not file.exists()
    lock = _locked_ours(file)
    try:
        _finish_or_forget(file)
        return Database(*_open_file(file), lock)
    except BaseException:
        with contextlib.suppress(OSError):
            if is_new and not holds_anything(file):
                files.delete(file)  # A full disk has left it empty: that is no save.
        lock.release()
        raise


def reopen_database(database: Database, file: Path) -> Database:
    """Open the file of a save whose lock is held, in place of a connection that is closed.

    Raises:
        SaveError: as open_database().
    """
    return Database(*_open_file(file), database.lock)


def _locked_ours(file: Path) -> SaveLock:
    # Before a lock file is written beside it: what is not ours stays untouched.
    check_ours(file)
    try:
        files.make_folder(file.parent)
        return locked(file)
    except OSError as error:
        raise _cannot_open(file, error) from error


def locked(file: Path) -> SaveLock:
    """The lock on a save's file, which nobody else can open until it is released.

    Raises:
        SaveLockedError: somebody has the save open.
        OSError: the lock file cannot be written.
    """
    try:
        return take(str(file))
    except BlockingIOError as error:
        raise locked_error(file) from error


def _finish_or_forget(file: Path) -> None:
    try:
        finish_or_forget(file)
    except OSError as error:
        raise _cannot_open(file, error) from error


def _open_file(file: Path) -> tuple[sqlite3.Connection, WriteAheadLog]:
    try:
        state = put_foreign_aside(file)
    except OSError as error:
        raise _cannot_open(file, error) from error
    version = _validate_version(file)
    if suspicion_of(file).exists():
        damage_error = _kept_aside(file, "this was found when it was last used")
        if not holds_anything(file):
            raise damage_error
        # Whoever used it was told then.
        _LOG.error("%s", damage_error)
        version, state = read_header(file).version, ""
    try:
        pages = read_pages(file, is_whole=not is_large(file))
        connection = _connect(str(file))
    except (OSError, sqlite3.Error) as error:
        raise _cannot_open(file, error) from error
    log = WriteAheadLog(connection, file, state, pages)
    try:
        with contextlib.ExitStack() as unfinished:
            unfinished.callback(log.sums.close)
            unfinished.callback(log.release)
            _prepare(connection, file, version, log)
            unfinished.pop_all()
    except UnicodeDecodeError as error:
        # SQLite's own message quotes what it found in the schema.
        raise _kept_aside(file, "a name in its schema is no text", connection) from error
    except sqlite3.Error as error:
        if is_damage(error) or is_nonsense(error):
            raise _kept_aside(file, str(error), connection) from error
        connection.close()
        raise _cannot_open(file, error) from error
    except OSError as error:
        connection.close()
        raise _cannot_open(file, error) from error
    except BaseException:
        connection.close()
        raise
    return connection, log


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(
        path, timeout=_BUSY_TIMEOUT_SECONDS, isolation_level=None, cached_statements=_CACHED_STATEMENTS
    )


def _prepare(connection: sqlite3.Connection, file: Path, version: int, log: WriteAheadLog | None) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    # Exclusive before the first read: no -shm file is needed, and no SQLite tool gets in between.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute(f"PRAGMA max_page_count = {_MOST_PAGES}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    # On macOS a sync is one only with this.
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    changed: list[int] | None = None
    if version != 0:
        # Before anything is written: a damaged file is kept aside exactly as it was found.
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
        # A killed newer version may have left its version in the write-ahead log only.
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        _refuse_newer(file, version)
    # What somebody else wrote into the schema may have no end: it is not even checked.
    check_schema(connection, version)
    # Ours has triggers that write to the keyword index.
    connection.execute("PRAGMA trusted_schema = ON")
    if version != 0:
        changed = log.sums.damaged() if log is not None and version == SCHEMA_VERSION else None
        check_whole(connection, is_trusted=is_large(file) or changed == [])
    if log is not None:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    # A new one in the rollback journal, so that the header tells what the file is even when only the main
    # file survives.
    is_outdated = version not in (0, SCHEMA_VERSION)
    if log is not None and is_outdated:
        # The file gets its first record by itself: the log of a killed migration then names its file.
        log.checkpoint()
        log.begin()
    migrate(connection, version)
    connection.execute("PRAGMA journal_mode = WAL")
    if log is not None and is_outdated:
        # For the same reason.
        log.checkpoint()
        # Its version has written what this one's readers may not expect: that is no damage.
        log.sums.were_right = True
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")
    if log is not None and changed:
        rows = report(file, log.sums.open_file(), changed, connection)
        log.begin()
        with connection:
            connection.execute("BEGIN")
            mend(connection, rows)


def _validate_version(file: Path) -> int:
    """The schema version of the file, 0 when there is none yet; a damaged file is kept aside."""
    header = validate_header(file)
    if header.is_empty:
        if holds_anything(log_of(file)):
            raise _kept_aside(file, "the file is empty, but its write-ahead log is not")
    elif not header.is_sqlite and was_begun(file):
        return 0
    elif not header.is_sqlite:
        raise _kept_aside(file, "it does not begin like an SQLite file")
    elif header.is_damaged:
        raise _kept_aside(file, "its first bytes are not those of a save")
    return header.version


def validate_header(file: Path) -> Header:
    """The head of the file, unless it shows that the file is not for us."""
    try:
        check_beside(file)
        header = read_header(file)
    except OSError as error:
        raise _cannot_open(file, error) from error
    if header.is_sqlite and header.application_id == UNRELEASED_ID:
        raise SaveTooOldError(
            f"{file} was written by an unreleased version of RAG Memory",
            f"its tables are version {header.version} of a format that is no longer read; it is unchanged",
            "Export each NPC with export_json() in the version that wrote it, then import the files with "
            "import_json() into a new save",
        )
    if header.is_sqlite and not is_nearly_ours(header.application_id):
        raise NotASaveError(
            f"{file} is no save of RAG Memory",
            "it is a database of another program, and was left untouched",
            "Open another path",
        )
    if header.is_sqlite and not header.is_damaged:
        _refuse_newer(file, header.version)
    return header


def check_ours(file: Path) -> None:
    """Refuse a file that is no save, whole or damaged, of this version or an older one. It is left untouched.

    Raises:
        NotASaveError: it belongs to something else.
        SaveTooNewError: a newer version wrote it.
        SaveTooOldError: a version from before the first release wrote it.
        SaveError: it cannot be read.
    """
    header = validate_header(file)
    if header.is_empty or header.is_sqlite or was_save(file, header):
        return
    what = header.other_format
    appearance = f"it is {what}" if what else "it does not begin like an SQLite database"
    raise NotASaveError(
        f"{file} is no save of RAG Memory",
        f"{appearance}, and nothing tells that it ever was a save; it was left untouched",
        "Open another path, or move this file away to begin a save there",
    )


def _refuse_newer(file: Path, version: int) -> None:
    if version > SCHEMA_VERSION:
        raise SaveTooNewError(
            f"{file} was written by a newer version of RAG Memory",
            f"its schema version is {version}, the newest known is {SCHEMA_VERSION}; it was left untouched",
            "Update RAG Memory, or open another save",
        )


def _kept_aside(file: Path, why: str, connection: sqlite3.Connection | None = None) -> SaveDamagedError:
    """Keep a damaged file aside and begin a new save with what can be read of it; what to tell."""
    try:
        aside, salvaged = _put_aside(file, connection)
    except OSError as error:
        return SaveDamagedError(
            f"The save {file} is damaged ({why})",
            f"it could not be kept aside: {in_words(error)}",
            "Make its folder writable, then open the save again",
        )
    _LOG.error("The save %s is damaged (%s); it is kept as %s", file, why, aside)
    if salvaged:
        return SaveDamagedError(
            f"The save {file} is damaged",
            f"{why}; it is kept as {aside}, and what could be read of it, {salvaged} memories, "
            "interactions and documents of the world, is the save",
            "Open the save to go on with these, or restore a copy of it",
        )
    return SaveDamagedError(
        f"The save {file} is damaged",
        f"{why}; it is kept as {aside}",
        "Restore a copy of the save, or open it again to begin an empty one",
    )


def _put_aside(file: Path, connection: sqlite3.Connection | None) -> tuple[Path, int]:
    """Rename a damaged file and put what can be read of it in its place: the new name, and how many memories,
    interactions and documents could be read.
    """
    aside = unused(f"{file}.damaged")
    # What is open cannot be renamed on Windows, and closing it puts the log into the file.
    has_to_stay = connection is not None and os.name == "nt"
    parts = [Path(f"{file}{suffix}") for suffix in ("-wal", "-shm", "-journal", "")]
    try:
        for part in parts:
            copy = Path(f"{aside}{part.name.removeprefix(file.name)}")
            if not holds_anything(part) and part != file:
                continue
            if has_to_stay:
                shutil.copyfile(part, copy)
            elif part.exists():
                files.replace(part, copy)
    finally:
        # Not before: SQLite would put the log into the file, had that not moved.
        if connection is not None:
            connection.close()
    for part in parts:
        # Also what was made by looking at it.
        files.delete(part)
    files.delete(suspicion_of(file))
    try:
        return aside, salvage(aside, file)
    except (OSError, *UNREADABLE) as error:
        _LOG.error("Nothing could be read of %s: %s", aside, error)
        return aside, 0


def _cannot_open(file: Path, error: Exception) -> SaveError:
    what = f"The save {file} cannot be opened"
    if is_lock(error):
        return SaveLockedError(
            f"The save {file} is locked",
            "another program, such as a database browser, has its file in use",
            "Close it there, then try again",
        )
    if isinstance(error, sqlite3.Error):
        return SaveUnwritableError(what, cause(error), remedy(error))
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return SaveError(what, f"{error.filename} is a link to another file", "Delete it, then try again")
    if isinstance(error, OSError) and error.errno in (errno.EINVAL, errno.EFBIG):
        return SaveError(what, in_words(error), "Move it out of the folder, then try again")
    return SaveUnwritableError(
        what,
        in_words(error),
        "Check that its folder exists, that you may write to it, and that no other program has the file open",
    )
