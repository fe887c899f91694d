"""Hot memories in a real Valkey: as the document has them, and worth nothing more than the save."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.unit.server.bus.conftest import NOW, Game, Place, World, place_of, spoke

from rag_memory.memory.document import SYNCED
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.bus.hot_cache import HotCache, look

Join = Callable[..., Game]


@pytest.fixture
def joined(joined: Join, new_place: Callable[[], Place]) -> Join:
    """Makes games whose saves are in files, or on PostgreSQL."""
    return lambda *npc_ids, **values: joined(*npc_ids, **({} if "path" in values else new_place()), **values)


@pytest.fixture
def joined_on_server(world: World, postgres: PostgresServer) -> Iterator[Join]:
    """Makes games that share a save on PostgreSQL."""
    place, games = place_of(postgres), list[Game]()

    def join(*npc_ids: str) -> Game:
        games.append(Game(world, *npc_ids, **place, zone=f"zone_{len(games)}"))
        return games[-1]

    yield join
    for game in games:
        game.close()


def _kept(world: World, npc_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(world.admin.get(f"npc:{npc_id}:memory"))
    return found


def _synced(game: Game, npc_id: str) -> int:
    document = game.save.store.documents.get(SYNCED, npc_id)
    return 0 if document is None else int(document.content["syncedToRedisAt"])


def test_it_has_the_key_and_the_structure_of_the_document(world: World, joined: Join) -> None:
    game = joined("npc-789")
    game.bus.publish(spoke("npc-789", "Can you help me, friend?"))
    game.run_all()
    kept = _kept(world, "npc-789")
    assert kept.pop("loadedAt") > 0
    assert kept == {
        "npcId": "npc-789",
        "emotional": kept["emotional"],
        "dispositions": {
            "char-123": {"feeling": "neutral", "strength": 60.0, "lastInteractionAt": int(NOW * 1000)}
        },
        "recentInteractions": [
            {
                "timestamp": int(NOW * 1000),
                "sourceId": "char-123",
                "sourceName": "Kael",
                "action": "spoke",
                "content": "Can you help me, friend?",
            }
        ],
        "nearbyNpcs": [],
        "ttl": 3600,
    }
    emotion = game.npcs["npc-789"].mind.feelings.get_emotion()
    assert kept["emotional"] == {
        "mood": emotion["mood"],
        "intensity": emotion["intensity"],
        "reason": emotion["reason"],
        "expiresAt": int(emotion["expires_at"] * 1000),
    }
    assert 3590 < world.admin.ttl("npc:npc-789:memory") <= 3600


def test_who_is_loaded_lazily_has_just_woken_up(world: World, joined: Join) -> None:
    game = joined("mira")
    assert world.admin.keys("*memory") == []
    memory = game.hot("mira")
    assert memory["emotional"] == {
        "mood": "neutral",
        "intensity": 50,
        "reason": "just woke up",
        "expiresAt": int((NOW + 300) * 1000),
    }
    assert _kept(world, "mira") == memory


def test_reading_renews_the_time(world: World, joined: Join) -> None:
    game = joined("mira")
    game.hot("mira")
    world.admin.expire("npc:mira:memory", 10)
    game.hot("mira")
    assert world.admin.ttl("npc:mira:memory") > 3500
    world.admin.expire("npc:mira:memory", 10)
    look(game.cache.config, game.cache.link, "mira")
    assert world.admin.ttl("npc:mira:memory") > 3500


def test_the_last_thirty_interactions_are_in_it(world: World, joined: Join) -> None:
    game = joined("mira")
    for number in range(45):
        game.bus.publish(spoke("mira", str(number)))
    game.run_all()
    assert [each["content"] for each in _kept(world, "mira")["recentInteractions"]] == [
        str(number) for number in range(15, 45)
    ]
    assert len(game.contents("mira")) == 45


def test_it_is_synced_every_fifty_interactions(joined: Join) -> None:
    game = joined("mira")
    for number in range(49):
        game.bus.publish(spoke("mira", str(number)))
    game.run_all()
    assert _synced(game, "mira") == 0
    game.bus.publish(spoke("mira", "the fiftieth"))
    game.run_all()
    assert _synced(game, "mira") > 0


def test_it_is_synced_every_ten_minutes_while_something_happens(joined: Join, world: World) -> None:
    game = joined("mira", "elena")
    now = [0.0]
    cache = HotCache(
        game.cache.config,
        game.save.context,
        monotonic=lambda: now[0],
        real_time=lambda: NOW + now[0],
    )
    game.npcs["mira"].mind.perceive({"action": "waved"})
    game.npcs["elena"].mind.feelings.feel("calm", 10.0)
    now[0] = 599.0
    cache.make()
    assert _synced(game, "mira") == 0
    now[0] = 600.0
    cache.make()
    assert _synced(game, "mira") == round((NOW + 600) * 1000)
    assert _synced(game, "elena") == 0  # Nothing has happened to her.


@pytest.mark.parametrize("how", ["release", "close"])
def test_it_is_synced_on_release_and_on_shutdown(world: World, joined: Join, how: str) -> None:
    game = joined("mira")
    game.hot("mira")
    world.admin.delete("npc:mira:memory")
    if how == "release":
        game.cache.release("mira")
    else:
        game.cache.close()
    game.cache.flush()
    assert _synced(game, "mira") > 0
    assert _kept(world, "mira")["npcId"] == "mira"
    assert game.cache.active == []


def test_what_was_flushed_is_loaded_from_the_save(world: World, joined: Join) -> None:
    game = joined("mira")
    game.bus.publish(spoke("mira", "Thank you, friend!"))
    game.run_all()
    before = _kept(world, "mira")
    world.admin.flushall()
    after = game.hot("mira")
    assert {**after, "loadedAt": 0} == {**before, "loadedAt": 0}
    assert _kept(world, "mira") == after


def test_another_game_does_not_trust_what_is_older_than_the_save(
    world: World, joined: Join, place: Place
) -> None:
    first = joined("mira", **place)
    stale = first.hot("mira")
    first.npcs["mira"].mind.perceive({"action": "gifted", "source_id": "kael", "content": "a sword"})
    first.close()  # Killed before it could write through.
    assert _kept(world, "mira")["dispositions"] == stale["dispositions"] == {}
    second = joined("mira", **place)
    assert second.hot("mira")["dispositions"]["kael"]["strength"] == 70


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\xff",
        b"[" * 9999,
        b'{"npcId": "mira"}',
        b'{"npcId": 7, "dispositions": []}',
    ],
)
def test_what_is_damaged_is_made_anew(world: World, joined: Join, payload: bytes) -> None:
    game = joined("mira")
    made = game.hot("mira")
    world.admin.set("npc:mira:memory", payload)
    assert {**game.hot("mira"), "loadedAt": 0} == {**made, "loadedAt": 0}
    assert _kept(world, "mira")["npcId"] == "mira"
    world.admin.set("npc:mira:memory", payload)
    assert look(game.cache.config, game.cache.link, "mira") is None


def test_without_the_server_the_save_answers_and_everything_is_sent_later(world: World, joined: Join) -> None:
    game = joined("mira")
    mira = game.npcs["mira"]
    game.hot("mira")
    world.server.kill()
    for number in range(100):
        mira.mind.perceive({"action": "spoke", "source_id": "kael", "content": str(number)})
    assert game.cache.make()
    assert game.hot("mira")["recentInteractions"][-1]["content"] == "99"
    assert game.cache.waiting == 1  # However much has happened.
    world.server.start(world.server.port, ends_with_parent=True)
    while game.cache.waiting:
        game.hot("mira")
    assert _kept(world, "mira")["recentInteractions"][-1]["content"] == "99"


def test_worlds_with_another_prefix_do_not_meet(world: World, joined: Join) -> None:
    valley, hills = joined("mira", key_prefix="valley:"), joined("mira", key_prefix="hills:")
    for game in (valley, hills):
        game.run()
    valley.bus.publish(spoke("mira", "in the valley"))
    valley.bus.send_command("mira", "/wave", NOW)
    while not valley.commands:
        valley.run()
    hills.run_all()
    assert (valley.contents("mira"), hills.contents("mira")) == (["in the valley"], [])
    assert hills.commands == []
    assert world.admin.exists("valley:world:events") and not world.admin.exists("world:events")


def test_who_has_given_her_away_does_not_overwrite_what_the_next_has_sent(
    world: World, joined_on_server: Join
) -> None:
    first = joined_on_server("mira")
    first.npcs["mira"].mind.perceive({"action": "attacked", "source_id": "kael", "content": "old"})
    first.cache.make()
    first.cache.flush()
    first.npcs["mira"].mind.perceive({"action": "attacked", "source_id": "kael", "content": "old, too"})
    first.save.npcs.release("mira")
    second = joined_on_server("mira")
    second.npcs["mira"].mind.perceive({"action": "helped", "source_id": "kael", "content": "new"})
    second.cache.make()
    second.cache.flush()
    kept = _kept(world, "mira")
    assert [each["content"] for each in kept["recentInteractions"]] == ["old", "old, too", "new"]
    first.cache.make()
    first.cache.flush()
    assert first.hot("mira") == {}
    first.cache.release("mira")
    first.cache.close()
    first.cache.flush()
    assert _kept(world, "mira") == kept
    assert first.cache.active == []


def test_what_waits_of_an_npc_is_not_sent_when_another_game_has_her(
    world: World, joined_on_server: Join
) -> None:
    game = joined_on_server("mira", "elena")
    for npc in game.npcs.values():
        npc.mind.perceive({"action": "waved"})
    game.cache.make()
    game.save.npcs.release("mira")
    game.cache.make()
    game.cache.flush()
    assert world.admin.keys("*memory") == [b"npc:elena:memory"]
