"""`build.py server init`: a role for game servers on a real PostgreSQL."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.unit.server.postgres.roles import asked, refusal, wanted
from tests.unit.storage.contract.conftest import Kept, record_of

from rag_memory_build import commands, server_init, server_places
from rag_memory_build.console import SetupError
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_roles import make
from rag_memory_server.postgres_storage import MemoryPostgresStorage


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with temporary_postgres() as server:
        yield server


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    monkeypatch.setattr(server_places, "data_folder", lambda: tmp_path)
    return tmp_path


def init(server: PostgresServer, *words: str) -> int:
    where = ["--host", "127.0.0.1", "--port", str(server.port), "--password-file", str(server.password_file)]
    return commands.main(["server", "init", *where, *words])


def test_a_second_time_makes_nothing(
    server: PostgresServer, data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("--schema", "village", "--shard", "Shard 1", "--connections", "7")
    assert init(server, *words) == 0
    first = capfd.readouterr().out
    file = data / "rag_memory_shard_1@127.0.0.1.password"
    password = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and len(password) > 20
    assert "schema village: tables made" in first and "role rag_memory_shard_1: made" in first
    assert f"in {file}" in first and password not in first
    assert init(server, *words) == 0
    second = capfd.readouterr()
    assert "made" not in second.out and "granted" not in second.out and "taken" not in second.out
    assert password not in second.out + second.err and file.read_text().strip() == password

    place = MemoryPostgresStorage(
        port=server.port, user="rag_memory_shard_1", schema="village", password_file=str(file)
    )
    storage = place.open("Shard 1")
    Kept(storage).put(record_of("Mill burned."))
    assert storage.records.count() == 1
    storage.close()
    limit = "SELECT rolconnlimit, rolsuper, rolcanlogin FROM pg_roles WHERE rolname = current_user"
    assert asked(place, limit) == [(7, False, True)]
    # What was sent to the server is not the password.
    assert password not in server.log()


def test_a_role_for_all_saves_plays_any_and_defines_nothing(server: PostgresServer, data: Path) -> None:
    role = wanted(server, data, None)
    make(role)
    make(wanted(server, data, "first"))
    for name in ("first", "second"):
        storage = role.as_role.open(name)
        Kept(storage).put(record_of("Mill burned."))
        storage.close()
    assert asked(role.as_role, "SELECT count(*) FROM memories") == [(2,)]
    for statement in ("DROP TABLE memories", "CREATE TABLE rag_memory.own ()", "CREATE TEMP TABLE own ()"):
        assert refusal(role.as_role, statement)
    assert asked(role.as_role, "EXPLAIN SELECT * FROM npcs WHERE save = 1 AND npc = 1")[0][0].startswith(
        "Index"
    )


def test_what_was_given_by_hand_is_taken_back(server: PostgresServer, data: Path) -> None:
    role = wanted(server, data, "given")
    make(role)
    asked(role.place, f"GRANT ALL ON ALL TABLES IN SCHEMA rag_memory TO {role.role}")
    asked(role.place, f"GRANT ALL ON ALL SEQUENCES IN SCHEMA rag_memory TO {role.role}")
    asked(role.place, f"GRANT CREATE ON SCHEMA rag_memory TO {role.role}")
    assert asked(role.as_role, "SELECT 1 FROM memories_1") == []
    lines = make(role)
    assert any("revoked" in line for line in lines) and any("granted" in line for line in lines)
    for statement in (
        "SELECT 1 FROM memories_1",
        "TRUNCATE memories",
        "UPDATE schema_version SET version = 9",
        "SELECT setval('saves_save_seq', 1)",
        "CREATE TABLE rag_memory.own ()",
    ):
        assert "permission denied" in refusal(role.as_role, statement)
    assert asked(role.as_role, "SELECT nextval('saves_save_seq') > 0") == [(True,)]
    assert not any("taken" in line or "granted" in line for line in make(role))


def test_a_lost_password_is_made_again(server: PostgresServer, data: Path) -> None:
    role = wanted(server, data, "forgetful")
    make(role)
    old = role.new_password_file.read_text()
    role.new_password_file.unlink()
    assert any("password: made" in line for line in make(role))
    assert role.new_password_file.read_text() != old
    assert asked(role.as_role, "SELECT 1") == [(1,)]


def test_an_administrator_and_a_role_of_another_save_are_refused(server: PostgresServer, data: Path) -> None:
    with pytest.raises(SetupError, match="cannot be used for game servers"):
        make(wanted(server, data, None, role="rag_memory"))
    make(wanted(server, data, "left", role="guard"))
    for shard in ("right", None):
        with pytest.raises(SetupError, match="sees another save"):
            make(wanted(server, data, shard, role="guard"))
    role = wanted(server, data, None, role="member")
    asked(role.place, "CREATE ROLE member; GRANT guard TO member")
    with pytest.raises(SetupError, match="member of another role"):
        make(role)


def test_a_name_with_quotes_is_a_name(server: PostgresServer, data: Path) -> None:
    name = "o'clock; DROP TABLE {role} %s"
    role = wanted(server, data, name, role="quoted")
    make(role)
    assert "made" not in " ".join(make(role))
    role.as_role.open(name).close()
    assert asked(role.as_role, "SELECT name FROM saves") == [(name,)]


def test_a_failure_is_told_in_words(
    server: PostgresServer, data: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert init(server, "--database", "nothing") == 1
    assert (
        "next: Check that the server runs and can be reached, and that it has the database"
        in capfd.readouterr().err
    )
    assert init(server, "--shard", "a/b") == 1
    assert "cannot be the name of a save" in capfd.readouterr().err
    with psycopg.connect(
        host="127.0.0.1", port=server.port, user="rag_memory", password=server.password(), autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE bare")
        connection.execute("CREATE ROLE visitor LOGIN PASSWORD 'pass'")
    (data / "visitor").write_text("pass")
    assert (
        init(server, "--database", "bare", "--user", "visitor", "--password-file", str(data / "visitor")) == 1
    )
    told = capfd.readouterr().err
    assert "pgvector cannot be added" in told and "CREATE EXTENSION vector" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "does not run"),
        (["--port", "5432"], "--port came without --host"),
        (["--host", "db.example.org", "--role", "Game"], "small letters"),
        (["--host", "db.example.org", "--connections", "1"], "a second one while a snapshot"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.main(["server", "init", *words]) == 1
    assert told in capsys.readouterr().err


def test_the_role_and_its_password_are_named_after_the_save(data: Path) -> None:
    asked_for = server_init.role_request({"host": "db.example.org", "shard": "North-1"})
    assert asked_for["role"] == "rag_memory_north_1" and asked_for["place"]["port"] == 5432
    assert asked_for["new_password_file"] == str(data / "rag_memory_north_1@db.example.org.password")
