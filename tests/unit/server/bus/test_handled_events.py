"""Notes of perceived events are stored as long as the events may be delivered again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.errors import StoreError
from rag_memory.memory.document import HANDLED_EVENT, SYNCED
from rag_memory.step import run
from rag_memory_server.bus.bus_event import BusEvent
from rag_memory_server.bus.event_handling import EventHandling

_HOUR = 3600.0


def _event(number: int) -> BusEvent:
    return BusEvent(f"e{number}", "interaction_recorded", "mira", {"action": "waved", "sourceId": "kael"})


def _noted(save: Save) -> list[str]:
    return [each.id for each in save.store.documents.find(HANDLED_EVENT, "mira")]


def test_what_cannot_come_again_is_forgotten_an_hour_later(opened: Callable[..., Save]) -> None:
    save, now = opened(), [0.0]
    handling = EventHandling(save.context, lambda: now[0])
    for number in range(100):
        assert run(handling.handle_steps(_event(number), save.npc("mira"), now[0])) is not None
    now[0] = 2 * _HOUR
    for number in range(100, 200):
        assert run(handling.handle_steps(_event(number), save.npc("mira"), now[0])) is not None
    assert _noted(save) == [f"e{number}" for number in range(100, 200)]
    assert run(handling.handle_steps(_event(150), save.npc("mira"), now[0])) is None


def test_what_somebody_has_begun_and_not_finished_stays_noted(opened: Callable[..., Save]) -> None:
    save, now = opened(), [0.0]
    handling = EventHandling(save.context, lambda: now[0])
    for number in range(300):
        now[0] = _HOUR * number
        run(handling.handle_steps(_event(number), save.npc("mira"), oldest_coming=50 * _HOUR))
    assert _noted(save)[0] == "e50"


def test_an_error_while_forgetting_is_told_and_the_event_is_new(
    opened: Callable[..., Save], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    handling = EventHandling(save.context)

    find = save.store.documents.find

    def fail(kind: str, *arguments: Any) -> Any:
        if kind == HANDLED_EVENT:
            raise StoreError("The save could not be read", "the disk is gone", "Look at it")
        return find(kind, *arguments)

    monkeypatch.setattr(save.store.documents, "find", fail)
    for number in range(100):
        assert run(handling.handle_steps(_event(number), save.npc("mira"), 0.0)) is not None
    assert "the disk is gone" in caplog.text


def test_an_event_that_a_rollback_has_undone_may_happen_again(
    opened: Callable[..., Save], clock: Callable[[], float]
) -> None:
    save = opened()
    handling = EventHandling(save.context)
    before = clock() - 1.0
    run(handling.handle_steps(_event(1), save.npc("mira"), 0.0))
    save.marks.rollback_to(before)
    assert save.npc("mira").mind.get_interactions() == []
    assert run(handling.handle_steps(_event(1), save.npc("mira"), 0.0)) is not None


def test_the_exported_world_does_not_tell_of_events(opened: Callable[..., Save]) -> None:
    save = opened()
    run(EventHandling(save.context).handle_steps(_event(1), save.npc("mira"), 0.0))
    text = save.world.json.export_json()
    assert HANDLED_EVENT not in text and SYNCED not in text


@pytest.mark.parametrize("is_new", [True, False])
def test_who_perceives_an_event_is_no_witness_of_it(opened: Callable[..., Save], is_new: bool) -> None:
    save, ids = opened(), ("mira", "gregor", "varn")
    if not is_new:
        for npc_id in ids:
            save.npc(npc_id).memories.store("Snow fell.", 5)
    fields = {"action": "attacked", "sourceId": "bjorn", "bystanders": list(ids)}
    events = [
        (BusEvent(npc_id, "interaction_recorded", npc_id, fields), save.npc(npc_id)) for npc_id in ids[:2]
    ]
    save.npc("varn").memories.store("Rain fell.", 5)
    run(EventHandling(save.context).together_steps(events, 0.0, lambda _npc: True))
    texts = {id: [memory["document_full"] for memory in save.npc(id).recall.get_recent(9)] for id in ids}
    for npc_id in ids[:2]:
        assert [text for text in texts[npc_id] if "Snow" not in text] == ["bjorn attacked me."]
    assert "I saw this happen: Bjorn attacked Mira." in texts["varn"]
