"""Which memory a new one retires: that of the same person and the same matter, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.embedding.test_embedding import MODEL
from tests.unit.memory.retired_matters import STORIES, Step

from rag_memory import MemoryConfig, Npc, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.onnx_embedder import OnnxEmbedder

MATTERS = {
    "bring salt from the mine": "brought the salt from the mine",
    "mend the mill's roof": "mended the roof of the mill",
    "find my lost ring": "found the ring",
    "teach my daughter to swim": "taught my daughter to swim",
    "guard the harvest feast": "stood guard at the feast",
    "sell my old cart": "sold the cart",
}
PLAYERS = ("ida", "otto")
PROMISES = st.lists(
    st.tuples(st.sampled_from(PLAYERS), st.sampled_from(sorted(MATTERS))), unique=True, max_size=8
)
GATES = MemoryConfig(supersession_pairs={**MemoryConfig().supersession_pairs, "gate_opened": "gate_closed"})
MADE, KEPT = {"event_type": "promise_made"}, {"event_type": "promise_kept"}


@pytest.fixture(scope="module")
def model() -> OnnxEmbedder:
    return OnnxEmbedder(MODEL)


def retired(npc: Npc, steps: list[Step]) -> list[list[int]]:
    ids: list[str] = []
    numbers = []
    for text, data, _expected in steps:
        stored = npc.memories.store_with_conflict_check(text, 5, data)
        numbers.append(sorted(ids.index(id) for id in stored["superseded"]))
        ids.append(stored["id"])
    return numbers


def valid(npc: Npc) -> set[str]:
    return {
        memory["document_full"]
        for memory in npc.recall.get_recent(99)
        if not memory["metadata"]["superseded_by"]
    }


@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize("name", STORIES)
def test_a_memory_retires_what_it_is_about(name: str, has_model: bool, model: OnnxEmbedder) -> None:
    steps = STORIES[name]
    with open_save(":memory:", embedder=model if has_model else HashingEmbedder(512)) as save:
        npc = save.npc("mira")
        npc.config = GATES
        assert retired(npc, steps) == [expected for _text, _data, expected in steps]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(PROMISES, st.randoms(use_true_random=False))
def test_a_kept_promise_retires_that_one_alone(
    opened: Callable[..., Save], promises: list[tuple[str, str]], random: Any
) -> None:
    npc = opened(dimension=512).npc("mira")
    npc.clear_all_memories()
    ids = {}
    for player, matter in promises:
        data = {**MADE, "participants": [player]}
        ids[player, matter] = npc.memories.store(f"The player promised to {matter}.", 6, data)
    random.shuffle(promises)
    for player, matter in promises[: len(promises) // 2 + 1]:
        data = {**KEPT, "participants": [player]}
        stored = npc.memories.store_with_conflict_check(f"The player {MATTERS[matter]}.", 6, data)
        assert stored["superseded"] == [ids[player, matter]]
        others = [who for who in PLAYERS if who != player and (who, matter) not in promises]
        for other in others:
            data = {**KEPT, "participants": [other]}
            again = npc.memories.store_with_conflict_check(f"The player {MATTERS[matter]} again.", 6, data)
            assert again["superseded"] == []


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Roland", "Ida", "Sven"]), st.sampled_from("abcd")), max_size=12))
def test_a_slot_has_one_current_value_for_each_person(
    opened: Callable[..., Save], moves: list[tuple[str, str]]
) -> None:
    npc = opened().npc("mira")
    npc.clear_all_memories()
    current = {}
    for number, (person, place) in enumerate(moves):
        text = f"{person} lives in the house {place}{number}."
        npc.memories.store(text, 5, {"slot_type": "home"})
        current[person] = text
    assert valid(npc) == set(current.values())


def test_a_batch_retires_as_single_calls_do(npc: Npc) -> None:
    ring = {"text": "The player promised to find my ring.", **MADE}
    roof = {"text": "The player promised to mend my roof.", **MADE}
    kept = {"text": "The player has mended the roof.", **KEPT}
    ids = npc.memories.store_batch([ring, roof, kept])
    assert [npc.memories.get_memory(id)["metadata"]["superseded_by"] for id in ids] == ["", ids[2], ""]


def test_an_import_retires_what_it_ends_and_nothing_twice(opened: Callable[..., Save]) -> None:
    elena, mira = opened().npc("elena"), opened().npc("mira")
    for text, data in (("find my ring", MADE), ("mend my roof", MADE), ("mend my fence", MADE)):
        elena.memories.store(f"The player promised to {text}.", 5, data)
    elena.memories.store("The player has mended the roof.", 5, KEPT)
    mira.tools.import_json(elena.tools.export_json())
    assert valid(mira) == valid(elena)
    mira.tools.import_csv("text,event_type\nThe player found the ring.,promise_kept")
    assert "The player promised to find my ring." not in valid(mira)
    assert "The player promised to mend my fence." in valid(mira)


def test_undoing_an_exchange_brings_back_what_it_has_retired(opened: Callable[..., Save]) -> None:
    save = opened()
    elena = save.npc("elena")
    promise = elena.memories.store("The player promised to mend my roof.", 6, MADE)
    home = elena.memories.store("The player lives at the inn.", 6, {"slot_type": "home"})
    before = valid(elena)
    memories = [
        {"text": "The player has mended the roof.", **KEPT},
        {"text": "The player lives in the mill.", "slot_type": "home"},
    ]
    with save.context.exchange("x1", "elena"):
        elena.conversation.store_turn("Done! I live in the mill now.", "Thanks.", {"memories": memories})
    assert not valid(elena) & before
    undone = elena.exchange_undo.undo_exchange("x1")
    assert sorted(undone["restored"]) == sorted([promise, home])
    assert valid(elena) == before


def test_answers_agree_on_what_is_current(model: OnnxEmbedder) -> None:
    with open_save(":memory:", embedder=model) as save:
        npc = save.npc("mira")
        debt = {"event_type": "debt"}
        npc.memories.store("The player owes me 50 gold for the sword.", 6, debt)
        npc.memories.store("The player owes me 10 gold for the ale.", 6, debt)
        npc.memories.store("The player paid the 10 gold for the ale.", 6, {"event_type": "debt_paid"})
        assert npc.recall.knows("the player owes me gold for the sword")
        assert not npc.recall.knows("the player owes me gold for the ale")
        best = npc.recall.recall_best("What does the player owe me for the sword?")
        assert best["document_full"] == "The player owes me 50 gold for the sword."
        lines = npc.dossiers.build_dossier("Do I owe you anything?")["text"].splitlines()
        stale = [line for line in lines if npc.config.sentence("no_longer_holds") in line]
        assert len(stale) == 1 and "ale" in stale[0]
