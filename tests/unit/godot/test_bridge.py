"""The worker's side of calls from GDScript: what its answers carry."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory.godot import classes, variant_codec
from rag_memory.godot.bridge import CONFIGURE_METHOD, Bridge
from rag_memory.godot.save_folder import Folders
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement.answers import read_answer

NODE = 17


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    folders = Folders(tmp_path / "saves", tmp_path / "models", tmp_path / "prepared", tmp_path)
    made = Bridge(folders, lambda *_question: False)
    yield made
    made.stop()


def method_id(class_name: str, name: str) -> int:
    return next(
        number
        for number, (cls, method) in enumerate(classes.worker_methods(classes.declared_classes()))
        if (cls.name, method.name) == (class_name, name)
    )


def call(
    bridge: Bridge,
    request_id: int,
    name: str,
    *arguments: Any,
    of: str = "RAGMemory",
    blocks_game: bool = False,
) -> bytes | bool | None:
    method = method_id(of, name)
    payload = variant_codec.encode(list(arguments))
    return bridge.handle(request_id, NODE, method, 1000.0, payload, blocks_game)


def ended(bridge: Bridge, request_id: int, answer: bytes | bool | None) -> Any:
    """The result of a call that is carried out to its end, which nothing outside keeps waiting."""
    while answer is None:
        answer = bridge.resume(request_id)
    assert isinstance(answer, bytes), "it waits"
    result, error, _events = read_answer(answer)
    assert not error
    return result


def configure(bridge: Bridge) -> None:
    values = {"npc_id": "elena", "persistent": True, "config": None, "senses": 3}
    bridge.handle(
        0, NODE, CONFIGURE_METHOD, 0.0, variant_codec.encode(["RAGMemory", values, False, {}, None])
    )


def test_a_call_that_is_given_up_tells_what_it_has_done(bridge: Bridge) -> None:
    configure(bridge)
    batch = [{"text": f"Sack number {n} was carried to the mill."} for n in range(2000)]
    assert call(bridge, 1, "store_batch", batch) is None, "not done in one slice"
    result, error, events = read_answer(bridge.cancel(1))
    assert result is None and "given up" in error
    assert events == [[0, "save_opened", ["default"]], [1, "world_changed", []]]


def test_what_the_world_makes_an_npc_remember_is_told_to_her_nodes(bridge: Bridge) -> None:
    world = 33
    configure(bridge)
    call(bridge, 1, "get_memory_count")
    values: dict[str, Any] = {"persistent": True, "config": None, "npc_config": None}
    bridge.handle(
        0, world, CONFIGURE_METHOD, 0.0, variant_codec.encode(["MemoryWorld", values, False, {}, None])
    )
    task = {"id": "mend", "assignee": "elena", "summary": "Mend the mill.", "status": "active"}
    calls: list[tuple[str, list[Any]]] = [("add_task", [task]), ("update_task", ["mend", "completed", {}])]
    answers = []
    for number, (name, arguments) in enumerate(calls, 2):
        payload = variant_codec.encode(arguments)
        answer = bridge.handle(number, world, method_id("MemoryWorld", name), 1000.0, payload, False)
        while answer is None:
            answer = bridge.resume(number)
        assert isinstance(answer, bytes)
        answers.append(read_answer(answer))
    _, error, events = answers[-1]
    assert error == ""
    assert [event[:2] for event in events] == [[NODE, "memory_added"], [1, "task_changed"]]


def test_a_call_that_blocks_the_game_does_not_wait_for_what_another_one_awaits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folders = Folders(tmp_path / "saves", tmp_path / "models", tmp_path / "prepared", tmp_path)
    bridge = Bridge(folders, lambda *_question: True)
    try:
        first = call(bridge, 1, "ensure_profile", "anna", {}, of="MemoryWorld")
        while first is None:
            first = bridge.resume(1)
        assert first is False, "it waits for the profile_writer"
        second = call(bridge, 2, "ensure_profile", "anna", {}, of="MemoryWorld")
        while second is None:
            second = bridge.resume(2)
        assert second is False, "who does not block the game waits, too"
        third = call(bridge, 3, "ensure_profile", "anna", {}, of="MemoryWorld", blocks_game=True)
        profile = ended(bridge, 3, third)
        assert profile["backstory"]
        assert ended(bridge, 1, bridge.resume(1)) == ended(bridge, 2, bridge.resume(2)) == profile
        assert "blocks the game; use the form of that call that ends in _async" in caplog.text
    finally:
        bridge.stop()
