"""Recording, finding and refusing events; flags, facts and the player."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Save
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.world.world import World

DAY = 86400.0


@pytest.fixture
def save(opened: Callable[..., Save], clock: GameClock) -> Save:
    clock.now = 10 * DAY
    return opened()


@pytest.fixture
def world(save: Save) -> World:
    return save.world


def told(world: World) -> list[tuple[Any, ...]]:
    signals: list[tuple[Any, ...]] = []
    world.on_event = lambda name, arguments: signals.append((name, *arguments))
    return signals


def test_an_event_is_told_with_everything_that_has_a_meaning(world: World) -> None:
    signals = told(world)
    world.characters.register_character("vex", {"faction": "bandits"})
    event = {"event_type": "Raid!", "title": "The raid", "summary": "Vex burned the mill.", "actor": "vex"}
    id = world.events.record_event({**event, "rings": 2})
    assert id == "event_raid_day_10"
    assert world.events.record_event(event) == "event_raid_day_10_2"
    assert signals == [("event_recorded", id), ("event_recorded", f"{id}_2")]
    (first, _) = world.events.get_events()
    assert first == {
        **event,
        "id": id,
        "location": "",
        "target": "",
        "actor_faction": "bandits",
        "target_faction": "",
        "importance": 5,
        "visibility": "global",
        "known_by": [],
        "day": 10.0,
        "expires_day": -1.0,
        "rings": 2,
        "text": "Vex burned the mill.",
        "confidence": 1.0,
        "expired": False,
    }


def test_an_event_with_a_known_id_takes_its_place(world: World, save: Save, clock: GameClock) -> None:
    world.events.record_event(
        {"id": "fire", "summary": "The mill burns.", "visibility": "private", "actor": "mira"}
    )
    clock.now += 60
    world.events.record_events([{"id": "fire", "summary": "The inn burns."}, {"summary": "It rains."}])
    assert [each["summary"] for each in world.events.get_events()] == ["The inn burns.", "It rains."]
    assert [each["summary"] for each in world.events.search_events("bo", "inn burns")] == [
        "The inn burns.",
        "It rains.",
    ]
    (seen,) = world.events.search_events("bo", "inn burns", {"limit": 1})
    world.events.record_event({**seen, "summary": "The barn burns."})
    assert "relevance" not in world.events.get_events()[0], "what an answer has besides is not kept"
    save.marks.rollback_to(10 * DAY)
    assert [each["summary"] for each in world.events.get_events({"known_to": "mira"})] == ["The mill burns."]
    assert world.events.search_events("bo", "inn") == []


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({}, "the event has no summary"),
        ({"summary": " "}, "the event has no summary"),
        ({"summary": 5}, "summary is 5"),
        ({"summary": "A.", "visibility": "secret"}, 'visibility is "secret"'),
        ({"summary": "A.", "visibility": 1}, "visibility is 1"),
        ({"summary": "A.", "visibility": "local"}, "is local and has no location"),
        ({"summary": "A.", "visibility": "faction"}, "for a faction and names none"),
        ({"summary": "A.", "known_by": 5}, "known_by"),
        ({"summary": "A.", "known_by": {"factoin": "Reds"}}, "Did you mean .faction"),
        ({"summary": "A.", "known_by": {"faction": ""}}, "nobody is named"),
        ({"summary": "A.", "known_by": {"at_least": 3}}, "it compares a flag, and none is named"),
        ({"summary": "A.", "day": float("nan")}, "day"),
        ({"summary": "A.", "importance": "high"}, "importance"),
        ({"summary": "A.", "id": 5}, "id is 5"),
        ({"summary": "A.", "own": object()}, "own"),
        ("A.", "event is"),
    ],
)
def test_a_wrong_event_is_refused_and_none_of_its_batch_is_recorded(
    world: World, event: Any, problem: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=problem):
        world.events.record_event(event)
    with pytest.raises(InvalidArgumentError, match="record_events\\(\\), event 1: "):
        world.events.record_events([{"summary": "It rains."}, event])
    assert world.events.get_events() == []


def test_an_empty_npc_id_knows_what_everybody_knows(world: World) -> None:
    world.events.record_event({"summary": "Mira has a key.", "visibility": "private", "actor": "mira"})
    world.events.record_event({"summary": "It rains."})
    assert [each["text"] for each in world.events.get_events({"known_to": ""})] == ["It rains."]


def test_an_importance_outside_is_clamped(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        world.events.record_event({"summary": "A.", "importance": 12})
    assert world.events.get_events()[0]["importance"] == 10
    assert "12 is outside 1 to 10" in caplog.text


def test_events_are_filtered(world: World) -> None:
    world.events.record_events(
        [
            {"id": "a", "summary": "A.", "day": 1, "event_type": "fire", "actor": "vex", "location": "Mill"},
            {"id": "b", "summary": "B.", "day": 3, "actor_faction": "Reds", "participants": ["mira"]},
            {"id": "c", "summary": "C.", "day": 2, "target": "mira", "visibility": "private"},
            {"id": "d", "summary": "D.", "day": 4, "expires_day": 5, "importance": 9},
        ]
    )

    def found(**filter: Any) -> str:
        return "".join(each["id"] for each in world.events.get_events(filter))

    assert found() == "acb"
    assert found(include_expired=True) == "acbd"
    assert found(limit=2) == "cb"
    assert found(limit=0) == ""
    assert (found(event_type="fire"), found(location=" mill"), found(actor="vex")) == ("a", "a", "a")
    assert (found(faction="reds"), found(participant="mira"), found(visibility="PRIVATE")) == ("b", "cb", "c")
    assert found(since_day=2, until_day=2) == "c"
    assert (found(known_to="mira"), found(known_to="bo", include_expired=True)) == ("acb", "ab")
    assert {each["id"] for each in world.events.search_events("", "A B C D")} == set("abcd")
    assert [each["id"] for each in world.events.search_events("", "D", {"min_importance": 6})] == ["d"]
    assert world.events.search_events("", "D", {"event_type": "flood"}) == []
    with pytest.raises(InvalidArgumentError, match="there is no option 'kind'"):
        world.events.get_events({"kind": 5})
    with pytest.raises(InvalidArgumentError, match="since_day"):
        world.events.get_events({"since_day": "today"})
    with pytest.raises(InvalidArgumentError, match="limit is -1"):
        world.events.search_events("mira", "D", {"limit": -1})


def test_expired_events_are_marked_once_and_come_back(world: World, save: Save, clock: GameClock) -> None:
    world.events.record_event({"summary": "The fair is on.", "expires_day": 12})
    assert world.events.expire_events() == 0
    clock.now = 12.5 * DAY
    assert world.events.search_events("mira", "fair") == [], "by the clock, without expire_events()"
    assert world.events.expire_events() == 1
    assert world.events.expire_events() == 0
    assert world.events.search_events("", "fair")[0]["expired"]
    clock.now = 11 * DAY
    save.marks.rollback_to(clock.now)
    assert world.events.search_events("mira", "fair")[0]["text"] == "The fair is on."


def test_a_rumor_fades_from_mouth_to_mouth(
    world: World, save: Save, caplog: pytest.LogCaptureFixture
) -> None:
    signals = told(world)
    world.config = MemoryWorldConfig(rumor_decay=0.5, rumor_min_confidence=0.2)
    for npc, place in (("mira", "Inn"), ("bo", "Inn"), ("cy", "Mill"), ("dan", "Mill")):
        world.characters.register_character(npc, {"location": place})
    id = world.events.record_event({"summary": "The king is ill.", "visibility": "rumor", "actor": "mira"})
    assert world.rumors.spread_rumor(id, "inn") == ["bo"]
    assert world.rumors.spread_rumor(id, "Mill", "bo") == ["cy", "dan"]
    assert [each["confidence"] for each in world.events.search_events("cy", "king")] == [0.25]
    assert (
        world.events.search_events("cy", "king")[0]["text"] == "I heard that this happened: The king is ill."
    )
    with caplog.at_level(logging.WARNING):
        assert world.rumors.spread_rumor(id, "mira", "cy") == []
    assert "less than rumor_min_confidence" in caplog.text
    assert world.rumors.spread_rumor(id, "cy", "mira") == ["cy"], "who believes it more is told anew"
    assert signals[1:] == [
        ("rumor_spread", id, "inn"),
        ("rumor_spread", id, "Mill"),
        ("rumor_spread", id, "cy"),
    ]
    for arguments, problem in (
        (("nothing", "bo"), "there is no such event"),
        ((id, "nobody"), "no character, place or faction is called so"),
        ((id, "bo", "eve"), "she does not know of the event"),
    ):
        with pytest.raises(InvalidArgumentError, match=problem):
            world.rumors.spread_rumor(*arguments)


def test_a_rumor_is_not_known_of_another_event_with_its_id(
    world: World, save: Save, clock: GameClock
) -> None:
    world.characters.register_character("bo", {})
    world.events.record_event({"id": "ball", "summary": "A ball is held.", "visibility": "rumor", "day": 12})
    world.rumors.spread_rumor("ball", "bo")
    save.marks.rollback_to(11 * DAY)
    world.events.record_event({"id": "ball", "summary": "The heir is born.", "visibility": "rumor"})
    assert world.events.search_events("bo", "heir") == []


def test_a_rumor_in_the_words_of_the_game(world: World, save: Save) -> None:
    npc = save.npc("bo")
    npc.config = type(npc.config)(wording={"rumor_heard": "Man sagt: {event}"})
    world.characters.register_character("bo", {})
    id = world.events.record_event({"summary": "Der König ist krank.", "visibility": "rumor"})
    world.rumors.spread_rumor(id, "bo")
    assert world.events.get_events({"known_to": "bo"})[0]["text"] == "Man sagt: Der König ist krank."


def test_a_rollback_counts_the_memories_of_npcs_only(world: World, save: Save, clock: GameClock) -> None:
    clock.now += 60
    world.events.record_events([{"summary": f"Mill {number} burned."} for number in range(5)])
    save.npc("elena").memories.store("The mills burn.")
    assert save.marks.rollback_to(10 * DAY) == 1
    assert world.events.get_events() == []


def test_flags_facts_and_the_player_go_back_with_the_game(world: World, save: Save, clock: GameClock) -> None:
    world.facts.set_flags({"met": True, "bandits": 3})
    world.facts.set_facts({"mine": {"text": "The mine is shut.", "known_by": ["mira"]}})
    world.facts.set_player_info({"name": "Theron", "titles": ["Sir"]})
    clock.now += 60
    world.facts.set_flags({"met": None, "bandits": 2, "mood": 0.5})
    world.facts.set_facts({"mine": None, "well": {"text": "The well is dry."}})
    world.facts.set_player_info({"titles": None})
    assert world.facts.get_flags() == {"bandits": 2, "mood": 0.5}
    assert world.facts.get_facts() == {"well": {"id": "well", "text": "The well is dry."}}
    assert world.facts.get_player_info() == {"name": "Theron"}
    save.marks.rollback_to(10 * DAY)
    assert world.facts.get_flags() == {"met": True, "bandits": 3}
    assert list(world.facts.get_facts()) == ["mine"]
    assert world.facts.get_player_info() == {"name": "Theron", "titles": ["Sir"]}


@pytest.mark.parametrize(
    ("call", "values", "problem"),
    [
        ("set_flags", {"met": []}, "the flag met is"),
        ("set_flags", {"": True}, "every key is a name"),
        ("set_flags", 5, "values is 5"),
        ("set_facts", {"mine": "shut"}, "the fact mine is"),
        ("set_facts", {"mine": {}}, "the fact mine has no text"),
        ("set_player_info", [], "changes is"),
    ],
)
def test_wrong_facts_are_refused(world: World, call: str, values: Any, problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=problem):
        getattr(world.facts, call)(values)


def test_a_large_change_of_a_disposition_is_an_event_when_the_game_wants_it(world: World, save: Save) -> None:
    mira = save.npc("mira")
    world.characters.register_character("mira", {"name": "Mira"})
    mira.mind.perceive({"action": "attacked", "source_id": "bo"})
    assert world.events.get_events() == [], "off by default"
    world.config = MemoryWorldConfig(relationship_event_threshold=5)
    mira.mind.perceive({"action": "attacked", "source_id": "bo"})
    mira.mind.perceive({"action": "helped", "source_id": "cy"})
    mira.mind.perceive({"action": "spoke", "content": "It rains.", "source_id": "dan"})
    assert [(each["summary"], each["towards"]) for each in world.events.get_events({"known_to": "mira"})] == [
        ("Mira has begun to think much worse of bo.", "bo"),
        ("Mira has begun to think much better of cy.", "cy"),
    ]
    assert world.events.get_events({"known_to": "bo"}) == []


def test_min_importance_holds_for_what_the_world_knows(world: World, save: Save) -> None:
    """The most important one is returned, though others are more relevant."""
    for number in range(8):
        world.events.record_event({"summary": f"The mill wheel squeaked {number} times.", "importance": 4})
    fire = world.events.record_event({"summary": "The mill of Tarn burned.", "importance": 9})
    recall = save.npc("elena").recall
    question = "Did the mill wheel squeak?"
    for limit in (1, 5):
        (relevant,) = recall.retrieve_relevant_raw(question, {"limit": limit, "min_importance": 8})
        assert relevant["id"].endswith(fire)
    tiered = recall.retrieve_tiered(question, {"min_importance": 8})["relevant"]
    assert [memory["id"] for memory in tiered] == [relevant["id"]]
