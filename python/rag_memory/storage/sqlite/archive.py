"""Memories that hold no longer but may come back: moved out of reach of every search, count and question.

What a slot or a piece of player_info said before, and what a summary was made from, is kept here until a
rollback brings it back or it is forgotten for good. A memory that a caller restores is stored anew, and what
is here of it stays: a rollback to a moment before finds everything as it was.

What a memory was before it was told again differs from what it is only in times and weight. It is kept
without text and vector; `archived_by` is then the content_key() that a version with them has, which is a
memory or in the archive under the same id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rag_memory.memory.archived import REPEATED, Archived
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import CONTENT, content_key, without_content
from rag_memory.storage.sql.statements import IS_WITHOUT_CONTENT

_KEPT = ", ".join(name for name in Record._fields if name != "key")
_COPY = (
    "INSERT INTO archived_memories (write_order, archived_at, archived_reason, archived_by, memory, npc, "
    f"keywords, digest, model, embedding, {_KEPT}) "
    "SELECT ?, ?, ?, ?, m.memory, npc, keywords, digest, model, embedding, "
    f"{_KEPT} FROM memories m JOIN vectors v USING (memory) WHERE m.memory = ?"
)
_BRING_BACK = (
    f"INSERT OR IGNORE INTO memories (write_order, memory, npc, keywords, digest, {_KEPT}) "
    f"SELECT ?, memory, npc, keywords, digest, {_KEPT} FROM archived_memories WHERE archive = ? "
    f"AND NOT {IS_WITHOUT_CONTENT}"
)
_BRING_VECTOR_BACK = (
    "INSERT OR REPLACE INTO vectors (memory, model, embedding) "
    "SELECT memory, model, embedding FROM archived_memories WHERE archive = ?"
)
_ADD_CONTENT = (
    "UPDATE archived_memories SET keywords = ?, digest = ?, model = ?, embedding = ?, "
    f"{', '.join(f'{name} = ?' for name in CONTENT)} WHERE archive = ?"
)


def copy(connection: sqlite3.Connection, order: int, rowids: Iterable[int], archived: Archived) -> None:
    """Put what these memories say now into the archive. Inside a transaction with this order number."""
    connection.executemany(_COPY, [(order, *archived, rowid) for rowid in rowids])


def insert(
    connection: sqlite3.Connection,
    order: int,
    npc: int,
    archived: Archived,
    record: Record,
    model: int,
    embedding: bytes,
) -> None:
    """Add a memory that was never in force here. Inside a transaction.

    With `record.key` it is an earlier version of the memory with that rowid.
    """
    rowid = record.key or _unused_rowid(connection)
    values = (order, *archived, rowid, npc, *record.derived(npc), model, embedding, *record[1:])
    connection.execute(
        "INSERT INTO archived_memories (write_order, archived_at, archived_reason, archived_by, memory, npc, "
        f"keywords, digest, model, embedding, {_KEPT}) VALUES ({', '.join('?' for _ in values)})",
        values,
    )


def keep_repeated(
    connection: sqlite3.Connection, order: int, npc: int, record: Record, at: float, model: int
) -> None:
    """Keep what a memory is now, without its content, before it is told again. Inside a transaction."""
    archived = Archived(at, REPEATED, content_key(record))
    insert(connection, order, npc, archived, without_content(record), model, b"")


def add_content(
    connection: sqlite3.Connection, number: int, npc: int, record: Record, model: int, embedding: bytes
) -> None:
    """Give what was kept of a repetition the content of `record`. Inside a transaction."""
    content = [getattr(record, name) for name in CONTENT]
    connection.execute(_ADD_CONTENT, (*record.derived(npc), model, embedding, *content, number))


def bring_back(connection: sqlite3.Connection, order: int, numbers: Iterable[int]) -> int:
    """Make archived memories ordinary ones again; how many. One whose id is taken stays in the archive.

    Inside a transaction.
    """
    count = 0
    for number in numbers:
        if connection.execute(_BRING_BACK, (order, number)).rowcount == 1:
            connection.execute(_BRING_VECTOR_BACK, (number,))
            connection.execute("DELETE FROM archived_memories WHERE archive = ?", (number,))
            count += 1
    return count


def _unused_rowid(connection: sqlite3.Connection) -> int:
    """A rowid that no memory has, had or will have."""
    newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").fetchone()
    if newest is None:
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 1)")
        return 1
    rowid = int(newest[0]) + 1
    connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'memories'", (rowid,))
    return rowid
