-- A save of schema 2, and a snapshot of it. Never change this file: test_migration.py opens it.
CREATE SCHEMA kept;
SET search_path = kept, public;
CREATE SEQUENCE npc_numbers;
CREATE SEQUENCE model_numbers;
CREATE SEQUENCE memory_numbers;
CREATE SEQUENCE archive_numbers;
CREATE SEQUENCE interaction_numbers;
CREATE SEQUENCE document_numbers;

CREATE SEQUENCE write_numbers;
CREATE SEQUENCE taking_numbers;
CREATE TABLE saves (
    save bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    slot text COLLATE "C" NOT NULL,
    changed bigint NOT NULL DEFAULT 0,
    marked bigint NOT NULL DEFAULT -1,
    UNIQUE (name, slot)
);
CREATE TABLE npcs (
    save bigint REFERENCES saves,
    npc bigint,
    npc_id text COLLATE "C" NOT NULL,
    revision bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    PRIMARY KEY (save, npc),
    UNIQUE (save, npc_id)
);
CREATE TABLE embedding_models (
    save bigint REFERENCES saves,
    model bigint,
    fingerprint text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    dimension bigint NOT NULL,
    PRIMARY KEY (save, model),
    UNIQUE (save, fingerprint)
);
CREATE TABLE memories (
    save bigint,
    memory bigint,
    
    npc bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    document_full text COLLATE "C" NOT NULL,
    document_short text COLLATE "C" NOT NULL,
    event_type text COLLATE "C" NOT NULL,
    importance bigint NOT NULL,
    timestamp double precision NOT NULL,
    memory_tier bigint NOT NULL,
    is_milestone bigint NOT NULL,
    milestone_type text COLLATE "C" NOT NULL,
    emotion text COLLATE "C" NOT NULL,
    info_type text COLLATE "C" NOT NULL,
    slot_type text COLLATE "C" NOT NULL,
    location text COLLATE "C" NOT NULL,
    interaction_type text COLLATE "C" NOT NULL,
    participants text COLLATE "C" NOT NULL,
    topics text COLLATE "C" NOT NULL,
    entities text COLLATE "C" NOT NULL,
    superseded_by text COLLATE "C" NOT NULL,
    superseded_at double precision NOT NULL,
    extra text COLLATE "C" NOT NULL,
    speaker text COLLATE "C" NOT NULL,
    stored_at double precision NOT NULL,
    repeat_count bigint NOT NULL,
    first_timestamp double precision NOT NULL,
    kind text COLLATE "C" NOT NULL,
    last_accessed double precision NOT NULL,
    terms text[] COLLATE "C" NOT NULL,
    digest bigint NOT NULL,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    exchange_id text COLLATE "C" NOT NULL DEFAULT '',
    occurrences bigint NOT NULL DEFAULT 1,
    last_told double precision,
    checksum bigint
,
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
    npc bigint NOT NULL,
    model bigint NOT NULL,
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
    archived_at double precision NOT NULL,
    archived_reason text COLLATE "C" NOT NULL,
    archived_by text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    
    npc bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    document_full text COLLATE "C" NOT NULL,
    document_short text COLLATE "C" NOT NULL,
    event_type text COLLATE "C" NOT NULL,
    importance bigint NOT NULL,
    timestamp double precision NOT NULL,
    memory_tier bigint NOT NULL,
    is_milestone bigint NOT NULL,
    milestone_type text COLLATE "C" NOT NULL,
    emotion text COLLATE "C" NOT NULL,
    info_type text COLLATE "C" NOT NULL,
    slot_type text COLLATE "C" NOT NULL,
    location text COLLATE "C" NOT NULL,
    interaction_type text COLLATE "C" NOT NULL,
    participants text COLLATE "C" NOT NULL,
    topics text COLLATE "C" NOT NULL,
    entities text COLLATE "C" NOT NULL,
    superseded_by text COLLATE "C" NOT NULL,
    superseded_at double precision NOT NULL,
    extra text COLLATE "C" NOT NULL,
    speaker text COLLATE "C" NOT NULL,
    stored_at double precision NOT NULL,
    repeat_count bigint NOT NULL,
    first_timestamp double precision NOT NULL,
    kind text COLLATE "C" NOT NULL,
    last_accessed double precision NOT NULL,
    terms text[] COLLATE "C" NOT NULL,
    digest bigint NOT NULL,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    exchange_id text COLLATE "C" NOT NULL DEFAULT '',
    occurrences bigint NOT NULL DEFAULT 1,
    last_told double precision,
    checksum bigint
,
    model bigint NOT NULL,
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
    npc bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    timestamp double precision NOT NULL,
    stored_at double precision NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    source_name text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    details text COLLATE "C" NOT NULL,
    sentiment double precision NOT NULL,
    strength double precision NOT NULL,
    reason text COLLATE "C" NOT NULL,
    known_since double precision NOT NULL,
    emotion text COLLATE "C" NOT NULL,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    exchange_id text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (save, interaction),
    FOREIGN KEY (save, npc) REFERENCES npcs
) PARTITION BY HASH (save);
CREATE INDEX interactions_by_npc ON interactions (save, npc, kind, interaction);
CREATE INDEX interactions_by_source ON interactions (save, npc, source_id, interaction);
CREATE INDEX interactions_by_time ON interactions (save, stored_at);
CREATE TABLE documents (
    save bigint,
    document bigint,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    timestamp double precision NOT NULL,
    stored_at double precision NOT NULL,
    content text COLLATE "C" NOT NULL,
    write_order bigint NOT NULL DEFAULT currval('write_numbers'),
    exchange_id text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (save, document),
    FOREIGN KEY (save) REFERENCES saves
) PARTITION BY HASH (save);
CREATE INDEX documents_by_id ON documents (save, kind, id, document);
CREATE INDEX documents_by_owner ON documents (save, kind, owner, document);
CREATE TABLE owners (
    save bigint REFERENCES saves ON DELETE CASCADE,
    npc_id text COLLATE "C" NOT NULL,
    taken bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    PRIMARY KEY (save, npc_id)
);
CREATE TABLE writers (
    save bigint REFERENCES saves ON DELETE CASCADE,
    writer bigint,
    writes bigint NOT NULL,
    PRIMARY KEY (save, writer)
);
CREATE TABLE marks (
    save bigint REFERENCES saves ON DELETE CASCADE,
    mark bigint,
    timestamp double precision NOT NULL,
    is_reachable boolean NOT NULL,
    code text COLLATE "C" NOT NULL,
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
CREATE TABLE memories_0 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE memories_1 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE memories_2 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE memories_3 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE memories_4 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE memories_5 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE memories_6 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE memories_7 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE memories_8 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE memories_9 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE memories_10 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE memories_11 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE memories_12 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE memories_13 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE memories_14 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE memories_15 PARTITION OF memories FOR VALUES WITH (MODULUS 16, REMAINDER 15);
CREATE TABLE vectors_0 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE vectors_1 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE vectors_2 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE vectors_3 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE vectors_4 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE vectors_5 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE vectors_6 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE vectors_7 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE vectors_8 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE vectors_9 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE vectors_10 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE vectors_11 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE vectors_12 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE vectors_13 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE vectors_14 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE vectors_15 PARTITION OF vectors FOR VALUES WITH (MODULUS 16, REMAINDER 15);
CREATE TABLE archived_memories_0 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE archived_memories_1 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE archived_memories_2 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE archived_memories_3 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE archived_memories_4 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE archived_memories_5 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE archived_memories_6 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE archived_memories_7 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE archived_memories_8 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE archived_memories_9 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE archived_memories_10 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE archived_memories_11 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE archived_memories_12 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE archived_memories_13 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE archived_memories_14 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE archived_memories_15 PARTITION OF archived_memories FOR VALUES WITH (MODULUS 16, REMAINDER 15);
CREATE TABLE interactions_0 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE interactions_1 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE interactions_2 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE interactions_3 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE interactions_4 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE interactions_5 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE interactions_6 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE interactions_7 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE interactions_8 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE interactions_9 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE interactions_10 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE interactions_11 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE interactions_12 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE interactions_13 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE interactions_14 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE interactions_15 PARTITION OF interactions FOR VALUES WITH (MODULUS 16, REMAINDER 15);
CREATE TABLE documents_0 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 0);
CREATE TABLE documents_1 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 1);
CREATE TABLE documents_2 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 2);
CREATE TABLE documents_3 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 3);
CREATE TABLE documents_4 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 4);
CREATE TABLE documents_5 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 5);
CREATE TABLE documents_6 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 6);
CREATE TABLE documents_7 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 7);
CREATE TABLE documents_8 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 8);
CREATE TABLE documents_9 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 9);
CREATE TABLE documents_10 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 10);
CREATE TABLE documents_11 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 11);
CREATE TABLE documents_12 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 12);
CREATE TABLE documents_13 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 13);
CREATE TABLE documents_14 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 14);
CREATE TABLE documents_15 PARTITION OF documents FOR VALUES WITH (MODULUS 16, REMAINDER 15);

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
CREATE TRIGGER keep_earlier AFTER UPDATE OR DELETE ON archived_memories FOR EACH ROW EXECUTE FUNCTION keep_earlier_row('archived_memories', 'archive');
CREATE TRIGGER keep_earlier AFTER UPDATE OR DELETE ON interactions FOR EACH ROW EXECUTE FUNCTION keep_earlier_row('interactions', 'interaction');
CREATE TRIGGER keep_earlier AFTER UPDATE OR DELETE ON documents FOR EACH ROW EXECUTE FUNCTION keep_earlier_row('documents', 'document');

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
CREATE INDEX memories_by_exchange ON memories (save, exchange_id) WHERE exchange_id <> '';
CREATE INDEX archived_memories_by_exchange ON archived_memories (save, exchange_id) WHERE exchange_id <> '';
CREATE INDEX interactions_by_exchange ON interactions (save, exchange_id) WHERE exchange_id <> '';
CREATE INDEX documents_by_exchange ON documents (save, exchange_id) WHERE exchange_id <> '';
CREATE TABLE schema_version (version bigint NOT NULL, is_released boolean);
INSERT INTO schema_version (version, is_released) VALUES ('2', 'true');
INSERT INTO saves (save, name, slot, changed, marked) OVERRIDING SYSTEM VALUE VALUES ('1', 'village', '', '0', '6');
INSERT INTO saves (save, name, slot, changed, marked) OVERRIDING SYSTEM VALUE VALUES ('2', 'village', 'before_the_feast', '0', '6');
INSERT INTO npcs (save, npc, npc_id, revision, changed, write_order) VALUES ('1', '1', 'elena', '7790117874876555030', '4', '3');
INSERT INTO npcs (save, npc, npc_id, revision, changed, write_order) VALUES ('2', '1', 'elena', '7790117874876555030', '0', '3');
INSERT INTO embedding_models (save, model, fingerprint, name, dimension) VALUES ('1', '1', 'hashing-v1-8', 'hashing', '8');
INSERT INTO embedding_models (save, model, fingerprint, name, dimension) VALUES ('2', '1', 'hashing-v1-8', 'hashing', '8');
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('1', '1', '1', 'elena_1702000000_general', 'We met at the well in Thornhaven.', 'We met at the well in Thornhaven.', 'general', '5', '1702000000', '2', '0', '', '', '', '', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702000000', '1', '1702000000', '', '1702000000', '{wwe,wmet,wat,wthe,wwell,win,wthornhaven}', '2780179079645484876', '3', '', '1', NULL, NULL);
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('1', '3', '1', 'elena_1702003600_player_info', 'The player''s name is Theron.', 'The player''s name is Theron.', 'player_info', '9', '1702003600', '1', '0', '', '', '', 'player_name', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702003600', '1', '1702003600', '', '1702003600', '{wthe,wplayer,ws,wname,wis,wtheron}', '6741942309087999540', '5', '', '1', NULL, NULL);
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('1', '4', '1', 'elena_1702010800_general', 'Theron broke the promise about the bells.', 'Theron broke the promise about the bells.', 'general', '8', '1702010800', '1', '0', '', '', '', '', '', '', '[]', '[]', '[]', '', '0', '{"own_key":{"bells":3}}', '', '1702010800', '1', '1702010800', '', '1702010800', '{wtheron,wbroke,wthe,wpromis,wabout,wbell}', '4843770028615300388', '7', '', '1', NULL, NULL);
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('2', '1', '1', 'elena_1702000000_general', 'We met at the well in Thornhaven.', 'We met at the well in Thornhaven.', 'general', '5', '1702000000', '2', '0', '', '', '', '', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702000000', '1', '1702000000', '', '1702000000', '{wwe,wmet,wat,wthe,wwell,win,wthornhaven}', '2780179079645484876', '3', '', '1', NULL, NULL);
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('2', '4', '1', 'elena_1702010800_general', 'Theron broke the promise about the bells.', 'Theron broke the promise about the bells.', 'general', '8', '1702010800', '1', '0', '', '', '', '', '', '', '[]', '[]', '[]', '', '0', '{"own_key":{"bells":3}}', '', '1702010800', '1', '1702010800', '', '1702010800', '{wtheron,wbroke,wthe,wpromis,wabout,wbell}', '4843770028615300388', '7', '', '1', NULL, NULL);
INSERT INTO memories (save, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum) VALUES ('2', '3', '1', 'elena_1702003600_player_info', 'The player''s name is Theron.', 'The player''s name is Theron.', 'player_info', '9', '1702003600', '1', '0', '', '', '', 'player_name', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702003600', '1', '1702003600', '', '1702003600', '{wthe,wplayer,ws,wname,wis,wtheron}', '6741942309087999540', '5', '', '1', NULL, NULL);
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('1', '1', '1', '1', '[-0.14908195,0.6229848,0.09675518,0,-0.28730363,-0.48081398,-0.11847572,0.5025345]');
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('1', '3', '1', '1', '[-0.30913103,-0.16670994,-0.14464031,0.475841,-0.17885438,-0.6602044,-0.3433674,0.20866345]');
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('1', '4', '1', '1', '[-0.68177015,-0.04382142,-0.016616197,-0.123958215,-0.5520501,-0.09946222,0.44779107,-0.049583286]');
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('2', '1', '1', '1', '[-0.14908195,0.6229848,0.09675518,0,-0.28730363,-0.48081398,-0.11847572,0.5025345]');
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('2', '3', '1', '1', '[-0.30913103,-0.16670994,-0.14464031,0.475841,-0.17885438,-0.6602044,-0.3433674,0.20866345]');
INSERT INTO vectors (save, memory, npc, model, embedding) VALUES ('2', '4', '1', '1', '[-0.68177015,-0.04382142,-0.016616197,-0.123958215,-0.5520501,-0.09946222,0.44779107,-0.049583286]');
INSERT INTO archived_memories (save, archive, archived_at, archived_reason, archived_by, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum, model, embedding) VALUES ('1', '1', '1702003600', 'slot_update', 'elena_1702003600_player_info', '2', '1', 'elena_1702000000_player_info', 'The player''s name is Teron.', 'The player''s name is Teron.', 'player_info', '9', '1702000000', '1', '0', '', '', '', 'player_name', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702000000', '1', '1702000000', '', '1702000000', '{wthe,wplayer,ws,wname,wis,wteron}', '-4985545473810644936', '5', '', '1', NULL, NULL, '1', '[-0.20593758,0.09487839,-0.30890638,0.56706387,0.5722123,-0.33023563,-0.19122776,0.24197666]');
INSERT INTO archived_memories (save, archive, archived_at, archived_reason, archived_by, memory, npc, id, document_full, document_short, event_type, importance, timestamp, memory_tier, is_milestone, milestone_type, emotion, info_type, slot_type, location, interaction_type, participants, topics, entities, superseded_by, superseded_at, extra, speaker, stored_at, repeat_count, first_timestamp, kind, last_accessed, terms, digest, write_order, exchange_id, occurrences, last_told, checksum, model, embedding) VALUES ('2', '1', '1702003600', 'slot_update', 'elena_1702003600_player_info', '2', '1', 'elena_1702000000_player_info', 'The player''s name is Teron.', 'The player''s name is Teron.', 'player_info', '9', '1702000000', '1', '0', '', '', '', 'player_name', '', '', '[]', '[]', '[]', '', '0', '{}', '', '1702000000', '1', '1702000000', '', '1702000000', '{wthe,wplayer,ws,wname,wis,wteron}', '-4985545473810644936', '5', '', '1', NULL, NULL, '1', '[-0.20593758,0.09487839,-0.30890638,0.56706387,0.5722123,-0.33023563,-0.19122776,0.24197666]');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('1', '1', 'campaign', 'campaign', '', '-9e+15', '-9e+15', '{"created":1795722900.4491394,"last_played":1795722900.4491394,"generation":1}', '2', '');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('1', '2', 'flag', 'bells_found', '', '1702010800', '1702010800', '{"value":true}', '8', '');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('1', '3', 'turn', 'elena_turn_1', 'elena', '1702010800', '1702010800', '{"player_message":"I carried the wood for you.","npc_message":"Thank you!","location":"","player_id":"player","day":19699.199074074073,"number":1}', '9', 'x1');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('2', '1', 'campaign', 'campaign', '', '-9e+15', '-9e+15', '{"created":1795722900.4491394,"last_played":1795722900.4491394,"generation":1}', '2', '');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('2', '2', 'flag', 'bells_found', '', '1702010800', '1702010800', '{"value":true}', '8', '');
INSERT INTO documents (save, document, kind, id, owner, timestamp, stored_at, content, write_order, exchange_id) VALUES ('2', '3', 'turn', 'elena_turn_1', 'elena', '1702010800', '1702010800', '{"player_message":"I carried the wood for you.","npc_message":"Thank you!","location":"","player_id":"player","day":19699.199074074073,"number":1}', '9', 'x1');
INSERT INTO owners (save, npc_id, taken, owner) VALUES ('1', 'elena', '1', 'process 24561 on vm');
INSERT INTO writers (save, writer, writes) VALUES ('1', '1', '3');
INSERT INTO marks (save, mark, timestamp, is_reachable, code) VALUES ('1', '6', '1702007200', 'true', 'c7370bee8d3aa2d4');
INSERT INTO marks (save, mark, timestamp, is_reachable, code) VALUES ('2', '6', '1702007200', 'true', 'c7370bee8d3aa2d4');
INSERT INTO exchange_writes (save, write_order, exchange_id, npc_id, timestamp) VALUES ('1', '9', 'x1', 'elena', '1702010800');
INSERT INTO exchange_writes (save, write_order, exchange_id, npc_id, timestamp) VALUES ('2', '9', 'x1', 'elena', '1702010800');
SELECT setval('archive_numbers', 1, true);
SELECT setval('document_numbers', 3, true);
SELECT setval('interaction_numbers', 1, false);
SELECT setval('memory_numbers', 4, true);
SELECT setval('model_numbers', 1, true);
SELECT setval('npc_numbers', 1, true);
SELECT setval('saves_save_seq', 2, true);
SELECT setval('taking_numbers', 1, true);
SELECT setval('write_numbers', 9, true);
