"""knows_event(): exact conditions on metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, Npc, Save

PROMISE = "The player promised to mend the roof."


def promise(npc: Npc) -> str:
    data = {"event_type": "promise_made", "participants": ["player", "Zoë"], "location": "mill"}
    return npc.memories.store(PROMISE, 7, data)


def test_an_event_has_to_have_the_type_and_everybody(npc: Npc) -> None:
    assert not npc.recall.knows_event({"event_type": "promise_made"})
    promise(npc)
    assert npc.recall.knows_event({"event_type": "promise_made"})
    assert npc.recall.knows_event({"event_type": ["betrayal", "promise_made"]})
    assert not npc.recall.knows_event({"event_type": "promise"})
    assert npc.recall.knows_event({"event_type": "promise_made", "participants": ["player", "Zoë"]})
    assert npc.recall.knows_event({"event_type": "promise_made", "participants": " PLAYER "})
    assert npc.recall.knows_event({"event_type": "promise_made", "participants": ["zoe\u0308"]})
    assert not npc.recall.knows_event({"event_type": "promise_made", "participants": ["player", "Gregor"]})
    assert not npc.recall.knows_event({"event_type": "promise_made", "participants": ["play"]})
    assert npc.recall.knows_event({"event_type": "promise_made", "location": "Mill"})
    assert not npc.recall.knows_event({"event_type": "promise_made", "location": "inn"})


@pytest.mark.parametrize("value", ["", " ", [], [""], ["player", ""]])
@pytest.mark.parametrize("key", ["event_type", "participants", "location", "status"])
def test_an_empty_value_opens_no_gate(npc: Npc, key: str, value: Any) -> None:
    promise(npc)
    with pytest.raises(InvalidArgumentError, match=key):
        npc.recall.knows_event({"event_type": "promise_made", key: value})


def test_the_games_own_data_has_to_be_the_same(npc: Npc) -> None:
    npc.memories.store_quest_memory("lost_ring", "completed")
    event = {"event_type": "quest_completed"}
    assert npc.recall.knows_event({**event, "data": {"quest_id": "lost_ring"}})
    assert npc.recall.knows_event({**event, "data": {}})
    assert not npc.recall.knows_event({**event, "data": {"quest_id": "lost_sword"}})
    assert not npc.recall.knows_event({**event, "data": {"quest_id": "lost_ring", "giver": "Mira"}})
    with pytest.raises(InvalidArgumentError, match="data"):
        npc.recall.knows_event({**event, "data": "lost_ring"})


def test_data_may_name_any_metadata_of_the_memory(npc: Npc) -> None:
    data = {"event_type": "gift_received", "speaker": "Nell", "topics": ["bread"], "loaves": 3}
    npc.memories.store("Nell brought bread.", 5, data)
    for key in ("speaker", "topics", "loaves"):
        assert npc.recall.knows_event({"event_type": "gift_received", "data": {key: data[key]}})
    assert not npc.recall.knows_event({"event_type": "gift_received", "data": {"speaker": "Gregor"}})


def test_since_is_the_earliest_time(npc: Npc, clock: Any) -> None:
    promise(npc)
    assert npc.recall.knows_event({"event_type": "promise_made", "since": clock.now})
    assert not npc.recall.knows_event({"event_type": "promise_made", "since": clock.now + 1})


@pytest.mark.parametrize(
    ("ending", "status"),
    [("promise_kept", "kept"), ("promise_fulfilled", "kept"), ("promise_broken", "broken")],
)
def test_a_promise_is_open_until_it_is_kept_or_broken(npc: Npc, ending: str, status: str) -> None:
    promise(npc)

    def statuses() -> set[str]:
        every = ["current", "open", "superseded", "any", "kept", "broken"]
        return {
            name for name in every if npc.recall.knows_event({"event_type": "promise_made", "status": name})
        }

    assert statuses() == {"current", "open", "any"}
    npc.memories.store("It is settled.", 7, {"event_type": ending})
    assert statuses() == {"superseded", "any", status}
    assert not npc.recall.knows_event({"event_type": "promise_made"})
    assert npc.recall.knows_event({"event_type": ending})


def test_the_source_of_a_perceived_event_took_part(npc: Npc) -> None:
    event = {"action": "betrayed", "source_id": "kael", "source_name": "Kael", "content": "Kael sold us out."}
    stored = npc.mind.perceive({**event, "importance": 10})
    memory = npc.recall.get_recent(1)[0]["metadata"]
    assert stored and memory["source_id"] == "kael"
    assert npc.recall.knows_event({"event_type": memory["event_type"], "participants": "kael"})
    assert not npc.recall.knows_event({"event_type": memory["event_type"], "participants": "elena"})


def test_a_forgotten_event_is_not_known(npc: Npc) -> None:
    id = promise(npc)
    npc.memories.forget(id)
    assert not npc.recall.knows_event({"event_type": "promise_made", "status": "any"})


@pytest.mark.parametrize(
    ("filter", "says"),
    [
        ({}, "has no event_type"),
        ({"event_type": ""}, "has no event_type"),
        ({"event_type": "theft", "participant": "player"}, "Use event_type, participants"),
        ({"event_type": "theft", "status": "opened"}, "Use one of current, open, superseded, any, broken"),
        ({"event_type": 5}, "event_type"),
        ({"event_type": "theft", "participants": [5]}, "participants"),
        ({"event_type": "theft", "since": "yesterday"}, "since"),
        ("theft", "Dictionary"),
        (None, "Dictionary"),
    ],
)
def test_a_wrong_filter_is_an_error_that_names_the_right_one(npc: Npc, filter: Any, says: str) -> None:
    promise(npc)
    with pytest.raises(InvalidArgumentError, match=says):
        npc.recall.knows_event(filter)


_NAMES = st.text(min_size=1, max_size=12).filter(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(_NAMES, st.lists(_NAMES, min_size=1, max_size=4), st.lists(_NAMES, min_size=1, max_size=3))
def test_only_what_was_stored_is_known(
    npc: Npc, event_type: str, participants: list[str], others: list[str]
) -> None:
    npc.clear_all_memories()
    npc.memories.store("Something happened.", 5, {"event_type": event_type, "participants": participants})
    shouted = [name.upper() for name in participants if name.upper().lower() == name]
    assert not shouted or npc.recall.knows_event({"event_type": event_type, "participants": shouted})
    assert npc.recall.knows_event({"event_type": event_type, "participants": participants})
    is_known = npc.recall.knows_event({"event_type": event_type, "participants": others})
    assert is_known or not set(others) <= set(participants)
    assert not npc.recall.knows_event({"event_type": event_type + "x"})


def test_what_was_recorded_in_the_world_is_known_to_those_who_know_of_it(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.characters.register_character("mira", {"location": "Mill"})
    raid = {"event_type": "raid", "summary": "The mill burned.", "visibility": "local", "location": "Mill"}
    id = save.world.events.record_event({**raid, "actor": "player", "quest": "mill"})
    mira, tom = save.npc("mira"), save.npc("tom")
    assert mira.recall.knows_event({"event_type": "raid"})
    assert mira.recall.knows_event({"event_type": "raid", "participants": "player", "location": "mill"})
    assert mira.recall.knows_event({"event_type": "raid", "data": {"quest": "mill"}, "status": "any"})
    assert not mira.recall.knows_event({"event_type": "raid", "participants": "ulf"})
    assert not mira.recall.knows_event({"event_type": "raid", "data": {"quest": "inn"}})
    assert not mira.recall.knows_event({"event_type": "raid", "status": "superseded"})
    assert not tom.recall.knows_event({"event_type": "raid"})
    save.world.characters.register_character("tom", {})
    save.world.rumors.spread_rumor(id, "tom")
    assert not tom.recall.knows_event({"event_type": "raid"}), "a rumor is no knowledge"
    mira.memories.forget(id)
    assert not mira.recall.knows_event({"event_type": "raid"})


def test_the_world_has_no_secrets(opened: Callable[..., Save], caplog: pytest.LogCaptureFixture) -> None:
    save = opened()
    secret = {"secret": True, "known_to": ["lena"], "known_by": ["mira"]}
    save.world.events.record_event({"event_type": "murder", "summary": "Ulf killed Tom.", **secret})
    assert '"secret" means nothing for an event of the world' in caplog.text
    mira = save.npc("mira")
    assert not mira.recall.knows_event({"event_type": "murder", "listeners": ["vane"]})
    assert mira.recall.knows_event({"event_type": "murder", "listeners": ["lena"]})
