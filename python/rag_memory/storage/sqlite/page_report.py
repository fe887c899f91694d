"""What a save's own checksums say about the pages that its disk, or another program, has changed."""

from __future__ import annotations

import logging
import sqlite3
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from rag_memory.storage.sqlite.page_reading import rows_on

_LOG = logging.getLogger("rag_memory")
_MOST_NAMES = 20
_ID_PLACE, _VECTOR_COLUMNS = 2, 3


class ChangedRows(NamedTuple):
    """The rows of which a part lies on changed pages."""

    memories: list[str]
    """The ids of memories."""
    vectors: list[int]
    """The keys of memories whose vectors these are."""


def report(file: Path, stream: FileIO, pages: list[int], connection: sqlite3.Connection) -> ChangedRows:
    """Log a warning that names what may have changed.

    Raises:
        OSError: the file cannot be read.
    """
    (columns,) = connection.execute("SELECT count(*) FROM pragma_table_info('memories')").fetchone()
    (count,) = connection.execute("PRAGMA page_count").fetchone()
    memories: list[str] = []
    vectors: list[int] = []
    for row in rows_on(stream, count, set(pages)):
        if len(row.values) == columns:
            memories.append(str(row.values[_ID_PLACE]))
        elif len(row.values) == _VECTOR_COLUMNS and isinstance(row.values[-1], bytes):
            vectors.append(row.rowid)
    _LOG.warning(
        "%s is not as it was written: its disk, or another program, has changed %d of its %d pages. %s "
        "Nothing was removed.",
        file,
        len(pages),
        count,
        _named(memories),
    )
    return ChangedRows(memories, vectors)


def mend(connection: sqlite3.Connection, rows: ChangedRows) -> None:
    """Make anew what follows from the memories. Inside a transaction."""
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    connection.executemany("DELETE FROM vectors WHERE memory = ?", [(key,) for key in rows.vectors])


def _named(ids: list[str]) -> str:
    if not ids:
        return "No text of a memory is on them."
    names = ", ".join(ids[:_MOST_NAMES])
    more = f" and {len(ids) - _MOST_NAMES} more" if len(ids) > _MOST_NAMES else ""
    return f"These memories may say something else than they did: {names}{more}."
