"""MemoryConfig.max_memories: what leaves first, what stays, and that the archive has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save

LIMITED = MemoryConfig(max_memories=10)


def idle(save: Save) -> None:
    while save.idle_step():
        pass


@pytest.fixture
def guard(opened: Callable[..., Save], clock: Any) -> tuple[Save, Npc]:
    save = opened()
    return save, save.npc("guard", LIMITED)


def chat(npc: Npc, clock: Any, count: int, **data: Any) -> list[str]:
    ids = []
    for number in range(count):
        clock.now += 60.0
        text = f"The player asked the way to house number {number + int(clock.now) % 1_000_000}."
        ids.append(npc.memories.store(text, 3, {"event_type": "conversation", **data}))
    return ids


def kept(npc: Npc, ids: list[str]) -> list[str]:
    return [id for id in ids if npc.memories.get_memory(id)]


def test_small_talk_leaves_first_the_oldest_of_equals_before(guard: tuple[Save, Npc], clock: Any) -> None:
    save, npc = guard
    written = [npc.memories.store(f"Gate {n} was repaired.", 2, {"event_type": "repair"}) for n in range(4)]
    talks = chat(npc, clock, 12, interaction_type="conversation", turn="x")
    idle(save)
    assert npc.memories.get_memory_count() == 10
    assert kept(npc, written) == written, "what the game wrote outlasts talk of more weight"
    assert kept(npc, talks) == talks[-6:]


def test_what_the_game_wrote_leaves_when_nothing_else_is_left(guard: tuple[Save, Npc], clock: Any) -> None:
    save, npc = guard
    low = [npc.memories.store(f"Gate {n} was repaired.", 2, {"event_type": "repair"}) for n in range(8)]
    high = [npc.memories.store(f"Tower {n} fell.", 8, {"event_type": "fall"}) for n in range(8)]
    idle(save)
    assert npc.memories.get_memory_count() == 10
    assert kept(npc, high) == high
    assert len(kept(npc, low)) == 2


@pytest.mark.parametrize(
    "data",
    [
        {"memory_tier": 0},
        {"is_milestone": True, "milestone_type": "first_gift"},
        {"event_type": "promise_made", "participants": ["player"]},
        {"event_type": "debt_owed", "participants": ["player"]},
    ],
)
def test_what_must_stay_stays_however_many_there_are(
    guard: tuple[Save, Npc], clock: Any, data: dict[str, Any]
) -> None:
    save, npc = guard
    ids = [npc.memories.store(f"Matter {n} of the player, and no other.", 5, data) for n in range(12)]
    chat(npc, clock, 3)
    idle(save)
    assert kept(npc, ids) == ids
    assert npc.memories.get_memory_count() == 12


def test_the_archive_has_what_left_and_a_rollback_brings_it_back(guard: tuple[Save, Npc], clock: Any) -> None:
    save, npc = guard
    talks = chat(npc, clock, 10)
    moment = clock.now
    talks += chat(npc, clock, 5)
    idle(save)
    archived = npc.archive.get_archived()
    assert {version["id"] for version in archived} == set(talks[:5])
    assert {version["archived"]["reason"] for version in archived} == {"over_limit"}
    assert npc.recall.retrieve_scored("house number")
    assert npc.archive.restore_archived(talks[0])
    assert kept(npc, talks[:1]) == talks[:1]
    save.marks.rollback_to(moment)
    assert kept(npc, talks) == talks[:10]


def test_no_limit_lets_nobody_forget(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("mira", replace(LIMITED, max_memories=0))
    talks = chat(npc, clock, 60)
    idle(save)
    assert kept(npc, talks) == talks


def test_an_exchange_whose_memory_left_is_undone_all_the_same(guard: tuple[Save, Npc], clock: Any) -> None:
    save, npc = guard
    with save.context.exchange("x1", "guard"):
        (told,) = chat(npc, clock, 1)
    chat(npc, clock, 15)
    idle(save)
    assert [version["id"] for version in npc.archive.get_archived(told)] == [told]
    npc.exchange_undo.undo_exchange("x1")
    assert npc.archive.get_archived(told) == []
    assert not npc.memories.get_memory(told)


def test_what_is_forgotten_meanwhile_counts(guard: tuple[Save, Npc], clock: Any) -> None:
    save, npc = guard
    talks = chat(npc, clock, 62)
    save.idle_step()
    for id in talks[-55:]:
        npc.memories.forget(id)
    idle(save)
    assert npc.memories.get_memory_count() == 7


def test_a_limit_that_is_set_later_holds(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("guard")
    chat(npc, clock, 30)
    idle(save)
    for limit in (20, 10):
        npc.config = replace(LIMITED, max_memories=limit)
        idle(save)
        assert npc.memories.get_memory_count() == limit
