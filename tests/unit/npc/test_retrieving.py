from __future__ import annotations

import copy
import dataclasses
import logging
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.answers import said

from rag_memory import (
    InvalidArgumentError,
    MemoryConfig,
    Npc,
    RelevanceMode,
    Save,
    ScoreMode,
    open_save,
)
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.retrieval.selection import estimate_tokens

NOW = 1_702_500_000.0
DAY = 86400.0
FACTORS = ("tier_weight", "importance", "recency", "relevance", "supersession")
EVENTS = ["general", "betrayal", "promise_made", "quest_completed", "first_meeting"]
WORDS = ["mill", "fire", "Marcus", "sword", "bread", "promise", "river", "gold", "night", "Elena"]

stored = st.fixed_dictionaries(
    {
        "text": st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join),
        "importance": st.integers(1, 10),
        "timestamp": st.sampled_from([NOW - DAY * age for age in (0, 1, 5, 30)]),
        "event_type": st.sampled_from(EVENTS),
        "slot_type": st.sampled_from(["", "", "", "player_name", "mood"]),
    }
)
configs = st.builds(
    MemoryConfig,
    use_score_based_selection=st.booleans(),
    use_bounded_collection=st.booleans(),
    use_dual_representation=st.booleans(),
    score_mode=st.sampled_from(ScoreMode),
    relevance_mode=st.sampled_from(RelevanceMode),
    semantic_top_k=st.integers(0, 20),
    high_relevance_threshold=st.sampled_from([0.0, 0.5, 0.85]),
)
questions = st.lists(st.sampled_from([*WORDS, "who"]), max_size=4).map(" ".join)
EMBEDDER = HashingEmbedder(64)

_LIMITS = ("max_pinned_memories", "max_important_memories", "max_regular_memories", "max_memory_chars")


def village(memories: list[dict[str, Any]], config: MemoryConfig) -> Npc:
    save = open_save(":memory:", embedder=EMBEDDER, clock=lambda: NOW)
    # What was recalled a moment ago scores higher in STREAM.
    save.context.notes_accesses = False
    npc = save.npc("elena", config)
    npc.memories.store_batch(memories)
    return npc


@given(st.lists(stored, max_size=30), configs, questions, st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_invariants_of_every_answer(
    memories: list[dict[str, Any]], config: MemoryConfig, question: str, budget: int
) -> None:
    npc = village(memories, config)
    answer = npc.recall.retrieve_scored(question, budget)
    assert answer == npc.recall.retrieve_scored(question, budget)

    protected = [memory for memory in answer if memory["protected"]]
    others = [memory for memory in answer if not memory["protected"]]
    assert answer == protected + others
    spent = sum(estimate_tokens(memory["rendered_text"]) for memory in protected)
    free = sum(estimate_tokens(memory["rendered_text"]) for memory in others)
    assert free <= max(0, budget - spent)

    assert protected[0]["id"] == "elena_relationship_header"
    in_slot = any(memory["slot_type"] == "player_name" for memory in memories)
    assert [memory["metadata"]["slot_type"] for memory in protected[1:]] == ["player_name"] * in_slot

    assert len({memory["id"] for memory in answer}) == len(answer)
    assert len({memory["document_full"] for memory in answer}) == len(answer)
    if config.use_score_based_selection:
        order = [(-m["score"], -m["metadata"]["timestamp"], m["id"]) for m in others]
        assert order == sorted(order)
    for memory in answer:
        assert memory["distance"] == 1.0 - memory["similarity"]
        assert 0.0 <= memory["similarity"] <= 1.0
        by_words = config.relevance_mode == RelevanceMode.KEYWORD and "dense" not in memory["breakdown"]
        assert memory["breakdown"]["keyword_overlap" if by_words else "dense"] == memory["similarity"]
        form = memory["document_full"] if memory["used_form"] == "full" else memory["document_short"]
        is_earlier = "newer" in memory and not memory["metadata"].get("superseded_by")
        assert memory["rendered_text"] == (f"earlier: {form}" if is_earlier else form)
        if config.score_mode == ScoreMode.PRODUCT:
            if config.use_dual_representation and memory["used_form"] == "full":
                assert memory["similarity"] >= config.high_relevance_threshold
            factors = [memory["breakdown"][name] for name in FACTORS]
            assert memory["score"] == pytest.approx(math.prod(factors), abs=1e-12)


@given(
    st.lists(stored, max_size=25),
    st.sampled_from(RelevanceMode),
    questions,
    st.integers(0, 30),
    st.integers(0, 10),
)
@settings(max_examples=80, deadline=None)
def test_k_come_back_when_k_exist(
    memories: list[dict[str, Any]], mode: RelevanceMode, question: str, k: int, least: int
) -> None:
    memories = [{**memory, "number": number} for number, memory in enumerate(memories)]
    npc = village(memories, MemoryConfig(relevance_mode=mode))
    left = [memory["metadata"] for memory in npc.recall.get_recent(len(memories))]
    wanted = [m for m in left if m["importance"] >= least and m["event_type"] == "general"]
    options = {
        "limit": k,
        "min_importance": least,
        "filter": {"event_type": "general", "slot_type": {"!=": "x"}},
    }
    answer = npc.recall.retrieve_relevant_raw(question, options)
    assert len(answer) == min(k, len(wanted))
    values = [memory["breakdown"]["relevance"] for memory in answer]
    assert values == sorted(values, reverse=True)


@given(
    st.lists(stored, min_size=1, max_size=25), st.sampled_from(RelevanceMode), questions, st.integers(1, 10)
)
@settings(max_examples=60, deadline=None)
def test_a_larger_k_only_adds(
    memories: list[dict[str, Any]], mode: RelevanceMode, question: str, k: int
) -> None:
    npc = village(memories, MemoryConfig(relevance_mode=mode))
    few = npc.recall.retrieve_relevant_raw(question, {"limit": k})
    many = npc.recall.retrieve_relevant_raw(question, {"limit": k + 5})
    relevance = [memory["breakdown"]["relevance"] for memory in many[:k]]
    assert [memory["breakdown"]["relevance"] for memory in few] == relevance[: len(few)]


@pytest.mark.parametrize("mode", RelevanceMode)
@pytest.mark.parametrize("limit", [0, 10_000])
def test_of_equally_relevant_memories_the_newest_come(npc: Npc, mode: RelevanceMode, limit: int) -> None:
    npc.config = MemoryConfig(relevance_mode=mode, exact_search_limit=limit)
    for day in range(6):
        npc.memories.store("The bell rang.", 5, {"day": day, "timestamp": NOW + day * DAY})
    for asked in range(1, 8):
        found = npc.recall.retrieve_relevant_raw("bell", {"limit": asked})
        assert [memory["metadata"]["day"] for memory in found] == [5, 4, 3, 2, 1, 0][:asked]
    ids = [memory["id"] for memory in found]
    assert [npc.recall.explain("bell", id)["relevance_rank"] for id in ids] == [1, 2, 3, 4, 5, 6]


def test_of_equally_relevant_memories_the_newest_by_their_dates_come(npc: Npc) -> None:
    days = [3, 0, 5, 1, 4, 2]
    for day in days:
        npc.memories.store("The bell rang.", 5, {"day": day, "timestamp": NOW + day * DAY})
    found = npc.recall.retrieve_relevant_raw("bell", {"limit": 2})
    assert [memory["metadata"]["day"] for memory in found] == [5, 4]
    for mode in RelevanceMode:
        npc.config = MemoryConfig(relevance_mode=mode)
        found = npc.recall.retrieve_relevant_raw("bell", {"limit": 6})
        assert [memory["metadata"]["day"] for memory in found] == [5, 4, 3, 2, 1, 0]
        ranks = [npc.recall.explain("bell", memory["id"])["relevance_rank"] for memory in found]
        assert ranks == [1, 2, 3, 4, 5, 6]


def test_protected_is_what_is_part_of_every_answer(npc: Npc, clock: Any) -> None:
    new = npc.memories.store("Their name is Bob.", 9, {"slot_type": "player_name"})
    before = {"slot_type": "player_name", "timestamp": clock.now - 60}
    old = npc.memories.store("Their name is Ann.", 9, before)
    answers = [
        npc.recall.retrieve_scored("name"),
        npc.recall.retrieve_relevant_raw("name"),
        npc.recall.get_recent(),
        npc.tools.browse()["rows"],
        [npc.memories.get_memory(old), npc.memories.get_memory(new)],
    ]
    for number, answer in enumerate(answers):
        # For a prompt only the newest of a slot counts.
        others = {} if number == 0 else {old: False}
        assert {m["id"]: m["protected"] for m in answer if m["metadata"]["slot_type"] == "player_name"} == {
            **others,
            new: True,
        }
        assert all(npc.rules.is_protected(memory) == memory["protected"] for memory in answer)
    assert npc.memories.get_memory_stats()["protected"] == 1
    assert npc.rules.is_protected({"metadata": {"slot_type": "player_name"}})
    npc.config = MemoryConfig(protected_slot_types=["player_name"])
    header = npc.relationship.generate_relationship_header()
    assert not header["protected"] and not npc.rules.is_protected(header)
    with pytest.raises(InvalidArgumentError, match=r"relationship header is made anew.*store_relationship"):
        npc.memories.store("[Met=yes]", 9, {"slot_type": "relationship_header"})


def test_the_three_sources_of_candidates(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=1, high_signal_limit=2)
    npc.memories.store("Their name is Theron.", 5, {"slot_type": "player_name"})
    for age in (1, 2, 3, 40):
        npc.memories.store(
            f"A promise, {age} days ago.", 5, {"event_type": "promise_made", "timestamp": NOW - age * DAY}
        )
    npc.memories.store("The mill burned down.", 5)
    npc.memories.store("The mill, the mill, the mill.", 2)
    texts = [memory["document"] for memory in npc.recall.retrieve_scored("the mill")]
    assert texts[0].startswith("[Met=") and texts[1] == "Their name is Theron."
    assert sorted(texts[2:]) == ["A promise, 1 days ago.", "A promise, 2 days ago.", "The mill burned down."]


def test_without_bounds_every_memory_is_a_candidate(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=1)
    npc.memories.store_batch([{"text": f"Event number {n}.", "importance": 1} for n in range(40)])
    assert len(npc.recall.retrieve_scored("event")) == 1
    npc.config = MemoryConfig(use_bounded_collection=False)
    assert len(npc.recall.retrieve_scored("event")) == 41


def test_tier_by_tier_selection_has_its_own_limits(npc: Npc) -> None:
    npc.config = MemoryConfig(
        use_score_based_selection=False,
        max_pinned_memories=2,
        max_important_memories=1,
        max_regular_memories=1,
    )
    for importance in (3, 9, 6):
        npc.memories.store(f"Pinned {importance}.", importance, {"memory_tier": 0})
        npc.memories.store(f"Important {importance}.", importance, {"memory_tier": 1})
        npc.memories.store(f"Regular {importance}.", importance, {"memory_tier": 2})
    texts = [memory["document"] for memory in npc.recall.retrieve_scored("Regular 3.")]
    assert texts[1:] == ["Pinned 9.", "Pinned 6.", "Important 9.", "Regular 3."]
    npc.config = dataclasses.replace(npc.config, max_memory_chars=len(texts[0]) + 10)
    assert [memory["document"] for memory in npc.recall.retrieve_scored("Regular 3.")][1:] == ["Pinned 9."]


def test_repetitions_do_not_crowd_out_other_memories(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=3)
    npc.memories.store_batch([{"text": "The mill burned.", "timestamp": NOW - n * DAY} for n in range(60)])
    npc.memories.store("The mill was rebuilt.")
    npc.memories.store("The miller wept.")
    answer = npc.recall.retrieve_scored("The mill burned.")[1:]
    assert len(answer) == 3
    assert answer[0]["metadata"]["timestamp"] == NOW


def test_the_full_form_needs_room(npc: Npc) -> None:
    text = (
        "The old mill by the river burned down that night. "
        + "Nobody knows why it did, and nobody asks. " * 4
    )
    npc.memories.store(text, 5)
    npc.config = MemoryConfig(protected_slot_types=[])
    for question in (text, "something else entirely"):
        (memory,) = npc.recall.retrieve_scored(question)
        assert memory["used_form"] == "full" and memory["rendered_text"] == text
        (memory,) = npc.recall.retrieve_scored(question, 40)
        assert memory["used_form"] == "short" and len(memory["rendered_text"]) <= 100
        assert npc.recall.retrieve_scored(question, 5) == []
    npc.config = MemoryConfig(use_dual_representation=False, protected_slot_types=[])
    assert npc.recall.retrieve_scored(text, 40) == []


def test_the_best_memories_are_whole_and_a_short_form_only_fits_one_more_in(npc: Npc) -> None:
    npc.config = MemoryConfig(protected_slot_types=[])
    for place in ("mill", "ford", "inn"):
        npc.memories.store(
            f"Marcus burned the {place} by the river. " + "It was a long night for everybody. " * 4, 5
        )
    whole = sum(estimate_tokens(memory["rendered_text"]) for memory in npc.recall.retrieve_scored("Marcus"))
    for budget in range(whole + 5):
        forms = [memory["used_form"] for memory in npc.recall.retrieve_scored("Marcus", budget)]
        assert forms == sorted(forms), "a short form comes after whole memories"
        assert forms.count("short") <= 2
    assert forms == ["full"] * 3


def test_answers_without_a_budget_are_whole(npc: Npc) -> None:
    text = (
        'The player said: "How do I get in?" I answered: "The password is swordfish. ' + "Hush! " * 20 + '"'
    )
    id = npc.memories.store(text, 6)
    answers = [
        npc.recall.recall_best("the way in"),
        npc.memories.get_memory(id),
        *npc.recall.retrieve_relevant_raw("the way in"),
        *npc.recall.get_recent(1),
        *npc.recall.retrieve_tiered("the way in")["relevant"],
    ]
    assert [(memory["rendered_text"], memory["used_form"]) for memory in answers] == [(text, "full")] * 5
    assert npc.recall.retrieve_relevant("the way in") == [text]
    npc.config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    assert (
        npc.recall.recall_best("the way in")["used_form"]
        == npc.memories.get_memory(id)["used_form"]
        == "short"
    )


def test_product_keeps_the_rule_of_the_documents(npc: Npc) -> None:
    text = (
        "The old mill by the river burned down that night. "
        + "Nobody knows why it did, and nobody asks. " * 4
    )
    npc.memories.store(text, 5)
    npc.config = MemoryConfig(
        score_mode=ScoreMode.PRODUCT, high_relevance_threshold=0.5, protected_slot_types=[]
    )
    (memory,) = npc.recall.retrieve_scored(text)
    assert memory["used_form"] == "full" and memory["rendered_text"] == text
    (memory,) = npc.recall.retrieve_scored(text, 40)
    assert memory["used_form"] == "short" and len(memory["rendered_text"]) <= 100
    assert npc.recall.retrieve_scored(text, 5) == []
    (memory,) = npc.recall.retrieve_scored("something else entirely")
    assert memory["used_form"] == "short"
    npc.config = MemoryConfig(use_dual_representation=False, protected_slot_types=[])
    (memory,) = npc.recall.retrieve_scored("something else entirely")
    assert memory["used_form"] == "full" and memory["document"] == text


def test_protected_memories_exceed_the_budget_with_a_warning(
    npc: Npc, caplog: pytest.LogCaptureFixture
) -> None:
    npc.memories.store("The mill burned.", 10)
    with caplog.at_level(logging.WARNING):
        answer = npc.recall.retrieve_scored("the mill", 1)
    assert [memory["id"] for memory in answer] == ["elena_relationship_header"]
    assert "exceeds the token budget of 1" in caplog.text


def test_a_memory_that_does_not_fit_is_skipped_not_the_end(npc: Npc) -> None:
    npc.config = MemoryConfig(protected_slot_types=[], use_dual_representation=False)
    npc.memories.store("The mill burned and burned and burned and burned.", 10)
    npc.memories.store("The mill.", 1, {"event_type": "betrayal"})
    assert [memory["document"] for memory in npc.recall.retrieve_scored("mill", 4)] == ["The mill."]


def test_an_empty_question_finds_what_is_new(npc: Npc) -> None:
    npc.config = MemoryConfig(semantic_top_k=2)
    npc.memories.store_batch([{"text": f"Day {n}.", "timestamp": NOW - n * DAY} for n in range(5)])
    answer = npc.recall.retrieve_scored("  ")
    assert [memory["document"] for memory in answer[1:]] == ["Day 0.", "Day 1."]
    assert all(memory["similarity"] == 0.0 for memory in answer)
    assert npc.recall.retrieve_relevant("", {"limit": 1}) == ["Day 0."]


def test_an_npc_without_memories_has_its_header(npc: Npc) -> None:
    assert [memory["id"] for memory in npc.recall.retrieve_scored("hello")] == ["elena_relationship_header"]
    assert npc.recall.retrieve_relevant("hello") == [] and npc.recall.get_recent() == []


def test_every_answer_is_announced(npc: Npc) -> None:
    events: list[tuple[str, tuple[Any, ...]]] = []
    npc.memories.store("The mill burned.")
    npc.on_event = lambda name, arguments: events.append((name, arguments))
    npc.recall.retrieve_scored("mill")
    npc.recall.retrieve_relevant("mill")
    assert events == [("memories_recalled", (2,)), ("memories_recalled", (1,))]


def test_answers_are_the_callers_own(npc: Npc) -> None:
    npc.memories.store("The mill burned.", 5, {"topics": ["mill"]})
    before = npc.recall.retrieve_scored("mill")
    for memory in npc.recall.retrieve_scored("mill"):
        memory["metadata"]["topics"].append("changed")
        memory["metadata"]["importance"] = 10
    assert npc.recall.retrieve_scored("mill") == before


@pytest.mark.parametrize(
    "call",
    [
        lambda npc: npc.recall.retrieve_scored(None),
        lambda npc: npc.recall.retrieve_scored("x", "many"),
        lambda npc: npc.recall.retrieve_scored("x", -2),
        lambda npc: npc.recall.retrieve_relevant("x", {"limits": 3}),
        lambda npc: npc.recall.retrieve_relevant("x", {"limit": -1}),
        lambda npc: npc.recall.retrieve_relevant("x", {"min_importance": "high"}),
        lambda npc: npc.recall.retrieve_relevant("x", []),
        lambda npc: npc.recall.retrieve_relevant_raw("x", {"filter": "all"}),
        lambda npc: npc.recall.get_recent("5"),
        lambda npc: npc.recall.get_recent(-1),
        lambda npc: npc.memories.get_memory(5),
        lambda npc: npc.memories.forget(None),
        lambda npc: npc.rules.is_protected("x"),
        lambda npc: npc.rules.estimate_tokens(5),
        lambda npc: npc.recall.calculate_memory_score({"metadata": {"memory_tier": 7}}),
        lambda npc: npc.recall.calculate_memory_score({"metadata": {"timestamp": "now"}}),
        lambda npc: npc.relationship.set_relationship_state({"trust": "high"}),
        lambda npc: npc.relationship.set_relationship_state([]),
    ],
)
def test_wrong_arguments_are_clear_errors(npc: Npc, call: Callable[[Any], Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        call(npc)


@pytest.mark.parametrize("mode", RelevanceMode)
@pytest.mark.parametrize("question", ["mill", ""])
@pytest.mark.parametrize("many", [10**30, 1e30])
def test_more_than_there_can_be_is_all_there_are(
    npc: Npc, mode: RelevanceMode, question: str, many: float
) -> None:
    npc.config = MemoryConfig(relevance_mode=mode)
    for number in range(3):
        npc.memories.store(f"The mill has {number} cats.", 5)
    assert len(npc.recall.retrieve_relevant_raw(question, {"limit": many})) == 3
    assert len(npc.recall.retrieve_tiered(question, dict.fromkeys(_LIMITS, many))["relevant"]) == 3
    assert len(npc.recall.get_recent(int(many))) == 3
    assert npc.recall.get_recent(5, int(many)) == []
    assert len(npc.recall.get_recent(5, -int(many))) == 3


def test_estimate_tokens_rounds_up(npc: Npc) -> None:
    assert [npc.rules.estimate_tokens("x" * n) for n in (0, 1, 3, 4)] == [0, 1, 1, 2]


def test_is_protected_looks_at_the_slot(npc: Npc) -> None:
    assert npc.rules.is_protected({"metadata": {"slot_type": "player_name"}})
    assert not npc.rules.is_protected({"metadata": {"slot_type": "mood"}}) and not npc.rules.is_protected({})
    assert all(
        npc.rules.is_protected(memory) == memory["protected"] for memory in npc.recall.retrieve_scored("x")
    )


def test_only_the_newest_value_of_a_slot_is_protected(npc: Npc) -> None:
    npc.memories.store("Their name is Theron.", 5, {"slot_type": "player_name", "timestamp": NOW - DAY})
    npc.memories.store("Their name is Thoren.", 5, {"slot_type": "player_name"})
    answer = npc.recall.retrieve_scored("name")
    assert [memory["document"] for memory in answer if memory["protected"]][1:] == ["Their name is Thoren."]


@given(st.lists(stored, min_size=1, max_size=15), questions)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_reopened_save_answers_the_same(
    tmp_path_factory: Any, memories: list[dict[str, Any]], question: str
) -> None:
    path = tmp_path_factory.mktemp("save") / "village.sqlite3"

    def answers(save: Save) -> Any:
        npc = save.npc("elena")
        recent = npc.recall.get_recent(50)
        memories = [npc.memories.get_memory(memory["id"]) for memory in recent]
        return said(npc.recall.retrieve_scored(question)), said(recent), said(memories)

    with open_save(path, embedder=EMBEDDER, clock=lambda: NOW) as save:
        save.npc("elena").memories.store_batch(memories)
        before = answers(save)
    with open_save(path, embedder=EMBEDDER, clock=lambda: NOW) as save:
        assert answers(save) == before


def test_what_a_caller_changes_in_an_answer_changes_no_memory(npc: Npc) -> None:
    npc.memories.store("Ann sold the mill.", 5, {"participants": ["Ann"], "prices": {"mill": [100]}})
    (first,) = npc.recall.retrieve_relevant_raw("Who sold the mill?")
    expected = copy.deepcopy(first)
    first["metadata"]["participants"].append("Ben")
    first["metadata"]["topics"].append("war")
    first["metadata"]["prices"]["mill"].append(200)
    first["metadata"]["emotion"] = "angry"
    first["breakdown"]["relevance"] = 0.0
    assert npc.recall.retrieve_relevant_raw("Who sold the mill?") == [expected]


@pytest.mark.parametrize("is_by_score", [True, False])
def test_earlier_values_of_a_slot_take_no_places(npc: Npc, clock: Any, is_by_score: bool) -> None:
    npc.config = MemoryConfig(
        semantic_top_k=3, max_regular_memories=3, use_score_based_selection=is_by_score, slot_types=["ally"]
    )
    other = npc.memories.store("The mill is shut.", 6)
    for lord in range(30):
        clock.now += 60
        newest = npc.memories.store(
            f"The player serves lord {lord} of the old mill by the river.", 6, {"slot_type": "ally"}
        )
    context = "Which lord of the old mill by the river does the player serve?"
    assert {each["id"] for each in npc.recall.retrieve_scored(context)} >= {other, newest}
    assert npc.recall.explain(context, other)["source"] == ("relevance" if is_by_score else "tier")
    assert {each["id"] for each in npc.recall.retrieve_tiered(context)["relevant"]} == {other, newest}
