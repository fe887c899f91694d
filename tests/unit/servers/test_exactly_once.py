"""Whatever ends when, each event happens to an NPC once, and her feelings are what the events add up to."""

from __future__ import annotations

import contextlib
import functools
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.killed_process import told_before_killed
from tests.unit.servers.conftest import Game, World

from rag_memory.errors import ServerError
from rag_memory.servers import hot_memory
from rag_memory.step import run
from rag_memory_build.valkey_server import ValkeyServer, temporary_valkey

KILLS_OF_GAMES = 100
KILLS_OF_THE_SERVER = 100
FLUSHES = 100

_NPCS = ("mira", "elena")
_SENTIMENTS = {"attacked": -30, "gifted": 20, "helped": 15, "waved": 0}
_VALUES: dict[str, Any] = {"zone": "harbour", "claim_after_seconds": 0.05, "max_deliveries": 1000}


def _event(number: int) -> dict[str, Any]:
    """The event with this number."""
    dice = random.Random(number)
    action, who = dice.choice(list(_SENTIMENTS)), dice.choice("abc")
    return {
        "type": "interaction_recorded",
        "eventId": f"event-{number}",
        "npcId": dice.choice(_NPCS),
        "sourceId": who,
        "sourceName": who,
        "action": action,
        "content": str(number),
    }


def _replayed(game: Game, npc_id: str) -> dict[str, float]:
    """What the log of an NPC adds up to, by the rules of the document."""
    strengths: dict[str, float] = {}
    for entry in reversed(game.npcs[npc_id].mind.get_interactions("", 10_000)):
        who, change = entry["source_id"], _SENTIMENTS[entry["action"]]
        strengths[who] = max(0.0, min(100.0, strengths.get(who, 50.0) + change))
    return strengths


def _check(game: Game, published: int, all_arrived: bool = True) -> None:
    """Each event is there once, with the npc it names, and the feelings are its."""
    for npc_id in _NPCS:
        wanted = Counter(str(n) for n in range(published) if _event(n)["npcId"] == npc_id)
        found = Counter(game.contents(npc_id))
        assert found == wanted if all_arrived else not found - wanted
        felt = game.npcs[npc_id].mind.get_dispositions()
        assert {id: each["strength"] for id, each in felt.items()} == _replayed(game, npc_id)
    ids = [each.event.id for each in game.events]
    assert len(ids) == len(set(ids))


def _arrived(game: Game) -> int:
    return sum(len(game.contents(npc_id)) for npc_id in _NPCS)


def _run_until_arrived(game: Game, published: int) -> None:
    while _arrived(game) < published:
        with contextlib.suppress(ServerError):
            if game.run() or game.zone.waiting:
                continue
            with game.bus.link.use() as client:
                (group,) = client.xinfo_groups("world:events")
            is_over = group["lag"] == 0 and not group["pending"]
            assert not is_over or _arrived(game) == published, f"{published - _arrived(game)} are lost"
    game.run_all()


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
    world: World, operations: list[tuple[str, int]]
) -> None:
    world.admin.flushall()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shard.sqlite3"
        game = Game(world, path, *_NPCS, **_VALUES)
        sender = world.bus(zone="castle")
        published = 0
        for name, number in operations:
            with contextlib.suppress(ServerError):
                if name == "publish":
                    published += 1
                    sender.publish(_event(published - 1))
                elif name == "again" and published:
                    sender.publish(_event(number % published))
                elif name == "take":
                    game.zone.put(game.bus.take())
                elif name == "carry_out":
                    for _ in range(number):
                        if game.zone.next():
                            list(game.zone.next_steps(game.bus))
                elif name == "run":
                    game.run()
                elif name == "claim":
                    game.bus._claimed_at = -1e9
                elif name == "crash":
                    game.bus.link.close()
                    game.save.close()
                    game = Game(world, path, *_NPCS, **_VALUES)
                elif name == "lose_connection":
                    world.admin.execute_command("CLIENT", "KILL", "SKIPME", "yes", "TYPE", "normal")
        # What could not be sent when the connection was lost is sent again, as a sender does.
        for number in range(published):
            while True:
                with contextlib.suppress(ServerError):
                    sender.publish(_event(number))
                    break
        _run_until_arrived(game, published)
        game.events.clear()
        _check(game, published)
        sender.close()
        game.close()


def test_games_killed_in_the_middle_of_events_lose_none_and_double_none(world: World, tmp_path: Path) -> None:
    path = tmp_path / "shard.sqlite3"
    sender = world.bus(zone="castle")
    Game(world, path, *_NPCS, **_VALUES).close()
    with contextlib.closing(world.bus(**_VALUES)) as first:
        first.take()
    dice = random.Random(1)

    def work(told: Callable[[], object]) -> None:
        game = Game(world, path, *_NPCS, **_VALUES)
        while True:
            game.zone.put(game.bus.take())
            while game.zone.next():
                for _ in range(run(game.zone.next_steps(game.bus))):
                    told()

    published = 0
    for _ in range(KILLS_OF_GAMES):
        for _ in range(10):
            sender.publish(_event(published))
            published += 1
        told_before_killed(work, dice.randint(1, 8), dice)
    game = Game(world, path, *_NPCS, **_VALUES)
    _run_until_arrived(game, published)
    game.events.clear()
    _check(game, published)
    game.close()


def test_a_server_killed_at_any_moment_loses_no_event(mortal: ValkeyServer, tmp_path: Path) -> None:
    world = _fresh(mortal)
    game = Game(world, tmp_path / "shard.sqlite3", *_NPCS, **_VALUES)
    sender = world.bus(zone="castle")
    game.run()
    dice = random.Random(2)
    published = 0
    for _ in range(KILLS_OF_THE_SERVER):
        wanted = published + 10
        killer = threading.Timer(dice.random() * 0.02, mortal.kill)
        killer.start()
        while published < wanted or killer.is_alive():
            if not killer.is_alive():
                mortal.start(mortal.port, ends_with_parent=True)
            with contextlib.suppress(ServerError):
                if published < wanted:
                    sender.publish(_event(published))
                    published += 1
                game.run()
        mortal.start(mortal.port, ends_with_parent=True)
    _run_until_arrived(game, published)
    _check(game, published)
    game.close()


def test_a_server_that_is_emptied_at_any_moment_loses_nothing_that_was_perceived(
    mortal: ValkeyServer, tmp_path: Path
) -> None:
    world = _fresh(mortal)
    game = Game(world, tmp_path / "shard.sqlite3", *_NPCS, **_VALUES)
    sender = world.bus(zone="castle")
    dice = random.Random(3)
    published = 0
    for _ in range(FLUSHES):
        flusher = threading.Timer(dice.random() * 0.01, functools.partial(world.connected().flushall))
        flusher.start()
        before = published
        while flusher.is_alive() or published < before + 5:
            with contextlib.suppress(ServerError):
                sender.publish(_event(published))
                published += 1
                game.run()
        arrived = _arrived(game)
        game.run_all()
        assert _arrived(game) >= arrived
    _check(game, published, all_arrived=False)
    for npc_id in _NPCS:
        npc = game.npcs[npc_id]
        made = hot_memory.hot_memory(npc_id, npc.mind, [], game.save.now(), 0.0, 3600)
        assert {**game.cache.read(npc), "loadedAt": 0} == made
    game.close()
