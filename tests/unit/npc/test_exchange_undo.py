"""Undoing exchanges of an NPC: what is removed, what comes back, what stays and is listed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Npc, Save
from rag_memory.errors import InvalidArgumentError
from rag_memory.storage.sql.exchanges import MOST_UNDOABLE

HOUR = 3600.0


@pytest.fixture
def save(opened: Callable[..., Save]) -> Save:
    return opened()


def talk(save: Save, id: str, line: str, trust: int = 0, action: str = "spoke") -> None:
    """An exchange with a turn, a perceived line and, if `trust` is given, a change of the relationship."""
    elena = save.npc("elena")
    with save.context.exchange(id, "elena"):
        elena.mind.perceive({"action": action, "content": line, "source_id": "player"})
        elena.conversation.store_turn(line, "I see.", {"memories": [f"The player said: {line}"]})
        if trust:
            elena.relationship.store_relationship("player", {"trust_level": trust})


def texts(npc: Npc) -> list[str]:
    return sorted(memory["document_full"] for memory in npc.recall.get_recent(50))


def strength(npc: Npc) -> float:
    value: float = npc.mind.feelings.get_disposition("player")["strength"]
    return value


def test_the_last_exchange_is_undone_by_default(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    elena.memories.store("The wolf came to the river.", 5)
    before, felt = texts(elena), strength(elena)
    talk(save, "x1", "You thief, I hate you!", 30)
    (memory,) = elena.recall.get_recent(1)
    assert memory["exchange_id"] == "x1"
    assert elena.memories.get_memory(memory["id"])["exchange_id"] == "x1"
    assert [turn["exchange_id"] for turn in elena.conversation.get_turns()] == ["x1"]
    (exchange,) = elena.exchange_undo.get_exchanges()
    assert exchange["exchange"] == "x1" and exchange["time"] == clock.now
    assert (exchange["line"], exchange["answer"]) == ("You thief, I hate you!", "I see.")
    assert memory["id"] in exchange["memories"]
    assert strength(elena) < felt
    undone = elena.exchange_undo.undo_exchange()
    assert undone["exchange"] == "x1" and undone["left"] == []
    assert sorted(undone["removed"]) == sorted(exchange["memories"])
    assert texts(elena) == before and strength(elena) == felt
    assert elena.conversation.get_turns() == [] == elena.exchange_undo.get_exchanges()
    assert elena.relationship.get_relationship("player").get("trust_level") != 30
    with pytest.raises(InvalidArgumentError, match="there is no exchange"):
        elena.exchange_undo.undo_exchange()


def test_an_exchange_is_undone_after_a_restart(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    save.npc("elena").memories.store("The wolf came to the river.", 5)
    talk(save, "x1", "My name is Falk.", 40)
    save.close()
    save = opened(save_path)
    elena = save.npc("elena")
    assert elena.exchange_undo.undo_exchange("x1")["exchange"] == "x1"
    assert texts(elena) == ["The wolf came to the river."]
    assert elena.recall.retrieve_relevant("Falk", {"limit": 3}) == ["The wolf came to the river."]


def test_an_unknown_exchange_cannot_be_undone(save: Save) -> None:
    talk(save, "x1", "Hello.")
    for npc_id, id in (("elena", "x2"), ("bo", "x1")):
        with pytest.raises(InvalidArgumentError, match="cannot be undone"):
            save.npc(npc_id).exchange_undo.undo_exchange(id)
    assert len(save.npc("elena").exchange_undo.get_exchanges()) == 1


@pytest.mark.parametrize("is_both", [False, True])
def test_feelings_lose_the_part_of_an_earlier_exchange(save: Save, clock: GameClock, is_both: bool) -> None:
    elena = save.npc("elena")
    first = strength(elena)
    talk(save, "x1", "You thief, I hate you!")
    after_insult = strength(elena)
    talk(save, "x2", "Thank you, my dear friend.")
    thanks = strength(elena) - after_insult
    elena.exchange_undo.undo_exchange("x1")
    assert strength(elena) == pytest.approx(first + thanks)
    if is_both:
        elena.exchange_undo.undo_exchange("x2")
        assert strength(elena) == first


def test_a_value_replaced_by_an_undone_and_a_later_exchange_stays_archived(
    save: Save, clock: GameClock
) -> None:
    elena = save.npc("elena")

    def is_called(name: str) -> None:
        text = f"The player's name is {name}."
        elena.memories.store(text, 9, {"slot_type": "player_name"})

    is_called("Anna")
    for id, name in (("x1", "Berta"), ("x2", "Clara")):
        clock.now += HOUR
        with save.context.exchange(id, "elena"):
            is_called(name)
    elena.exchange_undo.undo_exchange("x1")
    assert texts(elena) == ["The player's name is Clara."]
    archived = [memory["document_full"] for memory in elena.archive.get_archived()]
    assert archived == ["The player's name is Anna."]
    elena.exchange_undo.undo_exchange("x2")
    assert texts(elena) == ["The player's name is Anna."]
    assert elena.archive.get_archived() == []
    assert elena.recall.retrieve_relevant("What is the player's name?") == ["The player's name is Anna."]


def test_what_follows_from_a_removed_memory_is_listed(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    task: dict[str, Any] = {"assignee": "bo", "summary": "Find the cat.", "status": "active", "id": "cat"}
    with save.context.exchange("x1", "elena"):
        save.world.tasks.add_task(task)
        id = elena.memories.store("Bo looks for the cat.", 5)
    save.world.tasks.update_task("cat", "completed")
    fact = {"event_type": "fact", "kind": "fact", "evidence": [id]}
    elena.memories.store("Bo owes me a favour.", 5, fact)
    undone = elena.exchange_undo.undo_exchange("x1")
    assert [(left["kind"], left["text"]) for left in undone["left"]] == [
        ("task", "Find the cat."),
        ("memory", "Bo owes me a favour."),
    ]
    assert undone["removed"] == [id]


def test_a_summary_of_an_undone_turn_is_made_again(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    for number in range(20):
        clock.now += HOUR
        talk(save, f"x{number}", f"This is sentence number {number}.")
    while save.idle_step() is not None:
        pass
    assert elena.conversation.get_conversation_summary()["turn_count"] > 0
    elena.exchange_undo.undo_exchange("x2")
    assert elena.conversation.get_conversation_summary()["turn_count"] == 0
    assert not [memory for memory in texts(elena) if "number 2." in memory]


def test_accesses_of_an_exchange_are_undone(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    wolf = elena.memories.store("The wolf came to the river.", 5)

    def accessed() -> float:
        value: float = elena.memories.get_memory(wolf)["metadata"]["last_accessed"]
        return value

    clock.now += HOUR
    elena.recall.retrieve_scored("wolf")
    save.context.accesses.write()
    asked = clock.now
    clock.now += HOUR
    talk(save, "x1", "Hello.")
    elena.recall.retrieve_scored("wolf")
    with save.context.exchange("x1", "elena"):
        pass
    assert accessed() == clock.now
    elena.exchange_undo.undo_exchange()
    assert accessed() == asked


def test_a_begun_and_finished_exchange_is_undone(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    wolf = elena.memories.store("The wolf came to the river.", 5)
    before, felt = elena.memories.get_memory(wolf), strength(elena)
    clock.now += HOUR
    begun = elena.exchanges.begin_exchange("line", "You thief, what of the wolf? I promise you bread.")
    answer = elena.exchanges.finish_exchange(begun["exchange"], {"text": "The wolf is gone."})
    (exchange,) = elena.exchange_undo.get_exchanges()
    assert exchange["exchange"] == begun["exchange"] and exchange["answer"] == answer["response"]
    assert set(exchange["memories"]) >= {memory["id"] for memory in answer["stored"]}
    assert answer["stored"]
    assert elena.memories.get_memory(wolf) != before, "it entered the prompt"
    elena.exchange_undo.undo_exchange()
    assert texts(elena) == ["The wolf came to the river."] and strength(elena) == felt
    assert elena.memories.get_memory(wolf) == before and elena.conversation.get_turns() == []


def test_a_late_extractor_changes_no_order_and_revives_no_exchange(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")

    def extractor(request: dict[str, Any]) -> Any:
        text = "The player plans a trip to Oak."
        finding = {"category": "plan", "speaker": "player", "text": text, "importance": 5}
        yield from ()
        return [finding] if "Oak" in str(request) else []

    def say(line: str) -> str:
        clock.now += 60
        begun = elena.exchanges.begin_exchange("line", line)
        elena.exchanges.finish_exchange(begun["exchange"], {"text": "Hm."})
        id: str = begun["exchange"]
        return id

    def be_idle() -> None:
        while save.idle_step() is not None:
            pass

    save.context.extractor = extractor
    first, second = say("I will go to Oak tomorrow."), say("Nice weather today.")
    be_idle()
    exchanges = elena.exchange_undo.get_exchanges()
    assert [exchange["exchange"] for exchange in exchanges] == [second, first]
    assert elena.exchange_undo.undo_exchange()["exchange"] == second
    elena.exchange_undo.undo_exchange()
    assert not [text for text in texts(elena) if "Oak" in text]
    first = say("I will go to Oak tomorrow.")
    for number in range(MOST_UNDOABLE):
        say(f"Nice weather today {number}.")
    be_idle()
    assert [text for text in texts(elena) if "plans a trip to Oak" in text]
    exchanges = elena.exchange_undo.get_exchanges(MOST_UNDOABLE)
    assert first not in [exchange["exchange"] for exchange in exchanges]


def test_strengths_at_the_end_of_the_range_lose_only_what_an_exchange_changed(
    save: Save, clock: GameClock
) -> None:
    elena = save.npc("elena")
    expected = []
    for number in range(8):
        clock.now += 60
        talk(save, f"x{number}", f"Thank you, dear friend number {number}.")
        expected.append(strength(elena))
    assert expected[-1] == 100
    for number in range(7):
        elena.exchange_undo.undo_exchange(f"x{number}")
        assert strength(elena) == pytest.approx(expected[6 - number], abs=0.1)


def test_what_replaced_or_consolidated_a_removed_memory_is_listed(save: Save, clock: GameClock) -> None:
    elena = save.npc("elena")
    for number in range(8):
        clock.now += 5 * HOUR
        with save.context.exchange(f"x{number}", "elena"):
            elena.memories.store_conversation("player", f"Story {number} of the old mill.")
    clock.now += 60 * 24 * HOUR
    assert elena.archive.consolidate()["removed"]
    (left,) = elena.exchange_undo.undo_exchange("x1")["left"]
    assert left["kind"] == "memory" and left["id"] in [memory["id"] for memory in elena.recall.get_recent(9)]
    for number, trust in ((8, 60), (9, 70)):
        clock.now += HOUR
        with save.context.exchange(f"x{number}", "elena"):
            elena.relationship.store_relationship("player", {"trust": trust})
    undone = elena.exchange_undo.undo_exchange("x8")
    (memory,) = [memory for memory in elena.recall.get_recent(9) if "trust 70" in memory["document_full"]]
    assert [left["id"] for left in undone["left"]] == [memory["id"]]


def test_the_relationship_of_the_game_comes_back(save: Save) -> None:
    elena = save.npc("elena")

    def trust() -> int:
        header = elena.relationship.generate_relationship_header()
        value: int = header["metadata"]["relationship"]["trust"]
        return value

    begun = elena.exchanges.begin_exchange("line", "Thank you.", {"relationship": {"trust": 40}})
    text = '{"response": "Ok.", "analysis": {"trust_change": 5}}'
    elena.exchanges.finish_exchange(begun["exchange"], {"text": text})
    assert trust() == 45
    elena.exchange_undo.undo_exchange()
    assert trust() == 40
