"""Events of several NPCs share a commit, and each of them is still kept once, in her order, or not at all."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.unit.server.bus.conftest import Game, World, spoke

from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.errors import StoreError

Join = Callable[..., Game]
NPCS = ("mira", "elena", "bran")


def taken(game: Game, *events: dict[str, Any]) -> None:
    """Let a game take these events."""
    game.run()
    for event in events:
        game.bus.publish(event)
    game.zone.put(game.bus.take())


def commits(game: Game, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each time that something was written together."""
    counted: list[int] = []
    together = game.save.context.together

    def counting() -> contextlib.AbstractContextManager[None]:
        counted.append(1)
        return together()

    monkeypatch.setattr(game.save.context, "together", counting)
    return counted


def test_what_waits_of_several_npcs_is_one_commit(joined: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    game = joined(*NPCS)
    taken(game, *(spoke(npc_id, str(number)) for number in range(2) for npc_id in NPCS))
    counted = commits(game, monkeypatch)
    game.run_all()
    assert len(counted) == 2  # The second of each NPC builds upon what she feels since the first.
    for npc_id in NPCS:
        assert game.contents(npc_id) == ["0", "1"]
        assert game.npcs[npc_id].memories.get_memory_stats()["total"] == 2
        assert game.npcs[npc_id].mind.feelings.get_disposition("char-123")["strength"] == 50
    assert [each.event.npc_id for each in game.events] == [*NPCS, *NPCS]


def test_one_that_cannot_be_perceived_is_put_aside_and_keeps_nobody_back(joined: Join, world: World) -> None:
    game = joined(*NPCS)
    taken(game, *(spoke(npc_id, "x", importance=5 if npc_id != "elena" else "much") for npc_id in NPCS))
    game.run_all()
    assert [game.contents(npc_id) for npc_id in NPCS] == [["x"], [], ["x"]]
    assert world.admin.xlen("world:events:refused") == 1


def test_when_the_commit_fails_nobody_has_felt_anything(
    joined: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = joined(*NPCS)
    felt: list[str] = []
    for npc in game.npcs.values():
        npc.mind.on_event = lambda name, arguments: felt.append(name)
    taken(game, *(spoke(npc_id, "You saved us all, thank you!", action="saved") for npc_id in NPCS))
    store = game.save.store
    add, added = store.interactions.add, list[int]()

    def fail_at_the_last(npc: int, entry: Any) -> int:
        if len(added) == 2:
            raise StoreError("The save could not write", "the disk is full", "Free some room")
        added.append(add(npc, entry))
        return added[-1]

    monkeypatch.setattr(store.interactions, "add", fail_at_the_last)
    list(game.zone.next_steps(game.bus))
    assert [game.contents(npc_id) for npc_id in NPCS] == [[], [], []]
    assert [npc.memories.get_memory_stats()["total"] for npc in game.npcs.values()] == [0, 0, 0]
    assert [npc.mind.feelings.get_dispositions() for npc in game.npcs.values()] == [{}, {}, {}]
    assert felt == [] and game.events == []
    monkeypatch.setattr(store.interactions, "add", add)
    game.run_all()
    assert [len(game.contents(npc_id)) for npc_id in NPCS] == [1, 1, 1]
    assert felt.count("memory_encoded") == 3


def test_the_same_event_twice_in_a_batch_happens_once(joined: Join) -> None:
    game = joined(*NPCS)
    taken(game, *(spoke(npc_id, "x", eventId="e1") for npc_id in ("mira", "mira", "elena")))
    game.run_all()
    assert game.contents("mira") == ["x"]
    assert game.contents("elena") == []


def test_an_error_after_the_commit_leaves_nobody_with_wrong_feelings(joined: Join, world: World) -> None:
    game = joined(*NPCS)
    for npc in game.npcs.values():
        npc.recall.retrieve_scored("hello")  # Her index is loaded.

    def fail(name: str, arguments: Any) -> None:
        raise RuntimeError("in a handler")

    game.npcs["mira"].mind.on_event = fail
    for text in ("You saved us all, thank you!", "You saved us again!"):
        taken(game, *(spoke(npc_id, text, action="saved") for npc_id in NPCS))
        game.run_all()
    assert [each.event.npc_id for each in game.events] == [*NPCS, *NPCS]
    assert world.admin.xlen("world:events:refused") == 0
    for npc in game.npcs.values():
        felt = (
            npc.memories.get_memory_stats()["total"],
            npc.mind.feelings.get_disposition("char-123")["strength"],
        )
        found = len(npc.recall.retrieve_scored("saved"))
        npc.reload()
        assert felt == (
            npc.memories.get_memory_stats()["total"],
            npc.mind.feelings.get_disposition("char-123")["strength"],
        )
        assert found == len(npc.recall.retrieve_scored("saved")) > 2
    assert len({strength_of(game, npc_id) for npc_id in NPCS}) == 1


def strength_of(game: Game, npc_id: str) -> float:
    strength: float = game.npcs[npc_id].mind.feelings.get_disposition("char-123")["strength"]
    return strength


def test_a_relationship_event_that_cannot_be_kept_changes_nothing_else(
    joined: Join, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game = joined(*NPCS)
    game.save.world.config = MemoryWorldConfig(relationship_event_threshold=5)
    taken(game, *(spoke(npc_id, "You saved us all, thank you!", action="saved") for npc_id in NPCS))
    record, failed = game.save.world.events.record_event, list[str]()

    def fail_once(event: Mapping[str, Any]) -> str:
        if not failed:
            failed.append(event["actor"])
            raise StoreError("The save could not write", "another game has taken the id", "Do it again")
        # What comes of the commit is in memory of everybody by now.
        assert len({strength_of(game, npc_id) for npc_id in NPCS}) == 1
        return record(event)

    monkeypatch.setattr(game.save.world.events, "record_event", fail_once)
    game.run_all()
    assert [each.event.npc_id for each in game.events] == list(NPCS)
    assert "another game has taken the id" in caplog.text
    recorded = [
        each["actor"] for each in game.save.world.events.get_events({"event_type": "relationship_changed"})
    ]
    assert sorted([*recorded, *failed]) == sorted(NPCS)
