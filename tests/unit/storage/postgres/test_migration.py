"""Tables of an older version become current, with everything that is in them."""

from __future__ import annotations

from tests.unit.storage.contract.conftest import DIMENSION, Kept, record_of
from tests.unit.storage.postgres.conftest import Administrator, OpenSave, place_on

from rag_memory.index.columns import SearchedRow
from rag_memory.step import run
from rag_memory.storage.postgres.record_writing import INSERTED, PLACES, values_of
from rag_memory.storage.postgres.schema import MIGRATIONS, SCHEMA_VERSION
from rag_memory.text.index_terms import WORD
from rag_memory_build.postgres_server import PostgresServer

_LAST = "last_npc, last_model, last_memory, last_archive, last_interaction, last_document"


def test_tables_of_the_first_version_keep_everything_and_number_on(
    open_save: OpenSave, server: PostgresServer, administrator: Administrator
) -> None:
    administrator.execute("CREATE SCHEMA old")
    administrator.execute("SET search_path TO old, public")
    administrator.execute(MIGRATIONS[1].encode())
    administrator.execute("CREATE TABLE schema_version (version bigint NOT NULL)")
    administrator.execute("INSERT INTO schema_version VALUES (1)")
    for name, last in (("shard", 40), ("other", 70)):
        administrator.execute(
            f"INSERT INTO saves (name, slot, {_LAST}) VALUES (%s, '', 3, 1, %s, 0, 0, 0)".encode(),
            (name, last),
        )
    values = {"save": 1, "npc": 3, "model": 1, "embedding": str([1.0] + [0.0] * (DIMENSION - 1))}
    administrator.execute("INSERT INTO npcs (save, npc, npc_id) VALUES (1, 3, 'elena')")
    administrator.execute(
        "INSERT INTO embedding_models VALUES (1, 1, 'model-1', 'Model 1', %s)", (DIMENSION,)
    )
    for number in range(2, 41, 2):
        record = record_of(f"m{number} tells of a mill.", float(number))._replace(key=number)
        administrator.execute(
            f"INSERT INTO memories ({INSERTED}) VALUES ({PLACES})".encode(), {**values, **values_of(record)}
        )
        administrator.execute(
            "INSERT INTO vectors (save, memory, npc, model, embedding) "
            "VALUES (%(save)s, %(number)s, %(npc)s, %(model)s, %(embedding)s)",
            {**values, "number": number},
        )
    storage = open_save("shard", place_on(server, schema="old"))
    assert storage.versions()["schema_version"] == SCHEMA_VERSION
    npc = storage.npc_number("elena")
    assert npc == 3
    keys = [record.key for record in storage.all(npc)]
    assert keys == list(range(2, 41, 2))
    rows, vectors = storage.searched(keys, storage.model_number("model-1", "Model 1", DIMENSION), DIMENSION)
    assert len(rows) == 20 and isinstance(rows[0], SearchedRow) and vectors[:, 0].tolist() == [1.0] * 20
    run(storage.rebuild_terms_steps())
    assert storage.keys_with_term(npc, WORD, "mill").tolist() == keys
    with storage.transaction():
        assert storage.add_npc("bran") == 4
    (key,) = Kept(open_save("other", place_on(server, schema="old"))).put(record_of("Later."))
    assert key == 71, "above every number of every save"
