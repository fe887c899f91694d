"""The log of NPCWorldEvents: in a save, and while events wait for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rag_memory import Save
from rag_memory.config.calendar import CALENDAR, GameCalendar
from rag_memory.errors import InvalidArgumentError
from rag_memory.world.world import World
from rag_memory.world.world_log import WorldLog, new_event

DAY = 86400.0


@pytest.fixture
def world(opened: Callable[..., Save]) -> World:
    return opened().world


class _Log:
    """A log to which a test appends, in a save or without one."""

    def __init__(self, world: World | None) -> None:
        self._world = world
        self._waiting: list[dict[str, Any]] = []

    def append(self, event_type: str, description: str, **data: Any) -> dict[str, Any]:
        event = self.now.append(new_event(event_type, description, data, 7.5))
        if self._world is None:
            event["sequence"] = len(self._waiting)
            self._waiting.append(event)
        return event

    @property
    def now(self) -> WorldLog:
        return WorldLog(self._world, self._waiting)


@pytest.fixture(params=["saved", "waiting"])
def log(request: pytest.FixtureRequest, world: World) -> _Log:
    return _Log(world if request.param == "saved" else None)


def test_an_event_has_a_number_and_all_that_the_game_said_of_it(log: _Log) -> None:
    first = log.append("meeting", "They met.", participants=["mira"], location="well", rings=2)
    assert first["sequence"] == 0
    assert log.append("fire", "The mill burned.", timestamp=3)["sequence"] == 1
    assert log.now.count() == 2
    for event in (first, log.now.event(0)):
        assert {**event, "event_type": "meeting", "description": "They met."} == event
        assert (event["participants"], event["location"], event["rings"]) == (["mira"], "well", 2)
        assert event["timestamp"] == 7.5
    fire = log.now.event(1)
    assert (fire["timestamp"], type(fire["timestamp"])) == (3, int)
    assert log.now.event(2) == log.now.event(-1) == {}
    assert [event["event_type"] for event in log.now.events({})] == ["fire", "meeting"], "oldest first"


@pytest.mark.parametrize(
    ("filter", "types"),
    [
        ({"event_type": "theft"}, "theft"),
        ({"participant": "mira"}, "meeting"),
        ({"location": "Mill"}, "theft"),
        ({"since": 2.0, "until": 2.0}, "theft"),
        ({"until": 2}, "meeting theft"),
        ({"since": 2}, "theft fire"),
        ({"known_to": "mira"}, "meeting fire"),
        ({"known_to": "elena"}, "meeting theft fire"),
        ({"known_to": "bo", "since": 2}, "theft fire"),
        ({"known_to": "elena", "limit": 2}, "theft fire"),
        ({"limit": 0}, ""),
        ({"event_type": "flood"}, ""),
    ],
)
def test_events_are_filtered(log: _Log, filter: dict[str, Any], types: str) -> None:
    log.append("meeting", "A.", participants=["mira"], timestamp=1.0)
    log.append("theft", "B.", participants=["bo"], witnesses=["elena"], timestamp=2.0, location="mill")
    log.append("fire", "C.", timestamp=3.0)
    assert [event["event_type"] for event in log.now.events(filter)] == types.split()


@pytest.mark.parametrize(
    ("event_type", "description", "data", "said"),
    [
        ("", "Nothing.", {}, "event_type"),
        ("fight", " ", {}, "description"),
        ("fight", "A fight.", {"sequence": 4}, "must not have the key sequence"),
        *(
            ("fight", "A fight.", {"timestamp": time}, "timestamp")
            for time in ("noon", None, True, float("inf"))
        ),
        ("fight", "A fight.", {"participants": "mira"}, "participants"),
        ("fight", "A fight.", {"location": 5}, "location"),
        ("fight", "A fight.", {"visibility": "secret"}, "visibility"),
    ],
)
def test_what_is_no_event_is_refused(
    log: _Log, event_type: str, description: str, data: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        log.append(event_type, description, **data)
    assert log.now.count() == 0


def test_a_filter_that_does_not_exist_is_an_error(log: _Log) -> None:
    with pytest.raises(InvalidArgumentError, match="no option 'place'"):
        log.now.events({"place": "mill"})
    with pytest.raises(InvalidArgumentError, match="since"):
        log.now.events({"since": "noon"})


def test_the_log_and_the_events_of_the_world_are_one(world: World) -> None:
    log = _Log(world)
    world.events.record_event({"summary": "It rains.", "actor": "bo", "day": 2.0})
    log.append("theft", "Bo stole a ring.", witnesses=["mira"], known_by=["cy"], timestamp=3 * DAY)
    assert log.now.event(0) == {
        "sequence": 0,
        "event_type": "general",
        "description": "It rains.",
        "timestamp": 2 * DAY,
        "actor": "bo",
        "participants": ["bo"],
        "importance": 5,
        "visibility": "global",
        "known_by": [],
    }
    (theft,) = world.events.get_events({"event_type": "theft"})
    assert (theft["day"], theft["visibility"], theft["known_by"]) == (3.0, "private", ["cy", "mira"])
    (heard,) = log.now.events({"known_to": "cy", "event_type": "theft"})
    assert (heard["text"], heard["confidence"]) == ("Bo stole a ring.", 1.0)


def test_what_waits_is_written_once(world: World) -> None:
    waiting = _Log(None)
    waiting.append("fire", "The inn burned.", timestamp=1702500000.1234567, witnesses=["mira"])
    waiting.append("gift", "Two rings.", timestamp=14, where={"x": 1})
    events = waiting.now.events({})
    assert WorldLog(world).append_missing(events) == 2
    assert WorldLog(world).append_missing(events) == 0
    stored = WorldLog(world).events({})
    for before, after in zip(events, stored, strict=True):
        assert {**after, **before} == {**after, "sequence": before["sequence"]}
    assert WorldLog(world).count() == 2


@pytest.fixture
def long_days() -> Iterator[None]:
    CALENDAR.choose(GameCalendar(seconds_per_day=100.0))
    yield
    CALENDAR.choose(None)


@pytest.mark.usefixtures("long_days")
def test_days_are_those_of_the_calendar(world: World) -> None:
    _Log(world).append("fire", "The inn burned.", timestamp=250.0)
    assert world.events.get_events()[0]["day"] == 2.5
    assert [event["timestamp"] for event in WorldLog(world).events({"since": 250.0})] == [250.0]
