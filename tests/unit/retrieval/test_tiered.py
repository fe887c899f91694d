"""retrieve_tiered(): counts, the budget of characters, protection and order."""

from __future__ import annotations

from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc
from rag_memory.errors import InvalidArgumentError

LISTS = ("pinned", "important", "relevant")


@pytest.fixture
def village(npc: Npc, clock: Any) -> Npc:
    for number in range(12):
        clock.now += 60
        for tier, name in enumerate(LISTS):
            text = f"The {name} memory number {number} tells of the mill. It was a long day for everybody."
            npc.memories.store(text, 3 + number % 7, {"memory_tier": tier})
    return npc


def texts(found: dict[str, Any]) -> list[str]:
    return [memory["rendered_text"] for name in LISTS for memory in found[name]]


def test_each_list_has_its_own_tier_and_limit(village: Npc) -> None:
    found = village.recall.retrieve_tiered("the mill")
    assert list(found) == [*LISTS, "total_chars", "budget_remaining"]
    assert [len(found[name]) for name in LISTS] == [8, 5, 8]
    assert {memory["metadata"]["memory_tier"] for memory in found["pinned"]} == {0}
    assert {memory["metadata"]["memory_tier"] for memory in found["important"]} == {1}
    ids = [memory["id"] for name in LISTS for memory in found[name]]
    assert len(set(ids)) == len(ids)
    assert found["total_chars"] == sum(map(len, texts(found)))
    assert found["total_chars"] + found["budget_remaining"] == 10_000


def test_options_replace_the_configured_limits(village: Npc) -> None:
    options = {"max_pinned_memories": 0, "max_important_memories": 2, "max_regular_memories": 1}
    found = village.recall.retrieve_tiered("the mill", {**options, "filter": {"importance": {"<=": 4}}})
    assert [len(found[name]) for name in LISTS] == [0, 2, 1]
    found = village.recall.retrieve_tiered("the mill", {"min_importance": 9})
    assert {memory["metadata"]["importance"] for name in LISTS for memory in found[name]} == {9}


@pytest.mark.parametrize("chars", [0, 50, 99, 500, 1234])
def test_the_budget_is_kept_and_no_memory_is_cut(village: Npc, chars: int) -> None:
    found = village.recall.retrieve_tiered("the mill", {"max_memory_chars": chars})
    assert found["total_chars"] == sum(map(len, texts(found))) <= chars
    assert found["budget_remaining"] == chars - found["total_chars"]
    for name in LISTS:
        for memory in found[name]:
            assert memory["rendered_text"] in (memory["document_short"], memory["document_full"])


def test_the_order_is_by_score_or_by_importance(village: Npc) -> None:
    scores = [memory["score"] for memory in village.recall.retrieve_tiered("the mill")["pinned"]]
    assert scores == sorted(scores, reverse=True)
    village.config = MemoryConfig(use_score_based_selection=False)
    for name in ("pinned", "important"):
        found = village.recall.retrieve_tiered("the mill")[name]
        importances = [memory["metadata"]["importance"] for memory in found]
        assert importances == sorted(importances, reverse=True)
        assert importances[0] == 9


def test_protected_memories_lead_and_exceed_the_budget(
    village: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    village.memories.store("The player's name is Theron.", 5, {"slot_type": "player_name", "memory_tier": 1})
    found = village.recall.retrieve_tiered("the mill", {"max_memory_chars": 10})
    assert texts(found) == ["The player's name is Theron."]
    assert found["important"][0]["protected"]
    assert (found["total_chars"], found["budget_remaining"]) == (28, 0)
    assert "exceeds max_memory_chars, 10 characters;" in caplog.text


def test_an_earlier_value_of_a_slot_has_to_fit_the_budget(village: Npc, clock: Any) -> None:
    village.memories.store("The player's name is Theron.", 5, {"slot_type": "player_name", "memory_tier": 2})
    clock.now += 60
    village.memories.store("The player's name is Thoren.", 5, {"slot_type": "player_name", "memory_tier": 2})
    found = village.recall.retrieve_tiered("What is the name?", {"max_memory_chars": 30})
    assert texts(found) == ["The player's name is Thoren."]
    found = village.recall.retrieve_tiered("What is the name?")
    assert [memory["rendered_text"] for memory in found["relevant"] if memory["protected"]] == [
        "The player's name is Thoren."
    ]


def test_what_is_relevant_is_important_enough(npc: Npc) -> None:
    for importance in range(1, 8):
        npc.memories.store(f"Mill number {importance} burned down.", importance)
    found = npc.recall.retrieve_tiered("Which mill burned down?")["relevant"]
    assert sorted(each["metadata"]["importance"] for each in found) == [4, 5, 6, 7]
    npc.config = MemoryConfig(min_tiered_importance=6)
    assert len(npc.recall.retrieve_tiered("Which mill burned down?")["relevant"]) == 2
    assert len(npc.recall.retrieve_tiered("Which mill burned down?", {"min_importance": 2})["relevant"]) == 6


@pytest.mark.parametrize("tier", [0, 1, 2])
def test_protected_memories_take_places_of_their_tier(village: Npc, tier: int) -> None:
    village.memories.store(
        "The player's name is Theron.", 5, {"slot_type": "player_name", "memory_tier": tier}
    )
    limits = dict.fromkeys(("max_pinned_memories", "max_important_memories", "max_regular_memories"), 3)
    found = village.recall.retrieve_tiered("the mill", limits)
    assert [len(found[name]) for name in LISTS] == [3, 3, 3]
    assert found[LISTS[tier]][0]["protected"]
    found = village.recall.retrieve_tiered("the mill", dict.fromkeys(limits, 0))
    assert [len(found[name]) for name in LISTS] == [int(each == tier) for each in range(3)], "always there"


def test_nothing_known_is_nothing_found(npc: Npc) -> None:
    found = npc.recall.retrieve_tiered("the mill")
    assert found == {**{name: [] for name in LISTS}, "total_chars": 0, "budget_remaining": 10_000}


@pytest.mark.parametrize(
    "options", [{"limit": 3}, {"max_memory_chars": -1}, {"max_pinned_memories": "8"}, [], {"filter": 3}]
)
def test_wrong_options_are_refused(village: Npc, options: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        village.recall.retrieve_tiered("the mill", options)


@pytest.mark.parametrize("by_score", [True, False])
def test_what_says_the_same_takes_one_place(npc: Npc, by_score: bool) -> None:
    npc.config = MemoryConfig(use_score_based_selection=by_score)
    for tier in range(3):
        for ending in ("", "!", "...", "?", " again.", " now.", " really.", " too.", " also."):
            npc.memories.store(f"Wolf {tier} came to the mill{ending}", 9, {"memory_tier": tier})
        npc.memories.store(f"Bear {tier} came to the mill.", 5, {"memory_tier": tier})
    limits = dict.fromkeys(("max_pinned_memories", "max_important_memories", "max_regular_memories"), 2)
    found = npc.recall.retrieve_tiered("Who came to the mill?", limits)
    said = [[memory["document_full"].split(" came")[0] for memory in found[name]] for name in LISTS]
    assert [sorted(each) for each in said] == [[f"Bear {tier}", f"Wolf {tier}"] for tier in range(3)]
    repeated = [memory["duplicates"] for name in LISTS for memory in found[name] if "duplicates" in memory]
    assert [len(each) for each in repeated] == [8, 8, 8]


def test_what_a_better_tier_says_takes_no_place_in_the_next(npc: Npc) -> None:
    npc.config = MemoryConfig(
        use_score_based_selection=False, protected_slot_types=[], max_regular_memories=1
    )
    pinned = npc.memories.store("The wolf came to the mill.", 9, {"memory_tier": 0})
    again = npc.memories.store("The wolf came to the mill again!", 9)
    other = npc.memories.store("A bear slept in the orchard.", 5)
    found = npc.recall.retrieve_scored("Who came to the mill?")
    assert [memory["id"] for memory in found] == [pinned, other]
    assert found[0]["duplicates"] == [again]
    assert npc.recall.explain("Who came to the mill?", again)["reason"] == "duplicate"
