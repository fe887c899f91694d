"""A key of a task, debate, profile, character or event that looks like a slip is warned of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Save

TASK = {"assignee": "mira", "summary": "Mend the roof."}
DEBATE = {"topic": "The roof", "participants": ["mira"], "outcome": "It is mended."}


@pytest.mark.parametrize(
    ("slip", "meant", "tell"),
    [
        ("due_date", "due_day", lambda world, slip: world.tasks.add_task({**TASK, slip: 4})),
        ("Issuer", "issuer", lambda world, slip: world.tasks.add_task({**TASK, slip: "tom"})),
        ("sumary", "summary", lambda world, slip: world.debates.record_debate({**DEBATE, slip: "Long."})),
        (
            "back_story",
            "backstory",
            lambda world, slip: world.profiles.set_profile("mira", {slip: "A cook."}),
        ),
        (
            "ocupation",
            "occupation",
            lambda world, slip: world.characters.register_character("mira", {slip: "cook"}),
        ),
        ("who", "actor", lambda world, slip: world.events.record_event({"summary": "Rain.", slip: "tom"})),
        (
            "locaton",
            "location",
            lambda world, slip: world.events.record_event({"summary": "Rain.", slip: "inn"}),
        ),
    ],
)
def test_a_slip_is_warned_of(
    slip: str,
    meant: str,
    tell: Callable[[Any, str], None],
    opened: Callable[..., Save],
    caplog: pytest.LogCaptureFixture,
) -> None:
    tell(opened().world, slip)
    assert f"has the key {slip!r}, which has no meaning; did you mean {meant!r}?" in caplog.text


def test_keys_of_the_game_are_not(opened: Callable[..., Save], caplog: pytest.LogCaptureFixture) -> None:
    world = opened().world
    world.tasks.add_task({**TASK, "target_name": "the inn", "reward": 5, "priority": 3})
    world.debates.record_debate({**DEBATE, "mood": "tense"})
    world.profiles.set_profile("mira", {"portrait": "mira.png", "goals": ["peace"]})
    assert not caplog.records
