"""Whether she knows of something, and the one memory that answers best."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, MemoryConfig, NpcMemory, RelevanceMode

ROOF = "Rowan promised me to mend the roof before the first snow."


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(RelevanceMode), st.floats(0, 1), st.sampled_from(["the roof", "a dragon", ROOF]))
def test_she_knows_what_is_similar_enough(
    npc: NpcMemory, mode: RelevanceMode, least: float, query: str
) -> None:
    npc.clear_all_memories()
    npc.config = MemoryConfig(relevance_mode=mode)
    npc.store(ROOF, 7)
    npc.store("The baker's cat had kittens.", 2)
    assert npc.knows(query, 0.0)
    assert npc.knows(query, least) <= npc.knows(query, least / 2)


def test_the_best_memory_is_the_most_relevant_one_however_unimportant(npc: NpcMemory) -> None:
    npc.store(ROOF, 10)
    npc.store("The baker's cat had kittens.", 1)
    assert npc.recall_best("the roof")["document"] == ROOF
    best = npc.recall_best("the baker's cat")
    assert best["rendered_text"] == best["document"] == "The baker's cat had kittens."


def test_the_best_memory_is_one_that_still_holds(npc: NpcMemory) -> None:
    old = npc.store("The player promised to mend the roof.", 7, {"event_type": "promise_made"})
    data = {"event_type": "promise_broken"}
    new = npc.store_with_conflict_check("The player broke the promise to mend the roof.", 8, data)
    assert npc.get_memory(old)["metadata"]["superseded_by"] == new
    assert npc.retrieve_relevant_raw("The player promised to mend the roof.")[0]["id"] == old
    assert npc.recall_best("The player promised to mend the roof.")["id"] == new


def test_a_value_that_was_replaced_is_not_known(npc: NpcMemory) -> None:
    npc.store("The player is called Rowan.", 8, {"slot_type": "player_name"})
    assert npc.knows("The player is called Rowan.", 0.6)
    npc.store("The player's true name is Ash.", 8, {"slot_type": "player_name"})
    assert not npc.knows("The player is called Rowan.", 0.6)


def test_only_recalling_leaves_a_trace(npc: NpcMemory, clock: Any) -> None:
    id = npc.store(ROOF, 7)
    clock.now += 60
    before = npc.get_memory(id)["metadata"]
    npc.knows("the roof")
    assert npc.get_memory(id)["metadata"] == before
    npc.recall_best("the roof")
    assert npc.get_memory(id)["metadata"] != before


@pytest.mark.parametrize("query", ["", " \n", 5, None])
def test_a_query_is_a_text_that_is_not_empty(npc: NpcMemory, query: Any) -> None:
    npc.store(ROOF)
    for ask in (npc.knows, npc.recall_best):
        with pytest.raises(InvalidArgumentError):
            ask(query)


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), "0.5", True])
def test_a_bound_is_from_0_to_1(npc: NpcMemory, least: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        npc.knows("the roof", least)
