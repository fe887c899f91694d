"""The commands of the debug console about a memory; tests/engine/console types them."""

from __future__ import annotations

import pytest

from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.console_commands import HELP, run_command_steps
from rag_memory.npc.npc import Npc
from rag_memory.step import run


def test_a_list_prints_game_times_and_says_what_it_lists(npc: Npc) -> None:
    id = npc.memories.store("The player sang.", 7, {"timestamp": 1000.0})
    result = run(run_command_steps(npc, "list", "", {}))
    assert result["pieces"][0] == "#1 regular, importance 7, general, "
    assert result["pieces"][1:] == [1000.0, "\n   The player sang."]
    assert (result["listed"], result["is_failed"]) == ([id], False)


def test_what_cannot_be_done_is_said(npc: Npc) -> None:
    assert run(run_command_steps(npc, "pin", "nothing", {})) == {
        "pieces": ["elena has no memory nothing."],
        "is_failed": True,
    }
    for value in ("nan", "1e999", "much"):
        result = run(run_command_steps(npc, "set_trust", value, {}))
        assert result == {"pieces": [HELP["set_trust"]], "is_failed": True}


def test_only_commands_about_a_memory_are_carried_out(npc: Npc) -> None:
    with pytest.raises(InvalidArgumentError, match='no command about a memory is called "snapshot"'):
        run(run_command_steps(npc, "snapshot", "slot", {}))
