"""PostgreSQL is killed with all of its processes, at any moment, and started again on the same data: nothing
that was acknowledged is lost, nothing happens twice, and the game goes on by itself.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.conftest import Times
from tests.unit.server.bus.conftest import WEIGHED, Game, World, place_of
from tests.unit.server.bus.events import (
    NPCS,
    VALUES,
    check,
    check_hot_memories,
    event,
    run_until_arrived,
)

from rag_memory.errors import ServerError, StoreError
from rag_memory_build.console import SetupError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_build.server_process import temporary

_HASTY_SECONDS = 1.0
_MOST_EVENTS = 10_000
"""The bus goes on while the database is away."""


@pytest.fixture(scope="module")
def mortal() -> Iterator[PostgresServer]:
    """A server that tests kill, with the settings of a user's."""
    with temporary(PostgresServer) as running:
        yield running


def _start_again(server: PostgresServer) -> None:
    while server.running_port() is None:
        with contextlib.suppress(SetupError):  # Another program may have the port for a moment.
            server.start(server.port)


class _Working:
    """A game whose NPCs do all that is written, and what it was told of it."""

    def __init__(self, game: Game) -> None:
        self.published = 0
        self.stored: list[str] = []
        self.perceived: list[str] = []
        self.failures: list[StoreError] = []
        self._game = game
        self._number = 0
        game.save.npc("bran").mind.config = WEIGHED

    def work(self) -> None:
        """An event of the bus, one without it, a memory, and what is synced. What fails is tried again only
        where it cannot happen twice.
        """
        game, self._number = self._game, self._number + 1
        with contextlib.suppress(ServerError), self._noted():
            if self.published < _MOST_EVENTS:
                game.bus.publish(event(self.published))
                self.published += 1
            game.run()
        told = {"action": "gifted", "source_id": "a", "content": str(self._number)}
        with self._noted():
            game.save.npc("bran").mind.perceive(told)
            self.perceived.append(told["content"])
        text = f"Roof number {len(self.stored)} was mended."
        with self._noted():
            game.save.npc("bran").memories.store(text)
            self.stored.append(text)

    def check(self) -> None:
        bran, store = self._game.save.npc("bran"), self._game.save.store
        stored = Counter(each.document_full for each in store.records.find(store.npcs.number("bran") or 0))
        assert all(stored[text] == 1 for text in self.stored) and max(stored.values()) == 1
        log = [each["content"] for each in bran.mind.get_interactions("", 10_000)]
        assert set(self.perceived) <= set(log) and len(set(log)) == len(log)
        check(self._game, self.published)

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            assert error.why and error.remedy
            self.failures.append(error)


def test_a_database_killed_at_any_moment_loses_nothing_and_doubles_nothing(
    world: World, mortal: PostgresServer, times: Times
) -> None:
    kills = times(8, 100)  # Each takes a second.
    place, dice = place_of(mortal, timeout_seconds=_HASTY_SECONDS), random.Random(4)
    game = Game(world, *NPCS, **place, **VALUES)
    game.cache.config = replace(game.cache.config, sync_interactions=3)
    game.run()
    working = _Working(game)

    def kill_and_start() -> None:
        for number in range(kills):
            time.sleep(dice.uniform(0.0, 0.3))
            mortal.kill()
            failures = len(working.failures)
            # Sometimes it is away for longer than a call waits.
            while number % 5 == 0 and len(working.failures) == failures:
                time.sleep(0.01)
            _start_again(mortal)

    killer = threading.Thread(target=kill_and_start)
    killer.start()
    while killer.is_alive():
        working.work()
    killer.join()
    run_until_arrived(game, working.published)
    assert len(working.failures) >= kills // 5
    working.check()
    check_hot_memories(world, game)
    game.close()
    again = Game(world, *NPCS, **place, **VALUES)
    working._game = again
    working.check()
    check_hot_memories(world, again)
    again.close()
