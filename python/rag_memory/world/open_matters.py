"""What is open between characters, and which of it is overdue."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.conflicts import open_kind
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.game_call import game_call
from rag_memory.memory.conflicts import left_of, stored_subject
from rag_memory.memory.game_time import MOST_DAYS
from rag_memory.memory.memory_view import date_text, dated
from rag_memory.memory.open_matter import (
    DEBT,
    NO_DAY,
    OVERDUE,
    QUESTION,
    TASK,
    Matter,
    journal_text,
    matter_of,
    note_of,
    rest_note,
    urgency,
)
from rag_memory.memory.owners import is_npc
from rag_memory.memory.secrecy import may_be_told
from rag_memory.searchable.conflict_view import ConflictView
from rag_memory.step import Step, Steps, in_slices, run
from rag_memory.storage.sql.query import where
from rag_memory.validation import validate_flag, validate_text
from rag_memory.world.participants import Participants
from rag_memory.world.people import People
from rag_memory.world.task import ACTIVE, PROPOSED
from rag_memory.world.tasks import Tasks
from rag_memory.world.world_context import WorldContext

REPORTED = "overdue"
"""The kind of the documents with the matters of an NPC that were reported as overdue: {ids: Array}."""
_CHECKS_PER_DAY = 48


class OpenMatters:
    """Lists what is open, and reports what is overdue."""

    def __init__(self, context: WorldContext, participants: Participants, tasks: Tasks) -> None:
        self._context = context
        self._participants = participants
        self._people = People(context)
        self._tasks = tasks
        tasks.on_expired = self._report_task
        self.questions: Callable[[str], Sequence[Matter]] = lambda _npc_id: ()
        """Returns the questions that an NPC and a player have not answered; the log of turns sets it."""
        self._checked = -math.inf
        """The last moment at which overdue ones were looked for, in parts of a day."""
        context.call_on_reload(self._check_again)

    @game_call()
    @in_slices
    def get_open_matters(
        self, npc_id: str = "", with_id: str = "", include_closed: bool = False
    ) -> Steps[list[dict[str, Any]]]:
        """Returns what is open between NPCs and others: promises, debts, threats, appointments, unanswered
        questions and tasks. What is overdue comes first, then what is due soonest.

        They are memories with event types such as `"promise_made"`, `"debt"`, `"threat"`, `"appointment"` or
        `"question"`, and `"own_promise"` and so on for those of the NPC itself; talk leaves them, and your
        game can store them. What ends a memory closes the matter: `"promise_kept"`, a payment,
        `"promise_withdrawn"`, ... Tasks are those of `add_task()`. `matter_overdue` is emitted once for each.

        What is open between two NPCs, and both remember in the same words, is listed once.

        It takes about half a millisecond for each matter: for a journal of all NPCs, wait for
        `get_open_matters_async()`, which works in slices. No NPC is acquired.

        Args:
            npc_id: whose memories; empty for those of every NPC.
            with_id: only what is open with this character, such as `"player"`, and without what it may not
                know. Empty: with anybody.
            include_closed: also those that something has ended, last.

        Returns:
            for each `id` (of the memory or task), `kind` (`"promise"`, `"debt"`, `"threat"`, `"appointment"`,
            `"question"` or `"task"`), `npc_id` (who remembers it), `by` (the id of who has to act), `to`,
            `about` (the words in which it was said), `amount` and `rest` (what is left of it; `null` for
            none), `unit`, `since` (in seconds of the game's clock), `due_day` (a day of the game as in
            `add_task()`; -1 for none), `due` (that day as text), `state` (`"open"`, `"overdue"`, or what
            became of it: `"kept"`, `"broken"`, `"paid"`, `"withdrawn"`, ...), `may_be_told` (`false` for a
            secret that the player may not know) and `text`: all of it, ready to show in a journal.
        """
        call = "get_open_matters()"
        npc_id = validate_text(call, "npc_id", npc_id)
        with_id = validate_text(call, "with_id", with_id)
        is_closed = validate_flag(call, "include_closed", include_closed)
        matters = yield from self._matters_steps(npc_id, with_id, is_closed)
        shown = []
        for number, matter in enumerate(matters):
            shown.append(self._shown(matter))
            yield Step(number, len(matters), "describing what is open")
        return shown

    def _matters_steps(self, npc_id: str, with_id: str, with_closed: bool) -> Steps[list[Matter]]:
        """Return what is open, the most urgent first; see get_open_matters()."""
        npc_ids = [npc_id] if npc_id else [id for id in self._context.store.npcs.ids() if is_npc(id)]
        matters = self._of_tasks(npc_id, with_closed)
        for number, id in enumerate(npc_ids):
            matters += self._remembered(id, with_closed)
            yield Step(number, len(npc_ids), "reading what is open")
        listening = (with_id,) if with_id else ()
        day = self._context.day()
        wanted = (
            matter
            for matter in matters
            if not with_id or (matter.concerns(with_id) and _may_be_told(matter, listening))
        )
        # What is open between two NPCs is in the memories of both.
        once = {matter.identity: matter for matter in wanted}
        return sorted(once.values(), key=lambda matter: urgency(matter, day))

    def lines(
        self, config: MemoryConfig, npc_id: str, with_id: str, listening: Collection[str], most: int
    ) -> list[tuple[Matter, str]]:
        """Return the most urgent matters between an NPC and another, each with what the NPC thinks of it."""
        matters = [
            matter
            for matter in run(self._matters_steps(npc_id, with_id, False))
            if _may_be_told(matter, listening) and matter.kind != TASK
        ]
        return [(matter, self.line(config, matter)) for matter in matters[:most]]

    def line(self, config: MemoryConfig, matter: Matter) -> str:
        """Return a matter in the words of the NPC that remembers it, with until when it was to be done."""
        record = matter.record
        if record is not None:
            text = dated(config, record, record.document_full)
        elif matter.kind == QUESTION:
            key = "fact_question" if matter.by == matter.npc_id else "fact_own_question"
            text = config.quoting(key, matter.about)
        else:
            text = matter.about
        return " ".join(part for part in (text, rest_note(config, matter), self.note(config, matter)) if part)

    def note(self, config: MemoryConfig, matter: Matter) -> str:
        """Return until when a matter is to be done, or that it was not, in a sentence; "" for neither."""
        return note_of(config, matter, self._context.day())

    def overdue_steps(self) -> Steps[None]:
        """Report what has become overdue since the last look, each matter once."""
        moment = math.floor(self._context.day() * _CHECKS_PER_DAY)
        save, store = self._context.save, self._context.store
        if moment == self._checked or not save.notes_accesses or save.is_read_only:
            return
        npc_ids = [id for id in store.npcs.ids() if is_npc(id) and store.owners.owns(id)]
        for number, npc_id in enumerate(npc_ids):
            self._report(npc_id)
            yield Step(number, len(npc_ids), "looking for what is overdue")
        self._checked = moment

    def _report(self, npc_id: str) -> None:
        day = self._context.day()
        overdue = [matter for matter in self._remembered(npc_id, False) if matter.state(day) == OVERDUE]
        content = self._context.content(REPORTED, npc_id) or {}
        reported = set(content.get("ids", ()))
        fresh = [matter for matter in overdue if matter.id not in reported]
        if not fresh:
            return
        with self._context.transaction():
            self._context.write(REPORTED, npc_id, {"ids": sorted(matter.id for matter in overdue)})
            for matter in fresh:
                if not self._is_reported_to(matter):
                    self._context.emit("matter_overdue", (npc_id, self._shown(matter)))

    def _is_reported_to(self, matter: Matter) -> bool:
        """Return True if the one who waits is another NPC, who remembers it, too."""
        if matter.to == matter.npc_id or not self._context.store.owners.owns(matter.to):
            return False
        return any(other.identity == matter.identity for other in self._remembered(matter.to, False))

    def _report_task(self, task: Mapping[str, Any]) -> None:
        matter = _task_matter(task, task["assignee"])._replace(outcome=OVERDUE)
        self._context.emit("matter_overdue", (task["assignee"], self._shown(matter)))

    def _remembered(self, npc_id: str, with_closed: bool) -> Iterator[Matter]:
        store = self._context.store
        npc = store.npcs.number(npc_id)
        if npc is None:
            return
        yield from self.questions(npc_id)
        view = ConflictView(self._context.save, npc_id)
        config = self._context.config_of(npc_id)
        for event_type in filter(open_kind, view.event_types(npc)):
            if with_closed:
                records = store.records.find(npc, where(event_type=event_type))
            else:
                records = view.valid_of_event(npc, event_type, math.inf)
            for record in records:
                later = view.get(npc, record.superseded_by) if record.superseded_by else None
                if record.superseded_by and later is None:
                    continue  # What ended it was forgotten.
                left = None
                if open_kind(event_type) == DEBT and later is None:
                    left = left_of(view, npc, config, record)
                subject = stored_subject(view, npc, config, record)
                matter = matter_of(record, npc_id, subject, left, later)
                if matter is not None:
                    yield matter

    def _of_tasks(self, npc_id: str, with_closed: bool) -> list[Matter]:
        wanted: dict[str, Any] = {} if with_closed else {"status": [PROPOSED, ACTIVE]}
        matters = [_task_matter(task, npc_id) for task in self._tasks.get_tasks(wanted)]
        return [matter for matter in matters if not npc_id or matter.concerns(npc_id)]

    def _shown(self, matter: Matter) -> dict[str, Any]:
        config, day = self._participants.wording([matter.npc_id]), self._context.day()
        text = journal_text(config, matter, day, lambda id: self._people.name_of(config, id))
        seconds = matter.due * CALENDAR.seconds_per_day
        return {
            **{name: getattr(matter, name) for name in ("id", "kind", "npc_id", "by", "to", "about")},
            **{name: getattr(matter, name) for name in ("amount", "rest", "unit", "since")},
            "due_day": matter.due,
            "due": date_text(config, seconds) if matter.due >= 0 else "",
            "state": matter.state(day),
            "may_be_told": _may_be_told(matter, ("player",)),
            "text": text,
        }

    def _check_again(self) -> None:
        self._checked = -math.inf


def _task_matter(task: Mapping[str, Any], npc_id: str) -> Matter:
    is_open = task["status"] in (PROPOSED, ACTIVE)
    assignee = task["assignee"]
    return Matter(
        task["id"],
        TASK,
        npc_id or assignee,
        assignee,
        task["issuer"] or assignee,
        task["summary"],
        False,
        since=task["created_day"] * CALENDAR.seconds_per_day,
        due=task["due_day"] if 0 <= task["due_day"] <= MOST_DAYS else NO_DAY,
        outcome="" if is_open else task["status"],
    )


def _may_be_told(matter: Matter, listening: Collection[str]) -> bool:
    return may_be_told(matter.secrecy, listening)
