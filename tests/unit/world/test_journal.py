"""The list of what is open with all NPCs: it takes nobody from another game, and works in slices."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag_memory import Save
from rag_memory.config.memory_config import MemoryConfig


def filled(save: Save, count: int) -> Save:
    for number in range(count):
        promise = {"event_type": "promise_made"}
        save.npc(f"npc_{number}").memories.store("The player promised me a rope.", 6, promise)
    return save


def test_a_journal_takes_no_npc(opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch) -> None:
    save = filled(opened(), 3)
    save.npcs.drop()
    config = MemoryConfig(wording={"matter_remembered": "{npc} weiß: {message}"})
    save.npc("npc_1", config)
    monkeypatch.setattr(save.context.store.owners, "own", lambda npc_id: pytest.fail(f"{npc_id} is taken"))
    texts = [matter["text"] for matter in save.world.open_matters.get_open_matters("", "player", True)]
    assert len(texts) == 3
    assert [text.startswith("Npc 1 weiß: ") for text in sorted(texts)] == [False, True, False]


def test_a_journal_works_in_slices(opened: Callable[..., Save]) -> None:
    save = filled(opened(), 4)
    steps = list(save.world.open_matters.get_open_matters.steps("", "player", True))
    assert len(steps) == 8
    assert len(save.world.open_matters.get_open_matters()) == 4
