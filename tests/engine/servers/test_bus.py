"""Game servers that share a world over a real Valkey: what one publishes, NPCs of the other perceive once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.game import Home, Project, copy_server_part, for_servers, run
from tests.engine.servers.conftest import SCENARIO, Start, admin, bus, contents, ended, spoke

from rag_memory_build.valkey_server import ValkeyServer

pytestmark = pytest.mark.slow


def test_what_one_game_publishes_an_npc_of_the_other_perceives(
    start: Start, shared: Project, tmp_path: Path, valkey: ValkeyServer
) -> None:
    castle = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["connected", True],
        ["wait_for", 21],
        ["near", "elena"],
        ["felt", "elena"],
        ["hot", "elena"],
        ["leave", None],
    )
    castle.wait_for("connected")
    harbour = start(
        "harbour",
        ["open", "shard"],
        ["npc", "mira"],
        ["publish_many", {"count": 20, "event": spoke("elena", "")}],
        ["order", ["mira", "/say Hello, friend!"]],
        [
            "publish",
            {
                "type": "proximity_update",
                "npcId": "elena",
                "nearby": [{"id": "bran", "type": "companion"}, {"id": "wolf", "type": "creature"}],
            },
        ],
        ["publish", spoke("nobody here", "x")],
        ["wait_for", 21],
        ["hot", "elena"],
    )
    for game in (ended(harbour), ended(castle)):
        assert game.value("joined") == 0
        assert sorted(
            each["content"] for each in game.values("event") if each["npcId"] == "elena" and "content" in each
        ) == sorted(map(str, range(20)))
        assert game.value("hot")["dispositions"]["kael"]["strength"] == 100
    assert castle.value("near") == ["bran"]
    assert castle.value("felt")["kael"]["strength"] == 100
    assert castle.value("command") == ["mira", "/say Hello, friend!"]
    assert castle.value("left") == 0
    assert contents(tmp_path, shared, "castle", "elena") == [str(number) for number in range(20)]
    assert contents(tmp_path, shared, "harbour", "elena") == []
    kept = json.loads(admin(valkey).get("npc:elena:memory"))
    assert [each["content"] for each in kept["recentInteractions"]] == [str(n) for n in range(20)]
    assert kept["nearbyNpcs"] == ["bran"]


def test_an_npc_who_comes_later_perceives_what_has_happened(
    start: Start, shared: Project, tmp_path: Path
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["publish", spoke("elena", "first")],
        ["wait_for", 1],
        ["npc", "elena"],
        ["hot", "elena"],
        ["publish", spoke("elena", "second")],
        ["wait_for", 2],
    )
    assert [each["content"] for each in ended(game).values("event")] == ["first", "second"]
    assert contents(tmp_path, shared, "castle", "elena") == ["first", "second"]


def test_a_game_that_is_killed_perceives_the_rest_when_it_is_started_again(
    start: Start, shared: Project, tmp_path: Path
) -> None:
    steps: list[list[Any]] = [["open", "shard"], ["npc", "elena"], ["connected", True], ["stay", None]]
    sender = start("harbour", ["publish_many", {"count": 300, "event": spoke("elena", "")}])
    for number in range(3):
        game = start("castle", *steps, claim_after_seconds=0.2)
        game.wait_for("event", count=20 * (number + 1))
        game.kill()
    ended(sender)
    wanted = [str(number) for number in range(300)]
    seen: list[str] = []
    for _ in range(20):
        if sorted(seen) == sorted(wanted):
            break
        game = start("castle", *steps, claim_after_seconds=0.2)
        game.wait_for("staying")
        time.sleep(1.0)
        game.kill()
        seen = contents(tmp_path, shared, "castle", "elena")
    assert sorted(seen) == sorted(wanted)


def test_a_burst_comes_whole_and_hot_memories_follow_what_the_game_tells_itself(
    start: Start, shared: Project, tmp_path: Path, valkey: ValkeyServer
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["connected", True],
        ["publish_bursts", {"bursts": 20, "event": spoke("elena", "told")}],
        ["make_calls", 3],
        ["stay", None],
    )
    game.wait_for("staying")
    newest = [""]
    while newest[-3:] != ["own"] * 3:
        kept = json.loads(admin(valkey).get("npc:elena:memory") or "{}")
        newest = [each["content"] for each in kept.get("recentInteractions", [])]
        assert not game.has_ended, game.tail()
    game.kill()
    assert contents(tmp_path, shared, "castle", "elena") == ["told"] * 60 + ["own"] * 3


def test_a_killed_valkey_keeps_nobody_from_playing(
    start: Start, shared: Project, tmp_path: Path, valkey: ValkeyServer
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["connected", True],
        ["connected", False],
        ["make_calls", 50],
        ["publish", spoke("elena", "lost")],
        ["connected", True],
        ["publish", spoke("elena", "kept")],
        ["wait_for", 1],
        ["hot", "elena"],
    )
    game.wait_for("connected")
    valkey.kill()
    game.wait_for("published")
    valkey.start(valkey.port, ends_with_parent=True)
    ended(game, "no connection to 127.0.0.1")
    assert game.values("published")[0] == "" and game.values("published")[1]
    assert contents(tmp_path, shared, "castle", "elena") == ["own"] * 50 + ["kept"]
    assert game.value("hot")["recentInteractions"][-1]["content"] == "kept"
    assert any("is there again" in line for line in game.warnings())


def test_a_valkey_that_does_not_answer_keeps_nobody_from_playing(start: Start, valkey: ValkeyServer) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["connected", True],
        ["make_calls", 200],
        ["publish", spoke("elena", "kept")],
        ["wait_for", 1],
        timeout_seconds=1.0,
    )
    game.wait_for("connected")
    (pid,) = valkey.pids()
    os.kill(pid, signal.SIGSTOP)
    try:
        game.wait_for("called")
    finally:
        os.kill(pid, signal.SIGCONT)
    ended(game, allowed=("no connection to 127.0.0.1",))


def test_a_slow_game_takes_a_batch_at_a_time(start: Start, shared: Project, tmp_path: Path) -> None:
    ended(start("harbour", ["publish_many", {"count": 400, "event": spoke("elena", "")}]))
    game = start("castle", ["open", "shard"], ["npc", "elena"], ["wait_for", 400], batch_size=7)
    assert ended(game).value("most_in_work") <= 7
    assert contents(tmp_path, shared, "castle", "elena") == [str(number) for number in range(400)]


def test_a_save_that_is_closed_takes_nothing_and_loses_nothing(
    start: Start, shared: Project, tmp_path: Path
) -> None:
    game = start(
        "castle",
        ["npc", "elena"],
        ["publish", spoke("elena", "to the first")],
        ["open", "first"],
        ["wait_for", 1],
        ["open", "second"],
        ["publish", spoke("elena", "to the second")],
        ["wait_for", 2],
        catch_up_seconds=0.0,
    )
    ended(game)
    assert contents(tmp_path, shared, "castle", "elena", "first") == ["to the first"]
    assert contents(tmp_path, shared, "castle", "elena", "second") == ["to the second"]


def test_what_asks_for_a_bus_says_when_none_is_connected(shared: Project, home: Home) -> None:
    steps = [["publish", spoke("elena", "x")]]
    game = run(shared, home, SCENARIO, json.dumps(steps), errors=("no bus is connected",))
    assert game.value("published") == ""


def test_a_server_part_without_the_client_of_valkey_says_so(quick_project: Project, home: Home) -> None:
    shutil.rmtree(copy_server_part(quick_project) / "redis")
    steps = [["join", {"zone": "castle"}]]
    errors = ("the server part of this game is not whole", "docs/servers.md")
    game = run(quick_project, home, SCENARIO, json.dumps(steps), errors=errors)
    assert game.value("joined") != 0


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"url": "redis://zone:secret@127.0.0.1/0"}, "password_file"),
        ({"url": "nowhere"}, "MemoryEventBus.url is no address"),
        ({"zone": ""}, "MemoryEventBus.zone"),
        ({"url": "rediss://127.0.0.1/0"}, "no TLS"),
        ({"password_file": "/nowhere/password"}, "password"),
    ],
)
def test_what_cannot_be_connected_is_told_in_words(
    shared: Project, home: Home, values: dict[str, Any], error: str
) -> None:
    game = run(shared, home, SCENARIO, json.dumps([["join", values]]), errors=(error,))
    assert game.value("joined") != 0
    assert "secret" not in game.text()


def test_the_server_part_of_a_user_is_found(tmp_path: Path, home: Home, valkey: ValkeyServer) -> None:
    project = for_servers(Project(tmp_path / "project", staged_core=True, model=False))
    steps = [["open", "shard"], ["npc", "elena"], ["join", bus(valkey, "castle")]]
    steps += [["publish", spoke("elena", "x")], ["wait_for", 1]]
    game = run(project, home, SCENARIO, json.dumps(steps))
    assert [each["content"] for each in game.values("event")] == ["x"]


def test_a_game_can_be_left_while_valkey_does_not_answer(
    start: Start, shared: Project, tmp_path: Path, valkey: ValkeyServer
) -> None:
    game = start(
        "castle",
        ["open", "shard"],
        ["npc", "elena"],
        ["connected", True],
        ["wait_for", 1],
        ["make_calls", 5],
        timeout_seconds=1.0,
    )
    game.wait_for("connected")
    sender = start("harbour", ["publish", spoke("elena", "kept")])
    game.wait_for("event")
    ended(sender)
    (pid,) = valkey.pids()
    os.kill(pid, signal.SIGSTOP)
    try:
        ended(game, allowed=("no connection",))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert contents(tmp_path, shared, "castle", "elena") == ["kept", *["own"] * 5]
