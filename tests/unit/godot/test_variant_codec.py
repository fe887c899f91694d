"""Godot's binary Variant format. The engine tests check it against the engine; these check its corners."""

from __future__ import annotations

import collections
import enum
import math
import struct
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot import variant_codec
from rag_memory.godot.variant_codec import PackedStrings, TypedList, decode, encode

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT.filter(lambda key: not key.startswith("$")), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_encoded_decodes_to_the_same_value(value: Any) -> None:
    decoded = decode(encode(value))
    assert decoded == value
    assert type(decoded) is type(value)


@given(st.lists(TEXT.filter(lambda text: not text.endswith("\0"))))
def test_a_packed_string_array_arrives_as_a_list(texts: list[str]) -> None:
    assert decode(encode(PackedStrings(texts))) == texts


@given(st.lists(st.dictionaries(TEXT.filter(lambda key: not key.startswith("$")), st.integers(0, 9))))
def test_a_typed_array_arrives_as_a_list(items: list[dict[str, int]]) -> None:
    assert decode(encode(TypedList(variant_codec.DICTIONARY, items))) == items


@given(VALUES)
def test_every_encoding_is_a_multiple_of_four_bytes(value: Any) -> None:
    assert len(encode(value)) % 4 == 0


OPAQUE = {
    "Vector2": struct.pack("<I2f", 5, 1, 2),
    "Vector2 in double precision": struct.pack("<I2d", 5 | 1 << 16, 1, 2),
    "Vector2i": struct.pack("<I2i", 6, 1, 2),
    "Rect2i": struct.pack("<I4i", 8, 1, 2, 3, 4),
    "Vector3": struct.pack("<I3f", 9, 1, 2, 3),
    "Transform3D": struct.pack("<I12f", 18, *range(12)),
    "Projection": struct.pack("<I16f", 19, *range(16)),
    "Color": struct.pack("<I4f", 20, 1, 0, 0, 1),
    "NodePath": struct.pack("<IIII", 22, 1 | 1 << 31, 0, 1) + struct.pack("<I4s", 4, b"root"),
    "PackedByteArray": struct.pack("<II", 29, 5) + b"12345\0\0\0",
    "PackedInt64Array": struct.pack("<II2q", 31, 2, 1, -1),
    "PackedVector3Array": struct.pack("<II3f", 36, 1, 1, 2, 3),
    "PackedColorArray": struct.pack("<II4f", 37, 1, 1, 2, 3, 4),
}


@pytest.mark.parametrize("name", OPAQUE)
def test_other_plain_variants_come_back_bit_by_bit(name: str) -> None:
    data = OPAQUE[name]
    assert encode(decode(data)) == data
    nested = encode([1, "x"])[:4] + struct.pack("<I", 3) + data + encode("after") + data
    first, text, second = decode(nested)
    assert (encode(first), text, encode(second)) == (data, "after", data)


def test_a_dictionary_with_other_keys_than_strings_comes_back() -> None:
    data = (
        struct.pack("<II", variant_codec.DICTIONARY, 2) + encode(1) + encode("one") + encode("a") + encode(2)
    )
    assert decode(data) == {"$godot_items": [[1, "one"], ["a", 2]]}
    assert encode(decode(data)) == data


@pytest.mark.parametrize("kind", [variant_codec.RID, variant_codec.OBJECT, variant_codec.CALLABLE])
def test_what_does_not_outlive_the_game_is_refused(kind: int) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be stored"):
        decode(struct.pack("<II", kind, 0))


def test_nesting_has_a_limit() -> None:
    value: Any = 1
    for _ in range(100):
        value = [value]
    with pytest.raises(InvalidArgumentError, match="nested"):
        decode(encode(value))


def test_a_type_of_a_later_godot_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="Variant type 77"):
        decode(struct.pack("<I", 77))


def test_what_has_no_variant_form_is_an_error() -> None:
    with pytest.raises(TypeError, match="set"):
        encode({"key": {1, 2}})
    with pytest.raises(TypeError, match="bytes"):
        encode([b"text"])
    with pytest.raises(TypeError, match="int in PackedStrings"):
        encode(PackedStrings(["text", 1]))  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"\[key, value\]"):
        encode({"$godot_items": [["key", "value"], ["key"]]})
    with pytest.raises(ValueError, match="padding"):
        encode({"$godot": "abc"})


class _Weekday(enum.IntEnum):
    FRIDAY = 5


class _Word(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (numpy.float64(0.25), 0.25),
        (_Weekday.FRIDAY, 5),
        (_Word("mill"), "mill"),
        (collections.OrderedDict(a=1), {"a": 1}),
        ((1, "two"), [1, "two"]),
        ({"$godot": 5}, {"$godot": 5}),
    ],
)
def test_what_is_derived_from_a_plain_type_is_sent_as_that(value: Any, plain: Any) -> None:
    assert decode(encode(value)) == plain


def test_numbers_at_the_ends_of_their_forms() -> None:
    for number in (1 << 31, (1 << 31) - 1, -(1 << 31), -(1 << 31) - 1, (1 << 63) - 1, -(1 << 63)):
        assert decode(encode(number)) == number
    assert decode(encode(1 << 63)) == float(1 << 63), "a Variant's int has 64 bits"
    assert math.isnan(decode(encode(float("nan"))))
    assert decode(encode([float("inf"), -float("inf")])) == [float("inf"), -float("inf")]
    with pytest.raises(OverflowError):
        encode(1 << 5000)


def test_a_text_that_is_no_unicode_is_sent_all_the_same() -> None:
    assert decode(encode(["half a pair: \ud800", "whole"])) == ["half a pair: ?", "whole"]


def test_a_list_that_contains_itself_is_an_error() -> None:
    value: list[Any] = ["text"]
    value.append({"again": value})
    with pytest.raises(RecursionError):
        encode(value)


def test_long_answers() -> None:
    memories = [{"text": f"{number} " * 200, "number": number} for number in range(2000)]
    assert decode(encode(TypedList(variant_codec.DICTIONARY, memories))) == memories


def test_the_error_of_a_refused_value_has_its_path() -> None:
    refused = struct.pack("<II", variant_codec.OBJECT, 0)
    items = struct.pack("<II", variant_codec.ARRAY, 2) + encode(1) + refused
    data = struct.pack("<II", variant_codec.DICTIONARY, 2) + encode("a") + encode(2) + encode("gift") + items
    with pytest.raises(variant_codec.NotStorableError) as error:
        decode(struct.pack("<II", variant_codec.ARRAY, 2) + encode("The text.") + data)
    assert error.value.path == [1, "gift", 1]
    error.value.name_argument("store()", ["text", "data"])
    assert str(error.value).startswith("store(): data.gift[1] is of type Object, which cannot be stored")
