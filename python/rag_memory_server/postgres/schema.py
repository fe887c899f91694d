"""The tables of all saves of a server, and how older tables become current.

Every row carries its save, and every statement names it. The large tables are divided by it. What a save is
called is its name; a row with a slot is a snapshot of the save of that name.
"""

from __future__ import annotations

from collections.abc import Mapping

from psycopg import Connection, sql

from rag_memory.errors import SaveError, SaveTooNewError, SaveTooOldError
from rag_memory_server.postgres.exchange_schema import EXCHANGES

SCHEMA_VERSION = 2
_PARTITIONS = 16

# Texts are compared by their bytes, as everywhere else, whatever the database's language is.
_TEXT = 'text COLLATE "C" NOT NULL'
_NUMBER = "bigint NOT NULL"
_TIME = "double precision NOT NULL"
# Each transaction takes an order number first (session.py), which the rows that it adds get.
_WRITE_ORDER = "write_order bigint NOT NULL DEFAULT currval('write_numbers')"
_EXCHANGE = """exchange_id text COLLATE "C" NOT NULL DEFAULT ''"""
# See storage/sqlite/schema.py for columns that later features fill.
_MEMORY = f"""
    npc {_NUMBER},
    id {_TEXT},
    document_full {_TEXT},
    document_short {_TEXT},
    event_type {_TEXT},
    importance {_NUMBER},
    timestamp {_TIME},
    memory_tier {_NUMBER},
    is_milestone {_NUMBER},
    milestone_type {_TEXT},
    emotion {_TEXT},
    info_type {_TEXT},
    slot_type {_TEXT},
    location {_TEXT},
    interaction_type {_TEXT},
    participants {_TEXT},
    topics {_TEXT},
    entities {_TEXT},
    superseded_by {_TEXT},
    superseded_at {_TIME},
    extra {_TEXT},
    speaker {_TEXT},
    stored_at {_TIME},
    repeat_count {_NUMBER},
    first_timestamp {_TIME},
    kind {_TEXT},
    last_accessed {_TIME},
    terms text[] COLLATE "C" NOT NULL,
    digest {_NUMBER},
    {_WRITE_ORDER},
    {_EXCHANGE},
    occurrences bigint NOT NULL DEFAULT 1,
    last_told double precision,
    checksum bigint
"""
NUMBERED = ("npc", "model", "memory", "archive", "interaction", "document")
"""Kinds of rows with numbers of their own, each from a sequence, so that no row is changed by all writers."""
_SEQUENCES = "".join(f"CREATE SEQUENCE {kind}_numbers;\n" for kind in NUMBERED)
_TABLES = f"""
CREATE SEQUENCE write_numbers;
CREATE SEQUENCE taking_numbers;
CREATE TABLE saves (
    save bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name {_TEXT},
    slot {_TEXT},
    changed bigint NOT NULL DEFAULT 0,
    marked bigint NOT NULL DEFAULT -1,
    UNIQUE (name, slot)
);
CREATE TABLE npcs (
    save bigint REFERENCES saves,
    npc bigint,
    npc_id {_TEXT},
    revision bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    {_WRITE_ORDER},
    PRIMARY KEY (save, npc),
    UNIQUE (save, npc_id)
);
CREATE TABLE embedding_models (
    save bigint REFERENCES saves,
    model bigint,
    fingerprint {_TEXT},
    name {_TEXT},
    dimension {_NUMBER},
    PRIMARY KEY (save, model),
    UNIQUE (save, fingerprint)
);
CREATE TABLE memories (
    save bigint,
    memory bigint,
    {_MEMORY},
    PRIMARY KEY (save, memory),
    UNIQUE (save, npc, id),
    FOREIGN KEY (save, npc) REFERENCES npcs
) PARTITION BY HASH (save);
CREATE INDEX memories_by_time ON memories (save, npc, timestamp, memory);
CREATE INDEX memories_by_event ON memories (save, npc, event_type, timestamp);
CREATE INDEX memories_by_slot ON memories (save, npc, slot_type, timestamp) WHERE slot_type <> '';
CREATE INDEX memories_by_info ON memories (save, npc, info_type) WHERE info_type <> '';
CREATE INDEX memories_by_digest ON memories (save, npc, digest);
CREATE INDEX memories_superseded ON memories (save, npc, superseded_by) WHERE superseded_by <> '';
CREATE TABLE vectors (
    save bigint,
    memory bigint,
    npc {_NUMBER},
    model {_NUMBER},
    embedding vector NOT NULL,
    PRIMARY KEY (save, memory),
    FOREIGN KEY (save, memory) REFERENCES memories ON DELETE CASCADE,
    FOREIGN KEY (save, model) REFERENCES embedding_models
) PARTITION BY HASH (save);
CREATE INDEX vectors_by_npc ON vectors (save, npc);
CREATE INDEX vectors_by_model ON vectors (save, model);
CREATE TABLE archived_memories (
    save bigint,
    archive bigint,
    archived_at {_TIME},
    archived_reason {_TEXT},
    archived_by {_TEXT},
    memory {_NUMBER},
    {_MEMORY},
    model {_NUMBER},
    embedding vector,
    PRIMARY KEY (save, archive),
    FOREIGN KEY (save, npc) REFERENCES npcs,
    FOREIGN KEY (save, model) REFERENCES embedding_models
) PARTITION BY HASH (save);
CREATE INDEX archived_by_id ON archived_memories (save, npc, id);
CREATE INDEX archived_by_time ON archived_memories (save, archived_at);
CREATE TABLE interactions (
    save bigint,
    interaction bigint,
    npc {_NUMBER},
    kind {_TEXT},
    timestamp {_TIME},
    stored_at {_TIME},
    source_id {_TEXT},
    source_name {_TEXT},
    action {_TEXT},
    content {_TEXT},
    details {_TEXT},
    sentiment {_TIME},
    strength {_TIME},
    reason {_TEXT},
    known_since {_TIME},
    emotion {_TEXT},
    {_WRITE_ORDER},
    {_EXCHANGE},
    PRIMARY KEY (save, interaction),
    FOREIGN KEY (save, npc) REFERENCES npcs
) PARTITION BY HASH (save);
CREATE INDEX interactions_by_npc ON interactions (save, npc, kind, interaction);
CREATE INDEX interactions_by_source ON interactions (save, npc, source_id, interaction);
CREATE INDEX interactions_by_time ON interactions (save, stored_at);
CREATE TABLE documents (
    save bigint,
    document bigint,
    kind {_TEXT},
    id {_TEXT},
    owner {_TEXT},
    timestamp {_TIME},
    stored_at {_TIME},
    content {_TEXT},
    {_WRITE_ORDER},
    {_EXCHANGE},
    PRIMARY KEY (save, document),
    FOREIGN KEY (save) REFERENCES saves
) PARTITION BY HASH (save);
CREATE INDEX documents_by_id ON documents (save, kind, id, document);
CREATE INDEX documents_by_owner ON documents (save, kind, owner, document);
CREATE TABLE owners (
    save bigint REFERENCES saves ON DELETE CASCADE,
    npc_id {_TEXT},
    taken {_NUMBER},
    owner {_TEXT},
    PRIMARY KEY (save, npc_id)
);
CREATE TABLE writers (
    save bigint REFERENCES saves ON DELETE CASCADE,
    writer bigint,
    writes {_NUMBER},
    PRIMARY KEY (save, writer)
);
CREATE TABLE marks (
    save bigint REFERENCES saves ON DELETE CASCADE,
    mark bigint,
    timestamp {_TIME},
    is_reachable boolean NOT NULL,
    code {_TEXT},
    PRIMARY KEY (save, mark),
    UNIQUE (save, code)
);
CREATE INDEX marks_by_time ON marks (save, timestamp);
CREATE TABLE earlier_rows (
    save bigint REFERENCES saves ON DELETE CASCADE,
    place text COLLATE "C",
    number bigint,
    mark bigint,
    content jsonb NOT NULL,
    PRIMARY KEY (save, place, number, mark)
);
"""
# A trigger keeps a row as it was at the last mark before the row is changed or deleted; see marks.py.
_EARLIER_ROWS = """
CREATE FUNCTION keep_earlier_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
    earlier jsonb;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    IF old.write_order <= last_mark AND old.stored_at > -9.0e15 THEN
        earlier := to_jsonb(old);
        INSERT INTO earlier_rows (save, place, number, mark, content)
        VALUES (old.save, TG_ARGV[0], (earlier ->> TG_ARGV[1])::bigint, last_mark, earlier)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $body$;
CREATE FUNCTION keep_earlier_memory() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
    changed memories;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    IF old.write_order > last_mark OR old.stored_at <= -9.0e15 THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' OR new.last_accessed <> old.last_accessed THEN
        INSERT INTO earlier_rows (save, place, number, mark, content)
        VALUES (old.save, 'accesses', old.memory, last_mark, to_jsonb(old.last_accessed))
        ON CONFLICT DO NOTHING;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- Terms follow from the text, and are made anew without a change of the memory.
        changed := new;
        changed.last_accessed := old.last_accessed;
        changed.terms := old.terms;
        changed.digest := old.digest;
        IF changed IS NOT DISTINCT FROM old THEN
            RETURN NULL;
        END IF;
        IF new.document_full <> old.document_full THEN
            INSERT INTO earlier_rows (save, place, number, mark, content)
            SELECT vectors.save, 'vectors', vectors.memory, last_mark, to_jsonb(vectors)
            FROM vectors WHERE vectors.save = old.save AND vectors.memory = old.memory
            ON CONFLICT DO NOTHING;
        END IF;
    END IF;
    INSERT INTO earlier_rows (save, place, number, mark, content)
    VALUES (old.save, 'memories', old.memory, last_mark, to_jsonb(old))
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $body$;
CREATE FUNCTION keep_earlier_vector() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    IF last_mark >= 0 THEN
        INSERT INTO earlier_rows (save, place, number, mark, content)
        VALUES (old.save, 'vectors', old.memory, last_mark, to_jsonb(old))
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $body$;
CREATE TRIGGER keep_earlier AFTER UPDATE OR DELETE ON memories
FOR EACH ROW EXECUTE FUNCTION keep_earlier_memory();
CREATE TRIGGER keep_earlier AFTER DELETE ON vectors
FOR EACH ROW EXECUTE FUNCTION keep_earlier_vector();
"""
_WATCHED = {
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}


def _triggers() -> str:
    return "".join(
        f"CREATE TRIGGER keep_earlier AFTER UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION keep_earlier_row('{table}', '{key}');\n"
        for table, key in _WATCHED.items()
    )


_PARTITIONED = ("memories", "vectors", "archived_memories", "interactions", "documents")


def _partitions() -> str:
    return "".join(
        f"CREATE TABLE {table}_{number} PARTITION OF {table} "
        f"FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {number});\n"
        for table in _PARTITIONED
        for number in range(_PARTITIONS)
    )


MIGRATIONS: Mapping[int, str] = {
    1: _SEQUENCES + _TABLES + _partitions() + _EARLIER_ROWS + _triggers(),
    2: EXCHANGES,
}
"""Statements that bring the tables from version n - 1 to version n, by n. Append one for every change of the
schema; never change one that was released.
"""


def enter_schema(connection: Connection[tuple[object, ...]], schema: str) -> None:
    """Make the schema and its tables current, and use them for the statements that follow.

    Raises:
        SaveTooNewError: a newer version of RAG Memory made them.
        SaveTooOldError: a version from before the first release made them.
        SaveError: the database has no pgvector.
        psycopg.Error: this user may not make them.
    """
    extension = connection.execute(
        "SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace "
        "WHERE extname = 'vector'"
    ).fetchone()
    if extension is None:
        raise SaveError(
            "The database has no pgvector",
            "vectors of memories are kept in its type",
            "Install it on the server, and run CREATE EXTENSION vector in this database",
        )
    path = sql.SQL(", ").join(map(sql.Identifier, (schema, str(extension[0]))))
    connection.execute("SELECT set_config('search_path', %s, false)", (path.as_string(connection),))
    if _version(connection, schema) == SCHEMA_VERSION:
        return
    with connection.transaction():
        # One at a time; who comes second finds it done.
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"rag_memory {schema}",))
        version = _version(connection, schema)
        if version > SCHEMA_VERSION:
            raise SaveTooNewError(
                f"The schema {schema} was made by a newer version of RAG Memory",
                f"its version is {version}, the newest known is {SCHEMA_VERSION}; it was left untouched",
                "Update RAG Memory, or use another schema",
            )
        if version == 0:
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
            connection.execute("CREATE TABLE schema_version (version bigint NOT NULL, is_released boolean)")
            connection.execute("INSERT INTO schema_version VALUES (0, true)")
        for step in range(version + 1, SCHEMA_VERSION + 1):
            connection.execute(MIGRATIONS[step].encode())
        connection.execute("UPDATE schema_version SET version = %s", (SCHEMA_VERSION,))


def _version(connection: Connection[tuple[object, ...]], schema: str) -> int:
    """The version of the tables; 0 when there are none."""
    table = connection.execute("SELECT to_regclass(%s)", (f"{schema}.schema_version",)).fetchone()
    if table is None or table[0] is None:
        return 0
    row = connection.execute("SELECT to_jsonb(schema_version) FROM schema_version").fetchone()
    values = row[0] if row else {}
    assert isinstance(values, dict)
    if values and "is_released" not in values:
        raise SaveTooOldError(
            f"The schema {schema} was made by an unreleased version of RAG Memory",
            f"its tables are version {values['version']} of a format that is no longer read; it is unchanged",
            "Export each NPC with export_json() in the version that made it, then import the files with "
            "import_json() into another schema",
        )
    return int(values.get("version", 0))
