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
from rag_memory.memory.document import CAMPAIGN
from rag_memory.memory.owners import RESERVED
from rag_memory.storage.save_files import NOTHING_KNOWN
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sqlite.database import check_ours, locked
from rag_memory.storage.sqlite.leftover_logs import own_logs
from rag_memory.storage.sqlite.save_copying import SNAPSHOTS, beside
from rag_memory.storage.sqlite.save_header import read_header
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, check_schema
from rag_memory.storage.sqlite.snapshots import slots
from rag_memory.storage.sqlite.statements import Statements


def contents_of(path: Path) -> dict[str, Any]:
    """See storage.save_files.SaveFiles.contents_of()."""
    told = {**NOTHING_KNOWN, "snapshots": slots(beside(path, SNAPSHOTS))}
    try:
        check_ours(path)
    except SaveTooNewError:
        return {**told, "state": "too_new", "schema_version": read_header(path).version}
    except SaveTooOldError:
        return {**told, "state": "too_old"}
    told["schema_version"] = read_header(path).version
    try:
        lock = locked(path)
    except SaveLockedError:
        return {**told, "state": "in_use"}
    try:
        with _opened(path) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                return {**told, "state": "too_new", "schema_version": version}
            check_schema(connection, version)
            return {**told, "state": "closed", **contents(connection)}
    except (sqlite3.Error, UnicodeDecodeError):
        return {**told, "state": "damaged"}
    finally:
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


def contents(connection: sqlite3.Connection) -> dict[str, Any]:
    """See storage.protocol.Storage.contents()."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    found = connection.execute(
        "SELECT npc_id, (SELECT count(*) FROM memories WHERE memories.npc = npcs.npc), "
        "(SELECT min(timestamp) FROM memories WHERE memories.npc = npcs.npc), "
        "(SELECT max(timestamp) FROM memories WHERE memories.npc = npcs.npc) FROM npcs"
        if version
        else "SELECT '', 0, 0.0, 0.0 WHERE 0"
    ).fetchall()
    of_npcs = [row for row in found if row[0] not in RESERVED]
    documents = Documents(Statements(connection))
    campaign = documents.get(CAMPAIGN, CAMPAIGN) if version else None
    times = [time for row in of_npcs if row[1] for time in row[2:]]
    return {
        "schema_version": version,
        "npcs": len(of_npcs),
        "memories": sum(row[1] for row in of_npcs),
        "oldest": min(times, default=0.0),
        "newest": max(times, default=0.0),
        "documents": documents.counts() if version else {},
        "campaign": {} if campaign is None else campaign.content,
    }
