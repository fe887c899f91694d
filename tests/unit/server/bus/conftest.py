"""A real Valkey, empty for each test, a real PostgreSQL, and games that take part in the bus."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import redis
from tests.unit.server.postgres.conftest import place_on

from rag_memory import Npc, Save, open_save
from rag_memory.config.mind_config import NPCMindConfig, SentimentMode
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import NpcLockedError, SaveLockedError, ServerError
from rag_memory.step import Step, run
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey
from rag_memory_server.bus.bus_command import Command
from rag_memory_server.bus.event_bus import Delivery, EventBus
from rag_memory_server.bus.hot_cache import HotCache, look
from rag_memory_server.bus.zone import Zone
from rag_memory_server.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig
from rag_memory_server.postgres_storage import MemoryPostgresStorage

NOW = 1_702_500_000.0
FILE, POSTGRES = "file", "postgres"
WEIGHED = NPCMindConfig(sentiment_mode=SentimentMode.RULES, kept_interactions=10_000)
"""By rules that tests know, and with the whole log."""

_T = TypeVar("_T")
_NUMBERS = itertools.count(1)
Place = dict[str, Any]
"""The words of a Game that say where its save is."""


class World:
    """Access to the server for tests: administrator's statements, and its bus."""

    def __init__(self, server: ValkeyServer) -> None:
        self.server = server
        self.admin: Any = self.connected()

    def connected(self) -> Any:
        return redis.Redis(port=self.server.port, password=self.server.password(), socket_timeout=60.0)

    @property
    def address(self) -> dict[str, Any]:
        return {
            "url": f"redis://127.0.0.1:{self.server.port}/0",
            "password_file": str(self.server.password_file),
            # Of a busy machine, not of a dead server.
            "timeout_seconds": 5.0,
        }

    def bus(self, **values: Any) -> EventBus:
        return EventBus(MemoryEventBusConfig(**(self.address | values)))

    def cache(self, save: Save, **values: Any) -> HotCache:
        return HotCache(MemoryHotCacheConfig(**(self.address | values)), save.context)


class Game:
    """A game server with a save and a place on the bus."""

    def __init__(
        self,
        world: World,
        *npc_ids: str,
        path: Path | str = ":memory:",
        storage: MemoryPostgresStorage | None = None,
        **values: Any,
    ) -> None:
        """Waits until no other game has the save, or these NPCs of it."""
        self.save = _until_free(
            lambda: open_save(path, HashingEmbedder(64), clock=lambda: NOW, storage=storage)
        )
        for id in npc_ids:
            _until_free(functools.partial(self.save.npcs.acquire, id))
        self.bus = world.bus(**values)
        self.cache = world.cache(self.save)
        self.events: list[Delivery] = []
        self.commands: list[Command] = []
        self.npcs: dict[str, Npc] = {id: self.save.npc(id) for id in npc_ids}
        for npc in self.npcs.values():
            npc.mind.config = WEIGHED
        self.busy: set[str] = set()
        self.zone = Zone(
            self.save.context,
            self._npc_of,
            self.cache,
            self.events.append,
            self.commands.append,
            busy=lambda: self.busy,
        )

    def _npc_of(self, npc_id: str) -> Npc | None:
        return self.save.npc(npc_id) if npc_id in self.npcs else None

    def run(self) -> int:
        return self.zone.run(self.bus)

    def run_all(self) -> int:
        """run() until nothing comes any more; how many events were finished. A server that was killed before
        is there again, and what was finished last is said.
        """
        total, quiet = 0, 0
        while quiet < 2:
            with contextlib.suppress(ServerError):
                count = self.run()
                total += count
                quiet = 0 if count else quiet + 1
        return total

    def hot(self, npc_id: str) -> dict[str, Any]:
        """The hot memory of an NPC, as a game asks for it; what is made is sent, if the server is there."""

        def look_steps(npc_id: str) -> Generator[Step, None, dict[str, Any] | None]:
            yield Step(0, 1, "asking")
            return look(self.cache.config, self.cache.link, npc_id)

        memory = run(self.cache.read_steps(self.npcs[npc_id], look_steps))
        with contextlib.suppress(ServerError):
            self.cache.flush()
        return memory

    def close(self) -> None:
        self.bus.close()
        self.save.close()

    def contents(self, npc_id: str) -> list[str]:
        """Lines said to an NPC, oldest first."""
        return [each["content"] for each in reversed(self.npcs[npc_id].mind.get_interactions("", 10_000))]


def _until_free(take: Callable[[], _T]) -> _T:
    """Take what another game has, when that is gone: a server notices it a little later."""
    while True:
        try:
            return take()
        except (SaveLockedError, NpcLockedError):
            time.sleep(0.02)


@pytest.fixture(scope="session")
def server() -> Iterator[ValkeyServer]:
    with temporary_valkey() as running:
        yield running


@pytest.fixture
def world(server: ValkeyServer) -> World:
    server.start(server.port, ends_with_parent=True)
    fresh = World(server)
    fresh.admin.flushall()
    return fresh


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with temporary_postgres() as running:
        yield running


@pytest.fixture(params=[FILE, POSTGRES])
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Place]:
    """Tells where a save is that does not exist yet: in a file, and on a server."""
    if request.param == FILE:
        return lambda: {"path": tmp_path / f"shard_{next(_NUMBERS)}.sqlite3"}
    server = request.getfixturevalue("postgres")
    return lambda: place_of(server)


@pytest.fixture
def place(new_place: Callable[[], Place]) -> Place:
    return new_place()


def place_of(server: PostgresServer, **other: Any) -> Place:
    """A save on this server that does not exist yet."""
    return {"path": f"shard_{next(_NUMBERS)}", "storage": place_on(server, **other)}


@pytest.fixture
def joined(world: World) -> Iterator[Callable[..., Game]]:
    """Makes games of a zone of their own each, unless told; they are closed at the end."""
    games: list[Game] = []

    def join(*npc_ids: str, **values: Any) -> Game:
        games.append(Game(world, *npc_ids, **({"zone": f"zone_{len(games)}"} | values)))
        return games[-1]

    yield join
    for game in games:
        with contextlib.suppress(Exception):
            game.close()


def spoke(npc_id: str, content: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "interaction_recorded",
        "npcId": npc_id,
        "sourceId": "char-123",
        "sourceName": "Kael",
        "action": "spoke",
        "content": content,
        "timestamp": int(NOW * 1000),
        **more,
    }
