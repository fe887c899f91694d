"""The tasks of NPCs: who does what for whom, until when, and how it ended."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError, NpcLockedError
from rag_memory.game_call import DONE, Done, game_call
from rag_memory.mind.asking import answered_steps
from rag_memory.step import Step, Steps, in_slices
from rag_memory.validation import shown, validate_fields, validate_text
from rag_memory.world.events import Events
from rag_memory.world.participants import Participants
from rag_memory.world.task import (
    ACTIVE,
    CANCELLED,
    EXPIRED,
    FAILED,
    FINISHED,
    PROPOSED,
    REJECTED,
    as_of,
    decided,
    is_overdue,
    new_task,
    order,
    refuse_other_changes,
    task_filter,
    validate_status,
)
from rag_memory.world.who_knows import FACTION, PRIVATE
from rag_memory.world.world_context import WorldContext

TASK = "task"
_LOG = logging.getLogger("rag_memory")
_WEIGHTS = {FAILED: 1, CANCELLED: -2}
"""Added to the priority, it is the importance of the memory of such an end."""


class Tasks:
    """Adds tasks, changes their status, and ends those that are overdue."""

    def __init__(self, context: WorldContext, participants: Participants, events: Events) -> None:
        self._context = context
        self._participants = participants
        self._events = events
        self.on_expired: Callable[[Mapping[str, Any]], None] | None = None
        """Called with each task that was not done in time."""

    @game_call(writes=True)
    @in_slices
    def add_task(self, task: Mapping[str, Any]) -> Steps[str]:
        """Adds a task and returns its id. Emits `task_changed`.

        A task begins as `"proposed"`, which `MemoryServer.task_validator` accepts or rejects when there is
        one: it becomes `"active"`, or `"rejected"` with the `reason` in its `result`. What a language model
        wants to have done is such a proposal. Use `add_task_async()` when the validator has to be awaited.

        Args:
            task: `assignee` (who is to do it) and `summary` are needed. `issuer` (who wants it), `target`,
                `task_type` and `location` are Strings. `status` is `"proposed"` or `"active"`, `priority` 1
                to 10 (5), and `constraints` a Dictionary. `due_day` is until when it has to be done, in days
                of the game's clock, such as `5.5` (-1: no matter when). With a `visibility` other than
                `"private"` its end is an event that others hear of, see `record_event()`. `known_by` are ids
                of further characters who know of it, and `id` is a name of your own. Other keys are kept for
                the game.

        Raises:
            InvalidArgumentError: the assignee or summary is missing, there is a task with this id, or a
                value has the wrong type.
        """
        call = "add_task()"
        new = new_task(call, task, self._context.day())
        with self._context.transaction():
            id = new["id"] = self._checked_id(call, new["id"])
            self._write(new)
        if new["status"] == PROPOSED:
            yield from self._validate_steps(new)
        return id

    @game_call(writes=True)
    def update_task(self, id: str, status: str, result: Mapping[str, Any] | None = None) -> Done:
        """Changes the status of a task. Emits `task_changed`.

        From `"proposed"` a task can become `"active"` or `"rejected"`, from `"active"` `"completed"`,
        `"failed"`, `"cancelled"` or `"expired"`. The end of an active task becomes a memory of the assignee
        and of the issuer, all in one. An active task whose `due_day` is over is expired without this call.

        Args:
            result: what came of it; added to what the task has. A String `summary` in it is part of the
                memories, such as `"Two farms burned."`.

        Raises:
            InvalidArgumentError: there is no such task, or it cannot become this. The message says what it
                can become.
        """
        call = "update_task()"
        status = validate_status(call, status)
        added = validate_fields(call, "result", {} if result is None else result, ("summary",))
        self.expire_tasks()
        id = validate_text(call, "id", id)
        with self._context.transaction():
            task = self._context.content(TASK, id)
            if task is None:
                raise InvalidArgumentError(
                    f"{call}: there is no task {shown(id)}", "", "Pass an id that add_task() returned"
                )
            refuse_other_changes(call, task, status)
            self._change(task, status, self._context.day(), added)
        return DONE

    @game_call()
    def get_tasks(self, filter: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Returns tasks, the highest priority first, and of the same priority the one that is due first.

        Active tasks whose `due_day` is over are expired, on that day.

        Args:
            filter: `assignee`, `issuer`, `target`, `task_type` and `location` are Strings. `status` is one or
                an Array of them. `involves` is the id of somebody who has anything to do with it, and
                `active_on` a day on which it was active.

        Returns:
            `id`, `task_type`, `assignee`, `issuer`, `target`, `location`, `status`, `priority`, `summary`,
            `created_day`, `active_day`, `due_day` and `completed_day` (-1: none), `constraints`, `result`,
            `visibility`, `known_by`, and the game's own keys.
        """
        wanted = task_filter("get_tasks()", filter)
        if self._context.save.notes_accesses:
            self.expire_tasks()
        day = self._context.day()
        tasks = [as_of(task.content, day) for task in self._context.all(TASK).values()]
        return sorted([task for task in tasks if wanted.fits(task)], key=order)

    @in_slices
    def expire_tasks(self) -> Steps[int]:
        """End the active tasks that were due before now, each on its due day; returns how many."""
        count, day = 0, self._context.day()
        tasks = [task.content for task in self._context.all(TASK).values()]
        overdue = [task for task in tasks if is_overdue(task, day)]
        for task in sorted(overdue, key=lambda task: (task["due_day"], task["id"])):
            if self._expire_one(task["id"], day):
                count += 1
                yield Step(count, len(overdue), "expiring tasks")
        return count

    def _expire_one(self, id: str, day: float) -> bool:
        """End a task on its due day, unless it has ended already; returns whether it was ended here. When
        its end can be no memory of those who took part, it is ended without one.
        """
        try:
            with self._context.transaction():
                task = self._overdue(id, day)
                if task is not None:
                    self._change(task, EXPIRED, task["due_day"], {})
        except (InvalidArgumentError, NpcLockedError) as error:
            if isinstance(error, NpcLockedError) and self._has_one_owner(id):
                return False  # The game that owns them ends it, with their memories of it.
            _LOG.error("The task %s is expired, without a memory or an event of it: %s", shown(id), error)
            with self._context.transaction():
                task = self._overdue(id, day)
                if task is not None:
                    self._context.write(
                        TASK, id, {**task, "status": EXPIRED, "completed_day": task["due_day"]}
                    )
                    self._context.emit("task_changed", (id, EXPIRED))
        if task is not None and self.on_expired is not None:
            self.on_expired(task)
        return task is not None

    def _has_one_owner(self, id: str) -> bool:
        """Return True if one game owns everybody who remembers a task, or no game owns any of them."""
        task = self._context.content(TASK, id) or {"assignee": "", "issuer": ""}
        store, npcs = self._context.store, self._participants.npcs([task["assignee"], task["issuer"]])
        return len({(store.owners.owns(npc_id), store.owners.owner_of(npc_id)) for npc_id in npcs}) < 2

    def _overdue(self, id: str, day: float) -> dict[str, Any] | None:
        """A task, if it is overdue."""
        task = self._context.content(TASK, id)
        return task if task is not None and is_overdue(task, day) else None

    def _validate_steps(self, task: dict[str, Any]) -> Steps[None]:
        id = task["id"]
        answer = yield from answered_steps(
            self._context.save.task_validator,
            {"task": dict(task)},
            self._participants.wording([task["assignee"]]).summarizer_timeout_seconds,
            decided,
            f"The task_validator decided nothing about {id}",
            "The task stays proposed; call update_task().",
        )
        if answer is None:
            return
        accepted, reason = answer
        result = {"reason": reason} if reason else {}
        with self._context.transaction():
            now = self._context.content(TASK, id)
            if now is not None and now["status"] == PROPOSED:
                self._change(now, ACTIVE if accepted else REJECTED, self._context.day(), result)

    def _change(self, task: dict[str, Any], status: str, day: float, result: Mapping[str, Any]) -> None:
        task = {**task, "status": status, "result": {**task["result"], **result}}
        if status == ACTIVE:
            task["active_day"] = day
        else:
            task["completed_day"] = day
        self._write(task)

    def _write(self, task: Mapping[str, Any]) -> None:
        """Write a task. Its end becomes memories and an event in the same transaction."""
        ends = task["status"] in FINISHED
        npcs = self._participants.npcs([task["assignee"], task["issuer"]]) if ends else []
        at = task["completed_day"] * CALENDAR.seconds_per_day if ends else None
        with self._context.transaction(npcs):
            self._context.write(TASK, task["id"], task, at=at)
            for npc_id in npcs:
                self._remember_end(npc_id, task)
            if ends and task["visibility"] != PRIVATE:
                self._events.record_event(self._news_of(task))
        self._context.emit("task_changed", (task["id"], task["status"]))

    def _remember_end(self, npc_id: str, task: Mapping[str, Any]) -> None:
        config = self._context.npc(npc_id).config
        assignee, issuer, status = task["assignee"], task["issuer"], task["status"]
        whose = "given_" if npc_id != assignee else "" if issuer not in ("", assignee) else "own_"
        text = config.sentence(
            f"task_{whose}{status}",
            assignee=self._participants.name_of(config, assignee),
            issuer=self._participants.name_of(config, issuer),
            task=_sentence(task["summary"]),
        )
        data = {
            "event_type": f"task_{status}",
            "participants": [id for id in dict.fromkeys([assignee, issuer]) if id],
            "entities": [task["target"]] if task["target"] else [],
            "topics": [task["task_type"]],
            "location": task["location"],
            "timestamp": task["completed_day"] * CALENDAR.seconds_per_day,
            "task_id": task["id"],
        }
        self._participants.remember(
            npc_id, text + _outcome(task), task["priority"] + _WEIGHTS.get(status, 0), data
        )

    def _news_of(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """The end of a task as an event."""
        assignee, issuer, status = task["assignee"], task["issuer"], task["status"]
        wording = self._participants.wording([assignee, issuer])
        factions = self._participants.faction_of(assignee), self._participants.faction_of(issuer)
        text = wording.sentence(
            f"task_news_{status}",
            assignee=self._participants.name_of(wording, assignee),
            task=_sentence(task["summary"]),
        )
        return {
            "event_type": f"task_{status}",
            "title": task["summary"],
            "summary": text[:1].upper() + text[1:] + _outcome(task),
            "location": task["location"],
            "actor": assignee,
            "target": issuer if issuer != assignee else task["target"],
            "actor_faction": factions[0],
            "target_faction": factions[1],
            "importance": max(1, min(10, task["priority"] + _WEIGHTS.get(status, 0))),
            "visibility": PRIVATE
            if task["visibility"] == FACTION and not any(factions)
            else task["visibility"],
            "known_by": task["known_by"],
            "day": task["completed_day"],
            "task_id": task["id"],
        }

    def _checked_id(self, call: str, wanted: str) -> str:
        """The id that the game wants, or a free one.

        Raises:
            InvalidArgumentError: another task has it.
        """
        tasks = self._context.all(TASK)
        if wanted in tasks:
            raise InvalidArgumentError(
                f"{call}: there is a task {shown(wanted)} already",
                f"it is {tasks[wanted].content['status']}",
                "Change it with update_task(), or leave the id out",
            )
        if wanted.strip():
            return wanted
        number = len(tasks) + 1
        while f"task_{number}" in tasks:
            number += 1
        return f"task_{number}"


def _outcome(task: Mapping[str, Any]) -> str:
    """A sentence about the outcome, with a space before it; "" for none."""
    summary = task["result"].get("summary")
    return f" {_sentence(summary.strip())}" if isinstance(summary, str) and summary.strip() else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}."
