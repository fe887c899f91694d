from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, MemoryConfig, Npc, Save

NOW = 1_702_500_000


def metadata_of(npc: Npc, id: str) -> dict[str, Any]:
    metadata: dict[str, Any] = npc.memories.get_memory(id)["metadata"]
    return metadata


def test_a_memory_has_the_whole_schema(npc: Npc) -> None:
    id = npc.memories.store("The player told me their name is Theron.", 10, {"event_type": "player_info"})
    memory = npc.memories.get_memory(id)
    assert id == f"elena_{NOW}_player_info"
    assert memory["document_full"] == memory["document_short"] == memory["document"]
    assert memory["metadata"] == {
        "event_type": "player_info",
        "importance": 10,
        "timestamp": float(NOW),
        "npc_id": "elena",
        "memory_tier": 1,
        "is_milestone": False,
        "milestone_type": "",
        "emotion": "",
        "info_type": "",
        "slot_type": "",
        "participants": [],
        "location": "",
        "topics": [],
        "interaction_type": "",
        "entities": [],
        "superseded_by": "",
        "superseded_at": 0.0,
        "repeat_count": 1,
        "first_timestamp": float(NOW),
        "kind": "",
        "last_accessed": float(NOW),
    }


def test_ids_of_one_moment_are_numbered(npc: Npc) -> None:
    ids = [npc.memories.store(f"Event {number}.") for number in range(40)]
    assert ids[:3] == [f"elena_{NOW}_general", f"elena_{NOW}_general_2", f"elena_{NOW}_general_3"]
    assert len(set(ids)) == 40


def test_ids_go_on_after_reopening(opened: Callable[..., Save], save_path: Any) -> None:
    save = opened(save_path)
    first = [save.npc("elena").memories.store(f"Event {number}.") for number in range(21)]
    save.close()
    npc = opened(save_path).npc("elena")
    more = [npc.memories.store(f"More {number}.") for number in range(5)]
    assert more[0] == f"elena_{NOW}_general_22"
    assert len({*first, *more}) == 26


@pytest.mark.parametrize(
    ("data", "tier", "milestone"),
    [
        ({}, 2, ""),
        ({"event_type": "betrayal"}, 0, "betrayal"),
        ({"is_milestone": True, "milestone_type": "wedding"}, 0, "wedding"),
        ({"milestone_type": "wedding"}, 0, "wedding"),
        ({"event_type": "gift_received", "is_first": True}, 0, "first_gift"),
        ({"event_type": "gift_received"}, 1, ""),
        ({"event_type": "betrayal", "is_milestone": False}, 0, ""),
        ({"interaction_type": "life_saved"}, 0, ""),
        ({"memory_tier": 1}, 1, ""),
        ({"event_type": "betrayal", "memory_tier": 2}, 2, "betrayal"),
    ],
)
def test_tier_and_milestone(npc: Npc, data: dict[str, Any], tier: int, milestone: str) -> None:
    events: list[tuple[str, tuple[Any, ...]]] = []
    npc.on_event = lambda name, arguments: events.append((name, arguments))
    metadata = metadata_of(npc, npc.memories.store("Something happened.", 5, data))
    assert (metadata["memory_tier"], metadata["milestone_type"]) == (tier, milestone)
    assert metadata["is_milestone"] == (milestone != "")
    assert [arguments for name, arguments in events if name == "milestone_created"] == (
        [(milestone,)] if milestone else []
    )


def test_a_player_info_is_updated_not_repeated(npc: Npc) -> None:
    events: list[str] = []
    npc.on_event = lambda name, arguments: events.append(name)
    data = {"event_type": "player_info", "info_type": "player_name"}
    first = npc.memories.store("Their name is Theron.", 8, {**data, "mood": "calm"})
    second = npc.memories.store("Their name is Thoren.", 9, data)
    assert first == second and npc.memories.get_memory_count() == 1
    assert npc.memories.get_memory(first)["document_full"] == "Their name is Thoren."
    assert "mood" not in metadata_of(npc, first)
    assert events == ["memory_added"]
    assert npc.recall.retrieve_relevant("Thoren") == ["Their name is Thoren."]
    npc.memories.store("They come from the north.", 5, {**data, "info_type": "origin"})
    assert npc.memories.get_memory_count() == 2


def test_a_given_short_form_is_kept(npc: Npc) -> None:
    id = npc.memories.store("A very long story. " * 20, 5, {"document_short": "They told me everything."})
    assert npc.memories.get_memory(id)["document"] == "They told me everything."


def test_importance_is_clamped_with_a_warning(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert metadata_of(npc, npc.memories.store("Too much.", 40))["importance"] == 10
    assert "40" in caplog.text
    assert metadata_of(npc, npc.memories.store("Too little.", -3))["importance"] == 1
    assert metadata_of(npc, npc.memories.store("From JSON.", 7.0))["importance"] == 7  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "importance", "data"),
    [
        ("", 5, {}),
        (" \n\t", 5, {}),
        (None, 5, {}),
        (12, 5, {}),
        ("ok", "5", {}),
        ("ok", True, {}),
        ("ok", 5.5, {}),
        ("ok", None, {}),
        ("ok", 5, []),
        ("ok", 5, {"event_type": 1}),
        ("ok", 5, {"participants": "Elena"}),
        ("ok", 5, {"participants": [1]}),
        ("ok", 5, {"memory_tier": 3}),
        ("ok", 5, {"is_milestone": "yes"}),
        ("ok", 5, {"timestamp": "now"}),
        ("ok", 5, {"timestamp": float("nan")}),
        ("ok", 5, {"timestamp": float("inf")}),
        ("ok", 5, {"own": float("nan")}),
        ("ok", 5, {"own": {"deep": [float("inf")]}}),
        ("ok", 5, {"own": {1: "a"}}),
        ("ok", 5, {1: "a"}),
        ("ok", 5, {"own": object()}),
        ("ok", 5, {"own": b"bytes"}),
        ("ok", 5, {"own": 2**63}),
        ("ok", 5, {"npc_id": "marcus"}),
        ("ok", 5, {"id": "mine"}),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_stored(
    npc: Npc, text: Any, importance: Any, data: Any
) -> None:
    with pytest.raises(InvalidArgumentError, match=r"store\(\)"):
        npc.memories.store(text, importance, data)
    assert npc.memories.get_memory_count() == 0


def test_a_batch_with_one_bad_memory_stores_none(npc: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match="memory 1"):
        npc.memories.store_batch([{"text": "Fine."}, {"text": ""}])
    with pytest.raises(InvalidArgumentError, match="memory 0"):
        npc.memories.store_batch([{"importance": 3}])
    with pytest.raises(InvalidArgumentError):
        npc.memories.store_batch("no list")  # type: ignore[arg-type]
    assert npc.memories.get_memory_count() == 0
    assert npc.memories.store_batch([]) == []


def test_a_batch_equals_single_stores(opened: Callable[..., Save]) -> None:
    memories: list[dict[str, Any]] = [
        {"text": f"Event {n} at the mill.", "importance": n % 10 + 1, "n": n} for n in range(70)
    ]
    one, other = opened().npc("elena"), opened().npc("elena")
    ids = one.memories.store_batch(memories)
    singles = [other.memories.store(m["text"], m["importance"], {"n": m["n"]}) for m in memories]
    assert ids == singles
    assert [one.memories.get_memory(id) for id in ids] == [other.memories.get_memory(id) for id in ids]
    assert one.recall.retrieve_scored("Event 7") == other.recall.retrieve_scored("Event 7")


def test_a_megabyte_of_text_is_kept_whole(npc: Npc) -> None:
    npc.config = MemoryConfig(max_text_chars=1_000_000)
    text = "The mill burned. " * 58000
    memory = npc.memories.get_memory(npc.memories.store(text))
    assert memory["document_full"] == text
    assert len(memory["document_short"]) <= 100


def test_nul_and_lone_surrogates_become_replacement_characters(npc: Npc) -> None:
    id = npc.memories.store("a\0b\ud800c", 5, {"own": "x\udc00", "kéy\0": ["\0"]})
    memory = npc.memories.get_memory(id)
    assert memory["document_full"] == "a�b�c"
    assert memory["metadata"]["own"] == "x�"
    assert memory["metadata"]["kéy�"] == ["�"]
    assert npc.recall.retrieve_scored("b\0\ud800")


@pytest.mark.parametrize("npc_id", ["Ἑλένη", "村长", "'; DROP TABLE memories; --", "a/b\\c", "x" * 500])
def test_any_proper_text_is_an_npc_id(opened: Callable[..., Save], save_path: Any, npc_id: str) -> None:
    save = opened(save_path)
    id = save.npc(npc_id).memories.store("I am who I am.")
    assert id.startswith(npc_id)
    save.close()
    assert opened(save_path).npc(npc_id).memories.get_memory(id)["metadata"]["npc_id"] == npc_id


@pytest.mark.parametrize("npc_id", ["", "  ", "a\0", "\ud800", None, 3])
def test_other_npc_ids_are_refused(opened: Callable[..., Save], npc_id: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="npc_id"):
        opened().npc(npc_id)


def test_forget_and_clear(npc: Npc) -> None:
    ids = [npc.memories.store(f"Event {number}.", 5, {"event_type": "betrayal"}) for number in range(5)]
    assert npc.recall.retrieve_relevant("Event", {"limit": 10})
    assert (
        npc.memories.forget(ids[2]) and not npc.memories.forget(ids[2]) and not npc.memories.forget("nobody")
    )
    assert npc.memories.get_memory(ids[2]) == {}
    assert "Event 2." not in npc.recall.retrieve_relevant("Event 2.", {"limit": 10})
    assert npc.clear_all_memories() == 4
    assert npc.clear_all_memories() == 0
    assert npc.memories.get_memory_count() == 0
    assert npc.recall.get_recent() == [] and npc.recall.retrieve_relevant("Event") == []
    npc.memories.store("A new beginning.")
    assert npc.recall.retrieve_relevant("beginning") == ["A new beginning."]


def test_npcs_do_not_share_memories(opened: Callable[..., Save]) -> None:
    save = opened()
    save.npc("elena").memories.store("I love the mill.")
    save.npc("marcus").memories.store("I hate the mill.")
    assert save.npc("elena").recall.retrieve_relevant("mill") == ["I love the mill."]
    assert save.npc("elena").clear_all_memories() == 1
    assert save.npc("marcus").memories.get_memory_count() == 1


def test_get_recent_is_newest_first_whatever_the_order_of_storing(npc: Npc) -> None:
    for day in (3, 1, 2):
        npc.memories.store(f"Day {day}.", day, {"timestamp": day})
    assert [memory["document"] for memory in npc.recall.get_recent(2)] == ["Day 3.", "Day 2."]
    assert [memory["document"] for memory in npc.recall.get_recent(5, 3)] == ["Day 3."]
    assert npc.recall.get_recent(0) == []


def test_the_config_that_was_set_is_the_config(npc: Npc) -> None:
    config = MemoryConfig(semantic_top_k=3)
    npc.config = config
    assert npc.config is config


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abcdeé", max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def same(left: Any, right: Any) -> bool:
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return type(left) is type(right) and left == right


@given(plain)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_own_metadata_comes_back_exactly(npc: Npc, value: Any) -> None:
    assert same(metadata_of(npc, npc.memories.store("With metadata.", 5, {"own": value}))["own"], value)
