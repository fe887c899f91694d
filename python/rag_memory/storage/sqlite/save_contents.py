"""What is in a save, in numbers, without opening it for use."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag_memory import files
from rag_memory.errors import SaveLockedError, SaveTooNewError, SaveTooOldError
from rag_memory.storage.save_files import NOTHING_READ
from rag_memory.storage.sql.browsing import stored_contents
from rag_memory.storage.sqlite.database import check_ours, locked
from rag_memory.storage.sqlite.leftover_logs import own_logs
from rag_memory.storage.sqlite.save_copying import finish_or_forget
from rag_memory.storage.sqlite.save_header import read_header
from rag_memory.storage.sqlite.save_paths import SNAPSHOTS, beside, lock_of
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, check_schema
from rag_memory.storage.sqlite.snapshots import slots_in
from rag_memory.storage.sqlite.sqlite_failure import UNREADABLE
from rag_memory.storage.sqlite.statements import Statements


def contents_of(path: Path, is_ours: bool) -> dict[str, Any]:
    """See storage.save_files.SaveFiles.contents_of()."""
    contents = {**NOTHING_READ, "snapshots": slots_in(beside(path, SNAPSHOTS))}
    try:
        check_ours(path)
    except SaveTooNewError:
        return {**contents, "state": "too_new", "schema_version": read_header(path).version}
    except SaveTooOldError:
        return {**contents, "state": "too_old"}
    contents["schema_version"] = read_header(path).version
    try:
        # Nothing is written beside a file that is elsewhere.
        lock = locked(path) if is_ours or lock_of(path).exists() else None
    except SaveLockedError:
        return {**contents, "state": "in_use"}
    try:
        if is_ours:
            finish_or_forget(path)
        with _opened(path) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                return {**contents, "state": "too_new", "schema_version": version}
            check_schema(connection, version)
            return {**contents, "state": "closed", **_contents(connection)}
    except UNREADABLE:
        return {**contents, "state": "damaged"}
    finally:
        if lock is not None:
            lock.release()


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A save that nobody has open, to be read without a trace."""
    rests = own_logs(path)
    if not rests:
        with _connected(f"{files.sqlite_uri(path.absolute())}?mode=ro&immutable=1") as connection:
            yield connection
        return
    # What a killed game wrote last would be put into the file by whoever reads it.
    with tempfile.TemporaryDirectory(prefix="rag_memory") as folder:
        for part in (path, *rests):
            shutil.copyfile(part, Path(folder) / part.name)
        with _connected(files.sqlite_uri(Path(folder) / path.name)) as connection:
            yield connection


@contextlib.contextmanager
def _connected(uri: str) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


def _contents(connection: sqlite3.Connection) -> dict[str, Any]:
    """See storage.protocol.Storage.contents()."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not version:
        return {**NOTHING_READ, "npcs": 0, "memories": 0}
    return stored_contents(Statements(connection), version)
