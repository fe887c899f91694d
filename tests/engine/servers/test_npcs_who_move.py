"""NPCs who leave a game server and come back: what they perceive, and what is known of them meanwhile."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.game import Project
from tests.engine.servers.conftest import Start, admin, contents, ended, spoke

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_build.postgres_server import temporary_postgres
from rag_memory_build.valkey_server import ValkeyServer
from rag_memory_server.postgres_storage import MemoryPostgresStorage

pytestmark = pytest.mark.slow


def test_an_npc_who_comes_back_perceives_what_has_happened(
    start: Start, shared: Project, tmp_path: Path
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["publish", spoke("elena", "first")],
        ["wait_for", 1],
        ["free_npc", "elena"],
        ["publish", spoke("elena", "second")],
        ["wait_for", 2],
        ["npc", "elena"],
        ["perceived", ["elena", 2]],
    )
    ended(game)
    assert contents(tmp_path, shared, "castle", "elena") == ["first", "second"]


def test_an_npc_whom_a_game_takes_by_asking_her_perceives_what_she_has_missed(
    start: Start, tmp_path: Path
) -> None:
    with temporary_postgres() as postgres:
        storage = MemoryPostgresStorage(port=postgres.port, password_file=str(postgres.password_file))
        place = {"port": storage.port, "password_file": storage.password_file}
        with rag_memory.open_save("shard", HashingEmbedder(), storage=storage) as elsewhere:
            elsewhere.npc("elena")
            game = start(
                "castle",
                ["open_shared", place],
                ["npc", "elena"],
                ["connected", True],
                ["publish", spoke("elena", "missed")],
                ["wait_for", 1],
                ["await_file", str(tmp_path / "released")],
                ["perceived", ["elena", 1]],
                is_without_cache=True,  # It would have the bus look, too.
            )
            game.wait_for("published")
            game.wait_for("most_in_work")
            assert elsewhere.npc("elena").mind.get_interactions() == []
            elsewhere.npcs.release("elena")
            (tmp_path / "released").touch()
            ended(game)
            assert [each["content"] for each in elsewhere.npc("elena").mind.get_interactions()] == ["missed"]


def test_hot_memories_that_are_lost_are_loaded_from_the_save(
    start: Start, tmp_path: Path, valkey: ValkeyServer
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["publish", spoke("elena", "first")],
        ["wait_for", 1],
        ["hot", "elena"],
        ["await_file", str(tmp_path / "flushed")],
        ["hot_now", "elena"],
        ["hot_now", "nobody here"],
        ["leave", None],
    )
    game.wait_for("hot")
    admin(valkey).flushall()
    (tmp_path / "flushed").touch()
    before, after, nobody = ended(game).values("hot")
    for each in ("dispositions", "recentInteractions"):
        assert before[each] == after[each] != {}
    assert nobody == {}
    kept = json.loads(admin(valkey).get("npc:elena:memory"))
    assert kept["recentInteractions"] == after["recentInteractions"]


def test_who_gives_an_npc_away_sends_her_hot_memory_then_or_never(
    start: Start, tmp_path: Path, valkey: ValkeyServer
) -> None:
    with temporary_postgres() as postgres:
        place = {"port": postgres.port, "password_file": str(postgres.password_file)}
        game = start(
            "castle",
            ["open_shared", place],
            ["npc", "elena"],
            ["npc", "mira"],
            ["connected", True],
            ["hot", "elena"],
            ["make_calls", 1],
            ["give_away", "elena"],
            ["await_file", str(tmp_path / "killed")],
            ["take_back", "elena"],
            ["connected", False],
            ["make_calls", 1],
            ["give_away", "elena"],
            ["await_file", str(tmp_path / "started")],
            ["connected", True],
            ["hot", "mira"],
            ["publish", spoke("elena", "nobody has her")],
            ["wait_for", 1],
            ["take_back", "elena"],
            ["perceived", ["elena", 3]],
            ["hot", "elena"],
        )
        game.wait_for("released")
        kept = json.loads(admin(valkey).get("npc:elena:memory"))
        assert [each["content"] for each in kept["recentInteractions"]] == ["own"]
        valkey.kill()
        (tmp_path / "killed").touch()
        game.wait_for("released", count=2)
        valkey.start(valkey.port, ends_with_parent=True)
        admin(valkey).flushall()
        (tmp_path / "started").touch()
        game.wait_for("published")
        assert not admin(valkey).exists("npc:elena:memory")
        ended(game, "no connection to 127.0.0.1")
    assert [each["content"] for each in game.values("hot")[-1]["recentInteractions"]] == [
        "own",
        "own",
        "nobody has her",
    ]
