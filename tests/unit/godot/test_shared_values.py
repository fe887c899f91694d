"""Values that the native host sends once."""

from __future__ import annotations

from typing import Any

import pytest

from rag_memory.godot import variant_codec
from rag_memory.godot.shared_values import SharedValues
from rag_memory.godot.variant_codec import SHARED_KEY, NotStorableError, decode, encode

PERSON = {"npc_id": "mira", "traits": ["brave", "loud"]}


def named(hash: int) -> dict[str, Any]:
    return {SHARED_KEY: hash}


def test_a_message_names_what_was_sent_before() -> None:
    shared = SharedValues()
    assert not shared.is_here(7)
    shared.add(7, encode(PERSON))
    assert shared.is_here(7)
    assert decode(encode(["say", {"personality": named(7)}]), shared) == ["say", {"personality": PERSON}]
    assert decode(encode([named(7)]), shared)[0] is shared[7], "decoded once"


def test_a_shared_value_may_name_another() -> None:
    shared = SharedValues()
    shared.add(-1, encode(PERSON))
    shared.add(2, encode({"of": named(-1)}))
    assert shared[2] == {"of": PERSON}


@pytest.mark.parametrize("value", [named(9), named(7) | {"more": 1}, {SHARED_KEY: "7"}, {SHARED_KEY: [7]}])
def test_what_names_nothing_is_a_value_like_any_other(value: dict[str, Any]) -> None:
    shared = SharedValues()
    shared.add(7, encode(PERSON))
    assert decode(encode(value), shared) == value


def test_what_was_not_named_for_the_longest_time_is_dropped() -> None:
    shared = SharedValues(most_bytes=400)
    for hash in range(16):
        shared.add(hash, encode("x" * 100))
    assert all(hash in shared for hash in range(16)), "as many as a message may name"
    shared.is_here(0)
    shared.add(16, encode("y" * 100))
    assert 0 in shared and 1 not in shared
    assert shared[16] == "y" * 100


def test_what_cannot_be_stored_fails_the_message_that_names_it() -> None:
    # An Array that holds an Object as its id: type 24 with the flag for ids.
    bad = encode([0])[:-8] + (24 | 1 << 16).to_bytes(4, "little") + bytes(8)
    shared = SharedValues()
    shared.add(7, bad)
    with pytest.raises(NotStorableError) as failed:
        decode(encode(["say", {"config": named(7)}]), shared)
    assert failed.value.path == [1, "config", 0]
    assert variant_codec.decode(encode(named(7))) == named(7)
