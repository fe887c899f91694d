"""The tables of a save and how older saves become current ones."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Mapping

from rag_memory.memory.kind import KINDS
from rag_memory.memory.owners import RESERVED, free_name
from rag_memory.storage.sqlite.derived import derive
from rag_memory.storage.sqlite.mark_schema import MARK_TABLES, create_marks
from rag_memory.storage.sqlite.sqlite_failure import damage
from rag_memory.validation import mapping_in, to_json

APPLICATION_ID = 0x5261674D
""""RagM": tells a save from any other SQLite file."""

SCHEMA_VERSION = 7
FIRST_WITH_DOCUMENTS = 6

_VERSION_1 = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE npcs (
    npc INTEGER PRIMARY KEY,
    npc_id TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE embedding_models (
    model INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL
);

CREATE TABLE memories (
    rowid INTEGER PRIMARY KEY AUTOINCREMENT,
    npc INTEGER NOT NULL REFERENCES npcs ON DELETE CASCADE,
    id TEXT NOT NULL,
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
    keywords TEXT NOT NULL,
    npc_token TEXT GENERATED ALWAYS AS ('npc' || npc) VIRTUAL,
    UNIQUE (npc, id)
);
CREATE INDEX memories_by_time ON memories (npc, timestamp);
CREATE INDEX memories_by_event ON memories (npc, event_type, timestamp);
CREATE INDEX memories_by_slot ON memories (npc, slot_type, timestamp) WHERE slot_type <> '';
CREATE INDEX memories_by_info ON memories (npc, info_type) WHERE info_type <> '';

CREATE TABLE vectors (
    memory INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    model INTEGER NOT NULL REFERENCES embedding_models,
    embedding BLOB NOT NULL
);
CREATE INDEX vectors_by_model ON vectors (model);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    document_full, keywords, npc_token,
    content = 'memories', content_rowid = 'rowid',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, document_full, keywords, npc_token)
    VALUES (new.rowid, new.document_full, new.keywords, new.npc_token);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, document_full, keywords, npc_token)
    VALUES ('delete', old.rowid, old.document_full, old.keywords, old.npc_token);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF document_full, keywords ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, document_full, keywords, npc_token)
    VALUES ('delete', old.rowid, old.document_full, old.keywords, old.npc_token);
    INSERT INTO memories_fts (rowid, document_full, keywords, npc_token)
    VALUES (new.rowid, new.document_full, new.keywords, new.npc_token);
END;
"""


def _create_version_1(connection: sqlite3.Connection) -> None:
    for statement in _statements(_VERSION_1):
        connection.execute(statement)


# `memory` is the rowid a memory had, and has again when it comes back. A piece of player_info is archived
# under the id that its new value goes on using. What was told again is archived without text and vector, see
# archive.py.
_VERSION_2 = """
ALTER TABLE memories ADD COLUMN stored_at REAL NOT NULL DEFAULT 0;
UPDATE memories SET stored_at = timestamp;

CREATE TABLE archived_memories (
    archive INTEGER PRIMARY KEY AUTOINCREMENT,
    archived_at REAL NOT NULL,
    archived_reason TEXT NOT NULL,
    archived_by TEXT NOT NULL,
    memory INTEGER NOT NULL,
    npc INTEGER NOT NULL REFERENCES npcs ON DELETE CASCADE,
    id TEXT NOT NULL,
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
    keywords TEXT NOT NULL,
    model INTEGER NOT NULL REFERENCES embedding_models,
    embedding BLOB NOT NULL
);
CREATE INDEX archived_by_id ON archived_memories (npc, id);
CREATE INDEX archived_by_time ON archived_memories (archived_at);
"""


def _create_version_2(connection: sqlite3.Connection) -> None:
    for statement in _statements(_VERSION_2):
        connection.execute(statement)


# The keyword index holds terms that index_terms.py makes, each with its NPC's number, so that no look-up of
# one NPC reads the others' memories. It needs neither positions nor lengths.
_VERSION_3 = """
DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_delete;
DROP TRIGGER memories_fts_update;
DROP TABLE memories_fts;
ALTER TABLE memories DROP COLUMN npc_token;
ALTER TABLE memories ADD COLUMN repeat_count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE memories ADD COLUMN first_timestamp REAL NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archived_memories ADD COLUMN repeat_count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE archived_memories ADD COLUMN first_timestamp REAL NOT NULL DEFAULT 0;
ALTER TABLE archived_memories ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
"""

_VERSION_3_INDEX = """
CREATE INDEX memories_by_digest ON memories (npc, digest);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    keywords,
    content = 'memories', content_rowid = 'rowid',
    tokenize = 'ascii', detail = none, columnsize = 0
);
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, keywords) VALUES (new.rowid, new.keywords);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, keywords) VALUES ('delete', old.rowid, old.keywords);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF keywords ON memories
WHEN old.keywords <> new.keywords BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, keywords) VALUES ('delete', old.rowid, old.keywords);
    INSERT INTO memories_fts (rowid, keywords) VALUES (new.rowid, new.keywords);
END;
"""


def _create_version_3(connection: sqlite3.Connection) -> None:
    for statement in _statements(_VERSION_3):
        connection.execute(statement)
    for table in ("memories", "archived_memories"):
        connection.execute(f"UPDATE {table} SET first_timestamp = timestamp")
        derive(connection, table)
    for statement in _statements(_VERSION_3_INDEX):
        connection.execute(statement)


_INTERACTIONS = """
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
    emotion TEXT NOT NULL
);
CREATE INDEX interactions_by_npc ON interactions (npc, kind);
CREATE INDEX interactions_by_source ON interactions (npc, source_id);
CREATE INDEX interactions_by_time ON interactions (stored_at);
"""


def _create_interactions(connection: sqlite3.Connection) -> None:
    for statement in _statements(_INTERACTIONS):
        connection.execute(statement)


# The times stand before the content, which may fill pages that a rollback then need not read.
_DOCUMENTS = """
CREATE TABLE documents (
    document INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    timestamp REAL NOT NULL,
    stored_at REAL NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX documents_by_id ON documents (kind, id);
CREATE INDEX documents_by_owner ON documents (kind, owner);
CREATE INDEX documents_removed ON documents (kind, id) WHERE content = '{}';
"""


def _create_documents(connection: sqlite3.Connection) -> None:
    for statement in _statements(_DOCUMENTS):
        connection.execute(statement)
    for reserved in sorted(RESERVED):
        # An NPC of that name keeps her memories under another one, see memory/owners.py.
        ids = {npc_id for (npc_id,) in connection.execute("SELECT npc_id FROM npcs")}
        if reserved in ids:
            connection.execute(
                "UPDATE npcs SET npc_id = ? WHERE npc_id = ?", (free_name(reserved, ids), reserved)
            )


# What the game has kept as metadata under the names of the new columns is a kind, or has another name now.
_VERSION_4 = """
ALTER TABLE memories ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN last_accessed REAL NOT NULL DEFAULT 0;
ALTER TABLE archived_memories ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE archived_memories ADD COLUMN last_accessed REAL NOT NULL DEFAULT 0;
"""
_OWN_NAMES = {"kind": "own_kind", "last_accessed": "own_last_accessed"}


def _create_version_4(connection: sqlite3.Connection) -> None:
    for statement in _statements(_VERSION_4):
        connection.execute(statement)
    connection.create_function("kind_in", 1, _kind_in, deterministic=True)
    connection.create_function("own_extra", 1, _own_extra, deterministic=True)
    for table in ("memories", "archived_memories"):
        # Every row is written anew: a row that ends before a new column could not be salvaged.
        connection.execute(f"UPDATE {table} SET last_accessed = timestamp")
        connection.execute(
            f"UPDATE {table} SET kind = kind_in(extra), extra = own_extra(extra) "
            """WHERE instr(extra, '"kind"') OR instr(extra, '"last_accessed"')"""
        )


def _kind_in(extra: str) -> str:
    kind = mapping_in(extra).get("kind")
    return kind if isinstance(kind, str) and kind in KINDS else ""


def _own_extra(extra: str) -> str:
    own = dict(mapping_in(extra))
    if _kind_in(extra):
        del own["kind"]
    return to_json({_OWN_NAMES.get(name, name): value for name, value in own.items()})


def _create_version_7(connection: sqlite3.Connection) -> None:
    create_marks(connection, _statements(MARK_TABLES))


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {
    1: _create_version_1,
    2: _create_version_2,
    3: _create_version_3,
    4: _create_version_4,
    5: _create_interactions,
    6: _create_documents,
    7: _create_version_7,
}
"""What brings a save from version n - 1 to version n. Append; never change one that was released."""


SCHEMA_DIGESTS: Mapping[int, str] = {
    1: "4cc76d52975272122c30542166ad0d8a",
    2: "32dfeba3b9afb134fc7952b8956e7222",
    3: "710d710d9665e9faa8678ee66dd589a3",
    4: "480629c1ca72f693b5e225ea81214aca",
    5: "5b09aa3ba0db12031aa7a0371daf0722",
    6: "244f5d84018a9dabc70425ab3ba77a8f",
    7: "7be06b17f11375133545ce799dafe774",
}
"""What check_schema() makes of a save of each version: making one to compare with would take milliseconds."""


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
    found = _schema(connection)
    if (not found and version == 0) or _digest(found) == SCHEMA_DIGESTS.get(version):
        return
    # Another version of SQLite may write the same tables with other words.
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        for step in range(1, version + 1):
            MIGRATIONS[step](fresh)
        different = set(found) ^ set(_schema(fresh))
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
