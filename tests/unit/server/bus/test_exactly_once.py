"""Whatever ends when, each event happens to an NPC once, and her feelings are what the events add up to. With
the save in a file, and on PostgreSQL.
"""

from __future__ import annotations

import contextlib
import functools
import random
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import Times
from tests.unit.killed_process import Working
from tests.unit.server.bus.conftest import Game, Place, World
from tests.unit.server.bus.events import (
    NPCS,
    VALUES,
    arrived,
    check,
    check_hot_memories,
    event,
    run_until_arrived,
)

from rag_memory.errors import ServerError
from rag_memory.step import run
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey


@pytest.fixture(scope="module")
def mortal() -> Iterator[ValkeyServer]:
    """A server that tests kill."""
    with temporary_valkey() as running:
        yield running


def _fresh(server: ValkeyServer) -> World:
    server.start(server.port, ends_with_parent=True)
    world = World(server)
    world.admin.flushall()
    return world


_OPERATIONS = st.one_of(
    st.just(("publish", 0)),
    st.tuples(st.just("again"), st.integers(0, 30)),
    st.tuples(st.just("carry_out"), st.integers(0, 4)),
    st.just(("take", 0)),
    st.just(("run", 0)),
    st.just(("crash", 0)),
    st.just(("lose_connection", 0)),
    st.just(("claim", 0)),
)


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(operations=st.lists(_OPERATIONS, min_size=5, max_size=40))
def test_each_event_happens_once_however_often_games_end(
    world: World, new_place: Callable[[], Place], operations: list[tuple[str, int]]
) -> None:
    world.admin.flushall()
    place = new_place()
    game = Game(world, *NPCS, **place, **VALUES)
    sender = world.bus(zone="castle")
    published = 0
    for name, number in operations:
        with contextlib.suppress(ServerError):
            if name == "publish":
                published += 1
                sender.publish(event(published - 1))
            elif name == "again" and published:
                sender.publish(event(number % published))
            elif name == "take":
                game.zone.put(game.bus.take())
            elif name == "carry_out":
                for _ in range(number):
                    if game.zone.next():
                        list(game.zone.next_steps(game.bus))
            elif name == "run":
                game.run()
            elif name == "claim":
                game.bus.reader.claimed_at = -1e9
            elif name == "crash":
                game.bus.link.close()
                game.save.close()
                game = Game(world, *NPCS, **place, **VALUES)
            elif name == "lose_connection":
                world.admin.execute_command("CLIENT", "KILL", "SKIPME", "yes", "TYPE", "normal")
    # What could not be sent when the connection was lost is sent again, as a sender does.
    for number in range(published):
        while True:
            with contextlib.suppress(ServerError):
                sender.publish(event(number))
                break
    run_until_arrived(game, published)
    game.events.clear()
    check(game, published)
    sender.close()
    game.close()


def test_games_that_take_over_from_killed_ones_lose_no_event_and_double_none(
    world: World, place: Place, times: Times
) -> None:
    kills = times(25, 100)
    sender = world.bus(zone="castle")
    Game(world, *NPCS, **place, **VALUES).close()
    with contextlib.closing(world.bus(**VALUES)) as first:
        first.take()
    dice = random.Random(1)

    def work(told: Callable[[], object]) -> None:
        game = Game(world, *NPCS, **place, **VALUES)
        while True:
            game.zone.put(game.bus.take())
            while game.zone.next():
                for _ in range(run(game.zone.next_steps(game.bus))):
                    told()

    published = 0
    working = Working(work)
    for number in range(kills):
        for _ in range(10):
            sender.publish(event(published))
            published += 1
        working.wait_for(1)
        # From now on the next one waits for the save.
        heir = Working(work) if number < kills - 1 else working
        working.killed(dice.randint(1, 8), dice)
        working = heir
    game = Game(world, *NPCS, **place, **VALUES)
    run_until_arrived(game, published)
    game.events.clear()
    check(game, published)
    game.close()


def test_a_server_killed_at_any_moment_loses_no_event(
    mortal: ValkeyServer, place: Place, times: Times
) -> None:
    world = _fresh(mortal)
    game = Game(world, *NPCS, **place, **VALUES)
    sender = world.bus(zone="castle")
    game.run()
    dice = random.Random(2)
    published = 0
    for _ in range(times(15, 100)):
        wanted = published + 10
        killer = threading.Timer(dice.random() * 0.02, mortal.kill)
        killer.start()
        while published < wanted or killer.is_alive():
            if not killer.is_alive():
                mortal.start(mortal.port, ends_with_parent=True)
            with contextlib.suppress(ServerError):
                if published < wanted:
                    sender.publish(event(published))
                    published += 1
                game.run()
        mortal.start(mortal.port, ends_with_parent=True)
    run_until_arrived(game, published)
    check(game, published)
    game.close()


def test_a_server_that_is_emptied_at_any_moment_loses_nothing_that_was_perceived(
    mortal: ValkeyServer, place: Place, times: Times
) -> None:
    world = _fresh(mortal)
    game = Game(world, *NPCS, **place, **VALUES)
    sender = world.bus(zone="castle")
    dice = random.Random(3)
    published = 0
    for _ in range(times(25, 100)):
        flusher = threading.Timer(dice.random() * 0.01, functools.partial(world.connected().flushall))
        flusher.start()
        before = published
        while flusher.is_alive() or published < before + 5:
            with contextlib.suppress(ServerError):
                sender.publish(event(published))
                published += 1
                game.run()
        before = arrived(game)
        game.run_all()
        assert arrived(game) >= before
    check(game, published, all_arrived=False)
    for npc_id in NPCS:
        game.hot(npc_id)  # Whom the last emptying took is loaded when she is asked for.
    check_hot_memories(world, game)
    game.close()
