"""What is too long costs a bounded time and memory, is put aside, and holds up nothing else."""

from __future__ import annotations

import re
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import pytest
import redis
from tests.unit.server.bus.conftest import NOW, Game, World, spoke

from rag_memory.errors import ServerError
from rag_memory_build.paths import ROOT
from rag_memory_server.bus.hot_cache import key_of, look
from rag_memory_server.bus.too_long import LONGEST_ANSWER, AnswerTooLongError
from rag_memory_server.bus.valkey_link import ValkeyLink
from rag_memory_server.config.valkey_config import ValkeyConfig

Join = Callable[..., Game]
PAGE = (ROOT / "docs" / "servers_operation.md").read_text(encoding="utf-8")
STREAM = "world:events"
LARGE = b"x" * 40_000_000
MEMORY = 4 * LONGEST_ANSWER


@contextmanager
def bounded_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def run_until(game: Game, arrived: Callable[[], bool]) -> None:
    """Let a game go on; a busy server may answer too late."""
    while not arrived():
        with suppress(ServerError):
            game.run()
    game.run_all()


LONG_FIELDS: dict[str, Callable[[], dict[Any, Any]]] = {
    "a long event": lambda: {b"event": LARGE, b"npc": b"mira"},
    "a long name of an NPC": lambda: {b"event": b"{}", b"npc": LARGE},
    "another long field": lambda: {b"event": b"{}", b"npc": b"mira", b"more": LARGE},
    "a long name of a field": lambda: {b"npc": b"mira", LARGE: b""},
    "very many fields": lambda: {b"%d" % number: b"" for number in range(66_000)},
    "one that is just too long": lambda: {b"event": b"x" * LONGEST_ANSWER, b"npc": b"mira"},
}


@pytest.mark.parametrize("kind", LONG_FIELDS)
def test_a_long_entry_of_the_stream_is_put_aside_and_the_others_happen(
    world: World, joined: Join, kind: str
) -> None:
    fields = LONG_FIELDS[kind]()
    game = joined("mira", zone="harbour")
    game.run()
    for number in range(2):
        game.bus.publish(spoke("mira", f"before {number}"))
        world.admin.xadd(STREAM, fields)
        game.bus.publish(spoke("mira", f"after {number}"))
    # Watching the memory takes a minute where there are so many parts.
    with nullcontext() if len(fields) > 10 else bounded_memory():
        run_until(game, lambda: game.bus.refused == 2 and len(game.contents("mira")) == 4)
    assert game.contents("mira") == ["before 0", "after 0", "before 1", "after 1"]
    assert world.admin.xlen("world:events:refused") == 2
    assert world.admin.xpending(STREAM, "harbour")["pending"] == 0
    game.bus.publish(spoke("mira", "later"))
    game.run_all()
    assert game.contents("mira")[-1] == "later"


def test_twenty_of_forty_megabytes_are_never_in_memory(world: World, joined: Join) -> None:
    game = joined("mira", "elena", zone="harbour")
    for number in range(20):
        world.admin.xadd(STREAM, {"event": LARGE, "npc": "mira"})
        game.bus.publish(spoke("elena", str(number)))
    with bounded_memory():
        run_until(game, lambda: game.bus.refused == 20 and len(game.contents("elena")) == 20)
        # An NPC who is new hears of them, too.
        pages = [page for page in game.bus.since({"mira", "elena"}) if page]
    assert game.contents("elena") == [str(number) for number in range(20)]
    assert [delivery.event.fields["content"] for page in pages for delivery in page] == [
        str(number) for number in range(20)
    ]


def test_a_group_is_made_and_looked_at_between_long_entries(world: World, joined: Join) -> None:
    for _ in range(2):
        world.admin.xadd(STREAM, {"event": LARGE, "npc": "mira"})
    game = joined("mira", zone="harbour")
    for number in range(200):
        game.bus.publish(spoke("mira", str(number)))
    world.admin.xadd(STREAM, {"event": LARGE, "npc": "mira"})
    with bounded_memory():
        run_until(game, lambda: game.bus.refused == 3 and len(game.contents("mira")) == 200)
        game.bus._looked_at = -1e9  # As seconds later.
        game.run_all()
    assert game.contents("mira") == [str(number) for number in range(200)]
    assert game.bus.status()["is_connected"] and game.bus.refused == 3


def test_what_a_dead_game_has_begun_is_taken_over_between_long_entries(world: World, joined: Join) -> None:
    values: dict[str, Any] = {"zone": "harbour", "claim_after_seconds": 0.05}
    dead = joined("mira", **values)
    dead.run()
    for number in range(3):
        dead.bus.publish(spoke("mira", str(number)))
        world.admin.xadd(STREAM, {"event": LARGE, "npc": "mira"})
    # It has them, and ends before it has read them.
    world.admin.xreadgroup("harbour", "dead", {STREAM: ">"}, count=6)
    heir = joined("mira", **values)
    with bounded_memory():
        run_until(heir, lambda: heir.bus.refused == 3 and len(heir.contents("mira")) == 3)
    assert heir.contents("mira") == ["0", "1", "2"]
    assert world.admin.xpending(STREAM, "harbour")["pending"] == 0


def test_an_entry_that_kills_its_game_in_a_long_answer_is_put_aside(world: World, joined: Join) -> None:
    joined("mira", zone="harbour").run()
    joined().bus.publish(spoke("mira", "deadly"))
    world.admin.xadd(STREAM, {"event": LARGE, "npc": "mira"})
    for _ in range(3):
        world.admin.xreadgroup("harbour", "dead", {STREAM: ">"}, count=2)
        for message in world.admin.xpending_range(STREAM, "harbour", "-", "+", 2):
            world.admin.xclaim(STREAM, "harbour", "dead", 0, [message["message_id"]])
    heir = joined("mira", zone="harbour", claim_after_seconds=0.05, max_deliveries=3)
    run_until(heir, lambda: heir.bus.refused == 2)
    assert heir.contents("mira") == []
    deadly, long = (fields[b"why"] for _, fields in world.admin.xrange("world:events:refused"))
    assert b"3 times" in deadly and b"longer than" in long


@pytest.mark.parametrize("channel", [STREAM, "zone:commands"])
@pytest.mark.parametrize("length", [100_000, LONGEST_ANSWER + 1, 40_000_000])
def test_what_is_long_on_a_channel_holds_up_nothing(
    world: World, joined: Join, channel: str, length: int
) -> None:
    game = joined("mira")
    game.run()
    with bounded_memory():
        world.admin.publish(channel, LARGE[:length])
        for _ in range(20):
            with suppress(ServerError):  # The server itself may end the connection at 32 MB.
                game.run()
    game.commands.clear()
    while not game.commands:
        game.bus.send_command("mira", "/wave", NOW)
        with suppress(ServerError):
            game.run()
    assert game.commands[0].text == "/wave"


def test_a_flood_on_a_channel_is_taken_in_parts(world: World, joined: Join) -> None:
    game = joined("mira")
    game.run()
    with bounded_memory():
        for _ in range(10):
            # More than 32 MB, and the server itself would end the connection.
            for _ in range(4):
                world.admin.publish(STREAM, LARGE[:2_000_000])
            game.run()
        run_until(game, lambda: game.bus.refused == 40)


def test_a_hot_memory_that_is_too_long_is_made_of_the_save(world: World, joined: Join) -> None:
    game = joined("mira")
    game.bus.publish(spoke("mira", "hello"))
    game.run_all()
    world.admin.set(key_of(game.cache.config, "mira"), LARGE)
    with bounded_memory():
        with pytest.raises(AnswerTooLongError):
            look(game.cache.config, game.cache.link, "mira")
        assert game.hot("mira")["recentInteractions"][0]["content"] == "hello"


HOSTILE_ANSWERS = {
    "a huge text": b"$999999999999\r\nxxx",
    "a negative length": b"$-7\r\nxxx\r\n",
    "no number": b"$many\r\nxxx\r\n",
    "a huge list": b"*999999999999\r\n" + b":1\r\n" * 10_000,
    "deep lists": b"*1\r\n" * 100_000 + b":1\r\n",
    "a line without an end": b"+" + b"x" * 1_000_000,
    "nothing of the protocol": b"HTTP/1.1 200 OK\r\n\r\n",
}


@pytest.mark.parametrize("kind", HOSTILE_ANSWERS)
def test_a_server_that_answers_with_hostile_lengths_is_refused(kind: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with suppress(OSError):
            while True:
                game, _ = listener.accept()
                with game, suppress(OSError):
                    game.recv(65536)
                    for _ in range(100):
                        game.sendall(HOSTILE_ANSWERS[kind])

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    url = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
    link = ValkeyLink(ValkeyConfig(url=url, timeout_seconds=1.0), "the test")
    with bounded_memory(), pytest.raises(ServerError), link.use() as client:
        client.ping()
    link.close()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def test_the_user_of_the_page_has_his_prefix_and_nothing_else(world: World, joined: Join) -> None:
    command = next(line for line in PAGE.splitlines() if line.startswith("ACL SETUSER"))
    world.admin.execute_command(*command.replace("password", "secret").split())
    thief: Any = redis.Redis(port=world.server.port, username="shard_1", password="secret", protocol=2)
    secret = world.server.password_file.parent / "shard_1.password"
    secret.write_text("secret")
    values: dict[str, Any] = {
        "url": f"redis://shard_1@127.0.0.1:{world.server.port}/0",
        "password_file": str(secret),
        "key_prefix": "shard_1:",
    }
    game = joined("mira", **values)
    game.run()
    game.bus.publish(spoke("mira", "hello"))
    game.bus.send_command("mira", "/wave", NOW)
    while not game.commands:
        game.run_all()
    cache = world.cache(game.save, **values)
    cache.set_nearby(game.npcs["mira"], [])
    cache.make()
    cache.flush()
    assert look(cache.config, cache.link, "mira")
    game.bus.close()
    assert game.contents("mira") == ["hello"]
    world.admin.set("npc:mira:memory", "other")
    for words in (
        "GET npc:mira:memory",
        "SET npc:mira:memory x",
        "XADD world:events * event {}",
        "XREAD STREAMS world:events 0",
        "PUBLISH world:events x",
        "SUBSCRIBE world:events",
        "PSUBSCRIBE *",
        "PUBSUB CHANNELS",
        "KEYS *",
        "SCAN 0",
        "RANDOMKEY",
        "DBSIZE",
        "FLUSHALL",
        "FLUSHDB",
        "SWAPDB 0 1",
        "CONFIG SET maxmemory 1",
        "CONFIG GET requirepass",
        "ACL SETUSER shard_1 allkeys",
        "ACL LIST",
        "CLIENT LIST",
        "CLIENT KILL TYPE normal",
        "MONITOR",
        "SHUTDOWN NOSAVE",
        "SLAVEOF 127.0.0.1 1",
        "MODULE LIST",
        "SAVE",
        "FUNCTION LIST",
        "EVAL 1 0",
    ):
        with pytest.raises(redis.ResponseError, match="permission"):
            thief.execute_command(*words.split())
    thief.close()
    world.admin.execute_command("ACL", "DELUSER", "shard_1")
    assert re.search(r"costs a game server no more than 8 MB", " ".join(PAGE.split()))
    assert LONGEST_ANSWER == 8 * 1024 * 1024
