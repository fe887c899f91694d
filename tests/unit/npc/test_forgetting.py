"""What is forgotten does not come back: from turns, summaries, merged memories, conclusions, exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError

DAY = 86_400.0


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    return opened()


def everything(save: Save, npc_id: str = "elena") -> str:
    """All texts of an NPC that the game can get at."""
    npc = save.npc(npc_id)
    return "\n".join(
        [
            npc.tools.export_json(),
            save.world.json.export_json(),
            str(npc.conversation.get_turns(1000)),
            str(npc.conversation.get_conversation_summary()),
            str(npc.archive.get_archived()),
            str(npc.mind.get_interactions("", 1000)),
            str(npc.mind.feelings.get_disposition("rowan")),
            str(npc.exchange_undo.get_exchanges(20)),
        ]
    )


def finish(save: Save) -> None:
    while (step := save.idle_step()) is not None and not step.is_waiting:
        pass


def ids_with(npc: Npc, word: str) -> list[str]:
    return [memory["id"] for memory in npc.recall.get_recent(100) if word in memory["document_full"]]


def test_a_forgotten_name_and_promise_are_in_no_summary(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    elena.conversation.store_turn("My name is Wilhelmina, and I promise to burn the granary.", "Hush!")
    for memory in elena.recall.get_recent(9):
        assert elena.memories.forget(memory["id"])
    for number in range(40):
        clock.now += 60
        elena.conversation.store_turn(f"Line {number} about the harvest.", "Indeed.")
    finish(save)
    assert elena.conversation.get_conversation_summary()["turn_count"] > 0
    assert "Wilhelmina" not in everything(save) and "granary" not in everything(save)


def test_a_summary_is_made_again_without_a_forgotten_turn(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    elena.conversation.store_turn("I promise to burn the granary tomorrow.", "Hush!")
    for number in range(40):
        clock.now += 60
        elena.conversation.store_turn(f"Line {number} about the harvest.", "Indeed.")
    finish(save)
    assert "granary" in everything(save)
    (promise,) = ids_with(elena, "granary")
    assert elena.memories.forget(promise)
    assert "granary" not in everything(save)
    finish(save)
    assert elena.conversation.get_conversation_summary()["turn_count"] > 0
    assert "granary" not in everything(save)


def test_other_turns_stay(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    for line in ("I promise to burn the granary.", "The granary is full this year.", "It rains."):
        clock.now += 60
        elena.conversation.store_turn(line, "I see.")
    rain = elena.memories.store("It rains.")
    (promise,) = ids_with(elena, "burn")
    assert elena.memories.forget(promise) and elena.memories.forget(rain)
    lines = [turn["player_message"] for turn in elena.conversation.get_turns()]
    assert lines == ["The granary is full this year.", "It rains."]


def test_a_memory_that_the_game_stored_takes_the_turn_that_says_so(save: Save) -> None:
    elena = save.npc("elena")
    elena.conversation.store_turn("The duke has a twin called Osric, you know.", "Has he?")
    id = elena.memories.store("The duke has a twin called Osric.")
    assert elena.memories.forget(id)
    assert "Osric" not in everything(save)


def test_a_turn_in_which_the_words_are_scattered_stays(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    long = "Anna baked bread today. I saw Bert at the mill. My sister is well."
    for line in (
        long,
        "You know, Anna is the sister of Bert.",
        "The duke has a twin. Nobody knows that Osric exists.",
    ):
        clock.now += 60
        elena.conversation.store_turn(line, "I see.", {"memories": []})
    id = elena.memories.store("Anna is Bert's sister.")
    two = elena.memories.store("Osric exists! The duke has a twin.")
    assert elena.memories.forget(id) and elena.memories.forget(two)
    assert [turn["player_message"] for turn in elena.conversation.get_turns()] == [long]


def merged(save: Save, clock: GameClock) -> tuple[list[str], str]:
    """Five memories, merged into one: their ids, and its id."""
    elena = save.npc("elena")
    ids = []
    for text in ("is a fool", "has a twin called Osric", "drinks", "fears cats", "is always late"):
        clock.now += 60
        ids.append(elena.memories.store_conversation("player", f"The duke {text}.", {"topics": ["duke"]}))
    clock.now += 30 * DAY
    (summary,) = elena.archive.consolidate()["summary_ids"]
    assert "Osric" in everything(save)
    return ids, summary


def test_a_forgotten_source_leaves_no_summary_and_the_others_come_back(save: Save, clock: GameClock) -> None:
    ids, summary = merged(save, clock)
    elena = save.npc("elena")
    assert elena.memories.forget(ids[1])
    assert "Osric" not in everything(save)
    assert elena.memories.get_memory(summary) == {}
    assert {memory["id"] for memory in elena.recall.get_recent(9)} == {*ids} - {ids[1]}
    assert "cats" in elena.recall.recall_best("What does the duke fear?")["document_full"]
    assert not elena.memories.forget(ids[1])


def test_a_forgotten_summary_takes_its_sources(save: Save, clock: GameClock) -> None:
    _, summary = merged(save, clock)
    assert save.npc("elena").memories.forget(summary)
    assert "Osric" not in everything(save) and "cats" not in everything(save)
    save.marks.rollback_to(clock.now - DAY)
    assert "Osric" not in everything(save)


def test_conclusions_and_the_log_forget_what_they_rest_on(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    for number in range(4):
        clock.now += DAY
        elena.mind.perceive(
            {
                "action": "helped",
                "source_id": "rowan",
                "source_name": "Rowan",
                "content": f"the mill {number}",
            }
        )
    assert elena.mind.reflections.reflect(True)
    strength = elena.mind.feelings.get_disposition("rowan")["strength"]
    for memory in elena.recall.get_recent(20):
        if memory["metadata"]["kind"] not in ("reflection", "fact"):
            assert elena.memories.forget(memory["id"])
    assert elena.recall.get_recent(20) == []
    assert "mill" not in everything(save)
    assert elena.mind.feelings.get_disposition("rowan")["strength"] == strength, "the feeling stays"


def test_an_exchange_is_forgotten_with_what_quotes_it_and_undo_does_not_bring_it_back(save: Save) -> None:
    elena = save.npc("elena")
    old = elena.memories.store("The player's secret is Zanzibar.", 9, {"slot_type": "oath"})
    with save.context.exchange("x1", "elena"):
        elena.conversation.store_turn("My secret is Nairobi.", "Oh.", {"memories": []})
        new = elena.memories.store(
            "The player's secret is Nairobi.", 9, {"slot_type": "player_name", "entities": ["Nairobi"]}
        )
        elena.memories.store("The player said: “My secret is Nairobi.”")
    assert elena.memories.forget(new) and elena.memories.forget(old)
    assert "Nairobi" not in everything(save) and "Zanzibar" not in everything(save)
    elena.exchange_undo.undo_exchange("x1")
    assert "Nairobi" not in everything(save) and "Zanzibar" not in everything(save)


def test_undo_does_not_bring_back_a_forgotten_archived_value(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    data = {"slot_type": "player_name"}
    old = elena.memories.store("The player's name is Anna.", 9, data)
    clock.now += 60
    with save.context.exchange("x1", "elena"):
        elena.memories.store("The player's name is Berta.", 9, data)
    assert elena.memories.forget(old)
    elena.exchange_undo.undo_exchange("x1")
    assert "Anna" not in everything(save)


def test_a_rollback_to_a_mark_is_the_way_back(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    elena.conversation.store_turn("I promise to burn the granary.", "Hush!")
    before = everything(save)
    mark = save.marks.add()
    clock.now += 60
    assert elena.memories.forget(ids_with(elena, "granary")[0])
    assert "granary" not in everything(save)
    save.marks.rollback_to(mark)
    assert everything(save) == before


def test_memories_are_forgotten_by_a_filter(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    for name in ("rowan", "aldric", "rowan"):
        clock.now += 60
        elena.memories.store(f"{name} came at {clock.now}.", 5, {"participants": [name], "mine": 3})
    by_rowan = {"participants": {"contains": "rowan"}}
    assert elena.memories.forget_where({**by_rowan, "importance": {">": 7}}) == 0
    assert elena.memories.forget_where(by_rowan) == 2
    assert [memory["metadata"]["participants"] for memory in elena.recall.get_recent(5)] == [["aldric"]]
    assert elena.memories.forget_where({"mine": 3}) == 1
    with pytest.raises(InvalidArgumentError, match="empty"):
        elena.memories.forget_where({})
    assert save.npc("bo").memories.forget_where(by_rowan) == 0


def test_a_filter_finds_earlier_versions(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    id = elena.memories.store("The mill is home to rowan.", 5, {"participants": ["rowan"]})
    clock.now += 60
    assert elena.memories.update_memory(id, {"text": "The mill is home to bo.", "participants": ["bo"]})
    by_rowan = {"participants": {"contains": "rowan"}}
    assert "rowan" in str(elena.archive.get_archived())
    assert elena.memories.forget_where(by_rowan) == 1
    assert "home to rowan" not in everything(save)
    assert [memory["metadata"]["participants"] for memory in elena.recall.get_recent(5)] == [["bo"]]
    assert elena.memories.forget_where(by_rowan) == 0


def test_a_filter_finds_archived_sources(save: Save, clock: GameClock) -> None:
    ids, _ = merged(save, clock)
    elena = save.npc("elena")
    assert elena.memories.forget_where({"id": {"in": ids[:2]}}) == 2
    assert "Osric" not in everything(save) and "fool" not in everything(save)
    assert len(elena.recall.get_recent(9)) == 3


def test_an_extractor_that_comes_later_reads_no_forgotten_turn(save: Save) -> None:
    elena = save.npc("elena")
    save.context.extractor = lambda request: [{"text": "The player will burn the granary."}]
    elena.conversation.store_turn(
        "I promise to burn the granary.", "Hush!", {"memories": ["A burning granary."]}
    )
    id = elena.memories.store("I promise to burn the granary.")
    assert elena.memories.forget(id)
    finish(save)
    assert ids_with(elena, "will burn") == []


def test_nothing_is_forgotten_when_something_fails(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    elena = save.npc("elena")
    elena.conversation.store_turn("I promise to burn the granary.", "Hush!")
    (id,) = ids_with(elena, "granary")
    before = everything(save)

    def fail(*_arguments: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(save.store.exchanges, "forget_copies", fail)
    with pytest.raises(ZeroDivisionError):
        elena.memories.forget(id)
    assert everything(save) == before
    assert elena.recall.recall_best("Who burns the granary?")["id"] == id
