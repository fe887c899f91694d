"""Writing events together with their searched texts."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.memory.record import Record
from rag_memory.step import Steps
from rag_memory.validation import shown, validate_text
from rag_memory.vectors import FloatMatrix
from rag_memory.world.characters import CHARACTER
from rag_memory.world.event import (
    EVENT,
    RUMOR,
    check_reach,
    event_id,
    free_number,
    numbered,
    searched_text,
    validate_event,
)
from rag_memory.world.knowledge import Knowledge
from rag_memory.world.searched import Searched
from rag_memory.world.world_context import WorldContext

_LOG = logging.getLogger("rag_memory")


class EventDraft(NamedTuple):
    """An event to be recorded, its time, and the record that is searched; the id "" is chosen later."""

    event: dict[str, Any]
    at: float
    record: Record

    @property
    def id(self) -> str:
        return self.record.id

    def with_id(self, id: str) -> EventDraft:
        return self._replace(record=self.record._replace(id=id))


class EventLog:
    """Writes the events of a save."""

    def __init__(self, context: WorldContext, knowledge: Knowledge) -> None:
        self._context = context
        self._knowledge = knowledge
        self._last_numbers: dict[str, int] = {}
        """The last number of the ids that begin alike."""
        context.call_on_reload(self._last_numbers.clear)

    def draft(self, call: str, event: Any) -> EventDraft:
        """Check an event of the game, and fill in what it leaves out.

        Raises:
            InvalidArgumentError: a value has the wrong type, something is missing, or the id is taken by
                something that is no event.
        """
        fields = validate_event(call, event, self._context.day())
        for role in ("actor", "target"):
            if not fields[f"{role}_faction"]:
                character = self._context.content(CHARACTER, fields[role]) or {}
                fields[f"{role}_faction"] = character.get("faction", "")
        check_reach(call, fields)
        if fields.get("secret"):
            _LOG.warning(
                '%s: "secret" means nothing for an event of the world, which NPCs tell each other. Say with '
                '"known_by" who knows of it, or store() a secret with the NPC that keeps it.',
                call,
            )
        id = validate_text(call, "id", event.get("id", ""))
        id = id if id.strip() else ""
        # In this order: another process may be recording just this event.
        if id and self._searched.has(id) and self._context.store.documents.get(EVENT, id) is None:
            raise InvalidArgumentError(
                f"{call}: the id is {shown(id)}", "something that is no event has it", "Use another id"
            )
        at = fields["day"] * CALENDAR.seconds_per_day if "day" in event else self._context.now()
        return EventDraft(fields, at, self._record(call, id, fields, at))

    def write_steps(self, drafts: Sequence[EventDraft]) -> Steps[list[str]]:
        """Write events, some at a time, emit their signals, and return their ids in the same order."""
        ids = [draft.id for draft in drafts]
        named = {id for id in ids if id}
        stored = self._context.store.documents.ids(EVENT, list(named))
        for draft in drafts:
            if draft.id in stored:
                self._replace(draft)
        new = [place for place, draft in enumerate(drafts) if draft.id not in stored]
        places = iter(new)

        def put(records: Sequence[Record], vectors: FloatMatrix) -> list[str]:
            part = list(itertools.islice(places, len(records)))
            written = self._write_new([drafts[place] for place in part], vectors, named)
            for place, id in zip(part, written, strict=True):
                ids[place] = id
            return written

        yield from self._searched.put_all_steps([drafts[place].record for place in new], put)
        return ids

    def mend(self, call: str, event: Document) -> None:
        """Write the searched text of an event anew."""
        record = self._record(call, event.id, event.content, event.timestamp)
        self._searched.put_record(call, record)

    @property
    def _searched(self) -> Searched:
        return self._context.searched(WORLD)

    def _record(self, call: str, id: str, event: Mapping[str, Any], at: float) -> Record:
        """The record that is searched in place of an event."""
        data = {
            "event_type": event["event_type"],
            "location": event["location"],
            "participants": [role for role in (event["actor"], event["target"]) if role],
            "timestamp": at,
        }
        return self._searched.record(call, id, searched_text(event), event["importance"], data)

    def _free_id(self, event: Mapping[str, Any], taken: Container[str]) -> str:
        """An id that the store does not have. Inside a transaction: others may have given many since."""
        base, has_used = event_id(event), self._searched.has_used
        number = free_number(
            self._last_numbers.get(base, 0),
            lambda number: (id := numbered(base, number)) in taken or has_used(id),
        )
        self._last_numbers[base] = number
        return numbered(base, number)

    def _write_new(
        self, drafts: Sequence[EventDraft], vectors: FloatMatrix, named: Collection[str]
    ) -> list[str]:
        """Write events whose ids were free a moment ago, all of them or none; their ids."""
        taken = set(named)
        complete: list[EventDraft] = []
        with self._context.transaction():
            for draft in drafts:
                complete.append(draft if draft.id else draft.with_id(self._free_id(draft.event, taken)))
                taken.add(complete[-1].id)
            stored = self._context.store.documents.ids(EVENT, [draft.id for draft in drafts if draft.id])
            rows = [row for row, draft in enumerate(complete) if draft.id not in stored]

            def write(records: Sequence[Record]) -> None:
                ids = [record.id for record in records]
                for id in self._context.store.documents.ids(RUMOR, ids):
                    self._context.write(RUMOR, id, {})  # of an event that a rollback has removed
                for row, record in zip(rows, records, strict=True):
                    self._write(complete[row], record.key)

            if rows:
                self._searched.put_all([complete[row].record for row in rows], vectors[rows], write)
            for draft in complete:
                if draft.id in stored:  # Another process has recorded it meanwhile.
                    self._replace(draft)
        return [draft.id for draft in complete]

    def _replace(self, draft: EventDraft) -> None:
        """Write an event in place of the one with its id."""
        with self._context.transaction():
            self._write(draft, self._searched.put_record("record_event()", draft.record))

    def _write(self, draft: EventDraft, key: int) -> None:
        """Write an event, and emit the signal; `key` is that of its searched text."""
        self._context.write(EVENT, draft.id, {**draft.event, "id": draft.id}, at=draft.at)
        self._knowledge.note_event(draft.id, key)
        self._context.emit("event_recorded", (draft.id,))
