"""A game with saves on a real PostgreSQL: what is told when one cannot be opened, which save is meant, and
who has an NPC.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.engine.game import Game, Home, Project, check_errors, copy_server_part, for_servers, run

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import NpcLockedError
from rag_memory_build.class_table import FORMAT
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_server.config.postgres_config import PASSWORD_VARIABLE
from rag_memory_server.postgres_storage import MemoryPostgresStorage

pytestmark = pytest.mark.slow

SCENARIO = "on_postgres"
OK, FAILED, FILE_NOT_FOUND, IN_USE, UNRECOGNIZED = 0, 1, 7, 11, 15
LOCKED, CANT_CONNECT, INVALID, EXISTS = 23, 25, 31, 32
"""Godot's numbers of errors."""
NOWHERE = ["MemoryPostgresStorage", {"port": 1}]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with temporary_postgres() as running:
        yield running


@pytest.fixture
def game_server(quick_project: Project) -> Project:
    return for_servers(quick_project)


def place(server: PostgresServer, **values: Any) -> list[Any]:
    """The values of the scenario's resource."""
    return [
        "MemoryPostgresStorage",
        {"port": server.port, "password_file": str(server.password_file), **values},
    ]


def carried_out(project: Project, home: Home, *calls: list[Any], errors: tuple[str, ...] = ()) -> Game:
    return run(project, home, SCENARIO, json.dumps(calls), errors=errors)


def ask(server: PostgresServer, *statements: str) -> None:
    with administrator(server) as connection:
        for each in statements:
            connection.execute(each.encode())


def answers(server: PostgresServer, question: str) -> list[tuple[Any, ...]]:
    with administrator(server) as connection:
        return connection.execute(question.encode()).fetchall()


def administrator(server: PostgresServer) -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(
        host="127.0.0.1",
        port=server.port,
        dbname="rag_memory",
        user="rag_memory",
        password=server.password(),
        autocommit=True,
    )


@pytest.mark.parametrize("call", ["open_save", "open_save_typed"])
def test_a_game_for_one_player_says_what_is_missing(quick_project: Project, home: Home, call: str) -> None:
    """There the class of a storage is none, and instantiate() returns null."""
    game = carried_out(
        quick_project,
        home,
        ["open_save", "slot_1"],
        [call, "shard", {"storage": None}],
        ["current_save"],
        errors=("this game has no server part", "docs/servers.md"),
    )
    assert game.values(call)[-1] == INVALID
    assert game.value("current_save") == "slot_1"


def test_a_server_part_without_the_client_of_postgres_says_so(quick_project: Project, home: Home) -> None:
    shutil.rmtree(copy_server_part(quick_project) / "psycopg")
    calls: list[list[Any]] = [
        ["open_save", "shard", {"storage": NOWHERE}],
        ["list_saves", {"storage": NOWHERE}],
    ]
    errors = ("the server part of this game is not whole", "docs/servers.md")
    game = carried_out(quick_project, home, *calls, errors=errors)
    assert game.value("open_save") == FAILED
    assert game.value("list_saves") == []


def with_another_format(table: bytes) -> bytes:
    """With a checksum that is right."""
    content = (FORMAT + 1).to_bytes(8, "little") + table[8:-8]
    return content + zlib.crc32(content).to_bytes(8, "little")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda table: b"",
    "cut": lambda table: table[:1000],
    "last byte": lambda table: table[:-1],
    "one bit": lambda table: table[:2000] + bytes([table[2000] ^ 1]) + table[2001:],
    "format": with_another_format,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_server_part_whose_table_of_classes_is_damaged_is_left_out(
    quick_project: Project, home: Home, damage: str
) -> None:
    table = copy_server_part(quick_project) / "classes.bin"
    content = table.read_bytes()
    table.unlink()
    table.write_bytes(DAMAGES[damage](content))
    errors = ("is damaged or of another version than the addon",)
    game = carried_out(quick_project, home, ["open_save", "slot_1"], ["current_save"], errors=errors)
    assert game.value("current_save") == "slot_1"


@pytest.mark.parametrize("call", ["open_save", "open_save_typed"])
@pytest.mark.parametrize(
    ("storage", "told"),
    [
        (None, "storage is null"),
        (["MemoryHotCache", {}], "storage is a MemoryHotCache"),
        (["Node", {}], "storage is a Node"),
        ("postgres://127.0.0.1", 'storage is "postgres://127.0.0.1"'),
        ({"port": 5432}, "it has to be a MemoryPostgresStorage"),
        (["MemoryPostgresStorage", {"host": ""}], "host is empty"),
        (["MemoryPostgresStorage", {"schema": "Two words"}], "schema is"),
        (["MemoryPostgresStorage", {"sslmode": "sometimes"}], "sslmode is"),
        (["MemoryPostgresStorage", {"host": "db.example.org", "sslmode": "disable"}], "in clear text"),
    ],
)
def test_what_is_no_place_for_saves_is_refused(
    game_server: Project, home: Home, call: str, storage: Any, told: str
) -> None:
    game = carried_out(
        game_server, home, [call, "shard", {"storage": storage}], ["list_saves"], errors=(told,)
    )
    assert game.value(call) == INVALID
    assert game.value("list_saves") == []


@pytest.mark.parametrize("call", ["open_save", "open_save_typed"])
def test_what_keeps_a_save_from_being_opened_is_told(
    game_server: Project,
    home: Home,
    server: PostgresServer,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "secret-2")
    ask(server, "DROP DATABASE IF EXISTS bare", "CREATE DATABASE bare")
    newer = MemoryPostgresStorage(
        port=server.port, password_file=str(server.password_file), schema=f"newer_{call}"
    )
    rag_memory.open_save("shard", HashingEmbedder(), storage=newer).close()
    ask(server, f"UPDATE newer_{call}.schema_version SET version = 999")
    failures = [
        (NOWHERE, "Check that the server runs", CANT_CONNECT),
        (place(server, password_file=""), "RAG_MEMORY_POSTGRES_PASSWORD", CANT_CONNECT),
        (place(server, database="nothing"), 'database "nothing" does not exist', CANT_CONNECT),
        (place(server, sslmode="require"), "SSL", CANT_CONNECT),
        (place(server, password_file="/nowhere/password"), "password_file", FAILED),
        (place(server, database="bare"), "CREATE EXTENSION vector", FAILED),
        (place(server, schema=f"newer_{call}"), "its version is 999", UNRECOGNIZED),
    ]
    game = carried_out(
        game_server,
        home,
        *[[call, "shard", {"storage": storage}] for storage, _, _ in failures],
        errors=tuple(told for _, told, _ in failures),
    )
    assert game.values(call) == [code for _, _, code in failures]
    assert "secret" not in game.text()


def test_a_call_is_about_the_open_save_or_where_it_is_told(
    game_server: Project, home: Home, server: PostgresServer
) -> None:
    there = {"storage": place(server, schema="meant")}
    game = carried_out(
        game_server,
        home,
        ["open_save", "shard"],
        ["store", "mira", "It rained."],
        ["open_save", "shard", there],
        ["count", "mira"],
        ["store", "bran", "It snowed."],
        ["store", "bran", "It thawed."],
        ["open_save", "shard", there],
        ["current_save"],
        ["list_saves"],
        ["list_saves", there],
        ["has_save", "other"],
        ["get_save_info", "shard"],
        ["copy_save", "shard", "copy"],
        ["copy_save", "shard", "copy"],
        ["list_saves", there],
        ["delete_save", "shard"],
        ["current_save"],
        ["list_saves", there],
        ["list_saves"],
        ["get_save_info", "shard"],
        ["get_save_info", "copy", there],
        ["delete_save", "copy"],
        ["delete_save", "copy", there],
        ["list_saves", there],
        errors=("there is a save 'copy' on", "there is no save 'copy'"),
    )
    assert game.values("open_save") == [OK, OK, OK]
    assert game.value("count") == 0
    assert game.values("current_save") == ["shard", ""]
    assert game.values("list_saves") == [["shard"], ["shard"], ["copy", "shard"], ["copy"], ["shard"], []]
    assert game.values("has_save") == [False]
    told = [(each["state"], each["memories"], each["size"] > 0) for each in game.values("get_save_info")]
    assert told == [("open", 2, False), ("closed", 1, True), ("closed", 2, False)]
    assert game.values("copy_save") == [OK, EXISTS]
    assert game.values("delete_save") == [OK, FILE_NOT_FOUND, OK]


def test_what_is_forgotten_on_a_server_is_in_no_summary_and_in_no_table(
    game_server: Project, home: Home, server: PostgresServer
) -> None:
    there = {"storage": place(server, schema="forgetful")}
    by_rowan = {"participants": {"contains": "rowan"}}
    game = carried_out(
        game_server,
        home,
        ["open_save", "shard", there],
        ["store_about", "mira", "Rowan burned the mill.", "rowan"],
        ["store_about", "mira", "Rowan came back.", "rowan"],
        ["store_about", "mira", "Bran mended the roof.", "bran"],
        ["forget_where", "mira", {**by_rowan, "importance": {">": 7}}],
        ["forget_where", "mira", by_rowan],
        ["remembered", "mira"],
        ["converse", "elena", "I promise to burn the granary tomorrow.", 20],
        ["forget_with", "elena", "granary"],
        ["summary", "elena"],
        ["open_save", "shard", there],
        ["remembered", "mira"],
        ["summary", "elena"],
    )
    assert game.values("forget_where") == [0, 2]
    assert game.values("remembered") == [["Bran mended the roof."]] * 2
    assert "granary" in game.value("converse") and game.value("forget_with")
    for summary in game.values("summary"):
        assert summary and "granary" not in summary
    everything = "SELECT count(*) FROM {} AS row WHERE row::text ~* 'rowan|granary'"
    tables = (
        "SELECT relname FROM pg_class "
        "WHERE relnamespace = 'forgetful'::regnamespace AND relkind IN ('r', 'p')"
    )
    for (table,) in answers(server, tables):
        assert answers(server, everything.format(f"forgetful.{table}")) == [(0,)], table


def test_a_new_hero_comes_into_an_old_world_on_a_server(
    game_server: Project, home: Home, server: PostgresServer
) -> None:
    there = {"storage": place(server, schema="heroes")}
    game = carried_out(
        game_server,
        home,
        ["open_save", "shard", there],
        ["store_about", "mira", "The player saved the mill.", "player"],
        ["trust", "mira", "player", -30],
        ["retire_player", "theron", "Theron"],
        ["retire_player", "theron"],
        ["open_save", "shard", there],
        ["remembered", "mira"],
        ["trust", "mira", "theron", 0],
        errors=("there is somebody with this id",),
    )
    assert game.values("retire_player") == [OK, INVALID]
    assert "Theron saved the mill." in game.value("remembered")
    assert game.values("trust") == [-30, -30]


def test_a_save_that_another_game_has_open_is_told_of_and_not_deleted(
    game_server: Project, home: Home, server: PostgresServer
) -> None:
    there = {"storage": place(server, schema="shared")}
    shared = MemoryPostgresStorage(port=server.port, password_file=str(server.password_file), schema="shared")
    with rag_memory.open_save("shard", HashingEmbedder(), storage=shared) as save:
        save.npc("mira").memories.store("It rained.")
        save.snapshots.take("before")
        game = carried_out(
            game_server,
            home,
            ["get_save_info", "shard", there],
            ["copy_save", "shard", "copy", there],
            ["delete_save", "shard", there],
            ["get_save_info", "copy", there],
            errors=("another process, or this game, has it open",),
        )
    there_told, copy_told = game.values("get_save_info")
    assert (there_told["state"], there_told["memories"], there_told["snapshots"]) == ("in_use", 1, ["before"])
    assert (copy_told["state"], copy_told["memories"], copy_told["snapshots"]) == ("closed", 1, ["before"])
    assert game.value("copy_save") == OK
    assert game.value("delete_save") == IN_USE


def test_an_npc_of_another_game_answers_and_learns_nothing_until_she_is_released(
    game_server: Project, home: Home, server: PostgresServer, tmp_path: Path
) -> None:
    shared = MemoryPostgresStorage(port=server.port, password_file=str(server.password_file), schema="zones")
    calls: list[list[Any]] = [
        ["open_save", "shard", {"storage": place(server, schema="zones")}],
        ["store", "bran", "It snowed."],
        ["count", "mira"],
        ["store", "mira", "It thawed."],
        ["acquire_npc", "mira"],
        ["get_npc_owner", "mira"],
        ["await_file", str(tmp_path / "released")],
        ["store", "mira", "It thawed."],
        ["release_npc", "mira"],
        ["get_npc_owner", "mira"],
        ["store", "mira", "It froze."],
        ["count", "mira"],
        ["acquire_npc", "mira"],
        ["store", "mira", "It froze."],
    ]
    with rag_memory.open_save("shard", HashingEmbedder(), storage=shared) as save:
        save.npc("mira").memories.store("It rained.")
        game = Game(game_server, home, SCENARIO, json.dumps(calls))
        game.wait_for("get_npc_owner")
        assert save.npc("bran").memories.get_memory_count() == 1
        with pytest.raises(NpcLockedError, match="bran cannot learn anything here"):
            save.npc("bran").memories.store("It thawed.")
        save.npcs.release("mira")
        (tmp_path / "released").touch()
        assert game.end() == 0, game.tail()
        assert save.npc("mira").memories.get_memory_count() == 3
    check_errors(game.lines, ["mira cannot learn anything here", "acquire_npc()"])
    assert game.values("store") == [True, False, True, False, True]
    assert game.values("count") == [1, 2]
    assert game.values("acquire_npc") == [LOCKED, OK]
    owner, nobody = game.values("get_npc_owner")
    assert str(os.getpid()) in owner
    assert nobody == ""


def test_a_save_that_is_only_read_takes_nobody_and_shows_what_comes(
    game_server: Project, home: Home, server: PostgresServer, tmp_path: Path
) -> None:
    shared = MemoryPostgresStorage(port=server.port, password_file=str(server.password_file), schema="read")
    options = {"storage": place(server, schema="read"), "read_only": True}
    calls: list[list[Any]] = [
        ["open_save", "none_yet", options],
        ["open_save", "shard", {"read_only": True}],
        ["open_save", "shard", options],
        ["count", "mira"],
        ["store", "mira", "It snowed."],
        ["await_file", str(tmp_path / "stored")],
        ["count", "mira"],
        ["open_save", "shard", {"storage": options["storage"]}],
    ]
    with rag_memory.open_save("shard", HashingEmbedder(), storage=shared) as save:
        save.npc("mira").memories.store("It rained.")
        game = Game(game_server, home, SCENARIO, json.dumps(calls))
        game.wait_for("store")
        save.npc("mira").memories.store("It thawed.")
        save.npc("bran").memories.store("It thawed.")
        (tmp_path / "stored").touch()
        assert game.end() == 0, game.tail()
    told = ["none_yet", "a save in a file has one user", "to be read only", "close_save() first"]
    check_errors(game.lines, told)
    assert game.values("open_save") == [FILE_NOT_FOUND, INVALID, OK, INVALID]
    assert game.values("count") == [1, 2]
    assert game.values("store") == [False]


def test_a_save_on_a_server_does_not_begin_as_a_file(
    game_server: Project, home: Home, server: PostgresServer
) -> None:
    options = {"storage": place(server), "prepared": "village"}
    game = carried_out(game_server, home, ["open_save", "shard", options], errors=("Leave prepared out",))
    assert game.value("open_save") == INVALID


def test_a_server_that_dies_fails_what_is_stored_and_nothing_else(
    game_server: Project, home: Home, tmp_path: Path
) -> None:
    with temporary_postgres() as dying:
        there = {"storage": place(dying, timeout_seconds=0.05)}
        calls: list[list[Any]] = [["open_save", "shard", there], ["store", "mira", "It rained."]]
        calls += [
            ["await_file", str(tmp_path / "gone")],
            ["store", "mira", "It snowed."],
            ["save_error"],
            ["open_save", "file"],
        ]
        calls += [["store", "mira", "It thawed."], ["count", "mira"]]
        game = Game(game_server, home, SCENARIO, json.dumps(calls))
        game.wait_for("store")
        dying.kill()
        (tmp_path / "gone").touch()
        assert game.end() == 0, game.tail()
    assert "Check that the server runs" in game.value("save_error")
    assert game.values("store") == [True, False, True]
    assert game.values("open_save") == [OK, OK]
    assert game.value("count") == 1
