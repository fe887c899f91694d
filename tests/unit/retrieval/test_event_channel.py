"""The kind of event that a question asks for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory import MemoryConfig, Npc
from rag_memory.config.event_words import DEFAULT_EVENT_WORDS
from rag_memory.index.columns import Columns, SearchedRow
from rag_memory.retrieval.channels import event_channel
from rag_memory.text.terms import question_terms


def channel(event_types: list[str], question: str, event_words: dict[str, str] | None = None) -> list[float]:
    columns = Columns([SearchedRow(n + 1, 5, n, 2, event_type) for n, event_type in enumerate(event_types)])
    scores: list[float] = event_channel(columns, question_terms(question), event_words or {}).tolist()
    return scores


def test_a_question_for_a_present_asks_for_gifts() -> None:
    assert channel(["gift_received", "theft", "general"], "Did I ever bring you a present?") == [
        1.0,
        0.0,
        0.0,
    ]


def test_a_question_for_no_kind_of_event_says_nothing() -> None:
    assert channel(["gift_received", "theft"], "Where is the mill?") == [0.0, 0.0]
    assert channel([], "Did I bring you a present?") == []


def test_the_words_of_a_types_own_name_count() -> None:
    assert channel(["ship_repaired", "theft"], "Who repaired it?") == [1.0, 0.0]


def test_a_rare_word_counts_more() -> None:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) for a word that fits n of N memories."""
    stolen, promised = channel(["theft", *["promise_made"] * 4], "Who stole what they had promised?")[:2]
    rare, common = (math.log1p((5 - count + 0.5) / (count + 0.5)) for count in (1, 4))
    assert stolen == pytest.approx(rare / (rare + common))
    assert promised == pytest.approx(common / (rare + common))


def test_a_kind_that_no_memory_has_takes_its_share() -> None:
    """The question asks for something that never happened, so what fits its other words fits it in part."""
    (theft,) = channel(["theft"], "Did a murder follow the theft?")
    assert 0.0 < theft < 1.0


def test_the_games_words_take_the_place_of_the_default_ones() -> None:
    words = {"theft": "pinch"}
    assert channel(["theft", "general"], "Who would pinch a spoon?", words) == [1.0, 0.0]
    assert channel(["theft", "general"], "Who stole a spoon?", words)[0] == 0.0
    assert channel(["theft", "general"], "Who stole a spoon?")[0] == 1.0


@given(
    st.lists(st.sampled_from([*DEFAULT_EVENT_WORDS, "general", "", "my_own_type"]), max_size=30),
    st.text(max_size=60) | st.sampled_from(list(DEFAULT_EVENT_WORDS.values())),
)
def test_the_channel_is_a_share(event_types: list[str], question: str) -> None:
    assert all(0.0 <= value <= 1.00001 for value in channel(event_types, question))


def test_a_word_of_the_config_finds_a_memory(npc: Npc) -> None:
    npc.memories.store("Tomek mended her hull.", 5, {"event_type": "ship_repaired"})
    npc.memories.store("Tomek sang on the quay.", 5, {"event_type": "song"})
    npc.config = MemoryConfig(event_words={"ship_repaired": "caulk overhaul"})
    best = npc.recall.retrieve_relevant_raw("Who did the overhaul?")[0]
    assert best["document"] == "Tomek mended her hull."
    assert best["breakdown"]["event_channel"] == 1.0
