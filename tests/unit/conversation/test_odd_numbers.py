"""Numbers beyond all use: refused where a game passes them, ignored in data that were kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError

DAY = 86400.0
PROMISE = {"event_type": "promise_made"}


@pytest.mark.parametrize("day", [1e308, -1e12, 10**18])
def test_no_call_takes_a_day_that_is_none(opened: Callable[..., Save], day: float) -> None:
    save = opened()
    mira = save.npc("mira")
    calls: list[Callable[[], Any]] = [
        lambda: mira.memories.store("The player promised rope.", 5, {**PROMISE, "due_day": day}),
        lambda: mira.memories.store("The player promised rope.", 5, {**PROMISE, "fact": {"due_day": day}}),
        lambda: save.world.tasks.add_task({"assignee": "ulf", "summary": "Mend it", "due_day": day}),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match=r"due_day is .*it has to be"):
            call()
    assert save.world.open_matters.get_open_matters() == []


def test_an_extractor_that_names_no_day_is_not_heard(
    opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    fact = {"kind": "promise", "by": "player", "to": "mira", "quote": "rope", "due_day": 1e308}
    save.context.extractor = lambda _request: [{"text": "Rope.", **PROMISE, "fact": fact}]
    save.npc("mira").conversation.store_turn("I promise to bring you the rope.", "Good.")
    assert "due_day" in caplog.text
    assert [m["due_day"] for m in save.npc("mira").get_open_matters()] == [-1]


@pytest.mark.parametrize("number", ["1e308", "1e999", "-1e308", "1" + 400 * "0", "NaN", '"soon"', "[]"])
@pytest.mark.parametrize("name", ["due_day", "amount", "total", "since"])
def test_a_number_in_a_save_that_is_none(
    opened: Callable[..., Save], clock: GameClock, save_path: Path, name: str, number: str
) -> None:
    clock.now = 10.3 * DAY
    fact: Mapping[str, Any] = {"amount": 50, "unit": "gold", "by": "player", "to": "mira", name: 987654}
    save = opened(save_path)
    for event_type in ("debt", "promise_made"):
        data = {"event_type": event_type, "fact": {**fact, "quote": "I'll bring you 50 gold."}}
        save.npc("mira").memories.store(f"The player spoke of 50 gold ({event_type}).", 7, data)
    save.close()
    with closing(sqlite3.connect(save_path, isolation_level=None)) as connection:
        changed = connection.execute("UPDATE memories SET extra = replace(extra, '987654', ?)", (number,))
        assert changed.rowcount == 2
    save = opened(save_path)
    mira = save.npc("mira")
    for matter in save.world.open_matters.get_open_matters("", "player", True):
        assert matter["due_day"] in (-1, 0)  # What is no number at all was mended to 0.
        assert "50 gold" in matter["text"]
    assert "50 gold" in mira.prompts.build_prompt("line", "Good day.")["prompt"]
    mira.unaided_answers.answer_from_memory("greeting")
    mira.conversation.store_turn("Here's 20 gold of it.", "Thirty left.")
    mira.conversation.store_turn("I owe you 5 gold more.", "Yes.")
    assert mira.get_open_matters("player", True)
    for _step in save.world.open_matters.overdue_steps():
        pass
