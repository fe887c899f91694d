"""The tables of a save, and how older saves become current ones."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Mapping

from rag_memory.storage.sqlite.exchange_schema import add_exchanges
from rag_memory.storage.sqlite.mark_schema import MARK_TABLES, create_marks
from rag_memory.storage.sqlite.sqlite_failure import damage

APPLICATION_ID = 0x52614D31
""""RaM1": tells a save from any other SQLite file."""
UNRELEASED_ID = 0x5261674D
""""RagM": saves of versions from before the first release had it, with schema versions of their own."""

SCHEMA_VERSION = 3
HIGHEST_KEY = 1 << 53
"""No save has so many rows; behind the last number SQLite calls the disk full."""

# `exchange_id` names the exchange that made a row, "" for none. Columns that later features fill:
# `occurrences` counts how often the same thing happened; `last_told` is the game's time when the NPC last
# mentioned it;
# `checksum` is computed from the row's other columns.
# The keyword index holds terms that index_terms.py makes, each with its NPC's number, so that no look-up of
# one NPC reads the others' memories. It needs neither positions nor lengths.
_MEMORIES = """
CREATE TABLE memories (
    memory INTEGER PRIMARY KEY AUTOINCREMENT,
    npc INTEGER NOT NULL REFERENCES npcs ON DELETE CASCADE,
    {columns},
    UNIQUE (npc, id)
);
CREATE INDEX memories_by_time ON memories (npc, timestamp);
CREATE INDEX memories_by_event ON memories (npc, event_type, timestamp);
CREATE INDEX memories_by_slot ON memories (npc, slot_type, timestamp) WHERE slot_type <> '';
CREATE INDEX memories_by_info ON memories (npc, info_type) WHERE info_type <> '';
CREATE INDEX memories_by_digest ON memories (npc, digest);

CREATE TABLE vectors (
    memory INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES embedding_models,
    embedding BLOB NOT NULL
);
CREATE INDEX vectors_by_model ON vectors (model);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    keywords,
    content = 'memories', content_rowid = 'memory',
    tokenize = 'ascii', detail = none, columnsize = 0
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, keywords) VALUES (new.memory, new.keywords);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, keywords) VALUES ('delete', old.memory, old.keywords);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF keywords ON memories
WHEN old.keywords <> new.keywords BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, keywords) VALUES ('delete', old.memory, old.keywords);
    INSERT INTO memories_fts (rowid, keywords) VALUES (new.memory, new.keywords);
END;
"""
_MEMORY_COLUMNS = """id TEXT NOT NULL,
    document_full TEXT NOT NULL,
    document_short TEXT NOT NULL,
    event_type TEXT NOT NULL,
    importance INTEGER NOT NULL,
    timestamp REAL NOT NULL,
    memory_tier INTEGER NOT NULL,
    is_milestone INTEGER NOT NULL,
    milestone_type TEXT NOT NULL,
    emotion TEXT NOT NULL,
    info_type TEXT NOT NULL,
    slot_type TEXT NOT NULL,
    location TEXT NOT NULL,
    interaction_type TEXT NOT NULL,
    participants TEXT NOT NULL,
    topics TEXT NOT NULL,
    entities TEXT NOT NULL,
    superseded_by TEXT NOT NULL,
    superseded_at REAL NOT NULL,
    extra TEXT NOT NULL,
    speaker TEXT NOT NULL,
    stored_at REAL NOT NULL,
    repeat_count INTEGER NOT NULL,
    first_timestamp REAL NOT NULL,
    kind TEXT NOT NULL,
    last_accessed REAL NOT NULL,
    keywords TEXT NOT NULL,
    digest INTEGER NOT NULL,
    write_order INTEGER NOT NULL DEFAULT 0,
    exchange_id TEXT NOT NULL DEFAULT '',
    occurrences INTEGER NOT NULL DEFAULT 1,
    last_told REAL,
    checksum INTEGER"""

# `memory` is the key a memory had, and has again when it comes back. A piece of player_info is archived
# under the id that its new value goes on using. What was told again is archived without text and vector, see
# archive.py.
_ARCHIVE = """
CREATE TABLE archived_memories (
    archive INTEGER PRIMARY KEY AUTOINCREMENT,
    archived_at REAL NOT NULL,
    archived_reason TEXT NOT NULL,
    archived_by TEXT NOT NULL,
    memory INTEGER NOT NULL,
    npc INTEGER NOT NULL REFERENCES npcs ON DELETE CASCADE,
    {columns},
    model INTEGER NOT NULL REFERENCES embedding_models,
    embedding BLOB NOT NULL
);
CREATE INDEX archived_by_id ON archived_memories (npc, id);
CREATE INDEX archived_by_time ON archived_memories (archived_at);
"""

# The table `meta` comes first: log_record.py reads its page. Documents have their times before the content,
# which may fill pages that a rollback then need not read.
_FIRST = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE npcs (
    npc INTEGER PRIMARY KEY,
    npc_id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL DEFAULT 0,
    write_order INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE embedding_models (
    model INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL
);
"""
_OTHERS = """
CREATE TABLE interactions (
    interaction INTEGER PRIMARY KEY AUTOINCREMENT,
    npc INTEGER NOT NULL REFERENCES npcs ON DELETE CASCADE,
    kind TEXT NOT NULL,
    timestamp REAL NOT NULL,
    stored_at REAL NOT NULL,
    source_id TEXT NOT NULL,
    source_name TEXT NOT NULL,
    action TEXT NOT NULL,
    content TEXT NOT NULL,
    details TEXT NOT NULL,
    sentiment REAL NOT NULL,
    strength REAL NOT NULL,
    reason TEXT NOT NULL,
    known_since REAL NOT NULL,
    emotion TEXT NOT NULL,
    write_order INTEGER NOT NULL DEFAULT 0,
    exchange_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX interactions_by_npc ON interactions (npc, kind);
CREATE INDEX interactions_by_source ON interactions (npc, source_id);
CREATE INDEX interactions_by_time ON interactions (stored_at);

CREATE TABLE documents (
    document INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    timestamp REAL NOT NULL,
    stored_at REAL NOT NULL,
    content TEXT NOT NULL,
    write_order INTEGER NOT NULL DEFAULT 0,
    exchange_id TEXT NOT NULL DEFAULT ''
);
CREATE INDEX documents_by_id ON documents (kind, id);
CREATE INDEX documents_by_owner ON documents (kind, owner);
CREATE INDEX documents_removed ON documents (kind, id) WHERE content = '{}';
"""


def _create(connection: sqlite3.Connection) -> None:
    memories, archive = (part.format(columns=_MEMORY_COLUMNS) for part in (_MEMORIES, _ARCHIVE))
    for statement in _statements(_FIRST + memories + archive + _OTHERS + MARK_TABLES):
        connection.execute(statement)
    create_marks(connection)


def _add_page_sums(connection: sqlite3.Connection) -> None:
    """Bring a save from schema 2 to schema 3: a checksum of every page, see page_sums.py."""
    connection.execute("CREATE TABLE page_sums (first INTEGER PRIMARY KEY, sums BLOB NOT NULL)")


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _create,
    2: add_exchanges,
    3: _add_page_sums,
}
"""Functions that bring a save from version n - 1 to version n, by n. Append one for every change of the
schema, with a save of the version before in tests/unit/storage/data; never change one that was released.
"""


SCHEMA_DIGESTS: Mapping[int, str] = {
    1: "5a59ce1342aaaba74cca9f29aebda65a",
    2: "31e4418103919338b02e3bed05ecb290",
    3: "ad9d01d1b5a57610c79ff617b0416364",
}
"""schema_digest() of a save of each version: making one to compare with would take milliseconds."""


def migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring a save of `version` (0: an empty file) to SCHEMA_VERSION, all of it or nothing."""
    if version == SCHEMA_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in range(version + 1, SCHEMA_VERSION + 1):
            MIGRATIONS[step](connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check_schema(connection: sqlite3.Connection, version: int) -> None:
    """See that a save has the tables of its version and nothing else: a view or a trigger of somebody else's
    would run inside our statements.

    Raises:
        sqlite3.DatabaseError: with the code SQLITE_CORRUPT, naming what is different.
    """
    statements = _schema(connection)
    if (not statements and version == 0) or _digest(statements) == SCHEMA_DIGESTS.get(version):
        return
    # Another version of SQLite may write the same tables with other words.
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        for step in range(1, version + 1):
            MIGRATIONS[step](fresh)
        different = set(statements) ^ set(_schema(fresh))
    if different:
        kind, name = min(different)[:2]
        raise damage(f"its {kind} {name!r} is not what version {version} of a save has")


def schema_digest(connection: sqlite3.Connection) -> str:
    """What SCHEMA_DIGESTS has of each version."""
    return _digest(_schema(connection))


def _schema(connection: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Type, name, table and SQL of everything there is; of a few more than there may be."""
    rows = connection.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master LIMIT 100"
    ).fetchall()
    return sorted(tuple(map(str, row)) for row in rows)  # type: ignore[misc]


def _digest(schema: list[tuple[str, str, str, str]]) -> str:
    return hashlib.blake2b(repr(schema).encode(), digest_size=16).hexdigest()


def _statements(script: str) -> list[str]:
    """The single statements of a script: executescript() would commit the migration's transaction."""
    statements: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements
