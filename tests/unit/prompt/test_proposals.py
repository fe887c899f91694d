"""Actions, tasks and events that a model proposes reach the game, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rag_memory import Save
from rag_memory.config import MemoryConfig
from rag_memory.prompt.answers import answer_schema, read_answer

OFFERED = {"actions": {"follow": "go with the player"}, "tasks": {"patrol_1": "Patrol near Sargot."}}
ACTIONS = [{"action": "follow", "target": "player", "reason": "She trusts him."}, "burn_the_inn"]
TASKS = [
    {"operation": "assign_npc_task", "assignee": "bran", "summary": "Guard the bridge.", "due_day": 5},
    {"operation": "cancel", "task_id": "patrol_1", "reason": "The war is over."},
    {"operation": "update", "task_id": "patrol_9", "status": "failed"},
    {"operation": "pay", "task_id": "patrol_1"},
    {"operation": "assign"},
    7,
]
TEXT = json.dumps(
    {"response": "I will.", "analysis": {}, "proposed_actions": ACTIONS, "proposed_tasks": TASKS}
)


def _finished(save: Save, options: dict[str, Any]) -> dict[str, Any]:
    exchanges = save.npc("mira").exchanges
    begun = exchanges.begin_exchange("line", "Come with me!", options)
    return exchanges.finish_exchange(begun["exchange"], {"text": TEXT})


def test_what_the_game_offers_is_asked_for_and_nothing_else(opened: Callable[..., Save]) -> None:
    prompts = opened().npc("mira").prompts
    plain = prompts.build_prompt("line", "Hello!")["prompt"]
    offered = prompts.build_prompt("line", "Hello!", {"proposals": OFFERED})["prompt"]
    assert "proposed_" not in plain
    for text in ("proposed_actions", "- follow: go with the player", "- patrol_1: Patrol near Sargot."):
        assert text in offered
    many = {"actions": {f"action_{number}": "does something long-winded" for number in range(100)}}
    assert "- action_99" in prompts.build_prompt("line", "Hello!", {"proposals": many})["prompt"]
    assert "proposed_tasks" not in json.dumps(answer_schema(many))
    assert {*answer_schema(OFFERED)["properties"]} == {
        *("response", "analysis", "proposed_actions", "proposed_tasks")
    }


def test_proposals_are_typed_and_those_that_were_not_offered_are_left_out(
    opened: Callable[..., Save],
) -> None:
    save = opened()
    answer = _finished(save, {"proposals": OFFERED})
    assert answer["proposed_actions"] == [
        {"kind": "action", "action": "follow", "target": "player", "reason": "She trusts him."}
    ]
    first, second = answer["proposed_tasks"]
    assert (first["operation"], first["assignee"], first["due_day"]) == ("assign", "bran", 5.0)
    assert (second["operation"], second["task_id"], second["due_day"]) == ("cancel", "patrol_1", -1.0)
    assert len(answer["warnings"]) == 5
    assert save.world.tasks.get_tasks() == []


def test_a_game_that_offers_nothing_gets_nothing(opened: Callable[..., Save]) -> None:
    answer = _finished(opened(), {})
    assert (answer["proposed_actions"], answer["proposed_tasks"], answer["warnings"]) == ([], [], [])


def test_a_text_read_without_options_has_all_that_is_well_formed() -> None:
    answer = read_answer(TEXT, {}, MemoryConfig())
    assert [action["action"] for action in answer["proposed_actions"]] == ["follow", "burn_the_inn"]
    assert [task["operation"] for task in answer["proposed_tasks"]] == ["assign", "cancel", "update"]
    odd = read_answer('{"response": "Hm.", "analysis": {"proposed_actions": "follow"}}', {}, MemoryConfig())
    assert [action["action"] for action in odd["proposed_actions"]] == ["follow"]


def _events(save: Save, written: Any, offered: Any) -> list[dict[str, Any]]:
    text = json.dumps({"response": "Hm.", "analysis": {}, "proposed_events": written})
    exchanges = save.npc("mira").exchanges
    begun = exchanges.begin_exchange("line", "What now?", {"proposals": {"events": offered}})
    events: list[dict[str, Any]] = exchanges.finish_exchange(begun["exchange"], {"text": text})[
        "proposed_events"
    ]
    return events


def test_events_are_typed_and_of_the_types_that_are_offered(opened: Callable[..., Save]) -> None:
    feud = {"event_type": "feud", "summary": "Bran\nleft the guard.", "actor": "bran", "day": 4}
    written = [feud, {"event_type": "war", "summary": "War!"}, {"event_type": "feud"}, "plague"]
    save = opened()
    for offered, count in ((["feud"], 1), ({"feud": "a quarrel of houses"}, 1), (True, 2), (False, 0)):
        assert len(_events(save, written, offered)) == count
    event = _events(save, written, True)[0]
    assert event["kind"] == "event" and event["actor"] == "bran" and "day" not in event
    assert "\n" not in event["summary"]
    prompt = save.npc("mira").prompts.build_prompt("line", "Hello!", {"proposals": {"events": ["feud"]}})
    assert "proposed_events" in prompt["prompt"] and "- feud" in prompt["prompt"]
    assert save.world.events.record_event(event)
    assert [one["summary"] for one in save.world.events.get_events({})] == [event["summary"]]
