"""The records of one owner: an NPC, the world or the lore."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.archived import ArchivedRecord
from rag_memory.memory.conflicts import former_info
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.record import Record
from rag_memory.memory.secrecy import record_may_be_told
from rag_memory.mind.meeting import MEETING_EVENTS, tells_of_meeting, tells_of_meeting_with
from rag_memory.mind.relationship_memory import slot_of
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.searchable.conflict_view import ConflictView
from rag_memory.searchable.lists import Lists
from rag_memory.searchable.loaded_index import LoadedIndex
from rag_memory.searchable.record_changes import EventFunction, RecordChanges
from rag_memory.searchable.record_writer import RecordWriter
from rag_memory.searchable.save_context import RecordOwner, SaveContext
from rag_memory.step import Step, Steps
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import Listing
from rag_memory.storage.sql.interactions import earliest_event_of, pruned_event_of
from rag_memory.storage.sql.records import LAST_OF_ALL, newest_in_slot, newest_of
from rag_memory.text.terms import NAMED, SPEAKER, WORD
from rag_memory.validation import validate_text
from rag_memory.vectors import FloatMatrix

_READ_AT_ONCE = 500
_FIRST_ASKED = 16


class OwnedRecords:
    """Reads the records of one owner. `index` searches them, and `writer` writes them."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig, emit: EventFunction) -> None:
        self.npc_id = npc_id
        self.save = save
        self.store = save.store
        self._config = config
        self._owner = RecordOwner(save, npc_id)
        self._slots: dict[str, Record | None] = {}
        self._secrets: list[Record] | None = None
        self._first_meeting: float | None = None
        self._knows_first_meeting = False
        self.lists = Lists(self.store, npc_id)
        """The lists that are paged through."""
        self.index = LoadedIndex(self._owner, config)
        self.writer = RecordWriter(
            self._owner, self.index, RecordChanges(self._note_change, emit, self.reload)
        )

    @property
    def npc(self) -> int | None:
        """The owner's number in the save; None before its first memory. Raises a StoreError once the save is
        closed.
        """
        return self._owner.number

    @property
    def config(self) -> MemoryConfig:
        """How memories are stored, scored and chosen."""
        return self._config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        self._config = config
        self.index.adopt(config)

    def all(self) -> list[Record]:
        """Every record, oldest first."""
        return [] if self.npc is None else self.store.records.find(self.npc)

    def all_steps(self) -> Steps[list[Record]]:
        """all(), in slices."""
        if self.npc is None:
            return []
        records: list[Record] = []
        keys: list[int] = []
        for page in self.store.records.key_pages(self.npc):
            keys += page
            yield Step(0, len(keys), "reading memories")
        keys.sort()
        for start in range(0, len(keys), _READ_AT_ONCE):
            records += self.store.records.by_keys(keys[start : start + _READ_AT_ONCE], is_read_again=False)
            yield Step(len(records), len(keys), "reading memories")
        return records

    def count(self) -> int:
        """The number of records."""
        return 0 if self.npc is None else self.store.records.count(self.npc)

    def by_id(self, call: str, id: Any) -> Record | None:
        """The record with this id; `where` names the caller in the error of an id that is no text."""
        id = validate_text(call, "id", id)
        return None if self.npc is None else self.store.records.get(self.npc, id)

    def interactions(self) -> list[Interaction]:
        """Every entry of the NPC's log, oldest first."""
        return [] if self.npc is None else self.store.interactions.find(self.npc)

    def archived(self) -> list[ArchivedRecord]:
        """What is archived and says something else than the record that has its id now, newest first; without
        what was kept of repetitions, which only a rollback needs.
        """
        return [] if self.npc is None else self.store.archive.find(self.npc)[::-1]

    def newest(self, count: int, min_importance: int) -> list[Record]:
        """The newest records of at least this importance, newest first."""
        return [] if self.npc is None else self.store.records.find(self.npc, newest_of(count, min_importance))

    def last(self) -> Record | None:
        """The record that was stored last."""
        return None if self.npc is None else self.store.records.first(self.npc, LAST_OF_ALL)

    def player_info(self, record: Record) -> Record | None:
        """The record that holds the same piece of information about the same player as a new one."""
        view = ConflictView(self.save, self.npc_id)
        return None if self.npc is None else former_info(view, self.npc, record)

    def in_slot(self, slot_type: str) -> Record | None:
        """The newest record of a slot."""
        if slot_type not in self._slots:
            self._slots[slot_type] = (
                None if self.npc is None else self.store.records.first(self.npc, newest_in_slot(slot_type))
            )
        return self._slots[slot_type]

    def protected(self) -> list[Record]:
        """The stored records that are part of every answer: the newest one of each protected slot."""
        newest = (self.in_slot(slot_type) for slot_type in protected_slots(self.config))
        return [record for record in newest if record is not None]

    def hidden_from(self, listening: Collection[str]) -> list[Record]:
        """The secrets that somebody who listens may not know, ascending by key. Needs the search index."""
        if not listening:
            return []
        if self._secrets is None:
            columns = self.index.get().columns
            keys = columns.keys[columns.may_be_secret].tolist()
            self._secrets = self.store.records.by_keys(keys, is_read_again=False) if keys else []
        return [record for record in self._secrets if not record_may_be_told(record, listening)]

    def first_meeting(self, id: str = PLAYER) -> float | None:
        """When the NPC met the player, or another character, first, as far as its memories or its log of
        interactions show.
        """
        if id != PLAYER:
            return self._first_meeting_with(id)
        if not self._knows_first_meeting:
            self._first_meeting = self._find_first_meeting()
            self._knows_first_meeting = True
        return self._first_meeting

    def _first_meeting_with(self, id: str) -> float | None:
        npc = self.npc
        if npc is None:
            return None
        listing = Listing((Condition("participants", "contains", id),), (), False, "id", False)
        keys = self.store.lists.find(npc, self.npc_id, listing).tolist()
        records = self.store.records.by_keys(keys, is_read_again=False)
        slot = self.in_slot(slot_of("", id))
        records += [] if slot is None else [slot]
        first = [record.first_timestamp for record in records if tells_of_meeting_with(record, id)]
        events = (
            self.store.interactions.first(npc, query)
            for query in (earliest_event_of(id), pruned_event_of(id))
        )
        first += [event.happened_at for event in events if event is not None]
        return min(first, default=None)

    def note_meeting(self, moment: float) -> None:
        """Record that the NPC and the player met at this game time."""
        if self._knows_first_meeting:
            times = [moment] if self._first_meeting is None else [moment, self._first_meeting]
            self._first_meeting = min(times)

    def forget_first_meeting(self) -> None:
        """Look for the first meeting anew when it is needed."""
        self._knows_first_meeting = False

    def _find_first_meeting(self) -> float | None:
        npc = self.npc
        if npc is None:
            return None
        columns = self.index.get().columns
        may_tell = columns.is_event(MEETING_EVENTS)
        for kind in (WORD, SPEAKER, NAMED):
            may_tell |= columns.contains(self.store.terms.keys_with(npc, kind, PLAYER))
        keys = columns.keys[may_tell][np.argsort(columns.timestamps[may_tell], kind="stable")].tolist()
        first: list[float] = []
        count = _FIRST_ASKED
        while keys and not first:
            part = self.store.records.by_keys(keys[:count], is_read_again=False)
            first = [record.first_timestamp for record in part if tells_of_meeting(record)]
            del keys[:count]
            count = min(2 * count, _READ_AT_ONCE)
        # What was merged into summaries or replaced by a later value has happened all the same.
        versions = (version.record for version in self.archived())
        first += [record.first_timestamp for record in versions if tells_of_meeting(record)]
        for query in (earliest_event_of(PLAYER), pruned_event_of(PLAYER)):
            event = self.store.interactions.first(npc, query)
            if event is not None:
                first.append(event.happened_at)
        return min(first, default=None)

    def embed_steps(self, records: Sequence[Record]) -> Steps[FloatMatrix]:
        """The vectors of records, one row each, in slices."""
        vectors: FloatMatrix = np.empty((len(records), self.save.embedder.dimension), dtype=np.float32)
        done = 0
        for positions, embedded in self.save.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            done += len(positions)
            yield Step(done, len(records), "embedding memories")
        return vectors

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        if not keep_index:
            self.index.drop()
        self._owner.number = self.store.npcs.number(self.npc_id)
        self._note_change(None)
        self.writer.forget()

    def _note_change(self, changed: Sequence[Record] | None) -> None:
        """Forget what was derived from the records.

        Args:
            changed: the new and changed ones; None when some are gone that are not archived.
        """
        self.index.note_change()
        self.lists.forget()
        self._slots.clear()
        self._secrets = None
        if changed is None:
            self.forget_first_meeting()
        elif self._knows_first_meeting:
            # A memory more cannot take a meeting back, so that the others need not be asked again.
            for record in changed:
                if tells_of_meeting(record):
                    self.note_meeting(record.first_timestamp)
