"""A task: its keys, and the statuses it can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.owners import validate_npc_id
from rag_memory.validation import (
    shown,
    validate_fields,
    validate_number,
    validate_option,
    validate_options,
    validate_short_text,
    validate_text,
    validate_texts,
    wrong_type,
)
from rag_memory.world.days import day_of
from rag_memory.world.event import check_reach, validate_visibility
from rag_memory.world.who_knows import FACTION, PRIVATE, validate_known_by

PROPOSED, ACTIVE, REJECTED = "proposed", "active", "rejected"
COMPLETED, FAILED, CANCELLED, EXPIRED = "completed", "failed", "cancelled", "expired"
NEXT: Mapping[str, Sequence[str]] = {
    PROPOSED: (ACTIVE, REJECTED),
    ACTIVE: (COMPLETED, FAILED, CANCELLED, EXPIRED),
    COMPLETED: (),
    FAILED: (),
    CANCELLED: (),
    EXPIRED: (),
    REJECTED: (),
}
"""The statuses that a task can get next, by its status."""
FINISHED = NEXT[ACTIVE]
NEVER = -1.0
LONGEST_SUMMARY = 1000
_TEXTS = ("id", "issuer", "target", "location", "task_type")
_KEYS = (
    *(*_TEXTS, "assignee", "summary", "status", "priority", "due_day", "created_day"),
    *("constraints", "visibility", "known_by"),
)
_OURS = ("completed_day", "active_day", "result")
_FILTERS = ("assignee", "issuer", "target", "task_type", "location", "status", "involves", "active_on")


def new_task(call: str, task: Any, day: float) -> dict[str, Any]:
    """Check a task that the game passed, and fill in the keys that are missing; without an id the id is "".

    Raises:
        InvalidArgumentError: it has no assignee or summary, or a value is not valid.
    """
    values = validate_fields(call, "task", task, (*_KEYS, *_OURS))
    fields = {key: value for key, value in values.items() if value is not None and key not in _OURS}
    checked: dict[str, Any] = {name: validate_text(call, name, fields.get(name, "")) for name in _TEXTS}
    assignee = validate_text(call, "assignee", fields.get("assignee", ""))
    summary = validate_text(call, "summary", fields.get("summary", "")).strip()
    validate_short_text(call, "summary", summary, LONGEST_SUMMARY)
    for name, text in (("assignee", assignee), ("summary", summary)):
        if not text.strip():
            raise InvalidArgumentError(
                f"{call}: the task has no {name}", "somebody has to do something", f'Add the key "{name}"'
            )
    for name in (assignee, checked["issuer"]):
        if name:
            validate_npc_id(name)
    status = validate_status(call, fields.get("status", PROPOSED))
    if status not in (PROPOSED, ACTIVE):
        raise InvalidArgumentError(
            f"{call}: the status of a new task is {shown(status)}",
            f"a task begins as {shown(PROPOSED)} or {shown(ACTIVE)}",
            "Add it as one of these, then call update_task()",
        )
    constraints = fields.get("constraints", {})
    if not isinstance(constraints, Mapping):
        raise wrong_type(call, "constraints", constraints, "a Dictionary")
    priority = validate_option(call, fields, "priority", 5, 1, 10)
    visibility = validate_visibility(call, fields.get("visibility", PRIVATE))
    if visibility != FACTION:  # Factions are looked up when the task ends.
        check_reach(call, {**checked, "visibility": visibility})
    due = day_of(call, fields, "due_day", NEVER)
    return {
        **fields,
        **checked,
        "task_type": checked["task_type"] or "task",
        "assignee": assignee,
        "summary": summary,
        "status": status,
        "priority": priority,
        "visibility": visibility,
        "known_by": validate_known_by(call, validate_texts(call, "known_by", fields.get("known_by", []))),
        "created_day": day_of(call, fields, "created_day", day),
        "due_day": due if due >= 0 else NEVER,
        "active_day": day if status == ACTIVE else NEVER,
        "completed_day": NEVER,
        "constraints": constraints,
        "result": {},
    }


def validate_status(call: str, status: Any) -> str:
    """A status, in lower case.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    text = validate_text(call, "status", status).strip().casefold()
    if text not in NEXT:
        raise InvalidArgumentError(
            f"{call}: there is no status {shown(status)}", "", f"The statuses are {', '.join(NEXT)}"
        )
    return text


def refuse_other_changes(call: str, task: Mapping[str, Any], status: str) -> None:
    """Raise an InvalidArgumentError, unless a task can get this status."""
    now = task["status"]
    possible = NEXT[now]
    if status not in possible:
        raise InvalidArgumentError(
            f"{call}: the task {shown(task['id'])} is {now} and cannot become {status}",
            f"from {now} it can become {' or '.join(possible)}"
            if possible
            else f"a task that is {now} stays so",
            "Choose one of these" if possible else "Add a new task",
        )


def is_overdue(task: Mapping[str, Any], day: float) -> bool:
    """Return True if an active task was due before this day."""
    return bool(task["status"] == ACTIVE and 0 <= task["due_day"] < day)


def as_of(task: Mapping[str, Any], day: float) -> dict[str, Any]:
    """A copy of a task as it is on this day. One that is overdue has expired, written or not."""
    over = {"status": EXPIRED, "completed_day": task["due_day"]} if is_overdue(task, day) else {}
    return {**task, **over}


def decided(answer: Any) -> tuple[bool, str]:
    """Read the answer of a task_validator: whether the task is accepted, and why.

    Raises:
        ValueError: the answer is something else.
    """
    accepted = answer.get("accepted") if isinstance(answer, Mapping) else answer
    if not isinstance(accepted, bool):
        raise ValueError(f'it returned {shown(answer)}, which has no bool "accepted"')
    reason = answer.get("reason", "") if isinstance(answer, Mapping) else ""
    return accepted, reason if isinstance(reason, str) else ""


class TaskFilter(NamedTuple):
    """The conditions of get_tasks()."""

    equal: Mapping[str, str]
    statuses: Sequence[str]
    involves: str
    active_on: float | None

    def fits(self, task: Mapping[str, Any]) -> bool:
        """Return True if a task meets them."""
        return (
            all(task.get(name) == value for name, value in self.equal.items())
            and (not self.statuses or task["status"] in self.statuses)
            and (not self.involves or self.involves in involved(task))
            and (self.active_on is None or _was_active(task, self.active_on))
        )


def task_filter(call: str, filter: Any) -> TaskFilter:
    """Read the filter of get_tasks().

    Raises:
        InvalidArgumentError: there is no such key, or a value has the wrong type.
    """
    options = validate_options(call, filter, _FILTERS)
    statuses = options.get("status", [])
    if isinstance(statuses, str):
        statuses = [statuses]
    day = options.get("active_on")
    return TaskFilter(
        {name: validate_text(call, name, options[name]) for name in _FILTERS[:5] if name in options},
        [validate_status(call, status) for status in validate_texts(call, "status", statuses)],
        validate_text(call, "involves", options.get("involves", "")),
        None if day is None else validate_number(call, "active_on", day),
    )


def involved(task: Mapping[str, Any]) -> set[str]:
    """The ids of all characters in a task."""
    return {task["assignee"], task["issuer"], task["target"], *task["known_by"]} - {""}


def order(task: Mapping[str, Any]) -> tuple[Any, ...]:
    """A sort key: the most urgent first."""
    due = task["due_day"]
    return (-task["priority"], due < 0, due, task["created_day"], len(task["id"]), task["id"])


def _was_active(task: Mapping[str, Any], day: float) -> bool:
    ended = task["completed_day"]
    return bool(0 <= task["active_day"] <= day and (ended < 0 or day <= ended))
