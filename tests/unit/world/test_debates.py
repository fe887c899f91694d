"""Debates: recorded, held and searched; what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory import Save
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Step
from rag_memory.world.debate import decided, is_against, subject_in

PEACE = {
    "topic": "Peace with Carrow",
    "participants": ["aldwin", "erdurand"],
    "summary": "Aldwin opposed peace unless Carrow pays tribute.",
    "outcome": "The nobles are split but open to tribute-backed peace.",
}


def _held(save: Save, **debate: Any) -> dict[str, Any]:
    id = save.world.debates.record_debate(debate)
    (found,) = [each for each in save.world.debates.search_debates(debate["topic"]) if each["id"] == id]
    return found


def _feel(save: Save, npc_id: str, about: str, delta: float) -> None:
    save.npc(npc_id).mind.feelings.adjust_disposition(about, delta)


def test_a_recorded_debate_is_found_remembered_and_an_event(opened: Callable[..., Save]) -> None:
    save = opened()
    id = save.world.debates.record_debate({**PEACE, "importance": 7, "location": "greywater"})
    (found,) = save.world.debates.search_debates("is there to be peace with Carrow?")
    assert {name: found[name] for name in PEACE} == PEACE
    assert found["id"] == id
    assert 0 < found["relevance"] <= 1
    assert "memory_key" not in found
    for npc_id in PEACE["participants"]:
        (memory,) = save.npc(npc_id).recall.get_recent(10)
        assert memory["document_full"] == f'We debated this: "{PEACE["topic"]}". {PEACE["outcome"]}'
        assert memory["metadata"]["debate_id"] == id
        assert memory["metadata"]["importance"] == 7
    (event,) = save.world.events.get_events({"event_type": "debate"})
    assert event["id"] == found["event_id"]
    assert event["summary"] == PEACE["outcome"]
    assert event["known_by"] == PEACE["participants"]


def test_only_who_took_part_or_can_know_finds_a_debate(opened: Callable[..., Save]) -> None:
    save = opened()
    world = save.world
    world.characters.register_character("rhagaea", {"faction": "Norhold"})
    secret = world.debates.record_debate(PEACE)
    told = world.debates.record_debate({**PEACE, "known_by": ["spy"]})
    faction = world.debates.record_debate({**PEACE, "visibility": "faction", "factions": ["Norhold"]})
    public = world.debates.record_debate({**PEACE, "visibility": "GLOBAL"})

    def found(npc_id: str) -> set[str]:
        return {each["id"] for each in world.debates.search_debates("peace", {"npc_id": npc_id})}

    assert found("aldwin") == {secret, told, faction, public}
    assert found("spy") == {told, public}
    assert found("rhagaea") == {faction, public}
    assert found("stranger") == {public}
    assert len(world.debates.search_debates("peace", {"limit": 2})) == 2


def test_events_and_debates_are_not_mixed_up(opened: Callable[..., Save]) -> None:
    save = opened()
    event = save.world.events.record_event({"summary": "Peace with Carrow was signed."})
    id = save.world.debates.record_debate(PEACE)
    assert [each["id"] for each in save.world.debates.search_debates("peace")] == [id]
    found = {each["id"] for each in save.world.events.search_events("", "peace")}
    assert event in found
    assert id not in found
    with pytest.raises(InvalidArgumentError, match="already"):
        save.world.debates.record_debate({**PEACE, "id": event})


def test_dispositions_decide_a_debate_without_outcome(opened: Callable[..., Save]) -> None:
    save = opened()
    for npc_id, name in (("a", "Anna"), ("b", "Bert"), ("c", "Cora"), ("d", "Dora")):
        save.world.characters.register_character(npc_id, {"name": name})
    save.world.characters.register_character("caladog", {"name": "Brannoc", "faction": "Carrow"})
    _feel(save, "a", "Carrow", 20)
    _feel(save, "b", "caladog", 30)
    _feel(save, "c", "Carrow", -20)
    debate = _held(save, topic="Peace with Carrow", participants=["a", "b", "c", "d"])
    assert debate["positions"] == {"a": "for", "b": "for", "c": "against", "d": "undecided"}
    assert debate["outcome"] == 'Most were for this: "Peace with Carrow".'
    assert debate["summary"] == "For it: Anna, Bert. Against it: Cora. Undecided: Dora."
    war = _held(save, topic="War against Carrow", participants=["a", "b", "c"])
    assert war["positions"] == {"a": "against", "b": "against", "c": "for"}
    assert war["outcome"] == 'Most were against this: "War against Carrow".'
    split = _held(save, topic="Trade with Carrow", participants=["a", "c"])
    assert split["outcome"] == 'They were split over this: "Trade with Carrow".'
    nobody = _held(save, topic="Trade with Carrow again", participants=["d", "player"])
    assert nobody["outcome"] == 'They came to no decision on this: "Trade with Carrow again".'
    alone = _held(save, topic="More trade with Carrow", participants=["a", "b"])
    assert alone["outcome"] == 'All were for this: "More trade with Carrow".'


def test_loyalties_decide_between_two_sides(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.characters.register_character("a", {"faction": "Norhold"})
    save.world.profiles.set_profile("b", {"loyalties": ["Carrow"]})
    _feel(save, "c", "Carrow", -30)
    debate = _held(save, topic="Whom to follow", participants=["a", "b", "c"], sides=["Norhold", "Carrow"])
    assert debate["positions"] == {"a": "Norhold", "b": "Carrow", "c": "Norhold"}
    assert debate["outcome"] == 'In the matter of "Whom to follow" most sided with Norhold.'
    assert debate["summary"] == "For Norhold: a, c. For Carrow: b."


def test_a_debate_that_is_held_again_ends_the_same_way(opened: Callable[..., Save]) -> None:
    def play() -> dict[str, Any]:
        save = opened()
        _feel(save, "a", "Carrow", 20)
        return _held(save, topic="Peace with Carrow", participants=["b", "a"])

    assert play() == play()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            {"outcome": "Peace it is.", "summary": "All spoke.", "importance": 9},
            ("Peace it is.", "All spoke.", 9),
        ),
        ("Peace it is.", ("Peace it is.", "Undecided: a.", 5)),
    ],
)
def test_a_writer_may_hold_the_debate(
    answer: Any, expected: tuple[str, str, int], opened: Callable[..., Save]
) -> None:
    asked: list[dict[str, Any]] = []

    def write(request: dict[str, Any]) -> Generator[Step, None, Any]:
        asked.append(request)
        yield Step(0, 1, "waiting for the game")
        return answer

    save = opened()
    save.context.debate_writer = write
    debate = _held(save, topic="Peace with Carrow", participants=["a"])
    assert (debate["outcome"], debate["summary"], debate["importance"]) == expected
    (request,) = asked
    assert [each["id"] for each in request["participants"]] == ["a"]
    assert request["draft"]["outcome"]
    save.world.debates.record_debate(PEACE)
    assert len(asked) == 1, "a debate with an outcome was held by the game"


@pytest.mark.parametrize("answer", [42, "", {"outcome": 3}, {"summary": "so"}, []])
def test_a_writer_with_a_useless_answer_is_done_without(
    answer: Any, opened: Callable[..., Save], caplog: pytest.LogCaptureFixture
) -> None:
    save = opened()
    save.context.debate_writer = lambda request: answer
    debate = _held(save, topic="Peace with Carrow", participants=["a"])
    assert debate["outcome"] == 'They came to no decision on this: "Peace with Carrow".'
    assert "held no debate" in caplog.text


@pytest.mark.parametrize(
    ("debate", "told"),
    [
        ({}, "no topic"),
        ({"topic": "x"}, "no participants"),
        ({"topic": "x", "participants": "a"}, "an Array of Strings"),
        ({"topic": "x", "participants": ["@world"]}, "npc_id"),
        ({"topic": "x" * 400, "participants": ["a"]}, "400 characters"),
        ({"topic": "x", "participants": ["a"], "importance": 0}, "1 to 10"),
        ({"topic": "x", "participants": ["a"], "sides": ["a"]}, "two sides"),
        ({"topic": "x", "participants": ["a"], "outcome": 3}, "outcome"),
        ({"topic": "x", "participants": ["a"], "visibility": "everybody"}, "visibility"),
        (3, "a Dictionary"),
    ],
)
def test_what_is_no_debate_leaves_nothing(debate: Any, told: str, opened: Callable[..., Save]) -> None:
    save = opened()
    with pytest.raises(InvalidArgumentError, match=told):
        save.world.debates.record_debate(debate)
    assert save.world.debates.search_debates("x") == []
    assert save.world.events.get_events() == []
    assert save.npc("a").recall.get_recent(5) == []
    assert save.npc("a").recall.retrieve_relevant_raw("debated") == [], "nor in what searches"


def test_going_back_forgets_a_debate(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    clock.now += 10
    save.world.debates.record_debate(PEACE)
    save.marks.rollback_to(clock.now - 5)
    assert save.world.debates.search_debates("peace") == []
    assert save.npc("aldwin").recall.get_recent(5) == []
    assert save.world.debates.record_debate(PEACE)


def test_debates_survive_reopening(opened: Callable[..., Save], save_path: Any) -> None:
    save = opened(save_path)
    first = save.world.debates.record_debate(PEACE)
    save.close()
    again = opened(save_path)
    second = again.world.debates.record_debate(PEACE)
    assert {each["id"] for each in again.world.debates.search_debates("peace")} == {first, second}
    assert len({first, second}) == 2


def test_a_debate_speaks_the_language_of_the_game(opened: Callable[..., Save]) -> None:
    save = opened()
    save.npc("b", MemoryConfig(wording={"debate_undecided": "Keiner entschied über „{topic}“."}))
    debate = _held(save, topic="Frieden", participants=["a", "b"])
    assert debate["outcome"] == "Keiner entschied über „Frieden“."


IDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), min_size=1, max_size=5, unique=True)


@settings(max_examples=50, deadline=None)
@given(IDS, st.data())
def test_every_participant_is_told_once_and_nobody_is_invented(ids: list[str], data: Any) -> None:
    leanings = {id: data.draw(st.floats(-60, 60)) for id in ids}
    called = {id: f"Name_{id}" for id in ids}
    told = decided(Wording(), "the matter", [], leanings, called)
    assert sorted(told.positions) == sorted(ids)
    for id in ids:
        assert told.summary.count(called[id]) == 1
    assert told.summary.count("Name_") == len(ids)
    counts = [list(told.positions.values()).count(each) for each in ("for", "against")]
    assert ("split" in told.outcome) == (counts[0] == counts[1] > 0)


def test_a_topic_is_about_the_longest_name_in_it() -> None:
    names = {"Carrow": "carrow", "King Brannoc of Carrow": "caladog", "art": "art"}
    assert subject_in("Peace with King Brannoc of carrow", names) == "caladog"
    assert subject_in("The party of Carrow", names) == "carrow"
    assert subject_in("The party", names) == ""


@pytest.mark.parametrize(
    ("topic", "subject"),
    [
        ("花子さんの追放", "hanako"),
        ("讨伐花子的军队", "hanako"),
        ("민수에게 줄 벌", "minsu"),
        ("민수정의 결혼", ""),
    ],
)
def test_a_topic_names_its_subject_in_scripts_without_spaces(topic: str, subject: str) -> None:
    assert subject_in(topic, {"花子": "hanako", "민수": "minsu"}) == subject


def test_a_topic_is_against_somebody_in_any_script() -> None:
    assert is_against(Wording(), "War with Carrow")
    assert not is_against(Wording(), "The warm anti-war songs of Carrow")
    assert is_against(Wording(wording={"debate_words_against": "追放 処刑"}), "花子さんの追放")
    assert not is_against(Wording(wording={"debate_words_against": "追放 処刑"}), "花子さんの結婚")


def test_an_imported_debate_is_found(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.debates.record_debate(PEACE)
    other = opened()
    for number in range(5):
        other.world.events.record_event({"summary": f"Event {number} in Carrow."})
        other.npc("aldwin").memories.store(f"Peace number {number}.")
    other.world.json.import_json(save.world.json.export_json())
    (found,) = other.world.debates.search_debates("peace with Carrow", {"npc_id": "aldwin"})
    assert found["outcome"] == PEACE["outcome"]


@pytest.mark.parametrize("visibility", ["nobody", "local", "faction"])
def test_who_is_to_hear_of_a_debate_is_checked_before_it_is_held(
    opened: Callable[..., Save], visibility: str
) -> None:
    save = opened()
    asked: list[dict[str, Any]] = []
    save.context.debate_writer = asked.append
    with pytest.raises(InvalidArgumentError, match=r"record_debate\(\)"):
        save.world.debates.record_debate(
            {"topic": "Peace", "participants": ["mira"], "visibility": visibility}
        )
    assert asked == []
