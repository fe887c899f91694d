"""What a hostile shard does to its own role locks nobody out, and keeps nothing outside its save."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.unit.server.postgres.conftest import place_on
from tests.unit.server.postgres.roles import asked, refusal, wanted
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory.errors import SaveError
from rag_memory.step import run
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_roles import SHARD_CONNECTIONS, Wanted, make
from rag_memory_server.postgres.connecting import reached
from rag_memory_server.postgres_storage import MemoryPostgresStorage

SETTABLE = (
    "SELECT name, vartype, min_val, max_val, enumvals, boot_val FROM pg_settings WHERE context = 'user' "
    "ORDER BY name"
)
SET = "SELECT count(*) FROM pg_db_role_setting WHERE setrole = 'player_mine'::regrole"
DENIED = "permission denied"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One of its own: what is taken from everybody has not been taken yet."""
    with temporary_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def role(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Wanted:
    wish = wanted(server, tmp_path_factory.mktemp("roles"), "mine")
    make(wish)
    return wish


@pytest.fixture
def mended(role: Wanted) -> Iterator[None]:
    yield
    make(role)
    plays(role.as_role)


def plays(place: MemoryPostgresStorage) -> None:
    """Everything that a game does with its save."""
    storage = place.open("mine")
    try:
        memories = Kept(storage)
        before = storage.records.count()
        memories.put(record_of(f"The mill burned {before} times.", id=f"mill {before}"))
        run(storage.snapshots.write_steps("before"))
        with storage.snapshots.opened("restore()", "before") as snapshot:
            storage.replace_all(snapshot)
        assert storage.records.count() == before + 1
    finally:
        storage.close()


def hostile(place: MemoryPostgresStorage, *statements: str) -> list[str]:
    """Run statements as the role; with which words each was refused, or ""."""
    words = []
    with reached(place, "a hostile game") as connection:
        connection.execute("SET search_path = rag_memory, public")
        for statement in statements:
            try:
                connection.execute(statement.encode(), prepare=False)
                words.append("")
            except psycopg.Error as error:
                words.append(str(error))
    return words


def odd_values(which: str, row: tuple[Any, ...]) -> list[str]:
    _name, kind, lowest, highest, enumerated, usual = row
    if kind == "bool":
        return ["off" if usual == "on" else "on"]
    if kind == "enum":
        return [value for value in enumerated if value != usual][:: 1 if which == "lowest" else -1][:1]
    if kind == "string":
        return ["nonsense" if which == "lowest" else "$libdir/nonsense"]
    return [lowest if which == "lowest" else highest]


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize("which", ["lowest", "highest"])
@pytest.mark.parametrize("where", ["", " IN DATABASE rag_memory"])
def test_a_role_locks_itself_out_by_no_setting(
    server: PostgresServer, role: Wanted, which: str, where: str
) -> None:
    place = role.as_role
    statements = [
        f"ALTER ROLE player_mine{where} SET {row[0]} = '{value}'"
        for row in asked(place_on(server), SETTABLE)
        for value in odd_values(which, row)
    ]
    assert hostile(place, *statements).count("") > 80
    assert asked(place_on(server), SET) == [(1,)]
    plays(place)
    assert "reset: the settings of the role" in make(role)
    assert asked(place_on(server), SET) == [(0,)]


@pytest.mark.usefixtures("mended")
@pytest.mark.parametrize(
    "setting",
    [
        "default_transaction_read_only = on",
        "search_path = nowhere",
        "statement_timeout = 1",
        "transaction_timeout = 1",
        "idle_session_timeout = 1",
        "lock_timeout = 1",
        "row_security = off",
        "local_preload_libraries = '$libdir/plugins/nothing'",
        "client_encoding = latin1",
        "synchronous_commit = off",
        "extra_float_digits = -15",
        "role = nobody",
    ],
)
def test_a_setting_of_a_role_changes_nothing_for_its_games(role: Wanted, setting: str) -> None:
    assert hostile(role.as_role, f"ALTER ROLE CURRENT_USER SET {setting}") == [""]
    plays(role.as_role)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER ROLE CURRENT_USER PASSWORD 'mine now'",
        "ALTER ROLE CURRENT_USER PASSWORD NULL",
        "SET password_encryption = md5; ALTER ROLE CURRENT_USER PASSWORD 'mine now'",
    ],
)
def test_init_lets_a_role_in_again_that_has_locked_itself_out(
    role: Wanted, server: PostgresServer, statement: str
) -> None:
    place = role.as_role
    make(wanted(server, role.new_password_file.parent, "other"))
    assert hostile(place, statement) == [""]
    with pytest.raises(SaveError):
        place.open("mine")
    make(role)
    plays(place)
    assert "row-level security" in refusal(place, "INSERT INTO saves (name, slot) VALUES ('other', '')")
    assert asked(place, "SELECT DISTINCT name FROM saves") == [("mine",)]


def test_a_new_password_ends_what_was_connected_with_the_old_one(role: Wanted) -> None:
    thief = reached(role.as_role, "a hostile game")
    role.new_password_file.unlink()
    lines = make(role)
    assert "ended: 1 connections of the role" in lines
    with pytest.raises(psycopg.OperationalError):
        thief.execute("SELECT 1")
    thief.close()


def test_a_role_has_no_more_connections_than_its_share(role: Wanted) -> None:
    place = role.as_role
    held = [reached(place, "a hostile game") for _ in range(SHARD_CONNECTIONS)]
    try:
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            reached(place, "one more")
    finally:
        for connection in held:
            connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'kept')",
        "SELECT lo_import('/etc/hostname')",
        "SELECT lo_put(1, 0, 'kept')",
        "SELECT pg_logical_emit_message(false, 'kept', 'kept')",
        "CREATE TEMP TABLE kept (a int)",
        "CREATE TABLE public.kept (a int)",
        "CREATE TABLE rag_memory.kept (a int)",
        "CREATE SCHEMA kept",
        "CREATE SEQUENCE kept",
        "CREATE TYPE kept AS (a int)",
        "CREATE FUNCTION kept() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE PUBLICATION kept",
        "CREATE FOREIGN DATA WRAPPER kept",
        "CREATE CAST (text AS int) WITH INOUT",
        "CREATE LANGUAGE kept",
        "CREATE EVENT TRIGGER kept ON ddl_command_start EXECUTE FUNCTION version()",
        "CREATE TEXT SEARCH CONFIGURATION kept (COPY = simple)",
        "CREATE STATISTICS kept ON save, name FROM saves",
        "COMMENT ON TABLE saves IS 'kept'",
        "COMMENT ON DATABASE rag_memory IS 'kept'",
        "COMMENT ON ROLE player_mine IS 'kept'",
        "SELECT pg_create_physical_replication_slot('kept')",
        "SELECT pg_create_logical_replication_slot('kept', 'pgoutput')",
        "SELECT pg_replication_origin_create('kept')",
        "BEGIN; PREPARE TRANSACTION 'kept'",
        "COPY saves TO '/tmp/kept'",
        "COPY saves TO PROGRAM 'cat'",
        "INSERT INTO saves (save, name, slot) OVERRIDING SYSTEM VALUE VALUES (99, 'mine', 'kept')",
        "UPDATE saves SET name = 'kept'",
        "UPDATE saves SET slot = 'kept'",
        "UPDATE saves SET save = DEFAULT",
        "INSERT INTO schema_version VALUES (9, true)",
        "DROP OWNED BY CURRENT_USER",
        "REASSIGN OWNED BY CURRENT_USER TO rag_memory",
        "ALTER ROLE CURRENT_USER NOLOGIN",
        "ALTER ROLE CURRENT_USER CONNECTION LIMIT 0",
        "ALTER ROLE CURRENT_USER VALID UNTIL '2020-01-01'",
        "ALTER ROLE CURRENT_USER RENAME TO kept",
        "DROP ROLE CURRENT_USER",
    ],
)
def test_a_role_keeps_nothing_outside_its_save(role: Wanted, statement: str) -> None:
    assert hostile(role.as_role, statement)[0]


def test_large_objects_of_before_are_removed(server: PostgresServer, role: Wanted) -> None:
    asked(place_on(server), "GRANT EXECUTE ON FUNCTION lo_create(oid) TO player_mine")
    asked(role.as_role, "SELECT lo_create(0) FROM generate_series(1, 1500)")
    lines = make(role)
    assert "removed: 1500 large objects of the role" in lines
    assert any("writing outside tables with lo_create(oid)" in line for line in lines)
    assert asked(place_on(server), "SELECT count(*) FROM pg_largeobject_metadata") == [(0,)]
    assert DENIED in refusal(role.as_role, "SELECT lo_create(0)")


def test_a_role_enters_no_other_database_and_one_that_is_open_is_told(
    server: PostgresServer, role: Wanted
) -> None:
    for name in ("postgres", "template1"):
        with pytest.raises(psycopg.OperationalError, match="pg_hba"):
            reached(place_on(server, **{**vars(role.as_role), "database": name}), "a hostile game")
    asked(place_on(server), "CREATE DATABASE forum")
    assert any("NOT closed to it: the databases forum (" in line for line in make(role))
    asked(place_on(server), "DROP DATABASE forum")


def test_an_owner_who_is_no_administrator_is_told_what_he_cannot_take_back(
    server: PostgresServer, tmp_path: Path
) -> None:
    administrator = place_on(server)
    for statement in (
        "CREATE ROLE owner LOGIN CREATEROLE PASSWORD 'pass'",
        "CREATE DATABASE owned OWNER owner",
    ):
        asked(administrator, statement)
    asked(place_on(server, database="owned"), "CREATE EXTENSION vector")
    (tmp_path / "owner").write_text("pass")
    place = place_on(server, user="owner", database="owned", password_file=str(tmp_path / "owner"))
    lines = make(wanted(server, tmp_path, "mine", role="player_owned", place=place))
    assert any("NOT revoked" in line and "lo_create" in line for line in lines)
