"""Game servers on a real Valkey, and what tests of them share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from tests.engine.game import Game, Home, Project, check_errors, for_servers

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey

SCENARIO = "on_the_bus"
Start = Callable[..., Game]


@pytest.fixture(scope="module")
def valkey_server() -> Iterator[ValkeyServer]:
    with temporary_valkey() as running:
        yield running


@pytest.fixture
def valkey(valkey_server: ValkeyServer) -> ValkeyServer:
    valkey_server.start(valkey_server.port, ends_with_parent=True)
    admin(valkey_server).flushall()
    return valkey_server


def admin(server: ValkeyServer) -> Any:
    return redis.Redis(port=server.port, password=server.password(), socket_timeout=60.0)


@pytest.fixture
def shared(quick_project: Project) -> Project:
    return for_servers(quick_project)


@pytest.fixture
def start(shared: Project, valkey: ValkeyServer, tmp_path: Path) -> Iterator[Start]:
    """Starts game servers, each with a home and a zone of its own; ends what is left of them."""
    games: list[Game] = []
    homes: list[Home] = []

    def begin(zone: str, *steps: list[Any], joins: bool = True, **values: Any) -> Game:
        home = Home(tmp_path / zone)
        homes.append(home)
        first: list[list[Any]] = [["join", bus(valkey, zone, **values)]] if joins else []
        games.append(Game(shared, home, SCENARIO, json.dumps([*first, *steps])))
        return games[-1]

    yield begin
    for game in games:
        if not game.has_ended:
            game.kill()
    for home in homes:
        home.close()


def bus(server: ValkeyServer, zone: str, **values: Any) -> dict[str, Any]:
    return {
        "url": f"redis://127.0.0.1:{server.port}/0",
        "password_file": str(server.password_file),
        "zone": zone,
        # Of a busy machine, not of a dead server.
        "timeout_seconds": 5.0,
        **values,
    }


def spoke(npc_id: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "interaction_recorded",
        "npcId": npc_id,
        "sourceId": "kael",
        "sourceName": "Kael",
        "action": "helped",
        "content": content,
        **more,
    }


def contents(tmp_path: Path, shared: Project, zone: str, npc_id: str, save_id: str = "shard") -> list[str]:
    """The log of an NPC in the save of a game that has ended, oldest first."""
    path = Home(tmp_path / zone).saves(shared) / f"{save_id}.sqlite3"
    with rag_memory.open_save(path, HashingEmbedder()) as save:
        return [each["content"] for each in save.npc(npc_id).mind.get_interactions("", 10_000)][::-1]


def ended(game: Game, *errors: str, allowed: tuple[str, ...] = ()) -> Game:
    assert game.end() == 0, game.tail()
    check_errors(game.lines, errors, allowed)
    return game
