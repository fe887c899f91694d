"""Events that come again, late or over another zone: they happen, and happen once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator

import pytest
from tests.unit.server.bus.conftest import Game, World, place_of, spoke

from rag_memory.errors import ServerError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.bus.bus_thread import BusThread
from rag_memory_server.bus.event_bus import Delivery


def test_a_lost_connection_while_telling_again_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender, bus = world.bus(zone="a"), world.bus(zone="b", batch_size=2)
    for number in range(5):
        sender.publish(spoke("mira", str(number)))
    since, failed = bus.since, list[int]()

    def interrupted(npc_ids: Collection[str]) -> Iterator[list[Delivery]]:
        pages = since(npc_ids)
        yield next(pages)
        if not failed:
            failed.append(1)
            raise ServerError("The event bus", "the connection was reset", "")
        yield from pages

    monkeypatch.setattr(bus, "since", interrupted)
    bus.residents = set()  # What is new is passed over.
    thread = BusThread(bus, lambda: None)
    try:
        thread.tell_again("mira")
        told: set[str] = set()
        while len(told) < 5:
            told |= {each.event.perceived(0.0)["content"] for each in _deliveries(thread)}
            time.sleep(0.01)
        assert failed
    finally:
        thread.stop()
        sender.close()


def _deliveries(thread: BusThread) -> list[Delivery]:
    return [each for each in thread.take_over() if isinstance(each, Delivery)]


def test_what_the_stream_still_has_stays_noted_however_old(
    world: World, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = place_of(postgres)
    away = Game(world, "mira", **place, zone="away")
    away.run()
    away.save.npcs.release("mira")
    here = Game(world, "mira", **place, zone="here")
    here.run()
    clock = time.time
    for hours in (0, 2):
        now = clock() + 3600 * hours
        monkeypatch.setattr(here.zone._handling, "_real_time", lambda now=now: now)
        monkeypatch.setattr(time, "time", lambda now=now: now)
        here.bus._looked_at = float("-inf")  # It looks at the stream anew.
        for number in range(120):
            here.bus.publish(spoke("mira", f"hour {hours}: {number}"))
        here.run_all()
    here.save.npcs.release("mira")
    away.save.npcs.acquire("mira")
    away.run_all()
    happened = Counter(away.contents("mira"))
    away.close()
    here.close()
    assert len(happened) == 240
    assert set(happened.values()) == {1}


def test_what_is_read_too_late_of_an_npc_who_has_left_is_told(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    bus = world.bus(zone="a", catch_up_seconds=0.001)
    bus.take()
    for npc_id in ("mira", "elena", "mira"):
        bus.publish(spoke(npc_id, "x"))
    time.sleep(0.01)
    bus.departed.npcs.add("mira")
    bus.residents = {"elena"}
    assert [each.event.npc_id for each in bus.take()] == ["elena"]
    assert "read 1 events of NPCs who have left" in caplog.text
    bus.close()
