"""What a designer or player wrote, learned or lived through is never merged and never fades by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.conftest import GameClock

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder

DAY = 86400.0
SMALL = MemoryConfig(max_memories_before_consolidate=5, consolidate_target=3)

WRITTEN: dict[str, Callable[[Npc], str]] = {
    "store": lambda npc: npc.memories.store("The mill race froze in the year of the comet.", 5),
    "little importance": lambda npc: npc.memories.store("I like the smell of rye.", 1),
    "a fact": lambda npc: npc.memories.store("Ermine is for judges.", 4, {"kind": "fact"}),
    "a learned fact": lambda npc: npc.mind.reflections.learn_fact("The ferry stops at dusk."),
    "an episode": lambda npc: npc.memories.store("I nursed Odo's calf.", 4, {"kind": "episode"}),
    "a reflection": lambda npc: npc.memories.store("I am too trusting.", 4, {"kind": "reflection"}),
    "an observation": lambda npc: npc.memories.store("A wagon lost a wheel.", 4, {"kind": "observation"}),
    "a turn counter": lambda npc: npc.memories.store("The gate was painted.", 4, {"turn": 12}),
    "a batch": lambda npc: _batch(npc, "My aunt is buried at Lorn."),
    "with conflicts": lambda npc: npc.memories.store("The tithe is nine sheaves.", 4),
    "witnessed": lambda npc: npc.memories.store_witnessed_event("two crows fight over a ring", 4),
    "an action": lambda npc: npc.memories.store_player_action("sang", "sang under my window", 4),
    "of another": lambda npc: npc.memories.store_npc_awareness("odo", "Odo sleeps in the barn.", 4),
    "perceived help": lambda npc: _perceived(npc, {"action": "helped", "source_id": "odo"}),
    "edited": lambda npc: _edited(npc, "The well is dry."),
    "imported": lambda npc: _imported(npc, "The old bell came from Trier."),
}
FORGETTABLE: dict[str, Callable[[Npc], str]] = {
    "said": lambda npc: npc.memories.store_conversation("player", "Fine weather."),
    "talk": lambda npc: npc.memories.store("Odo said it rained.", 4, {"event_type": "conversation"}),
    "perceived": lambda npc: _perceived(npc, {"action": "sneezed", "source_id": "odo", "importance": 5}),
}


def _batch(npc: Npc, text: str) -> str:
    (id,) = npc.memories.store_batch([{"text": text, "importance": 3}])
    return id


def _perceived(npc: Npc, event: dict[str, Any]) -> str:
    return str(npc.mind.perceive(event)["memory_id"])


def _edited(npc: Npc, text: str) -> str:
    id = npc.memories.store("The well is deep.", 4)
    npc.memories.update_memory(id, {"text": text})
    return id


def _imported(npc: Npc, text: str) -> str:
    npc.tools.import_csv(f"text,importance\n{text},3\n")
    return next(str(m["id"]) for m in npc.recall.get_recent(999) if m["document_full"] == text)


def live_on(save: Save, npc: Npc, clock: GameClock, days: int = 60) -> None:
    """Talk for months, with maintenance and merging whenever there is something to merge."""
    for day in range(days):
        clock.now += DAY
        npc.memories.store_conversation("player", f"Day {day}: the harvest needs {day + 2} carts.")
        if day % 10 == 9:
            save.world.maintenance.run_maintenance()
            npc.archive.consolidate()


@pytest.mark.parametrize("form", WRITTEN)
def test_it_is_there_word_for_word_after_sixty_days(
    opened: Callable[..., Save], clock: GameClock, form: str
) -> None:
    save = opened()
    npc = save.npc("elena", SMALL)
    id = WRITTEN[form](npc)
    before = npc.memories.get_memory(id)
    live_on(save, npc, clock)
    after = npc.memories.get_memory(id)
    assert after["document_full"] == before["document_full"]
    assert after["metadata"]["importance"] == before["metadata"]["importance"]
    assert npc.memories.get_memory_count() < 20, "conversations were merged all the same"


@pytest.mark.parametrize("form", FORGETTABLE)
def test_small_talk_and_what_was_only_perceived_is_merged(
    opened: Callable[..., Save], clock: GameClock, form: str
) -> None:
    save = opened()
    npc = save.npc("elena", SMALL)
    id = FORGETTABLE[form](npc)
    live_on(save, npc, clock)
    assert npc.memories.get_memory(id) == {}
    assert npc.archive.get_archived(id)


@pytest.mark.parametrize(
    ("kind", "form"), [("episode", "an episode"), ("fact", "a fact"), ("written", "store")]
)
def test_a_config_may_let_one_kind_be_merged(
    opened: Callable[..., Save], clock: GameClock, kind: str, form: str
) -> None:
    save = opened()
    lasting = [other for other in MemoryConfig().lasting_kinds if other not in (kind, "written")]
    npc = save.npc("elena", replace(SMALL, lasting_kinds=lasting))
    id = WRITTEN[form](npc)
    live_on(save, npc, clock)
    assert npc.memories.get_memory(id) == {}


def test_the_preview_says_what_will_be_merged_and_changes_nothing(npc: Npc, clock: GameClock) -> None:
    npc.config = SMALL
    written = npc.memories.store("My brother keeps bees.", 3)
    for number in range(12):
        clock.now += 3600.0
        npc.memories.store_conversation("player", f"I sold {number} sheep at the fair.")
    clock.now += 10 * DAY
    before = npc.recall.get_recent(99)
    preview = npc.archive.preview_consolidation()
    assert npc.recall.get_recent(99) == before
    assert preview == npc.archive.preview_consolidation()
    sources = {source["id"] for summary in preview for source in summary["sources"]}
    assert written not in sources and sources
    done = npc.archive.consolidate()
    assert {source["id"] for source in npc.archive.get_archived()} == sources
    texts = [npc.memories.get_memory(id)["document_full"] for id in done["summary_ids"]]
    assert texts == [summary["extract"] for summary in preview]
    assert npc.archive.preview_consolidation() == []


STEPS = st.lists(
    st.tuples(st.sampled_from([*WRITTEN, *FORGETTABLE, "wait", "merge", "maintain"]), st.integers(1, 40)),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_whatever_happens_what_was_written_stays(steps: list[tuple[str, int]]) -> None:
    clock = GameClock()
    with open_save(":memory:", embedder=HashingEmbedder(8), clock=clock) as save:
        npc = save.npc("elena", SMALL)
        written: dict[str, dict[str, Any]] = {}
        for step, days in steps:
            match step:
                case "wait":
                    clock.now += days * DAY
                case "merge":
                    preview = npc.archive.preview_consolidation()
                    done = npc.archive.consolidate()
                    assert done["removed"] == sum(len(summary["sources"]) for summary in preview)
                case "maintain":
                    save.world.maintenance.run_maintenance()
                case _ if step in WRITTEN:
                    id = WRITTEN[step](npc)
                    written[id] = npc.memories.get_memory(id)
                case _:
                    FORGETTABLE[step](npc)
        for id, memory in written.items():
            after = npc.memories.get_memory(id)
            assert after["document_full"] == memory["document_full"]
            assert after["metadata"]["importance"] >= memory["metadata"]["importance"]
