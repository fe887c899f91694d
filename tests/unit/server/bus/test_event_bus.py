"""Events over a real Valkey: to all zones, bounded, exactly once, and nothing hostile holds them up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.server.bus.conftest import NOW, Game, World, spoke

from rag_memory.errors import InvalidArgumentError, ServerError, StoreError
from rag_memory_server.bus.bus_command import Command
from rag_memory_server.bus.consumers import Consumers

Join = Callable[..., Game]


def test_what_one_game_publishes_the_other_perceives(joined: Join) -> None:
    harbour, castle = joined("mira"), joined("elena")
    for game in (harbour, castle):
        game.run()
    harbour.bus.publish(spoke("elena", "Hello, friend!"))
    assert castle.run_all() == 1
    assert castle.contents("elena") == ["Hello, friend!"]
    assert castle.npcs["elena"].mind.feelings.get_disposition("char-123")["strength"] == 60
    assert castle.npcs["elena"].mind.get_interactions()[0]["timestamp"] == NOW
    harbour.run_all()
    assert harbour.contents("mira") == []
    assert [each.event.npc_id for each in harbour.events] == ["elena"]  # Every zone gets every event.


def test_the_stream_and_the_channels_are_called_as_the_document_calls_them(
    world: World, joined: Join
) -> None:
    game = joined("mira")
    game.run()
    listener = world.admin.pubsub(ignore_subscribe_messages=True)
    listener.subscribe("zone:commands", "world:events")
    while listener.get_message(timeout=0.1) is not None:
        pass
    game.bus.publish(spoke("mira", "Hello!"))
    game.bus.publish({"type": "proximity_update", "npcId": "mira", "nearby": []})
    game.bus.send_command("mira", "/say Hello, friend!", NOW)
    (entry,) = world.admin.xrange("world:events")
    sent = json.loads(entry[1][b"event"])
    assert sent == spoke("mira", "Hello!", eventId=sent["eventId"])
    heard: list[tuple[bytes, Any]] = []
    while len(heard) < 3:
        message = listener.get_message(timeout=30.0)
        if message is not None:
            heard.append((message["channel"], json.loads(message["data"])))
    assert heard[0] == (b"world:events", {**sent, "inStream": True})
    assert heard[1][0] == b"world:events" and heard[1][1]["type"] == "proximity_update"
    assert heard[2] == (
        b"zone:commands",
        {
            "sourceId": "mira",
            "sourceType": "airlock",
            "command": "/say Hello, friend!",
            "timestamp": int(NOW * 1000),
        },
    )


@pytest.mark.parametrize(
    ("type", "strength"), [("combat_hit", 20), ("quest_completed", 65), ("item_gifted", 70)]
)
def test_each_type_of_event_means_what_it_says(joined: Join, type: str, strength: int) -> None:
    game = joined("mira")
    game.bus.publish(
        {"type": type, "npcId": "mira", "sourceId": "kael", "sourceName": "Kael", "content": "x"}
    )
    assert game.run_all() == 1
    assert game.npcs["mira"].mind.feelings.get_disposition("kael")["strength"] == strength


def test_a_subscriber_hears_every_event_and_a_game_that_hears_them_perceives_each_once(
    world: World, joined: Join
) -> None:
    game = joined("mira")
    game.run()
    listener = world.admin.pubsub(ignore_subscribe_messages=True)
    listener.subscribe("world:events")
    while listener.get_message(timeout=0.1) is not None:
        pass
    events = [spoke("mira", f'{number} of ","inStream":true}}') for number in range(5)]
    events += [spoke("bran", "Nobody here is Bran.")]
    ids = game.bus.publish_all(events)
    heard: list[dict[str, Any]] = []
    while len(heard) < len(events):
        message = listener.get_message(timeout=30.0)
        if message is not None:
            heard.append(json.loads(message["data"]))
    assert [event["eventId"] for event in heard] == ids
    game.run_all()
    game.run_all()
    assert sorted(game.contents("mira")) == sorted(event["content"] for event in events[:5])
    assert game.bus.refused == 0


def test_an_event_that_is_sent_again_happens_once(joined: Join) -> None:
    game = joined("mira")
    event = spoke("mira", "once", eventId="e1")
    for _ in range(3):
        game.bus.publish(event)
    game.run_all()
    game.bus.publish(event)
    game.run_all()
    assert game.contents("mira") == ["once"]
    assert [each.event.id for each in game.events] == ["e1"]


def test_what_a_dead_game_has_begun_is_taken_over_and_happens_once(joined: Join, tmp_path: Path) -> None:
    path = tmp_path / "shard.sqlite3"
    dead = joined("mira", path=path, zone="harbour", claim_after_seconds=0.05)
    dead.run()
    for number in range(6):
        dead.bus.publish(spoke("mira", str(number)))
    dead.zone.put(dead.bus.take())
    for _ in range(3):  # These are in the save, and the bus does not know.
        list(dead.zone.next_steps(dead.bus))
    dead.bus.link.close()
    dead.save.close()
    heir = joined("mira", path=path, zone="harbour", claim_after_seconds=0.05)
    while len(heir.contents("mira")) < 6:
        heir.run()
    heir.run_all()
    assert heir.contents("mira") == list("012345")
    assert heir.bus.status()["in_work"] == 0


def test_nothing_is_left_pending_or_held(world: World, joined: Join) -> None:
    game = joined("mira", zone="harbour")
    for number in range(30):
        game.bus.publish(spoke("mira", str(number)))
    assert game.run_all() == 30
    assert world.admin.xpending("world:events", "harbour")["pending"] == 0
    game.bus.close()
    assert world.admin.xinfo_consumers("world:events", "harbour") == []


def test_a_second_game_of_a_zone_is_told_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    one, other = world.bus(zone="harbour"), world.bus(zone="harbour")
    consumers = Consumers("world:events", one.config, "this one")
    one.take()
    consumers.look(world.admin)
    assert "another game" not in caplog.text, "it may have ended"
    for _ in range(3):
        one.take()
        other.take()
        consumers.look(world.admin)
    assert caplog.text.count("another game reads as the zone harbour, too") == 1


def test_a_slow_game_holds_no_more_than_a_batch(joined: Join) -> None:
    game = joined("mira", batch_size=10)
    for number in range(100):
        game.bus.publish(spoke("mira", str(number)))
    assert len(game.bus.take()) == 10
    assert game.bus.take() == []
    assert game.bus.room == 0


def test_the_stream_is_bounded_and_what_is_missed_is_told(
    world: World, joined: Join, caplog: pytest.LogCaptureFixture
) -> None:
    game = joined("mira", max_stream_events=100, zone="harbour")
    game.run()
    for number in range(1000):
        game.bus.publish(spoke("mira", str(number)))
    length = world.admin.xlen("world:events")
    assert 100 <= length < 400
    game.bus._looked_at = -1e9  # As seconds later.
    assert game.run_all() == length
    assert game.bus.missed == 1000 - length
    assert f"{1000 - length} events are gone" in caplog.text


HOSTILE = [
    b"",
    b"{",
    b"null",
    b"[1]",
    b'"text"',
    b"\xff\xfe",
    b'{"type": "interaction_recorded"}',
    b'{"type": "drop_table", "npcId": "mira"}',
    b'{"type": ["interaction_recorded"], "npcId": "mira"}',
    b'{"type": "interaction_recorded", "npcId": ""}',
    b'{"type": "interaction_recorded", "npcId": 7}',
    b'{"type": "interaction_recorded", "npcId": "mira"}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": 5}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "timestamp": NaN}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "timestamp": "now"}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "importance": 1e999}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "knownTo": 3}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "eventId": {}}',
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "spoke", "x": 99999999999999999999999}',
    b'{"type": "combat_hit", "npcId": "mira", "healthBefore": 7}',
    b"[" * 50_000,
    b'{"type": "interaction_recorded", "npcId": "mira", "action": "' + b"x" * 70_000 + b'"}',
]


def test_what_is_hostile_is_put_aside_one_by_one(
    world: World, joined: Join, caplog: pytest.LogCaptureFixture
) -> None:
    game = joined("mira", zone="harbour")
    game.run()
    for payload in HOSTILE:
        world.admin.xadd("world:events", {"event": payload})
        game.bus.publish(spoke("mira", "good"))
    world.admin.xadd("world:events", {"other": "field"})
    game.run_all()
    assert game.contents("mira") == ["good"] * len(HOSTILE)
    assert game.bus.refused == len(HOSTILE) + 1
    assert world.admin.xlen("world:events:refused") == len(HOSTILE) + 1
    assert world.admin.xpending("world:events", "harbour")["pending"] == 0
    assert caplog.text.count("was put aside") == len(HOSTILE) + 1
    assert all(fields[b"why"] for _, fields in world.admin.xrange("world:events:refused"))


def test_what_is_hostile_on_the_channels_is_put_aside(world: World, joined: Join) -> None:
    game = joined("mira")
    game.run()
    for payload in HOSTILE:
        world.admin.publish("world:events", payload)
        world.admin.publish("zone:commands", payload)
    world.admin.publish("zone:commands", b'{"sourceId": "mira", "command": "' + b"x" * 5000 + b'"}')
    game.bus.send_command("mira", "/wave", NOW)
    while not game.commands:
        game.run()
    assert game.commands == [Command("mira", "/wave")]
    assert game.bus.refused == 2 * len(HOSTILE) + 1


def test_an_event_that_kills_its_game_is_put_aside_after_some_times(world: World, joined: Join) -> None:
    joined("mira", zone="harbour").run()
    joined().bus.publish(spoke("mira", "deadly"))
    values: dict[str, Any] = {"zone": "harbour", "claim_after_seconds": 0.05, "max_deliveries": 3}
    for _ in range(3):
        game = joined("mira", **values)
        while not game.bus.take():
            pass
        game.bus.link.close()
    heir = joined("mira", **values)
    while not heir.bus.refused:
        assert heir.run() == 0
    assert heir.contents("mira") == []
    ((_, fields),) = world.admin.xrange("world:events:refused")
    assert b"3 times" in fields[b"why"] and b"deadly" in fields[b"event"]


def test_a_save_that_cannot_write_loses_no_event(joined: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    game = joined("mira", claim_after_seconds=0.05, max_deliveries=1)
    now = [0.0]
    game.zone._monotonic = lambda: now[0]
    game.bus.publish(spoke("mira", "first"))
    game.bus.publish(spoke("mira", "second"))
    with monkeypatch.context() as broken:

        def fail(*_: Any) -> None:
            raise StoreError("the disk is full")

        broken.setattr(game.save.store.interactions, "add", fail)
        for _ in range(20):
            now[0] += 100.0
            assert game.run() == 0
    now[0] += 100.0
    assert game.run_all() == 2
    assert game.contents("mira") == ["first", "second"]


def test_an_npc_who_comes_later_learns_what_has_happened_to_her(joined: Join) -> None:
    game = joined("mira")
    for npc_id in ("elena", "mira"):
        game.bus.publish(spoke(npc_id, f"to {npc_id}"))
    game.run_all()
    game.npcs["elena"] = game.save.npc("elena")
    for page in game.bus.since({"elena"}):
        game.zone.put(page)
    game.run_all()
    assert game.contents("elena") == ["to elena"]
    assert game.contents("mira") == ["to mira"]


def test_a_proximity_update_says_who_is_near(joined: Join) -> None:
    game = joined("mira")
    game.run()
    nearby = [
        {"id": "kael", "name": "Kael", "type": "character", "distance": 3.0},
        {"id": "bran", "name": "Bran", "type": "companion", "distance": 4.0},
        {"id": "wolf_7", "name": "Wolf", "type": "creature", "distance": 5.0},
    ]
    game.bus.publish({"type": "proximity_update", "entityId": "mira", "nearby": nearby})
    while not game.events:
        game.run()
    assert game.npcs["mira"].mind.listeners.nearby_on_bus == ("kael", "bran")
    assert game.hot("mira")["nearbyNpcs"] == ["bran"]


def test_the_game_gets_what_it_publishes_wrongly_in_words(joined: Join) -> None:
    game = joined("mira")
    with pytest.raises(InvalidArgumentError, match="interaction_recorded"):
        game.bus.publish({"type": "talk", "npcId": "mira"})
    with pytest.raises(InvalidArgumentError, match="npcId"):
        game.bus.publish({"type": "combat_hit"})
    with pytest.raises(InvalidArgumentError, match="65,536"):
        game.bus.publish(spoke("mira", "x" * 70_000))


def test_a_server_that_was_emptied_is_used_again(world: World, joined: Join) -> None:
    game = joined("mira")
    game.bus.publish(spoke("mira", "before"))
    game.run_all()
    world.admin.flushall()
    game.bus.publish(spoke("mira", "after"))
    while game.contents("mira") != ["before", "after"]:
        game.run()


def test_a_killed_server_is_told_in_words_and_used_again(world: World, joined: Join) -> None:
    game = joined("mira")
    game.bus.publish(spoke("mira", "before"))
    game.run_all()
    game.bus.publish(spoke("mira", "kept"))
    world.server.kill()
    with pytest.raises(ServerError, match=r"no connection to 127\.0\.0\.1"):
        game.run()
    with pytest.raises(ServerError, match="no connection"):
        game.bus.publish(spoke("mira", "lost"))
    assert game.bus.status()["error"]
    world.server.start(world.server.port, ends_with_parent=True)
    while game.contents("mira") != ["before", "kept"]:
        try:
            game.run()
        except ServerError:
            continue
    assert game.bus.status()["is_connected"]


def test_the_game_is_told_of_what_an_npc_has_perceived_before_it_came_as_news(joined: Join) -> None:
    game = joined("mira")
    game.run()
    game.bus.publish(spoke("mira", "once", eventId="e1"))
    for page in game.bus.since({"mira"}):
        game.zone.put(page)
    game.run_all()
    game.bus.publish(spoke("mira", "once", eventId="e1"))
    game.run_all()
    assert game.contents("mira") == ["once"]
    assert [each.event.id for each in game.events] == ["e1"]


def test_events_of_an_npc_who_is_busy_wait_and_hold_up_no_other(joined: Join) -> None:
    game = joined("mira", "elena")
    for npc_id in ("mira", "elena", "mira"):
        game.bus.publish(spoke(npc_id, "x"))
    game.zone.put(game.bus.take())
    game.busy.add("mira")
    while game.zone.next():
        list(game.zone.next_steps(game.bus))
    assert (game.contents("mira"), game.contents("elena")) == ([], ["x"])
    game.busy.clear()
    game.run_all()
    assert game.contents("mira") == ["x", "x"]


def test_a_game_that_does_not_hear_of_others_passes_over_what_happens_to_them(
    joined: Join, world: World
) -> None:
    game, sender = joined("mira"), joined()
    game.run()
    game.bus.residents = {"mira"}
    sender.bus.publish_all([spoke(npc_id, "x") for npc_id in ("elena", "mira", "bran")])
    for npc_id in ("elena", "mira"):
        sender.bus.publish({"type": "proximity_update", "npcId": npc_id, "nearby": ["wolf"]})
    while len(game.events) < 2:
        game.run()
    game.run_all()
    assert [each.event.npc_id for each in game.events] == ["mira", "mira"]
    assert game.npcs["mira"].mind.listeners.nearby_on_bus == ("wolf",)
    game.bus.residents = None
    assert [each.event.npc_id for page in game.bus.since({"bran"}) for each in page] == ["bran"]
    (group,) = [each for each in world.admin.xinfo_groups("world:events") if each["name"] == b"zone_0"]
    assert group["lag"] == 0 and group["pending"] == 0
