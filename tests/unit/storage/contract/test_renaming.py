"""NPCs get other ids and two become one, in every backend."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.conftest import GameClock
from tests.unit.npc.test_identity import recruit, seen_by

# The fixture.
from tests.unit.storage.contract.test_marks import save as save

from rag_memory import Save


def test_a_renamed_npc_is_the_same_person_until_a_rollback(save: Save, clock: GameClock) -> None:
    recruit(save)
    before = seen_by(save, "deserter_3")
    mark = save.marks.add()
    clock.now += 3600.0
    save.identities.rename("deserter_3", "ivo")
    assert seen_by(save, "ivo") == before
    save.marks.rollback_to(mark)
    assert seen_by(save, "deserter_3") == before
    assert not save.npc("ivo").recall.get_recent(5)


def test_two_are_one(save: Save) -> None:
    recruit(save)
    save.npc("ivo").memories.store("I crossed the river.", 5)
    save.npc("ivo").conversation.store_turn("Who are you?", "Ivo.")
    before = seen_by(save, "deserter_3")
    save.identities.merge("ivo", "deserter_3")
    after = seen_by(save, "ivo")
    assert after["memories"] == sorted([*before["memories"], "I crossed the river."])
    assert after["turns"] == [*before["turns"], "Who are you?"]
    same = before.keys() - {"memories", "turns"}
    assert {key: after[key] for key in same} == {key: before[key] for key in same}


def test_what_fails_on_the_way_changes_nothing(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    recruit(save)
    before = seen_by(save, "deserter_3")

    def fail(*_arguments: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(type(save.store.documents), "change", fail)
    with pytest.raises(RuntimeError):
        save.identities.rename("deserter_3", "ivo")
    assert seen_by(save, "deserter_3") == before
