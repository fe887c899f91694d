"""explain() says where a memory stood at every step; its ranks are checked against the answers themselves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory import MemoryConfig, Npc, RelevanceMode, ScoreMode, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.retrieval.channels import MAX_TERMS
from rag_memory.retrieval.selection import estimate_tokens

NOW = 1_702_500_000.0
DAY = 86400.0
WORDS = ("mill", "fire", "Ann", "Bert", "bread", "king", "wolf", "river")
QUESTION = "Did Ann see the fire at the mill?"


def village(config: MemoryConfig, memories: list[dict[str, Any]]) -> Npc:
    save = open_save(":memory:", embedder=HashingEmbedder(64), clock=lambda: NOW)
    # What was recalled a moment ago scores higher in STREAM.
    save.context.notes_accesses = False
    npc = save.npc("elena", config)
    npc.memories.store_batch(memories)
    return npc


memories = st.lists(
    st.builds(
        lambda chosen, importance, event_type, age: {
            "text": " ".join(chosen),
            "importance": importance,
            "event_type": event_type,
            "timestamp": NOW - age * DAY,
        },
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
        st.integers(1, 10),
        st.sampled_from(["general", "promise_made"]),
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=30,
)
configs = st.builds(
    MemoryConfig,
    relevance_mode=st.sampled_from(RelevanceMode),
    score_mode=st.sampled_from(ScoreMode),
    semantic_top_k=st.integers(0, 6),
    memory_token_budget=st.integers(0, 60),
    use_bounded_collection=st.booleans(),
    use_score_based_selection=st.booleans(),
    high_signal_limit=st.integers(0, 2),
    max_memory_chars=st.integers(60, 200),
    max_pinned_memories=st.integers(0, 2),
    max_regular_memories=st.integers(0, 4),
)


@given(memories, configs)
@settings(max_examples=120, deadline=None)
def test_every_memory_is_explained_as_the_answer_shows_it(
    stored: list[dict[str, Any]], config: MemoryConfig
) -> None:
    npc = village(config, stored)
    answer = npc.recall.retrieve_scored(QUESTION)
    places = {memory["id"]: place for place, memory in enumerate(answer, 1)}
    by_relevance = npc.recall.retrieve_relevant_raw(QUESTION, {"limit": 1000})
    eligible = [m["id"] for m in by_relevance if m["metadata"]["importance"] >= 3]
    for memory in by_relevance:
        told = npc.recall.explain(QUESTION, memory["id"])
        assert told["is_returned"] == (memory["id"] in places) == (told["reason"] == "returned")
        assert told["similarity"] == memory["similarity"]
        for name, rank in told["ranks"].items():
            better = [m for m in by_relevance if m["breakdown"][name] > memory["breakdown"][name]]
            assert rank == 1 + len(better)
        rank = told["relevance_rank"]
        assert (rank == 0) == (memory["id"] not in eligible)
        if rank:
            values = [m["breakdown"]["relevance"] for m in by_relevance if m["id"] in eligible]
            assert values[rank - 1] == memory["breakdown"]["relevance"]
        if memory["id"] in places:
            assert told["rank"] == places[memory["id"]]
            assert told["score"] == answer[told["rank"] - 1]["score"]
            assert told["breakdown"] == answer[told["rank"] - 1]["breakdown"]
        elif told["reason"] == "duplicate":
            (better,) = [
                m for m in npc.recall.explain(QUESTION)["memories"] if m["memory_id"] == told["duplicate_of"]
            ]
            assert memory["id"] in better["duplicates"]
        elif told["reason"] == "budget":
            text = memory["document_full"]
            if config.use_dual_representation and len(memory["document_short"]) < len(text):
                text = memory["document_short"]
            protected_texts = [m["rendered_text"] for m in answer if m["protected"]]
            left = config.memory_token_budget - sum(map(estimate_tokens, protected_texts))
            chars_left = config.max_memory_chars - sum(map(len, protected_texts))
            assert estimate_tokens(text) == told["tokens"]
            too_many_chars = not config.use_score_based_selection and len(text) > chars_left
            assert told["tokens"] > left or too_many_chars
        elif told["reason"] != "out_scored":
            assert told["reason"] == ("filtered" if memory["metadata"]["importance"] < 3 else "not_candidate")


@given(memories, configs)
@settings(max_examples=60, deadline=None)
def test_the_whole_answer_is_explained(stored: list[dict[str, Any]], config: MemoryConfig) -> None:
    npc = village(config, stored)
    told = npc.recall.explain(QUESTION)
    answer = npc.recall.retrieve_scored(QUESTION)
    returned = [each for each in told["memories"] if each["is_returned"]]
    assert [each["memory_id"] for each in returned] == [memory["id"] for memory in answer]
    assert told["returned_count"] == len(answer)
    assert told["candidate_count"] == len(told["memories"])
    assert told["tokens_used"] == sum(estimate_tokens(memory["rendered_text"]) for memory in answer)
    assert told["memory_count"] == npc.memories.get_memory_count()
    scores = sorted((each["score"] for each in told["memories"] if each.get("score_rank")), reverse=True)
    for each in told["memories"]:
        if each.get("score_rank"):
            assert scores[each["score_rank"] - 1] == each["score"]
        if each["ranks"]:
            alone = npc.recall.explain(QUESTION, each["memory_id"])
            assert {name: alone[name] for name in each} == each


def test_each_reason(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=3, memory_token_budget=60, protected_slot_types=[])
    best = npc.memories.store("Ann saw the fire at the mill.", 8)
    again = npc.memories.store("Ann had seen the fire, at the mill", 3)
    copy = npc.memories.store("Ann saw the fire at the mill!", 3)
    long = npc.memories.store(
        "The fire at the mill, " + "Ann saw it and cried, " * 20, 5, {"document_short": "x" * 300}
    )
    small = npc.memories.store("A fire in a mill: Ann.", 2)
    other = npc.memories.store("It rained.", 5)
    reasons = {
        id: npc.recall.explain(QUESTION, id)["reason"] for id in (best, copy, long, small, other, "nobody")
    }
    assert reasons == {
        best: "returned",
        copy: "duplicate",
        long: "budget",
        small: "filtered",
        other: "not_candidate",
        "nobody": "unknown",
    }
    assert npc.recall.explain(QUESTION, again)["reason"] == "returned", "seen is another word than saw"
    npc.config = MemoryConfig(semantic_top_k=3, memory_token_budget=12, protected_slot_types=[])
    assert npc.recall.explain(QUESTION, again)["reason"] == "out_scored"
    assert "12 tokens" in npc.recall.explain(QUESTION, again)["text"]


@pytest.mark.parametrize("by_score", [True, False])
def test_the_generated_header_is_explained(npc: Npc, by_score: bool) -> None:
    npc.config = MemoryConfig(use_score_based_selection=by_score)
    npc.memories.store("Ann saw the fire at the mill.", 8)
    header = npc.recall.retrieve_scored(QUESTION)[0]
    told = npc.recall.explain(QUESTION, header["id"])
    assert header["id"] == npc.relationship.generate_relationship_header()["id"]
    assert (told["reason"], told["is_returned"], told["memory_id"]) == ("returned", True, header["id"])


def test_each_reason_when_memories_are_taken_tier_by_tier(npc: Npc) -> None:
    npc.config = MemoryConfig(
        use_score_based_selection=False,
        max_memory_chars=60,
        max_pinned_memories=1,
        max_regular_memories=3,
        protected_slot_types=[],
    )
    pinned = npc.memories.store("The king betrayed Ann.", 9, {"memory_tier": 0})
    other = npc.memories.store("A wolf betrayed the king.", 2, {"memory_tier": 0})
    best = npc.memories.store("Ann saw the fire at the mill.", 8)
    again = npc.memories.store("Ann had seen a fire at the old mill, at midnight.", 8)
    long = npc.memories.store(
        "The fire at the mill: Ann saw it and cried, and cried, and cried.", 5, {"document_short": "x" * 90}
    )
    small = npc.memories.store("Ann saw fire.", 2)
    answer = npc.recall.retrieve_scored(QUESTION)
    told = {id: npc.recall.explain(QUESTION, id) for id in (pinned, other, best, again, long, small)}
    assert [memory["id"] for memory in answer] == [pinned, best]
    assert {id: each["reason"] for id, each in told.items()} == {
        pinned: "returned",
        other: "filtered",
        best: "returned",
        again: "out_scored",
        long: "budget",
        small: "filtered",
    }
    by_score = sorted((told[id]["score"] for id in (pinned, best, again, long)), reverse=True)
    assert all(by_score[told[id]["score_rank"] - 1] == told[id]["score"] for id in (pinned, best, again))
    assert "1 candidate comes before it, tier by tier" in told[again]["text"]
    assert "60 characters" in told[again]["text"]
    assert "score" not in told[pinned]["text"]


def test_a_high_signal_event_is_not_said_to_be_among_the_most_relevant(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=1, protected_slot_types=[])
    npc.memories.store("Ann saw the fire at the mill.", 8)
    promise = npc.memories.store("Ann promised bread to the king.", 8, {"event_type": "promise_made"})
    told = npc.recall.explain(QUESTION, promise)
    assert (told["relevance_rank"], told["source"]) == (2, "high_signal")


def test_only_keywords_that_are_looked_up_are_told(npc: Npc) -> None:
    npc.memories.store("The last word is zephyrin.", 5)
    told = npc.recall.explain(" ".join([f"w{number}" for number in range(MAX_TERMS)]) + " zephyrin")
    assert len(told["keywords"]) == MAX_TERMS
    assert "zephyrin" not in told["keywords"]


def test_names_and_keywords_of_the_question_are_told(npc: Npc) -> None:
    npc.memories.store("Ann lit the fire.", 5, {"participants": ["Ann"]})
    told = npc.recall.explain("Did Ann light the fires?")
    assert told["names"] == ["ann"]
    assert told["embedded_context"] == "Did light the fires?"
    assert told["keywords"] == {"ann": 1, "light": 0, "fire": 1}
    assert npc.recall.explain("")["names"] == []


@pytest.mark.parametrize("tiered", [False, True])
def test_near_duplicates_collapse_and_the_better_one_stays(npc: Npc, tiered: bool) -> None:
    worse = npc.memories.store("Ann had burned the old mill.", 4, {"turn": 1})
    better = npc.memories.store("Ann burned the old mill!", 7, {"turn": 2})
    others = [
        npc.memories.store("Ann did not burn the old mill.", 6),
        npc.memories.store("The old mill burned Ann.", 6),
        npc.memories.store("Bert burned the old mill.", 6),
        npc.memories.store("Ann burned 2 old mills.", 6),
    ]
    if tiered:
        found = npc.recall.retrieve_tiered("Who burned the mill?", {"max_regular_memories": 10})["relevant"]
    else:
        found = [
            memory for memory in npc.recall.retrieve_scored("Who burned the mill?") if not memory["protected"]
        ]
    duplicates = {memory["id"]: memory.get("duplicates", []) for memory in found}
    assert duplicates == {better: [worse], **{id: [] for id in others}}
    assert {m["id"] for m in npc.recall.retrieve_relevant_raw("Who burned the mill?", {"limit": 10})} == {
        worse,
        better,
        *others,
    }
