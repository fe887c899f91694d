"""The format of answers, in which each text comes once. Engine tests check the other side."""

from __future__ import annotations

import struct
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.godot import variant_codec
from rag_memory.godot.variant_codec import PackedStrings, TypedList, decode, encode_answer
from rag_memory.npc.npc import Npc
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement.answers import read_answer

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT.filter(lambda key: not key.startswith("$")), inner),
    max_leaves=30,
)
KILOBYTE = 1000


@given(VALUES)
def test_an_answer_reads_as_what_was_written(value: Any) -> None:
    answer = read_answer(encode_answer(value))
    assert answer == value
    assert type(answer) is type(value)


@pytest.mark.parametrize("number", [0, -1, 63, 64, -64, -65, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63)])
def test_whole_numbers_of_every_size(number: int) -> None:
    assert read_answer(encode_answer([number, 1])) == [number, 1]


def test_a_number_beyond_64_bits_is_the_nearest_float() -> None:
    assert read_answer(encode_answer(1 << 63)) == float(1 << 63)


@pytest.mark.parametrize("number", [0.1, 0.5, -0.0, 1e300, 1e-300, float("inf"), 1_750_000_001.25])
def test_no_float_loses_a_digit(number: float) -> None:
    assert struct.pack("<d", read_answer(encode_answer(number))) == struct.pack("<d", number)


def test_a_text_that_comes_again_costs_a_byte_or_two() -> None:
    text = "The mill burned down in the night of the harvest feast."
    assert len(encode_answer([text] * 50)) < len(text) + 60
    many = [f"{number} sacks" for number in range(300)]
    assert len(encode_answer([*many, *many])) < len(encode_answer(many)) + 3 * len(many) + 10
    assert read_answer(encode_answer([*many, *many])) == [*many, *many]


def test_equal_keys_and_texts_are_the_same_text() -> None:
    value = [{"mill": "mill"}, PackedStrings(["mill", "ford"]), {"ford": ["mill", ""]}, {"": ""}]
    plain = [{"mill": "mill"}, ["mill", "ford"], {"ford": ["mill", ""]}, {"": ""}]
    encoded = encode_answer(value)
    assert read_answer(encoded) == plain
    assert encoded.count(b"mill") == encoded.count(b"ford") == 1


def test_typed_arrays_and_values_of_the_engine_arrive() -> None:
    vector = struct.pack("<I2f", 5, 1, 2)
    memories = [{"text": "At the ford", "at": decode(vector)}, {"$godot_items": [[1, "one"], ["a", 2]]}]
    answer = read_answer(encode_answer(TypedList(variant_codec.DICTIONARY, memories)))
    assert answer[0] == memories[0] and answer[1] == {1: "one", "a": 2}
    assert vector in encode_answer(memories)


def test_half_a_character_becomes_a_question_mark() -> None:
    assert read_answer(encode_answer(["half a pair: \ud800", "whole"])) == ["half a pair: ?", "whole"]


@pytest.mark.parametrize("value", [object(), {"key": {1, 2}}, b"bytes", [PackedStrings([1])]])  # type: ignore[list-item]
def test_what_has_no_variant_form_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        encode_answer(value)


def test_an_answer_with_many_memories_is_small(npc: Npc) -> None:
    for number in range(19):
        npc.memories.store(
            f"The player carried sack number {number} of the new harvest to the mill at the ford.",
            7,
            {"event_type": "conversation", "participants": ["Mira"], "location": "the mill"},
        )
    memories = npc.recall.retrieve_relevant_raw("Who carried the sacks to the mill?", {"limit": 19})
    assert len(memories) == 19
    encoded = encode_answer(TypedList(variant_codec.DICTIONARY, memories))
    assert len(encoded) < 10 * KILOBYTE < len(variant_codec.encode(memories))
    assert read_answer(encoded) == memories
