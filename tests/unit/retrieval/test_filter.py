from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, Npc, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder

MEMORIES: list[dict[str, Any]] = [
    {"text": "A", "importance": 3, "timestamp": 10.0, "event_type": "betrayal", "location": "mill"},
    {"text": "B", "importance": 5, "timestamp": 20.0, "location": "inn", "participants": ["Elena", "Marcus"]},
    {
        "text": "C",
        "importance": 8,
        "timestamp": 30.0,
        "location": "O'Hara's",
        "is_milestone": True,
        "mood": "calm",
    },
    {"text": "D", "importance": 10, "timestamp": 40.0, "mood": 4, "tags": ["war", 2, True], "flag": True},
    {
        "text": "E",
        "importance": 10,
        "timestamp": 50.0,
        "mood": 4.5,
        "flag": 1,
        "nothing": None,
        'k"e.y$': "odd",
    },
]


def found(npc: Npc, filter: dict[str, Any]) -> str:
    answer = npc.recall.retrieve_relevant_raw("anything", {"limit": 50, "filter": filter})
    return "".join(sorted(memory["document"] for memory in answer))


@pytest.fixture
def village(npc: Npc) -> Npc:
    npc.memories.store_batch(MEMORIES)
    return npc


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ({}, "ABCDE"),
        ({"event_type": "betrayal"}, "A"),
        ({"event_type": {"!=": "betrayal"}}, "BCDE"),
        ({"event_type": {"in": ["betrayal", "nothing"]}}, "A"),
        ({"event_type": {"nin": ["betrayal"]}}, "BCDE"),
        ({"event_type": "unheard_of"}, ""),
        ({"importance": {">=": 5, "<": 10}}, "BC"),
        ({"importance": {"in": [3, 8]}}, "AC"),
        ({"importance": {"not_in": [3, 8]}}, "BDE"),
        ({"importance": 5.0}, "B"),
        ({"timestamp": {">": 20}}, "CDE"),
        ({"memory_tier": 0}, "AC"),
        ({"location": {"in": ["mill", "inn"]}}, "AB"),
        ({"location": "O'Hara's"}, "C"),
        ({"location": {">": "m"}}, "A"),
        ({"is_milestone": True}, "AC"),
        ({"is_milestone": {"!=": True}}, "BDE"),
        ({"participants": {"contains": "Elena"}}, "B"),
        ({"npc_id": "elena"}, "ABCDE"),
        ({"npc_id": {"!=": "elena"}}, ""),
        ({"mood": "calm"}, "C"),
        ({"mood": 4}, "D"),
        ({"mood": {">": 4}}, "E"),
        ({"mood": {"<": "d"}}, "C"),
        ({"mood": {"!=": 4}}, "ABCE"),
        ({"mood": {"in": [4, "calm"]}}, "CD"),
        ({"mood": {"not_in": [4, "calm"]}}, "ABE"),
        ({"mood": {"in": []}}, ""),
        ({"flag": True}, "D"),
        ({"flag": 1}, "E"),
        ({"nothing": None}, "E"),
        ({"tags": {"contains": "war"}}, "D"),
        ({"tags": {"contains": 2}}, "D"),
        ({"tags": {"contains": 1}}, ""),
        ({'k"e.y$': "odd"}, "E"),
        ({"unheard_of": "x"}, ""),
        ({"unheard_of": {"!=": "x"}}, "ABCDE"),
        ({"mood": 2**70}, ""),
        ({"mood": {"<": 2**70}}, "DE"),
        ({"mood": {">": -(2**70)}}, "DE"),
        ({"mood": {"not_in": [2**70, 4]}}, "ABCE"),
        ({"superseded_at": {"<": 2**70}}, "ABCDE"),
        ({"tags": {"contains": 2**70}}, ""),
        ({"event_type": "betrayal", "location": "inn"}, ""),
        ({"location": "mill' OR '1'='1"}, ""),
        ({"location') OR 1=1 --": "x"}, ""),
    ],
)
def test_filters(village: Npc, filter: dict[str, Any], expected: str) -> None:
    assert found(village, filter) == expected


ORDERED: dict[str, Callable[[float, float], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
NUMBERS = st.one_of(
    st.integers(-2, 12),
    st.integers(254, 258),
    st.integers(-(2**70), 2**70),
    st.integers(-20, 120).map(lambda tenths: tenths / 10),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(
    st.lists(st.integers(1, 10), max_size=12),
    st.sampled_from(["importance", "memory_tier", "timestamp"]),
    st.one_of(
        st.tuples(st.sampled_from(sorted(ORDERED)), NUMBERS),
        st.tuples(st.sampled_from(["in", "not_in"]), st.lists(NUMBERS, max_size=4)),
    ),
    st.integers(-1, 11),
)
@settings(max_examples=200, deadline=None)
def test_a_number_is_compared_as_a_float(
    importances: list[int], field: str, comparison: tuple[str, Any], least: int
) -> None:
    with open_save(":memory:", embedder=HashingEmbedder(16)) as save:
        npc = save.npc("elena")
        memories: list[dict[str, Any]] = [
            {
                "text": f"memory {number}",
                "importance": importance,
                "memory_tier": importance % 3,
                "timestamp": importance / 4,
            }
            for number, importance in enumerate(importances)
        ]
        npc.memories.store_batch(memories)
        name, wanted = comparison
        options = {"limit": 50, "min_importance": least, "filter": {field: {name: wanted}}}
        answer = npc.recall.retrieve_relevant_raw("anything", options)
    expected = []
    for memory in memories:
        value = float(memory[field])
        if name in ORDERED:
            is_met = ORDERED[name](value, float(wanted))
        else:
            is_met = (value in map(float, wanted)) == (name == "in")
        if is_met and memory["importance"] >= least:
            expected.append(memory["text"])
    assert sorted(each["document_full"] for each in answer) == sorted(expected)


@pytest.mark.parametrize(
    ("filter", "says"),
    [
        ({"importance": {"=>": 4}}, "no such operator"),
        ({"importance": {">=": "4"}}, "a number"),
        ({"importance": float("nan")}, "finite"),
        ({"event_type": 4}, "a String"),
        ({"event_type": {"contains": "x"}}, "can be compared with"),
        ({"participants": "Elena"}, "contains"),
        ({"is_milestone": 1}, "a bool"),
        ({"is_milestone": {">": False}}, "can be compared with"),
        ({"location": {"in": "mill"}}, "an Array"),
        ({"mood": {">": True}}, "a number or a String"),
        ({"mood": [1]}, "null, a bool, a number or a String"),
        ({3: "x"}, "a String"),
    ],
)
def test_a_filter_that_means_nothing_is_a_clear_error(village: Npc, filter: Any, says: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        found(village, filter)
    assert says in str(error.value)


def test_repetitions_are_filtered_by_their_numbers(npc: Npc, clock: Any) -> None:
    npc.memories.store("Rain fell.")
    begin = clock.now
    clock.now += 60
    npc.memories.store("Rain fell.")
    npc.memories.store("Snow fell.")
    for filter, expected in (
        ({"repeat_count": 2}, "Rain fell."),
        ({"repeat_count": {"<": 2}}, "Snow fell."),
        ({"first_timestamp": {"<=": begin}}, "Rain fell."),
        ({"first_timestamp": {">": begin}}, "Snow fell."),
    ):
        assert found(npc, filter) == expected
        assert [row["document"] for row in npc.tools.browse({"filter": filter})["rows"]] == [expected]
    with pytest.raises(InvalidArgumentError, match="repeat_count"):
        found(npc, {"repeat_count": "2"})
