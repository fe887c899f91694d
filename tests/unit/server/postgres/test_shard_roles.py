"""A role for one save reads and changes nothing of another, whatever it sends to the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.unit.server.postgres.conftest import Administrator, OpenSave, place_on
from tests.unit.server.postgres.roles import asked, made, refusal
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory.errors import SaveError, SaveNotFoundError, StoreError
from rag_memory.memory.document import Document
from rag_memory.step import run
from rag_memory.storage.protocol import Storage
from rag_memory_build.paths import ROOT
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres import connecting
from rag_memory_server.postgres.connecting import reached
from rag_memory_server.postgres_storage import MemoryPostgresStorage

GUIDE = " ".join((ROOT / "docs" / "servers_operation.md").read_text(encoding="utf-8").split())
SECRET = "The iron door hides seven sacks of salt."
DENIED = "permission denied"
_COPY_IN = "COPY npcs FROM STDIN"
OF_SAVES = (
    "SELECT relname FROM pg_class c WHERE relnamespace = 'rag_memory'::regnamespace "
    "AND relkind IN ('r', 'p') AND relispartition = {partition} "
    "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'save') ORDER BY relname"
)


def fill(storage: Storage, text: str) -> Kept:
    """Something in every table."""
    kept = Kept(storage)
    kept.put(record_of(text), record_of("Mill burned."))
    with storage.transaction():
        storage.documents.write(Document(0, "world", "harbour", "", {"text": text}, 100.0, 100.0))
    run(storage.snapshots.write_steps("before"))
    return kept


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roles")


@pytest.fixture(scope="module")
def other(server: PostgresServer, folder: Path) -> Iterator[Storage]:
    """The save that somebody else has open, under a role of its own."""
    storage = made(server, folder, "mine").open("mine")
    fill(storage, SECRET)
    yield storage
    storage.close()


@pytest.fixture(scope="module")
def thief(server: PostgresServer, folder: Path, other: Storage) -> MemoryPostgresStorage:
    """Where the other role finds its save, in which there are things as well."""
    place = made(server, folder, "theirs")
    with ExitStack() as closed:
        storage = place.open("theirs")
        closed.callback(storage.close)
        fill(storage, "Nothing is hidden here.")
    return place


@pytest.fixture(scope="module", autouse=True)
def untouched(server: PostgresServer, other: Storage, thief: MemoryPostgresStorage) -> Iterator[None]:
    """Whatever the tests here try, the other save is the same afterwards."""
    before = ([*other.browsing.compared()], other.snapshots.slots(), other.contents())
    yield
    assert ([*other.browsing.compared()], other.snapshots.slots(), other.contents()) == before


def tables(server: PostgresServer, partition: bool = False) -> list[str]:
    rows = asked(place_on(server), OF_SAVES.format(partition=partition))
    return [str(name) for (name,) in rows]


def test_a_role_plays_its_own_save(thief: MemoryPostgresStorage, open_save: OpenSave) -> None:
    storage = open_save("theirs", thief)
    assert storage.records.count() == 2 and storage.snapshots.slots() == ["before"]
    with storage.snapshots.opened("restore()", "before") as snapshot:
        storage.replace_all(snapshot)
    with storage.transaction():
        storage.marks.roll_back(0.0)
    assert storage.records.count() == 0
    with storage.snapshots.opened("restore()", "before") as snapshot:
        storage.replace_all(snapshot)
    assert storage.records.count() == 2
    storage.snapshots.delete("before")
    run(storage.snapshots.write_steps("before"))


@pytest.mark.parametrize("name", ["mine", "new"])
def test_a_role_opens_no_other_save_by_its_name(thief: MemoryPostgresStorage, name: str) -> None:
    with pytest.raises(SaveError, match="row-level security") as caught:
        thief.open(name)
    assert "Open the save that this role was made for" in caught.value.remedy


def test_a_role_finds_no_snapshot_of_another_save(thief: MemoryPostgresStorage, open_save: OpenSave) -> None:
    storage = open_save("theirs", thief)
    assert asked(thief, "SELECT DISTINCT name FROM saves") == [("theirs",)]
    storage._session.name = "mine"  # type: ignore[attr-defined]
    assert storage.snapshots.slots() == []
    with pytest.raises(SaveNotFoundError), storage.snapshots.opened("restore()", "before"):
        pass
    with pytest.raises(SaveError, match="row-level security"):
        run(storage.snapshots.write_steps("stolen"))


def test_a_role_writes_into_no_other_save_through_the_core(
    thief: MemoryPostgresStorage, other: Storage, open_save: OpenSave
) -> None:
    storage = open_save("theirs", thief)
    storage._save.save = other._save.save  # type: ignore[attr-defined]
    assert storage.records.count() == 0 and storage.npcs.ids() == []
    with pytest.raises(StoreError, match="row-level security"), storage.transaction():
        storage.npcs.add("thief")


def test_every_table_shows_a_role_the_rows_of_its_save_only(
    server: PostgresServer, thief: MemoryPostgresStorage, other: Storage
) -> None:
    found = tables(server)
    assert {"saves", "npcs", "memories", "vectors", "archived_memories", "documents"} <= {*found}
    own = {save for (save,) in asked(thief, "SELECT save FROM saves")}
    for table in found:
        assert {save for (save,) in asked(thief, f"SELECT save FROM {table}")} <= own
        assert asked(thief, f"SELECT 1 FROM {table} WHERE save = {other._save.save}") == []  # type: ignore[attr-defined]
    assert asked(place_on(server), f"SELECT count(*) FROM memories WHERE document_full = '{SECRET}'") == [
        (2,)
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT document_full FROM memories",
        "TABLE documents",
        "SELECT document_full FROM memories TABLESAMPLE SYSTEM (100)",
        "SELECT a.document_full FROM memories a JOIN vectors v USING (save, memory)",
        "SELECT document_full FROM memories WHERE document_full LIKE '%salt%' OR true",
        "SELECT document_full FROM memories WHERE 1 / strpos(document_full, 'iron') >= 0 OR true",
        "WITH m AS (UPDATE memories SET importance = 1 RETURNING document_full) SELECT * FROM m",
        "SELECT query_to_xml('SELECT document_full FROM memories', true, false, '')::text",
        "SELECT table_to_xml('documents', true, false, '')::text",
        "SELECT most_common_vals::text FROM pg_stats WHERE schemaname = 'rag_memory'",
        "SELECT query FROM pg_stat_activity WHERE usename <> current_user",
        "SELECT document_full FROM memories ORDER BY document_full FOR UPDATE",
    ],
)
def test_no_question_shows_a_text_of_another_save(
    server: PostgresServer, thief: MemoryPostgresStorage, other: Storage, statement: str
) -> None:
    asked(place_on(server), "ANALYZE rag_memory.memories")
    assert other.records.count() == 2  # Its texts stand in the server's list of what is asked.
    with reached(thief, "a hostile game") as connection:
        connection.execute("SET search_path = rag_memory, public")
        try:
            told = str(connection.execute(statement.encode()).fetchall())
        except psycopg.Error as error:
            told = str(error)
        connection.rollback()
    assert "salt" not in told and "hides" not in told


def test_a_text_of_another_save_is_copied_nowhere(thief: MemoryPostgresStorage) -> None:
    with reached(thief, "a hostile game") as connection:
        connection.execute("SET search_path = rag_memory, public")
        for source in ("(SELECT * FROM memories)", "(SELECT * FROM documents)"):
            with connection.cursor() as cursor, cursor.copy(f"COPY {source} TO STDOUT".encode()) as copy:
                told = b"".join(bytes(each) for each in copy)
            assert told and b"salt" not in told
        for statement in ("COPY memories TO '/tmp/stolen'", "COPY memories TO PROGRAM 'cat'"):
            with pytest.raises(psycopg.Error):
                connection.execute(statement.encode())
        with pytest.raises(psycopg.Error), connection.cursor() as cursor, cursor.copy(_COPY_IN) as copy:
            copy.write("1\t99\tthief\t0\n")


def test_partitions_are_closed_to_roles(server: PostgresServer, thief: MemoryPostgresStorage) -> None:
    found = tables(server, partition=True)
    assert len(found) > 50
    for table in found:
        assert DENIED in refusal(thief, f"SELECT 1 FROM {table}")
        assert DENIED in refusal(thief, f"DELETE FROM {table}")


def test_nothing_of_another_save_is_changed(
    server: PostgresServer, thief: MemoryPostgresStorage, other: Storage
) -> None:
    number = other._save.save  # type: ignore[attr-defined]
    for table in tables(server):
        assert asked(thief, f"DELETE FROM {table} WHERE save = {number} RETURNING save") == []
    own = asked(thief, "SELECT min(save) FROM saves WHERE slot = ''")[0][0]
    for statement in (
        f"INSERT INTO npcs (save, npc, npc_id, write_order) VALUES ({number}, 77, 'thief', 0)",
        f"INSERT INTO documents SELECT {number}, document + 50, kind, id, owner, timestamp, stored_at, "
        "content, 0 FROM documents",
        f"UPDATE documents SET save = {number}",
        f"UPDATE memories SET save = {number}",
        "INSERT INTO saves (name, slot) VALUES ('mine', 'stolen')",
        f"MERGE INTO npcs USING (SELECT {own}) s ON false WHEN NOT MATCHED THEN "
        f"INSERT (save, npc, npc_id, write_order) VALUES ({number}, 78, 'thief', 0)",
    ):
        assert "row-level security" in refusal(thief, statement), statement
    for statement in (
        "UPDATE saves SET name = 'mine', slot = 'stolen' WHERE slot = ''",
        f"INSERT INTO saves (save, name, slot) OVERRIDING SYSTEM VALUE VALUES ({number}, 'theirs', 'x')",
        # A number that another save would get.
        "INSERT INTO saves (save, name, slot) OVERRIDING SYSTEM VALUE VALUES (999, 'theirs', 'x')",
    ):
        assert DENIED in refusal(thief, statement), statement
    assert asked(place_on(server), "SELECT count(*) FROM npcs WHERE npc_id = 'thief'") == [(0,)]


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE rag_memory",
        "SET ROLE player_mine",
        "SET SESSION AUTHORIZATION rag_memory",
        "GRANT player_mine TO player_theirs",
        "ALTER ROLE player_theirs BYPASSRLS",
        "ALTER ROLE player_mine PASSWORD 'known'",
        "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
        "DROP POLICY player_theirs ON memories",
        "CREATE POLICY more ON memories USING (true)",
        "SET row_security = off; SELECT * FROM memories",
        "SET session_replication_role = replica",
        "CREATE TABLE rag_memory.own (a int)",
        "CREATE TABLE public.own (a int)",
        "CREATE TEMP TABLE own (a int)",
        "CREATE FUNCTION pg_temp.leak(t text) RETURNS bool LANGUAGE sql COST 0.0001 AS 'SELECT true'",
        "CREATE FUNCTION public.leak(t text) RETURNS bool LANGUAGE sql AS 'SELECT true'",
        "CREATE VIEW rag_memory.own AS SELECT 1",
        "CREATE SCHEMA own",
        "CREATE EXTENSION dblink",
        "CREATE ROLE own",
        "CREATE DATABASE own",
        "ALTER TABLE memories ADD COLUMN own int",
        "CREATE INDEX ON memories (save)",
        "CREATE TRIGGER own BEFORE INSERT ON memories EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "DROP TABLE memories",
        "TRUNCATE memories",
        "VACUUM FULL memories; SELECT 1/0",
        "LOCK TABLE memories_0 IN ACCESS SHARE MODE",
        "UPDATE schema_version SET version = 999",
        "SELECT setval('saves_save_seq', 1)",
        "SELECT last_value FROM saves_save_seq",
        "SELECT passwd FROM pg_shadow",
        "SELECT rolpassword FROM pg_authid",
        "SELECT stavalues1 FROM pg_statistic",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT pg_ls_dir('base')",
        "SELECT pg_rotate_logfile()",
        "ALTER SYSTEM SET log_statement = 'all'",
    ],
)
def test_a_role_gets_no_further_rights(thief: MemoryPostgresStorage, statement: str) -> None:
    with reached(thief, "a hostile game") as connection:
        connection.execute("SET search_path = rag_memory, public")
        with pytest.raises(psycopg.Error):
            connection.execute(statement.encode())


@contextmanager
def as_role(place: MemoryPostgresStorage, mark: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    with reached(place, mark) as connection:
        yield connection


def test_a_role_ends_no_connection_of_another_and_its_own_is_found_again(
    server: PostgresServer, thief: MemoryPostgresStorage, other: Storage, open_save: OpenSave
) -> None:
    mark = other._session._mark  # type: ignore[attr-defined]
    find = f"SELECT pid FROM pg_stat_activity WHERE application_name = '{mark}'"
    [(pid,)] = asked(thief, find)
    for call in ("pg_terminate_backend", "pg_cancel_backend"):
        assert DENIED in refusal(thief, f"SELECT {call}({pid})")
    assert asked(thief, find) == [(pid,)]
    # Somebody who calls himself as the other's connection does keeps it from nothing.
    with as_role(thief, mark):
        other._session._connection.close()  # type: ignore[attr-defined]
        assert other.records.count() == 2
        [(again,)] = asked(thief, f"{find} AND usename = 'player_mine'")
        assert again != pid


def test_what_postgres_cannot_prevent_is_in_the_guide(
    thief: MemoryPostgresStorage, server: PostgresServer, folder: Path
) -> None:
    """Who has a password can hold up others. He reads nothing by that."""
    place = made(server, folder, "late", place=place_on(server, timeout_seconds=0.2))
    place.open("late").close()
    number = asked(place, "SELECT save FROM saves")[0][0]
    for claim, statement in {
        "The numbers of advisory locks belong to the whole database": "SELECT pg_advisory_lock("
        f"hashtextextended('rag_memory rag_memory {number}', 0))",
        "It can lock whole tables": "BEGIN; LOCK TABLE saves IN ACCESS EXCLUSIVE MODE",
    }.items():
        assert claim in GUIDE
        with as_role(thief, "a hostile game") as connection:
            connection.execute("SET search_path = rag_memory")
            connection.execute(statement.encode(), prepare=False)
            with pytest.raises(SaveError):
                opened_soon(place, "late")
    opened_soon(place, "late")


def opened_soon(place: MemoryPostgresStorage, name: str) -> None:
    """Open a save and close it, by a connection that gives up waiting for tables soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            connecting, "SETTINGS", connecting.SETTINGS.replace("lock_timeout=10s", "lock_timeout=200ms")
        )
        place.open(name).close()


@pytest.mark.parametrize(
    ("claim", "statement"),
    [
        (
            "sizes of tables",
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relname ~ '^memories_'",
        ),
        ("names of databases", "SELECT count(*) FROM pg_database WHERE datname = 'rag_memory'"),
        ("names of roles", "SELECT count(*) FROM pg_roles WHERE rolname = 'player_mine'"),
        ("saves that have a role", "SELECT count(*) FROM pg_policies WHERE qual LIKE '%mine%'"),
        ("who is connected", "SELECT count(*) FROM pg_stat_activity WHERE usename = 'player_mine'"),
        ("which locks are held", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"),
        ("how much is written", "SELECT nextval('write_numbers')"),
        ("channels of `NOTIFY`", "SELECT length(pg_notify('others', 'hello')::text) + 1"),
    ],
)
def test_what_every_role_can_see_is_in_the_guide(
    thief: MemoryPostgresStorage, other: Storage, claim: str, statement: str
) -> None:
    assert claim in GUIDE
    assert asked(thief, statement)[0][0] > 0


def test_how_often_a_text_stands_there_can_be_guessed_as_the_guide_says(
    server: PostgresServer, folder: Path, open_save: OpenSave
) -> None:
    assert "how often a value stands there" in GUIDE
    many = made(server, folder, "many")
    with ExitStack() as closed:
        storage = many.open("many")
        closed.callback(storage.close)
        memories = Kept(storage)
        memories.put(*(record_of(f"{number} is quiet.", event_type="guessed") for number in range(200)))
    asked(place_on(server), "ANALYZE rag_memory.memories")
    thief = made(server, folder, "curious")
    thief.open("curious").close()

    def guess(value: str) -> int:
        plan = asked(thief, f"EXPLAIN SELECT 1 FROM memories WHERE event_type = '{value}'")
        return max(int(rows) for (line,) in plan for rows in re.findall(r"Scan.*rows=(\d+)", line))

    assert guess("guessed") > guess("other")


def test_policies_cost_no_partition(
    server: PostgresServer, thief: MemoryPostgresStorage, administrator: Administrator
) -> None:
    """A statement that names its save still reads one part of a table, and the policy is looked up once."""
    number = asked(thief, "SELECT min(save) FROM saves")[0][0]
    for statement in (
        f"SELECT document_full FROM memories WHERE save = {number} AND npc = 1 ORDER BY timestamp LIMIT 5",
        f"UPDATE memories SET last_accessed = 1 WHERE save = {number} AND memory = 1",
        f"DELETE FROM memories WHERE save = {number} AND memory = 10000",
    ):
        plan = "\n".join(line for (line,) in asked(thief, f"EXPLAIN {statement}"))
        assert "InitPlan" in plan and "SubPlan" not in plan, plan
        assert len({*re.findall(r"on (memories_\d+)", plan)}) == 1, plan
