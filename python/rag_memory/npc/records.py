"""The records of one NPC: in the store and in the index that searches them, always in step.

Everything that writes a memory goes through here; one call is one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.conflicts import ConflictRule, slot_conflicts
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import is_repeated, repeated
from rag_memory.mind.relationship_header import MEETING_EVENTS, tells_of_meeting
from rag_memory.npc.loading_order import Loading
from rag_memory.npc.npc_index import NpcIndex, index_options
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.step import Step, run
from rag_memory.storage.sqlite.archive import (
    CONSOLIDATED,
    INFO_UPDATE,
    SLOT_UPDATE,
    UPDATED,
    Archived,
    ArchivedRecord,
)
from rag_memory.storage.sqlite.capture import Captured
from rag_memory.storage.sqlite.listing import Lists
from rag_memory.text.index_terms import NAMED, SPEAKER, WORD
from rag_memory.validation import validate_text, wrong_type
from rag_memory.vectors import FloatMatrix, FloatVector

if TYPE_CHECKING:
    from rag_memory.save import Save

_COMMITTED_AT_ONCE = 16
_READ_AT_ONCE = 500
_FIRST_ASKED = 16

EventFunction = Callable[[str, tuple[Any, ...]], None]


class _Written(NamedTuple):
    record: Record
    vector: FloatVector
    before: Record | None
    """What the memory was; None: it is new."""
    is_repeated: bool
    """It was only said again."""


class NpcRecords:
    """What a save holds of one NPC. `emit` is called with the name and arguments of what happened."""

    def __init__(self, save: Save, npc_id: str, config: MemoryConfig, emit: EventFunction) -> None:
        self.npc_id = npc_id
        self.save = save
        self.store = save.store
        self._npc = self.store.npc_number(npc_id)
        self._config = _validated(config)
        self._emit = emit
        self._index: NpcIndex | None = None
        self._loading: NpcIndex | None = None
        self._slots: dict[str, Record | None] = {}
        self._first_meeting: float | None = None
        self._knows_first_meeting = False
        self._next_suffix: dict[str, int] = {}
        self.lists = Lists(self.store, npc_id)
        """The lists that are paged through."""

    @property
    def npc(self) -> int | None:
        """The NPC's number in the save; None before her first memory. Raises a StoreError once the save is
        closed.
        """
        self.save.check_open()
        return self._npc

    @property
    def config(self) -> MemoryConfig:
        """How memories are kept, scored and chosen."""
        return self._config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        if config != self._config:
            config = _validated(config)
        options = index_options(config)
        if options != index_options(self._config):
            self._loading = None
            if self._index is not None:
                self._index.configure(options)
        self._config = config

    def all(self) -> list[Record]:
        """Every record, oldest first."""
        return [] if self.npc is None else self.store.all(self.npc)

    def all_steps(self) -> Generator[Step, None, list[Record]]:
        """all(), in slices."""
        if self.npc is None:
            return []
        records: list[Record] = []
        keys = sorted(key for page in self.store.key_pages(self.npc) for key in page)
        for start in range(0, len(keys), _READ_AT_ONCE):
            records += self.store.read_once(keys[start : start + _READ_AT_ONCE])
            yield Step(len(records), len(keys), "reading memories")
        return records

    def count(self) -> int:
        """The number of records."""
        return 0 if self.npc is None else self.store.count(self.npc)

    def by_id(self, where: str, id: Any) -> Record | None:
        """The record with this id; `where` names the caller in the error of an id that is no text."""
        id = validate_text(where, "id", id)
        return None if self.npc is None else self.store.by_id(self.npc, id)

    def archived(self) -> list[ArchivedRecord]:
        """What is archived and says something else than the record that has its id now, newest first; without
        what was kept of repetitions, which only a rollback needs.
        """
        return [] if self.npc is None else self.store.archived(self.npc)[::-1]

    def newest(self, count: int, min_importance: int) -> list[Record]:
        """The newest records of at least this importance, newest first."""
        return [] if self.npc is None else self.store.newest(self.npc, count, min_importance)

    def player_info(self, info_type: str) -> Record | None:
        """The record that holds this piece of information about the player."""
        return None if self.npc is None else self.store.player_info(self.npc, info_type)

    def in_slot(self, slot_type: str) -> Record | None:
        """The newest record of a slot."""
        if slot_type not in self._slots:
            self._slots[slot_type] = (
                None if self.npc is None else self.store.newest_in_slot(self.npc, slot_type)
            )
        return self._slots[slot_type]

    def protected(self) -> list[Record]:
        """The stored records that are part of every answer: the newest one of each protected slot."""
        found = (self.in_slot(slot_type) for slot_type in protected_slots(self._config))
        return [record for record in found if record is not None]

    def first_meeting(self) -> float | None:
        """When the NPC met the player first, as far as a record tells that there was a meeting."""
        if not self._knows_first_meeting:
            self._first_meeting = self._find_first_meeting()
            self._knows_first_meeting = True
        return self._first_meeting

    def _find_first_meeting(self) -> float | None:
        npc = self.npc
        if npc is None:
            return None
        columns = self.index().columns
        may_tell = columns.is_event(MEETING_EVENTS)
        for kind in (WORD, SPEAKER, NAMED):
            may_tell |= columns.contains(self.store.keys_with_term(npc, kind, PLAYER))
        keys = columns.keys[may_tell][np.argsort(columns.timestamps[may_tell], kind="stable")].tolist()
        first: list[float] = []
        count = _FIRST_ASKED
        while keys and not first:
            part = self.store.read_once(keys[:count])
            first = [record.first_timestamp for record in part if tells_of_meeting(record)]
            del keys[:count]
            count = min(2 * count, _READ_AT_ONCE)
        # What was merged into summaries or replaced by a later value has happened all the same.
        first += [each.record.first_timestamp for each in self.archived() if tells_of_meeting(each.record)]
        return min(first, default=None)

    @property
    def pending_vectors(self) -> int:
        """How many memories wait for their place in the search index; 0 while it is not loaded."""
        return 0 if self._index is None else self._index.vectors.pending

    @property
    def loaded_count(self) -> int:
        """How many records are in memory to be searched."""
        return 0 if self._index is None else len(self._index.columns)

    def index(self) -> NpcIndex:
        """What searches the records; loaded when it is first asked for."""
        while self._index is None:
            run(self._load_steps(Loading(self.save.loading_order, may_wait=False)))
        self.save.index_cache.use(self)
        return self._index

    def load_steps(self) -> Generator[Step, None, None]:
        """Load what searches the records, in slices, unless it is loaded; anew when they change meanwhile.
        It waits while others are being loaded and there is no room for it besides them.
        """
        if self._index is None:
            yield from self._load_steps(Loading(self.save.loading_order, may_wait=self.npc is not None))

    def _load_steps(self, place: Loading) -> Generator[Step, None, None]:
        try:
            yield from place.turn_steps()
            while self._index is None:
                loading = NpcIndex(self.store, self.npc, self.npc_id, self._config, self.save.embedder)
                self._loading = loading
                try:
                    for step in place.load_steps(loading, partial(self._is_loading, loading)):
                        yield step
                        if not self._is_loading(loading):
                            break
                    else:
                        self._index = loading
                        place.end()
                        self.save.index_cache.use(self)
                finally:
                    if self._loading is loading:
                        self._loading = None
        finally:
            place.end()

    def _is_loading(self, index: NpcIndex) -> bool:
        return self._loading is index

    @property
    def index_bytes(self) -> int:
        """The memory the search index takes; 0 while it is not loaded."""
        return 0 if self._index is None else self._index.bytes

    def embed_steps(self, records: Sequence[Record]) -> Generator[Step, None, FloatMatrix]:
        """The vectors of records, one row each, in slices."""
        embedder = self.save.embedder
        vectors: FloatMatrix = np.empty((len(records), embedder.dimension), dtype=np.float32)
        done = 0
        for positions, embedded in embedder.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            done += len(positions)
            yield Step(done, len(records), "embedding memories")
        return vectors

    def add_steps(
        self, records: Sequence[Record], add: Callable[[Sequence[Record], FloatMatrix], list[str]]
    ) -> Generator[Step, None, list[str]]:
        """Embed new records and store them with `add`, in slices, some at a time; their ids in the same
        order. While some are written, the embedder goes on with those that follow.
        """
        embedder, total = self.save.embedder, len(records)
        vectors: FloatMatrix = np.empty((total, embedder.dimension), dtype=np.float32)
        is_embedded = np.zeros(total, dtype=np.bool_)
        ids: list[str] = []
        end = 0
        for positions, embedded in embedder.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            is_embedded[positions] = True
            while end < total and is_embedded[end]:
                end += 1
            while (ready := end - len(ids)) >= _COMMITTED_AT_ONCE or (ready and end == total):
                part = slice(len(ids), min(len(ids) + _COMMITTED_AT_ONCE, end))
                ids += add(records[part], vectors[part])
                yield Step(len(ids), total, "storing memories")
            yield Step(len(ids), total, "storing memories")
        return ids

    def build_index_steps(self) -> Generator[Step, None, None]:
        """Bring the search index up to date in slices, if it is loaded."""
        index = self._index
        if index is None:
            return
        for step in index.build_index_steps():
            self.save.index_cache.measure(self)
            yield step
            if self._index is not index:
                return
        self.save.index_cache.measure(self)

    def save_index_if_grown(self) -> None:
        """Write the search index when many records came since it was last written."""
        if self._index is not None:
            self._index.save_if_grown()

    def add(
        self, records: Sequence[Record], vectors: FloatMatrix, rule: ConflictRule | None = None
    ) -> list[str]:
        """Store new records with what they replace and supersede, and say so; their ids in the same order."""
        model = self.save.model
        written: list[_Written] = []
        replaced: list[Record] = []
        superseded: list[tuple[str, str]] = []
        npc = self.npc
        with self.store.transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            for record, vector in zip(records, vectors, strict=True):
                known = self._known_player_info(npc, record)
                same = None if known else self._repeated(npc, record)
                if same is not None:
                    record = repeated(same, record)
                    self.store.archive_repeated(npc, same, record.stored_at, model)
                    self.store.revise(npc, record)
                elif known is None:
                    record = record._replace(id=record.id or self._free_id(npc, record))
                    record = record._replace(key=self.store.insert(npc, record, vector, model))
                else:
                    record = record._replace(id=known.id, key=known.key)
                    self.store.archive_copy([known.key], Archived(record.stored_at, INFO_UPDATE, known.id))
                    self.store.replace(npc, record, vector, model)
                written.append(_Written(record, vector, known or same, same is not None))
                if rule is not None:
                    conflicts = rule(self.store, npc, record)
                    keys = [old.key for old in conflicts.replaced]
                    self.store.archive(keys, Archived(record.stored_at, SLOT_UPDATE, record.id))
                    self.store.supersede(
                        [old.key for old in conflicts.superseded], record.id, record.stored_at
                    )
                    replaced += conflicts.replaced
                    superseded += [(old.id, record.id) for old in conflicts.superseded]
            self.store.touch(npc)
        self._npc = npc
        first = self._first_meeting if self._knows_first_meeting else None
        has_been_asked = self._knows_first_meeting
        if self._index is not None:
            self._index.set_npc(npc)
            for each in written:
                if each.before is None:
                    self._index.add(each.record, each.vector)
                else:
                    self._index.change(each.before, each.record, None if each.is_repeated else each.vector)
            for old in replaced:
                self._index.remove(old)
        self._changed()
        if has_been_asked:
            # A memory more cannot take a meeting back, so that the others need not be asked again.
            told = [each.record.first_timestamp for each in written if tells_of_meeting(each.record)]
            self._first_meeting = min(told if first is None else [first, *told], default=None)
            self._knows_first_meeting = True
        for each in written:
            if each.before is None:
                self._emit("memory_added", (each.record.id,))
            if each.record.is_milestone and not each.is_repeated:
                self._emit("milestone_created", (each.record.milestone_type,))
        for old_id, new_id in superseded:
            self._emit("memory_superseded", (old_id, new_id))
        return [each.record.id for each in written]

    def amend(self, record: Record, changed: Record) -> None:
        """Replace a stored record by a changed one; what it was stays archived."""
        if changed._replace(stored_at=record.stored_at) == record:
            return
        now = self.save.now()
        changed = changed._replace(stored_at=now)
        says_the_same = changed.document_full == record.document_full
        vector = None if says_the_same else self.save.embedder.embed([changed.document_full])[0]
        with self.store.transaction():
            self.store.archive_copy([record.key], Archived(now, UPDATED, record.id))
            if vector is None:
                self.store.revise(self.npc or 0, changed)
            else:
                self.store.replace(self.npc or 0, changed, vector, self.save.model)
                self.store.touch(self.npc or 0)
        if self._index is not None:
            self._index.change(record, changed, vector)
        self._changed()

    def restore(self, archived: ArchivedRecord) -> None:
        """Make what is archived hold again; what holds in its place now is archived instead."""
        record = archived.record
        if self.npc is None:
            return
        current = self.store.by_id(self.npc, record.id)
        if current is not None:
            record = record._replace(
                key=current.key, superseded_by=current.superseded_by, superseded_at=current.superseded_at
            )
            self.amend(current, record)
            return
        if record.superseded_by and self.store.by_id(self.npc, record.superseded_by) is None:
            record = record._replace(superseded_by="", superseded_at=0.0)
        record = record._replace(key=0, stored_at=self.save.now())
        vectors = self.save.embedder.embed([record.document_full])
        self.add([record], vectors, slot_conflicts if archived.archived.reason == SLOT_UPDATE else None)

    def add_archived(self, archived: Sequence[ArchivedRecord], vectors: FloatMatrix) -> None:
        """Archive records that were never in force in this save."""
        npc = self.npc
        with self.store.transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            for each, vector in zip(archived, vectors, strict=True):
                current = self.store.by_id(npc, each.record.id)
                record = each.record._replace(key=0 if current is None else current.key)
                self.store.archive_new(npc, each.archived, record, vector, self.save.model)
        self._npc = npc
        self._changed()

    def delete(self, record: Record) -> None:
        """Delete a record for good, with what is archived of it; what it superseded is valid again."""
        if self.npc is None:
            return
        with self.store.transaction():
            self.store.delete(record.key)
            self.store.unsupersede(self.npc, record.id)
            self.store.forget_archived(self.npc, record.id)
            self.store.touch(self.npc)
        if self._index is not None:
            self._index.remove(record)
        self._changed()

    def delete_all(self) -> int:
        """Delete every record for good, with the archive; how many there were."""
        if self.npc is None:
            return 0
        with self.store.transaction():
            count = self.store.delete_all(self.npc)
            self.store.forget_archived(self.npc)
            self.store.touch(self.npc)
        if self._index is not None:
            self._index.clear()
        self._changed()
        return count

    def put_back(self, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them."""
        removed = [self.by_id("put_back_memories()", each.id) for each in captured]
        npc, model = self.npc, self.save.model
        with self.store.transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            records = self.store.put_back(npc, captured)
            vectors = self.store.vectors_of([record.key for record in records], model)
            missing = [record for record in records if record.key not in vectors]
            for record in missing:
                vectors[record.key] = self.save.embedder.embed([record.document_full])[0]
                self.store.set_vectors([record.key], vectors[record.key][None], model)
            self.store.touch(npc)
        self._npc = npc
        if self._index is not None:
            self._index.set_npc(npc)
            for known in removed:
                if known is not None:
                    self._index.remove(known)
            for record in records:
                self._index.add(record, vectors[record.key])
        self._changed()
        return records

    def merge(self, group: Sequence[Record], summary: Record, vector: FloatVector, ids: list[str]) -> int:
        """Store a summary in place of its sources, in one transaction, and add its id to `ids`; how many
        sources there were. A group that has changed meanwhile is left alone: 0.
        """
        npc, store = self.npc, self.store
        if npc is None:
            return 0
        keys = [record.key for record in group]
        with store.transaction():
            if store.by_keys(keys) != sorted(group, key=lambda record: record.key):
                return 0
            summary = summary._replace(id=self._free_id(npc, summary))
            summary = summary._replace(key=store.insert(npc, summary, vector, self.save.model))
            store.archive(keys, Archived(summary.stored_at, CONSOLIDATED, summary.id))
            store.touch(npc)
        if self._index is not None:
            for record in group:
                self._index.remove(record)
            self._index.add(summary, vector)
        self._changed()
        ids.append(summary.id)
        return len(keys)

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        if not keep_index:
            self._index = None
            self.save.index_cache.discard(self)
        self._npc = self.store.npc_number(self.npc_id)
        self._next_suffix.clear()
        self._changed()

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        index, self._index = self._index, None
        self.save.index_cache.discard(self)
        if index is not None:
            index.save()

    def _repeated(self, npc: int, record: Record) -> Record | None:
        """The memory that a new record only says again."""
        if record.id or record.slot_type or record.info_type:
            return None
        known = self.store.repeatable(npc, record.event_type, record.document_full)
        return next((each for each in known if is_repeated(each, record)), None)

    def _known_player_info(self, npc: int, record: Record) -> Record | None:
        return self.store.player_info(npc, record.info_type) if record.is_player_info else None

    def _free_id(self, npc: int, record: Record) -> str:
        base = f"{self.npc_id}_{int(record.timestamp)}_{record.event_type}"
        number = self._next_suffix.get(base)
        if number is None:
            if not self.store.id_exists(npc, base):
                return base
            # Many memories may share one moment: gallop past them instead of trying every number.
            number = 2
            while self.store.id_exists(npc, f"{base}_{number}"):
                number *= 2
            taken = number // 2
            while number - taken > 1:
                middle = (taken + number) // 2
                if self.store.id_exists(npc, f"{base}_{middle}"):
                    taken = middle
                else:
                    number = middle
        while self.store.id_exists(npc, f"{base}_{number}"):
            number += 1
        self._next_suffix[base] = number + 1
        return f"{base}_{number}"

    def _changed(self) -> None:
        self._loading = None
        if self._index is not None:
            self.save.index_cache.measure(self)
        self.lists.forget()
        self._slots.clear()
        self._knows_first_meeting = False


def _validated(config: MemoryConfig) -> MemoryConfig:
    """The config itself when its values have their types, so that callers recognise what they have set."""
    if not isinstance(config, MemoryConfig):
        raise wrong_type("config", "config", config, "a MemoryConfig")
    validated = config.validated()
    return config if validated == config else validated
