"""The worker's side of calls from GDScript: what its answers carry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag_memory.godot import classes, variant_codec
from rag_memory.godot.bridge import CONFIGURE_METHOD, Bridge
from rag_memory.godot.open_saves import Folders

NODE = 17


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    folders = Folders(tmp_path / "saves", tmp_path / "models", tmp_path / "prepared")
    made = Bridge(folders, lambda *_question: False)
    yield made
    made.stop()


def method_id(class_name: str, name: str) -> int:
    return next(
        number
        for number, (cls, method) in enumerate(classes.worker_methods())
        if (cls.name, method.name) == (class_name, name)
    )


def call(
    bridge: Bridge, request_id: int, name: str, *arguments: Any, of: str = "RAGMemory"
) -> bytes | bool | None:
    method = method_id(of, name)
    return bridge.handle(request_id, NODE, method, 1000.0, variant_codec.encode(list(arguments)))


def configure(bridge: Bridge) -> None:
    values = {"npc_id": "elena", "persistent": True, "config": None}
    bridge.handle(0, NODE, CONFIGURE_METHOD, 0.0, variant_codec.encode(["RAGMemory", values, False]))


def test_a_call_that_is_given_up_tells_what_it_has_done(bridge: Bridge) -> None:
    configure(bridge)
    batch = [{"text": f"Sack number {n} was carried to the mill."} for n in range(2000)]
    assert call(bridge, 1, "store_batch", batch) is None, "not done in one slice"
    result, error, events = variant_codec.decode(bridge.cancel(1))
    assert result is None and "given up" in error
    assert events == [[0, "save_opened", ["default"]], [1, "world_changed", []]]


def test_what_the_world_makes_an_npc_remember_is_told_to_her_nodes(bridge: Bridge) -> None:
    world = 33
    configure(bridge)
    call(bridge, 1, "get_memory_count")
    values = {"persistent": True, "config": None, "npc_config": None, "translation": {}}
    bridge.handle(0, world, CONFIGURE_METHOD, 0.0, variant_codec.encode(["WorldMemory", values, False]))
    task = {"id": "mend", "assignee": "elena", "summary": "Mend the mill.", "status": "active"}
    answers = []
    for number, (name, *arguments) in enumerate(
        [("add_task", task), ("update_task", "mend", "completed", {})]
    ):
        payload = variant_codec.encode(arguments)
        answer = bridge.handle(2 + number, world, method_id("WorldMemory", name), 1000.0, payload)
        while answer is None:
            answer = bridge.resume(2 + number)
        assert isinstance(answer, bytes)
        answers.append(variant_codec.decode(answer))
    _, error, events = answers[-1]
    assert error == ""
    assert [event[:2] for event in events] == [[NODE, "memory_added"], [1, "task_changed"]]
