"""A database that lets a game wait: it holds a batch of events, and the others wait on the bus."""

from __future__ import annotations

import threading
import time

import psycopg
from tests.unit.server.bus.conftest import Game, World, place_of, spoke

from rag_memory_build.postgres_server import PostgresServer


def test_a_game_whose_database_is_slow_holds_one_batch_of_events(
    world: World, postgres: PostgresServer
) -> None:
    game = Game(world, "mira", **place_of(postgres), zone="harbour", batch_size=5)
    game.run()
    for number in range(200):
        game.bus.publish(spoke("mira", str(number)))
    held = list[int]()
    with psycopg.connect(
        host="127.0.0.1",
        port=postgres.port,
        dbname="rag_memory",
        user="rag_memory",
        password=postgres.password(),
    ) as other:
        other.execute("LOCK TABLE rag_memory.interactions IN ACCESS EXCLUSIVE MODE")
        working = threading.Thread(target=game.run)
        working.start()
        while game.zone.waiting == 0:
            time.sleep(0.001)
        # Whatever comes while it waits for the lock stays on the server.
        for _ in range(50):
            held.append(game.zone.waiting)
            working.join(0.02)
        other.rollback()
    working.join()
    while len(game.contents("mira")) < 200:
        game.run()
        held.append(game.zone.waiting)
    assert 0 < max(held) <= 5
    assert game.contents("mira") == [str(number) for number in range(200)]
    game.close()
