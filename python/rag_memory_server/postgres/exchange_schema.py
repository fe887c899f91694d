"""What schema 2 adds: which transactions an exchange wrote, and copies of the rows that each has changed.

The triggers for marks keep a row as it was before a recorded transaction, too; see storage/sql/exchanges.py.
The order number of such a transaction is a setting of its own.
"""

from __future__ import annotations

EXCHANGES = """
CREATE TABLE exchange_writes (
    save bigint REFERENCES saves ON DELETE CASCADE,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    exchange_id text COLLATE "C" NOT NULL,
    npc_id text COLLATE "C" NOT NULL,
    timestamp double precision NOT NULL,
    PRIMARY KEY (save, write_order)
);
CREATE INDEX exchange_writes_by_exchange ON exchange_writes (save, exchange_id);
CREATE INDEX exchange_writes_by_npc ON exchange_writes (save, npc_id);
CREATE INDEX archived_by_order ON archived_memories (save, write_order);
CREATE INDEX earlier_rows_by_mark ON earlier_rows (save, mark, place);
CREATE FUNCTION recorded_order() RETURNS bigint LANGUAGE sql STABLE AS $body$
    SELECT nullif(current_setting('rag_memory.recorded', true), '')::bigint
$body$;
CREATE OR REPLACE FUNCTION keep_earlier_row() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
    recorded bigint := recorded_order();
    earlier jsonb;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    earlier := to_jsonb(old);
    IF old.write_order <= last_mark AND old.stored_at > -9.0e15 THEN
        INSERT INTO earlier_rows (save, place, number, mark, content)
        VALUES (old.save, TG_ARGV[0], (earlier ->> TG_ARGV[1])::bigint, last_mark, earlier)
        ON CONFLICT DO NOTHING;
    END IF;
    IF old.write_order <> recorded THEN
        INSERT INTO earlier_rows (save, place, number, mark, content)
        VALUES (old.save, TG_ARGV[0], (earlier ->> TG_ARGV[1])::bigint, -2 * recorded, earlier)
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $body$;
CREATE OR REPLACE FUNCTION keep_earlier_memory() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
    recorded bigint := recorded_order();
    labels bigint[];
    changed memories;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    IF old.write_order <= last_mark AND old.stored_at > -9.0e15 THEN
        labels := ARRAY[last_mark];
    END IF;
    IF old.write_order <> recorded THEN
        labels := labels || -2 * recorded;
    END IF;
    IF labels IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' OR new.last_accessed <> old.last_accessed THEN
        INSERT INTO earlier_rows (save, place, number, mark, content)
        SELECT old.save, 'accesses', old.memory, label, to_jsonb(old.last_accessed)
        FROM unnest(labels) AS label ON CONFLICT DO NOTHING;
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
            SELECT vectors.save, 'vectors', vectors.memory, label, to_jsonb(vectors)
            FROM vectors, unnest(labels) AS label
            WHERE vectors.save = old.save AND vectors.memory = old.memory
            ON CONFLICT DO NOTHING;
        END IF;
    END IF;
    INSERT INTO earlier_rows (save, place, number, mark, content)
    SELECT old.save, 'memories', old.memory, label, to_jsonb(old)
    FROM unnest(labels) AS label ON CONFLICT DO NOTHING;
    RETURN NULL;
END $body$;
CREATE OR REPLACE FUNCTION keep_earlier_vector() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $body$
DECLARE
    last_mark bigint;
BEGIN
    SELECT saves.marked INTO last_mark FROM saves WHERE saves.save = old.save;
    INSERT INTO earlier_rows (save, place, number, mark, content)
    SELECT old.save, 'vectors', old.memory, label, to_jsonb(old)
    FROM unnest(ARRAY[last_mark, -2 * recorded_order()]) AS label WHERE label >= 0 OR label < -1
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $body$;
""" + "".join(
    f"CREATE INDEX {table}_by_exchange ON {table} (save, exchange_id) WHERE exchange_id <> '';\n"
    for table in ("memories", "archived_memories", "interactions", "documents")
)
