"""What NPCs are to do, for whom, until when, and what became of it."""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError, NpcLockedError
from rag_memory.npc.game_call import DONE, Done, game_call
from rag_memory.step import Step, run
from rag_memory.validation import shown, validate_metadata, validate_text, wrong_type
from rag_memory.world.asking import answered_steps
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
from rag_memory.world.telling import Telling
from rag_memory.world.who_knows import FACTION, PRIVATE

TASK = "task"
_LOG = logging.getLogger("rag_memory")
_WEIGHTS = {FAILED: 1, CANCELLED: -2}
"""What an end adds to the priority: the importance of its memory."""
_UNDECIDED = "The task_validator decided nothing about {}: %s. The task stays proposed; call update_task()."


class Tasks(Telling):
    """The calls about tasks."""

    @game_call(writes=True)
    def add_task(self, task: Mapping[str, Any]) -> str:
        """Adds a task and returns its id. `task_changed` tells of it.

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
        return run(self.add_task_steps(task))

    def add_task_steps(self, task: Mapping[str, Any]) -> Generator[Step, None, str]:
        """add_task(), in slices."""
        where = "add_task()"
        new = new_task(where, task, self._day())
        with self._transaction():
            id = new["id"] = self._task_id(where, new["id"])
            self._keep_task(new)
        if new["status"] == PROPOSED:
            yield from self._validate_steps(new)
        return id

    @game_call(writes=True)
    def update_task(self, id: str, status: str, result: Mapping[str, Any] | None = None) -> Done:
        """Gives a task another status. `task_changed` tells of it.

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
        where = "update_task()"
        status = validate_status(where, status)
        if not isinstance(result, Mapping | None):
            raise wrong_type(where, "result", result, "a Dictionary")
        told = validate_metadata(where, "result", result or {})
        self.expire_tasks()
        id = validate_text(where, "id", id)
        with self._transaction():
            task = self._content(TASK, id)
            if task is None:
                raise InvalidArgumentError(
                    f"{where}: there is no task {shown(id)}", "", "Pass an id that add_task() returned"
                )
            refuse_other_changes(where, task, status)
            self._change_task(task, status, self._day(), told)
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
        if self._save.notes_accesses:
            self.expire_tasks()
        day = self._day()
        tasks = [as_of(each.content, day) for each in self._all(TASK).values()]
        return sorted([each for each in tasks if wanted.fits(each)], key=order)

    def expire_tasks(self) -> int:
        """End the active tasks that were due before now, each on its due day; how many there were."""
        return run(self.expire_tasks_steps())

    def expire_tasks_steps(self) -> Generator[Step, None, int]:
        """expire_tasks() in slices."""
        count, day = 0, self._day()
        overdue = [each.content for each in self._all(TASK).values() if is_overdue(each.content, day)]
        for task in sorted(overdue, key=lambda each: (each["due_day"], each["id"])):
            if self._expire_task(task["id"], day):
                count += 1
                yield Step(count, len(overdue), "expiring tasks")
        return count

    def _expire_task(self, id: str, day: float) -> bool:
        """End a task on its due day, unless it is over; whether it was not. One whose end nobody can be told
        of holds up nothing else.
        """
        try:
            with self._transaction():
                task = self._overdue(id, day)
                if task is not None:
                    self._change_task(task, EXPIRED, task["due_day"], {})
        except (InvalidArgumentError, NpcLockedError) as error:
            if isinstance(error, NpcLockedError) and self._has_one_owner(id):
                return False  # That game ends it, with their memories of it.
            _LOG.error("The task %s is expired, and nobody is told of it: %s", shown(id), error)
            with self._transaction():
                task = self._overdue(id, day)
                if task is not None:
                    self._write(TASK, id, {**task, "status": EXPIRED, "completed_day": task["due_day"]})
                    self._emit("task_changed", (id, EXPIRED))
        return task is not None

    def _has_one_owner(self, id: str) -> bool:
        """Whether one game has all who remember a task, or nobody has any of them."""
        task = self._content(TASK, id) or {"assignee": "", "issuer": ""}
        store, people = self._save.store, self._rememberers([task["assignee"], task["issuer"]])
        return len({(store.owns(each), store.owner_of(each)) for each in people}) < 2

    def _overdue(self, id: str, day: float) -> dict[str, Any] | None:
        """A task that is to be expired; None when it is not, or not any more."""
        task = self._content(TASK, id)
        return task if task is not None and is_overdue(task, day) else None

    def _validate_steps(self, task: dict[str, Any]) -> Generator[Step, None, None]:
        id = task["id"]
        answer = yield from answered_steps(
            self._save.task_validator,
            {"task": dict(task)},
            self._wording(self._rememberers([task["assignee"]])).summarizer_timeout_seconds,
            decided,
            _UNDECIDED.format(id),
        )
        if answer is None:
            return
        accepted, reason = answer
        told = {"reason": reason} if reason else {}
        with self._transaction():
            now = self._content(TASK, id)
            if now is not None and now["status"] == PROPOSED:
                self._change_task(now, ACTIVE if accepted else REJECTED, self._day(), told)

    def _change_task(self, task: dict[str, Any], status: str, day: float, result: Mapping[str, Any]) -> None:
        task = {**task, "status": status, "result": {**task["result"], **result}}
        if status == ACTIVE:
            task["active_day"] = day
        else:
            task["completed_day"] = day
        self._keep_task(task)

    def _keep_task(self, task: Mapping[str, Any]) -> None:
        """Write a task, with what follows from its end, all of it or nothing."""
        ends = task["status"] in FINISHED
        told = self._rememberers([task["assignee"], task["issuer"]]) if ends else []
        at = task["completed_day"] * CALENDAR.seconds_per_day if ends else None
        with self._together(told):
            self._write(TASK, task["id"], task, at=at)
            for npc_id in told:
                self._tell_end(npc_id, task)
            if ends and task["visibility"] != PRIVATE:
                self.record_event(self._news_of_task(task))
        self._emit("task_changed", (task["id"], task["status"]))

    def _tell_end(self, npc_id: str, task: Mapping[str, Any]) -> None:
        config = self._npc(npc_id).config
        assignee, issuer, status = task["assignee"], task["issuer"], task["status"]
        whose = "given_" if npc_id != assignee else "" if issuer not in ("", assignee) else "own_"
        text = config.sentence(
            f"task_{whose}{status}",
            assignee=self._called(config, assignee),
            issuer=self._called(config, issuer),
            task=_sentence(task["summary"]),
        )
        data = {
            "event_type": f"task_{status}",
            "participants": [each for each in dict.fromkeys([assignee, issuer]) if each],
            "entities": [task["target"]] if task["target"] else [],
            "topics": [task["task_type"]],
            "location": task["location"],
            "timestamp": task["completed_day"] * CALENDAR.seconds_per_day,
            "task_id": task["id"],
        }
        self._remember(npc_id, text + _outcome(task), task["priority"] + _WEIGHTS.get(status, 0), data)

    def _news_of_task(self, task: Mapping[str, Any]) -> dict[str, Any]:
        """The end of a task as an event."""
        assignee, issuer, status = task["assignee"], task["issuer"], task["status"]
        wording = self._wording(self._rememberers([assignee, issuer]))
        factions = self._faction(assignee), self._faction(issuer)
        text = wording.sentence(
            f"task_news_{status}", assignee=self._called(wording, assignee), task=_sentence(task["summary"])
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

    def _task_id(self, where: str, wanted: str) -> str:
        """The id that the game wants, or a free one.

        Raises:
            InvalidArgumentError: another task has it.
        """
        known = self._all(TASK)
        if wanted in known:
            raise InvalidArgumentError(
                f"{where}: there is a task {shown(wanted)} already",
                f"it is {known[wanted].content['status']}",
                "Change it with update_task(), or leave the id out",
            )
        if wanted.strip():
            return wanted
        number = len(known) + 1
        while f"task_{number}" in known:
            number += 1
        return f"task_{number}"


def _outcome(task: Mapping[str, Any]) -> str:
    """What is told of how it went."""
    told = task["result"].get("summary")
    return f" {_sentence(told.strip())}" if isinstance(told, str) and told.strip() else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}."
