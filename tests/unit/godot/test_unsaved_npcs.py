"""NPCs that are not persistent beside NPCs that are: what one overhears of the other is in neither's save."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.godot.test_bridge import method_id

from rag_memory.godot import variant_codec
from rag_memory.godot.bridge import CONFIGURE_METHOD, Bridge
from rag_memory.godot.save_folder import Folders
from rag_memory_build.paths import ROOT

sys.path.append(str(ROOT / "bench"))

from measurement.answers import read_answer

SERVER, MIRA, GHOST, WORLD = 0, 17, 18, 33
LINE = "The key is under the mat."
Call = Callable[..., Any]


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Call]:
    """Calls a method of a node and returns its result."""
    bridge = Bridge(
        Folders(tmp_path / "saves", tmp_path / "models", tmp_path / "prepared", tmp_path),
        lambda *_question: False,
    )
    numbers = itertools.count(1)

    def carry_out(node: int, name: str, *arguments: Any, of: str = "RAGMemory") -> Any:
        number, payload = next(numbers), variant_codec.encode(list(arguments))
        answer = bridge.handle(number, node, method_id(of, name), 1000.0, payload, False)
        while answer is None:
            answer = bridge.resume(number)
        assert isinstance(answer, bytes)
        result, error, _events = read_answer(answer)
        assert not error
        return result

    def configure(node: int, values: dict[str, Any], of: str) -> None:
        payload = variant_codec.encode([of, {"config": None, **values}, False, {}, None])
        bridge.handle(0, node, CONFIGURE_METHOD, 0.0, payload)

    configure(MIRA, {"npc_id": "mira", "persistent": True, "senses": 3}, "RAGMemory")
    configure(GHOST, {"npc_id": "ghost", "persistent": False, "senses": 3}, "RAGMemory")
    configure(WORLD, {"persistent": True, "npc_config": None}, "MemoryWorld")
    yield carry_out
    bridge.stop()


@pytest.mark.parametrize(("listener", "other"), [(MIRA, "ghost"), (GHOST, "mira")])
@pytest.mark.parametrize("role", ["bystanders", "addressees", "speaker"])
@pytest.mark.parametrize("is_registered", [False, True])
def test_who_is_of_another_save_overhears_nothing(
    call: Call, listener: int, other: str, role: str, is_registered: bool
) -> None:
    if is_registered:
        call(WORLD, "register_character", other, {"name": other.title()}, of="MemoryWorld")
    call(listener, "store_turn", LINE, "Thanks.", {role: other if role == "speaker" else [other]})
    counts = [call(node, "get_memory_count") for node in (MIRA, GHOST)]
    assert [bool(count) for count in counts] == [listener == MIRA, listener == GHOST]
    assert saved(call) == (["mira"] if listener == MIRA else [])


def test_who_has_memories_in_the_save_gets_no_more_while_its_node_is_of_another(call: Call) -> None:
    call(WORLD, "add_task", {"id": "mill", "assignee": "ghost", "summary": "Mend it."}, of="MemoryWorld")
    for status in ("active", "completed"):
        call(WORLD, "update_task", "mill", status, {}, of="MemoryWorld")
    before = call(SERVER, "list_npcs", of="MemoryServer")
    call(MIRA, "store_turn", LINE, "Thanks.", {"bystanders": ["ghost"]})
    assert call(GHOST, "get_memory_count") == 0
    assert [npc["npc_id"] for npc in before] == ["ghost"]
    assert call(SERVER, "list_npcs", of="MemoryServer")[:1] == before


def saved(call: Call) -> list[str]:
    """The NPCs with memories in the save on disk."""
    return [npc["npc_id"] for npc in call(SERVER, "list_npcs", of="MemoryServer")]
