"""Logs that a killed game, a cloud or a backup left beside a save: is each the save's own?

SQLite applies a write-ahead log or a rollback journal to whatever file lies beside it. So both are looked at
before SQLite may open a save. What belongs to another history of the save is never applied.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
import tempfile
from pathlib import Path

from rag_memory import files
from rag_memory.errors import SaveError, in_words
from rag_memory.storage.sqlite.log_reading import LogContents, is_cut, read_journal, read_log
from rag_memory.storage.sqlite.log_record import (
    NO_RECORD,
    RECORD_PAGE,
    LogRecord,
    is_nearly,
    record_in,
    record_on,
    states_of,
)
from rag_memory.storage.sqlite.page_reading import PAGE_BYTES
from rag_memory.storage.sqlite.save_paths import (
    aside_of,
    holds_anything,
    journal_of,
    log_of,
    shared_memory_of,
)
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, check_schema
from rag_memory.storage.sqlite.sqlite_failure import UNREADABLE

_LOG = logging.getLogger("rag_memory")
_MODE = slice(18, 20)
"""Of page 1: how the file is written, with a rollback journal or a write-ahead log."""
_LOG_MODE = b"\x02\x02"
_COUNTER = slice(24, 28)
_CHANGED_WITH_MODE = (_MODE, _COUNTER, slice(92, 100))
"""The bytes of page 1 that differ after a change of the mode alone."""


def put_foreign_aside(file: Path) -> str:
    """Rename the logs beside a save that belong to another history of it, and warn. Nobody may have the save
    open.

    Returns:
        the state of the save with the log that stays; see log_record.py.

    Raises:
        SaveError: a foreign log cannot be renamed, or a log cannot be recognized; the save would be opened
            with it.
        OSError: a file cannot be read.
    """
    own = own_logs(file)
    for log in (log_of(file), journal_of(file)):
        if not holds_anything(log) or log in own:
            continue
        aside = aside_of(log)
        try:
            files.replace(log, aside)
            # Before SQLite writes a log of this name: after a power cut the old one would be there again.
            files.sync_folder(file.parent)
        except OSError as error:
            raise SaveError(
                f"The save {file} cannot be opened",
                f"{log} belongs to another version of this save, and cannot be renamed: {in_words(error)}",
                "Close the program that has that file open, or move the file out of the folder, then open "
                "the save again",
            ) from error
        with contextlib.suppress(OSError):
            files.delete(shared_memory_of(file))
        _LOG.warning(
            "The save %s was opened without %s: that file belongs to another version of the save, such as "
            "one from another computer or from before a backup was put back. It was not applied, and is now "
            "%s. You can delete it. To read it, put it with the save file it belongs to into another folder, "
            "under its old name.",
            file,
            log.name,
            aside,
        )
    if log_of(file) in own and log_of(file).is_file() and is_cut(log_of(file)):
        _LOG.warning(
            "The save %s was opened without the last part of %s, which cannot be read: the game was killed "
            "in the middle of a write, or a power cut or the disk has damaged it. What was stored last may "
            "be missing.",
            file,
            log_of(file).name,
        )
    return _state_of(file)


def own_logs(file: Path) -> list[Path]:
    """The write-ahead log and the rollback journal beside a save, as far as they belong to it.

    Raises:
        OSError: a file cannot be read.
    """
    logs = [log for log in (log_of(file), journal_of(file)) if holds_anything(log)]
    if not logs or not holds_anything(file):
        return logs
    # What is no file SQLite refuses by itself.
    return [log for log in logs if not log.is_file() or _belongs(log, file)]


def was_begun(file: Path) -> bool:
    """Return True if a power cut came while the file was made, and its journal makes it empty again.

    Raises:
        OSError: the journal cannot be read.
    """
    log = journal_of(file)
    journal = read_journal(log) if log.is_file() else None
    return journal is not None and journal.page_count == 0


def _belongs(log: Path, file: Path) -> bool:
    return _log_belongs(log, file) if log == log_of(file) else _journal_belongs(log, file)


def _state_of(file: Path) -> str:
    record = record_in(file) if holds_anything(file) else None
    log = log_of(file)
    contents = read_log(log, RECORD_PAGE) if log.is_file() else None
    states = states_of(_records_of(contents)) if contents is not None else []
    return states[-1] if states else (record or NO_RECORD).state


def _records_of(log: LogContents) -> list[LogRecord]:
    records = [record_on(image) for image in log.images]
    return [record for record in records if record is not None and record != NO_RECORD]


def _log_belongs(log: Path, file: Path) -> bool:
    contents = read_log(log, RECORD_PAGE)
    if contents is None:
        return True
    states, record = states_of(_records_of(contents)), record_in(file)
    # A log without records, or that began with a file without one, may belong to any file that has none.
    if record is None or (record == NO_RECORD and (not states or NO_RECORD.state in states)):
        # A log makes its file longer, as long as nothing is restored.
        is_shorter = contents.page_count * PAGE_BYTES < file.stat().st_size
        return not (is_shorter and _is_whole_alone(file)) and _is_better_with(log, file)
    return any(is_nearly(record.state, state) for state in states)


def _is_better_with(log: Path, file: Path) -> bool:
    """Whether a file and a log of which nothing tells that they belong together are a whole save together,
    or the file is none without it.

    Raises:
        SaveError: there is no room to try that, and the file is a whole save without the log.
    """
    try:
        is_whole = _is_whole_with(log, file, None)
    except OSError:
        if not _is_whole_alone(file):
            return True
        try:
            is_whole = _is_whole_with(log, file, file.parent)
        except OSError as error:
            raise SaveError(
                f"The save {file} cannot be opened",
                f"{log} may belong to another version of this save, and there is no room for the copies that "
                f"tell: {in_words(error)}; both were left untouched",
                "Free room in the folder of temporary files or on the disk of the save, then open the save "
                "again",
            ) from error
    return is_whole or not _is_whole_alone(file)


def _is_whole_with(log: Path, file: Path, parent: Path | None) -> bool:
    """Whether copies of both, in a folder within another one (None: that of temporary files), are whole."""
    with tempfile.TemporaryDirectory(prefix="rag_memory", dir=parent) as folder:
        for part in (file, log):
            shutil.copyfile(part, Path(folder) / part.name)
        return _is_whole(files.sqlite_uri(Path(folder) / file.name))


def _is_whole_alone(file: Path) -> bool:
    return _is_whole(f"{files.sqlite_uri(file.absolute())}?mode=ro&immutable=1")


def _is_whole(uri: str) -> bool:
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version <= SCHEMA_VERSION:
                check_schema(connection, version)
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
    except UNREADABLE:
        return False


def _journal_belongs(log: Path, file: Path) -> bool:
    journal = read_journal(log)
    if journal is None:
        return True
    with file.open("rb") as stream:
        page = stream.read(PAGE_BYTES)
    original = journal.first_page
    if original is None:
        # Of a save that is being made, or of a transaction that has changed nothing yet.
        is_harmless = not journal.has_pages and journal.page_count * PAGE_BYTES == file.stat().st_size
        return page[_MODE] != _LOG_MODE or is_harmless
    if page == original:
        return True
    if page[_MODE] != original[_MODE]:
        return _without(page, _CHANGED_WITH_MODE) == _without(original, _CHANGED_WITH_MODE)
    following = int.from_bytes(original[_COUNTER], "big") + 1
    return page[_MODE] != _LOG_MODE and int.from_bytes(page[_COUNTER], "big") == following


def _without(page: bytes, places: tuple[slice, ...]) -> bytes:
    rest = bytearray(page)
    for place in reversed(places):
        del rest[place]
    return bytes(rest)
