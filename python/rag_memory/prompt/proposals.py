"""Actions, tasks and events that a language model proposes with its answer: they are read and checked, and
the game decides about them. Nothing here carries them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.config.budgets import PROMPT_BUDGETS
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.memory.game_time import MOST_DAYS, number_in
from rag_memory.prompt.answer_analysis import cut
from rag_memory.text.harmless import harmless
from rag_memory.text.token_width import token_width, tokens_of_width

ACTIONS, TASKS, EVENTS = "proposed_actions", "proposed_tasks", "proposed_events"
"""The keys of an answer, written by the model and returned to the game."""
PROPOSED = (ACTIONS, TASKS, EVENTS)
_OFFERED = {ACTIONS: "actions", TASKS: "tasks", EVENTS: "events"}
"""The keys of the option `proposals`."""
_MOST = 8
_LONGEST_TEXT = 300
_ACTION_TEXTS = ("action", "target", "reason")
_TASK_TEXTS = ("operation", "task_id", "assignee", "summary", "target", "location", "status", "reason")
_EVENT_TEXTS = ("event_type", "summary", "actor", "target", "location", "reason")
_SENTENCES = {ACTIONS: "propose_actions", TASKS: "propose_tasks", EVENTS: "propose_events"}
_ASSIGN, _CANCEL, _UPDATE = "assign", "cancel", "update"
_OPERATIONS = {
    name: operation
    for operation in (_ASSIGN, _CANCEL, _UPDATE)
    for name in (operation, f"{operation}_task", f"{operation}_npc_task")
}
_TEXT, _NUMBER = {"type": "string"}, {"type": "number"}


def schema_lines(config: MemoryConfig, proposals: Mapping[str, Any] | None) -> Iterator[str]:
    """The lines of a prompt that ask for an analysis, and for proposals where the game takes some."""
    limits = {name: getattr(config, f"max_{name}_change") for name in DIMENSIONS}
    yield config.sentence("response_schema", **limits)
    yield from _proposal_lines(config, proposals or {})


def prompt_budgets(config: MemoryConfig, proposals: Mapping[str, Any] | None) -> dict[str, int]:
    """The budgets of a prompt's sections, with room for what asks for proposals."""
    width = sum(token_width(f"{line}\n") for line in _proposal_lines(config, proposals or {}))
    more = {"response_schema": PROMPT_BUDGETS["response_schema"] + tokens_of_width(width)}
    return {**PROMPT_BUDGETS, **(more if width else {})}


def proposal_schemas(proposals: Mapping[str, Any] | None) -> dict[str, Any]:
    """The JSON schemas of the keys that hold proposals; empty where the game takes none."""
    fields: dict[str, Any] = {
        ACTIONS: dict.fromkeys(_ACTION_TEXTS, _TEXT),
        TASKS: {**dict.fromkeys(_TASK_TEXTS, _TEXT), "due_day": _NUMBER},
        EVENTS: dict.fromkeys(_EVENT_TEXTS, _TEXT),
    }
    return {
        key: {"type": "array", "items": {"type": "object", "properties": properties}}
        for key, properties in fields.items()
        if (proposals or {}).get(_OFFERED[key])
    }


def proposals_of(
    written: Mapping[str, Any],
    config: MemoryConfig,
    warnings: list[str],
    proposals: Mapping[str, Any] | None,
) -> dict[str, list[dict[str, Any]]]:
    """The proposals in an answer, by key. `warnings` says which are left out, and why.

    Args:
        proposals: what the game offers; None where that is not known, for all that are well-formed.
    """
    analysis = written.get("analysis")
    inner = analysis if isinstance(analysis, Mapping) else {}
    reading: dict[str, Callable[..., dict[str, Any]]] = {ACTIONS: _action, TASKS: _task, EVENTS: _event}
    read: dict[str, list[dict[str, Any]]] = {}
    for key, read_one in reading.items():
        items = written.get(key, inner.get(key)) or []
        offered = None if proposals is None else proposals.get(_OFFERED[key]) or ()
        if offered == ():
            items = []
        read[key] = []
        for item in items if isinstance(items, list) else [items]:
            try:
                if len(read[key]) < _MOST:
                    read[key].append(read_one(item, offered, config.own_roles()))
            except ValueError as problem:
                warnings.append(f"{key}: {problem}; it was left out.")
    return read


def _proposal_lines(config: MemoryConfig, proposals: Mapping[str, Any]) -> Iterator[str]:
    for key, sentence in _SENTENCES.items():
        offered = proposals.get(_OFFERED[key])
        if offered:
            yield config.sentence(sentence)
            meanings = offered if isinstance(offered, Mapping) else dict.fromkeys(_names(offered), "")
            for name, meaning in meanings.items():
                yield harmless(f"- {name}: {meaning}" if meaning else f"- {name}")


def _action(item: Any, offered: Any, roles: Any) -> dict[str, Any]:
    fields = item if isinstance(item, Mapping) else {"action": item}
    action = {"kind": "action", **_texts(fields, _ACTION_TEXTS, roles)}
    if not action["action"]:
        raise ValueError("an action has no name")
    if offered is not None and action["action"] not in _names(offered):
        raise ValueError(f"{action['action']} is none of the actions")
    return action


def _task(item: Any, offered: Any, roles: Any) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise ValueError("a task is no object")
    task = {"kind": "task", **_texts(item, _TASK_TEXTS, roles)}
    operation = _OPERATIONS.get(task["operation"].lower())
    if operation is None:
        raise ValueError(f"{task['operation'] or 'nothing'} is none of assign, cancel and update")
    if operation == _ASSIGN and not task["summary"]:
        raise ValueError("a task that is assigned has no summary")
    if operation != _ASSIGN and not task["task_id"]:
        raise ValueError(f"a task to {operation} has no task_id")
    if (
        operation != _ASSIGN
        and isinstance(offered, Mapping | list)
        and task["task_id"] not in _names(offered)
    ):
        raise ValueError(f"there is no task {task['task_id']}")
    day = item.get("due_day", -1)
    due = number_in(day, MOST_DAYS)
    return {**task, "operation": operation, "due_day": -1.0 if due is None else due}


def _event(item: Any, offered: Any, roles: Any) -> dict[str, Any]:
    event = {"kind": "event", **_texts(item if isinstance(item, Mapping) else {}, _EVENT_TEXTS, roles)}
    if not event["summary"]:
        raise ValueError("an event has no summary")
    if isinstance(offered, Mapping | list) and event["event_type"] not in _names(offered):
        raise ValueError(f"{event['event_type'] or 'nothing'} is none of the event types")
    return event


def _texts(fields: Mapping[str, Any], names: tuple[str, ...], roles: Any) -> dict[str, str]:
    values = {name: fields.get(name) for name in names}
    return {
        name: cut(harmless(value, roles), _LONGEST_TEXT) if isinstance(value, str) else ""
        for name, value in values.items()
    }


def _names(offered: Any) -> list[str]:
    return [str(name) for name in offered] if isinstance(offered, Mapping | list | tuple) else []
