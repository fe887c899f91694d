"""The header knows that the two have met, and since when, from whatever the NPC remembers of the player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save
from rag_memory.config.mind_config import NPCMindConfig

NOW = 1_702_500_000.0
DAY = 86400.0


def met_and_days(npc: Npc) -> tuple[bool, int]:
    header: dict[str, Any] = npc.relationship.generate_relationship_header()["metadata"]["relationship"]
    return header["met"], header["days_known"]


MEETINGS: dict[str, Callable[[Npc], Any]] = {
    "conversation": lambda npc: npc.memories.store_conversation("player", "Good evening."),
    "own words": lambda npc: npc.memories.store_conversation(npc.npc_id, "Good evening."),
    "plain store": lambda npc: npc.memories.store("The player said: Good evening.", 6),
    "event type": lambda npc: npc.memories.store(
        "We talked about the well.", 6, {"event_type": "conversation"}
    ),
    "action": lambda npc: npc.memories.store_player_action("gift_received", "gave me a rose"),
    "quest": lambda npc: npc.memories.store_quest_memory("wolves", "completed"),
    "participant": lambda npc: npc.memories.store(
        "A walk to the mill.", 6, {"participants": ["Player", "Bjorn"]}
    ),
    "player name": lambda npc: npc.memories.store("Her name is Signe.", 6, {"event_type": "player_info"}),
    "first gift": lambda npc: npc.memories.store(
        "A rose!", 6, {"event_type": "gift_received", "is_first": True}
    ),
    "first quest": lambda npc: npc.memories.store(
        "Wolves.", 6, {"event_type": "quest_started", "is_first": True}
    ),
    "first meeting": lambda npc: npc.memories.store("By the well.", 6, {"event_type": "first_meeting"}),
    "what the player did": lambda npc: npc.memories.store("The player fixed my roof.", 6),
    "what I did": lambda npc: npc.memories.store("I told the player about the mine.", 6),
    "relationship": lambda npc: npc.relationship.store_relationship("player", {"trust": 60}),
}


@pytest.mark.parametrize("kind", MEETINGS)
@pytest.mark.parametrize("is_asked_before", [True, False])
def test_it_is_known_from_any_memory_of_the_player(
    kind: str, is_asked_before: bool, npc: Npc, clock: Any
) -> None:
    npc.memories.store("It rains.", 5)
    npc.memories.store_conversation("Bjorn", "The player is a thief.")
    npc.memories.store_npc_awareness("Bjorn", "Bjorn saw the player at the mill.")
    if is_asked_before:
        assert met_and_days(npc) == (False, 0)
    MEETINGS[kind](npc)
    clock.now += 5.5 * DAY
    assert met_and_days(npc) == (True, 5)
    npc.memories.store_conversation("player", "It is me again.")
    assert met_and_days(npc) == (True, 5), "the days count from the first"
    assert npc.recall.retrieve_scored("hello")[0]["document"].startswith("[Met=yes, Days=5,")


@pytest.mark.parametrize(
    "store",
    [
        lambda npc: npc.memories.store("It rains.", 5),
        lambda npc: npc.memories.store("Bjorn told me about the player.", 5),
        lambda npc: npc.memories.store("Bjorn met the player at the mill.", 5),
        lambda npc: npc.memories.store(
            "We talked.", 5, {"event_type": "conversation", "participants": ["Bjorn"]}
        ),
        lambda npc: npc.memories.store_conversation("Bjorn", "The player said hello."),
        lambda npc: npc.relationship.store_relationship("Bjorn", {"trust": 60, "familiarity": 90}),
        lambda npc: npc.relationship.store_npc_state(True),
    ],
)
def test_what_others_tell_is_no_meeting(npc: Npc, store: Callable[[Npc], Any]) -> None:
    store(npc)
    assert met_and_days(npc) == (False, 0)


def test_familiarity_is_a_sign_of_a_meeting_unless_a_stranger_has_it(npc: Npc) -> None:
    npc.relationship.set_initial_relationship({"familiarity": 10})
    assert met_and_days(npc) == (False, 0)
    npc.relationship.set_relationship_state({"trust": 90, "familiarity": 10})
    assert met_and_days(npc) == (False, 0)
    npc.relationship.set_relationship_state({"trust": 90, "familiarity": 11})
    assert met_and_days(npc) == (True, 0)
    npc.relationship.set_relationship_state({"familiarity": 11, "met": False})
    assert met_and_days(npc) == (False, 0), "the game says so"


def test_an_event_of_the_player_is_a_meeting_under_any_name(
    opened: Callable[..., Save], save_path: Any, clock: Any
) -> None:
    save = opened(save_path)
    npc = save.npc("mira")
    npc.mind.feelings.adjust_disposition("player", -5.0, "a rumor")
    npc.mind.perceive({"action": "helped", "source_id": "kael", "source_name": "Kael"})
    assert met_and_days(npc) == (False, 0), "a rumor, and what somebody else did"
    clock.now += DAY
    mark = save.marks.add()
    npc.mind.perceive({"action": "nodded", "source_id": "player", "source_name": "Rowan"})
    assert met_and_days(npc) == (True, 1), "she has a feeling for the player since the rumor"
    clock.now += 2 * DAY
    npc.mind.perceive({"action": "attacked", "source_id": "player", "source_name": "Rowan"})
    npc.reload()
    assert met_and_days(npc) == (True, 3)
    assert npc.recall.retrieve_scored("hello")[0]["document"].startswith("[Met=yes, Days=3,")
    other = save.npc("elena")
    other.tools.import_json(npc.tools.export_json())
    assert met_and_days(other)[0]
    save.marks.rollback_to(mark)
    assert met_and_days(npc) == (False, 0)
    npc.mind.perceive(
        {"action": "nodded", "source_id": "player", "source_name": "Rowan", "timestamp": clock.now - 9 * DAY}
    )
    assert met_and_days(npc) == (True, 9)
    npc.clear_all_memories()
    assert met_and_days(npc) == (False, 0)


@pytest.mark.parametrize("event", [{"action": "nodded"}, {"description": "She saw the player."}])
def test_a_meeting_is_known_after_its_event_was_pruned(npc: Npc, clock: Any, event: dict[str, Any]) -> None:
    npc.mind.config = NPCMindConfig(kept_interactions=10)
    npc.mind.feelings.adjust_disposition("player", -5.0, "a rumor")
    see_others(npc, 100)
    assert met_and_days(npc) == (False, 0), "a rumor is no meeting, pruned or not"
    npc.mind.perceive({**event, "source_id": "player"})
    npc.mind.feelings.adjust_disposition("player", 5.0, "another rumor")
    clock.now += 2 * DAY
    see_others(npc, 200)
    npc.reload()
    assert met_and_days(npc) == (True, 2)


def see_others(npc: Npc, count: int) -> None:
    for _ in range(count):
        npc.mind.perceive({"action": "waved", "source_id": "kael"})


def test_the_first_is_the_first_by_its_time(npc: Npc) -> None:
    npc.memories.store_conversation("player", "Hello.", {"timestamp": NOW - 2 * DAY})
    assert met_and_days(npc) == (True, 2)
    npc.memories.store_conversation("player", "Hello again.", {"timestamp": NOW - 30 * DAY})
    assert met_and_days(npc) == (True, 30)


def test_it_is_forgotten_with_the_memory_and_with_going_back(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("mira")
    id = npc.memories.store_conversation("player", "Hello.")
    assert met_and_days(npc) == (True, 0)
    npc.memories.forget(id)
    assert met_and_days(npc) == (False, 0)
    clock.now += DAY
    npc.memories.store_conversation("player", "Hello.")
    assert met_and_days(npc) == (True, 0)
    save.marks.rollback_to(NOW)
    assert met_and_days(npc) == (False, 0)


def test_what_was_merged_or_replaced_has_happened_all_the_same(npc: Npc, clock: Any) -> None:
    npc.relationship.store_relationship("player", {"trust": 60})
    clock.now += 4 * DAY
    npc.relationship.store_relationship("player", {"trust": 70})
    assert met_and_days(npc) == (True, 4)
    for number in range(6):
        npc.memories.store_conversation(
            "player", f"Story {number} of the old mill.", {"timestamp": NOW - 60 * DAY}
        )
    assert npc.archive.consolidate()["removed"] == 6
    npc.reload()
    assert met_and_days(npc) == (True, 64)


def test_an_old_friend_is_recognised_in_a_reopened_save(
    opened: Callable[..., Save], save_path: Any, clock: Any
) -> None:
    npc = opened(save_path).npc("mira")
    npc.memories.store_batch([{"text": f"Bread number {number} burned."} for number in range(60)])
    for number in range(5):
        npc.memories.store(f'The player said: "Story {number}."', 6, {"timestamp": NOW - (9 - number) * DAY})
    npc.relationship.store_relationship("player", {"trust": 90, "affection": 90, "familiarity": 70})
    npc.unload()
    npc.reload()
    header = npc.relationship.generate_relationship_header()["document"]
    assert header.startswith("[Met=yes, Days=9, Trust=90, Affection=90")


def test_the_memories_are_not_asked_again_for_every_question(
    npc: Npc, monkeypatch: pytest.MonkeyPatch
) -> None:
    npc.memories.store_batch([{"text": f"Bread number {number} burned."} for number in range(50)])
    assert met_and_days(npc) == (False, 0)
    monkeypatch.setattr(npc.records, "_find_first_meeting", None)
    npc.memories.store("It rains.")
    assert met_and_days(npc) == (False, 0)
    npc.memories.store_conversation("player", "Hello.")
    npc.memories.store("It rains again.")
    assert met_and_days(npc) == (True, 0)


def test_a_changed_memory_may_tell_of_a_meeting(npc: Npc, monkeypatch: pytest.MonkeyPatch) -> None:
    id = npc.memories.store("A walk to the mill.", 6, {"participants": ["Bjorn"], "timestamp": NOW - 3 * DAY})
    assert met_and_days(npc) == (False, 0)
    with monkeypatch.context() as patch:
        patch.setattr(npc.records, "_find_first_meeting", None)
        npc.memories.update_memory(id, {"participants": ["player"]})
        assert met_and_days(npc) == (True, 3)
        npc.memories.update_memory(id, {"participants": ["Bjorn"]})
        assert met_and_days(npc) == (True, 3), "what it said is archived"
    npc.reload()
    assert met_and_days(npc) == (True, 3)


ACQUAINTANCES: dict[str, Callable[[Save], Any]] = {
    "what one knows of the other": lambda save: save.npc("mira").memories.store("Bjorn is my brother.", 5),
    "what the other knows": lambda save: save.npc("bjorn").memories.store("I owe Mira for the flour.", 5),
    "what one lived through": lambda save: save.npc("mira").memories.store(
        "We mended the roof.", 5, {"participants": ["bjorn"]}
    ),
    "feelings": lambda save: save.npc("mira").mind.perceive({"action": "helped", "source_id": "bjorn"}),
    "feelings of the other": lambda save: save.npc("bjorn").mind.perceive(
        {"action": "helped", "source_id": "mira"}
    ),
    "a relationship": lambda save: save.npc("bjorn").relationship.store_relationship("mira", {"trust": 60}),
    "a clan": lambda save: [
        save.world.characters.register_character(id, {"clan": "Ash"}) for id in ("mira", "bjorn")
    ],
    "a household": lambda save: [
        save.world.characters.register_character(id, {"groups": ["the mill", of]})
        for id, of in (("mira", "bakers"), ("bjorn", "smiths"))
    ],
}
STRANGERS: dict[str, Callable[[Save], Any]] = {
    "nothing": lambda save: None,
    "others": lambda save: [
        save.npc("mira").memories.store("Gregor is my brother.", 5),
        save.npc("gregor").memories.store("Mira and Bjorn owe me for the flour.", 5),
    ],
    "different clans": lambda save: [
        save.world.characters.register_character(id, {"clan": f"of {id}", "faction": ""})
        for id in ("mira", "bjorn")
    ],
}


@pytest.mark.parametrize("kind", [*ACQUAINTANCES, *STRANGERS])
@pytest.mark.parametrize("has_node", [True, False])
def test_npcs_who_know_of_each_other_do_not_meet_for_the_first_time(
    opened: Callable[..., Save], kind: str, has_node: bool
) -> None:
    save = opened()
    for id in ("mira", "bjorn", "gregor"):
        save.npc(id)
    if has_node:
        save.context.senses_of = lambda _id: 3
    {**ACQUAINTANCES, **STRANGERS}[kind](save)
    mira = save.npc("mira")
    begun = mira.exchanges.begin_exchange("line", "Is the mill turning?", {"speaker": "bjorn"})
    (stored,) = mira.exchanges.finish_exchange(begun["exchange"], {"text": "It is not."})["stored"]
    is_first = kind in STRANGERS
    assert (stored["event_type"] == "first_meeting") == is_first
    assert stored["text"].startswith("I met Bjorn for the first time.") == is_first


def test_a_second_player_of_whom_she_has_heard_is_met_for_the_first_time(opened: Callable[..., Save]) -> None:
    save = opened()
    save.world.characters.register_character("anna", {"name": "Anna", "is_player": True})
    mira = save.npc("mira")
    mira.memories.store("Anna is said to rob graves.", 5)
    answer = {"response": "Good day."}
    (stored,) = mira.exchanges.record_exchange("Good day.", answer, {"speaker": "anna"})["stored"]
    assert stored["text"].startswith("I met Anna for the first time.")
