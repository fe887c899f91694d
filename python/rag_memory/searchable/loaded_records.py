"""The records of one NPC to be read, and the index that searches them, loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.embedding.index_mode import SERVER
from rag_memory.memory.archived import ArchivedRecord
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_header import MEETING_EVENTS, tells_of_meeting
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.searchable.lists import Lists
from rag_memory.searchable.npc_index import NpcIndex, index_options
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory.storage.sql.records import newest_in_slot, newest_of, of_player_info
from rag_memory.text.index_terms import NAMED, SPEAKER, WORD
from rag_memory.validation import validate_text, wrong_type
from rag_memory.vectors import FloatMatrix

_READ_AT_ONCE = 500
_FIRST_ASKED = 16


class LoadedRecords:
    """What a save holds of one NPC, to be read and searched."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        self.npc_id = npc_id
        self.save = save
        self.store = save.store
        self._npc = self.store.npc_number(npc_id)
        self._config = _validated(config)
        self._index: NpcIndex | None = None
        self._loading: NpcIndex | None = None
        self._slots: dict[str, Record | None] = {}
        self._first_meeting: float | None = None
        self._knows_first_meeting = False
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
        options = index_options(config, self.save.embedder)
        index = self._index or self._loading
        is_other = index is not None and options != index_options(self._config, self.save.embedder)
        self._config = config
        if is_other and index is not None and not index.vectors.adopt(options):
            self._loading = None
            self.unload()

    def access(self, keys: Sequence[int], now: float) -> None:
        """Note that these memories entered an answer; the index is loaded."""
        if keys and self._index is not None and self.save.notes_accesses:
            self.save.accesses.note(self.npc_id, keys, now)
            self._index.columns.access(keys, now)

    def forget_accesses(self, moment: float) -> None:
        """What was accessed later than `moment` was accessed then."""
        if self._index is not None:
            self._index.columns.forget_accesses(moment)

    def all(self) -> list[Record]:
        """Every record, oldest first."""
        return [] if self.npc is None else self.store.records.find(self.npc)

    def all_steps(self) -> Generator[Step, None, list[Record]]:
        """all(), in slices."""
        if self.npc is None:
            return []
        records: list[Record] = []
        keys = sorted(key for page in self.store.records.key_pages(self.npc) for key in page)
        for start in range(0, len(keys), _READ_AT_ONCE):
            records += self.store.read_once(keys[start : start + _READ_AT_ONCE])
            yield Step(len(records), len(keys), "reading memories")
        return records

    def count(self) -> int:
        """The number of records."""
        return 0 if self.npc is None else self.store.browsing.count(self.npc)

    def by_id(self, where: str, id: Any) -> Record | None:
        """The record with this id; `where` names the caller in the error of an id that is no text."""
        id = validate_text(where, "id", id)
        return None if self.npc is None else self.store.records.get(self.npc, id)

    def interactions(self) -> list[Interaction]:
        """Every entry of the NPC's log, oldest first."""
        return [] if self.npc is None else self.store.interactions.all(self.npc)

    def archived(self) -> list[ArchivedRecord]:
        """What is archived and says something else than the record that has its id now, newest first; without
        what was kept of repetitions, which only a rollback needs.
        """
        return [] if self.npc is None else self.store.browsing.archived(self.npc)[::-1]

    def newest(self, count: int, min_importance: int) -> list[Record]:
        """The newest records of at least this importance, newest first."""
        return [] if self.npc is None else self.store.records.find(self.npc, newest_of(count, min_importance))

    def player_info(self, info_type: str) -> Record | None:
        """The record that holds this piece of information about the player."""
        return None if self.npc is None else self.store.records.first(self.npc, of_player_info(info_type))

    def in_slot(self, slot_type: str) -> Record | None:
        """The newest record of a slot."""
        if slot_type not in self._slots:
            self._slots[slot_type] = (
                None if self.npc is None else self.store.records.first(self.npc, newest_in_slot(slot_type))
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
            run(self._load_steps())
        self.save.index_cache.use(self)
        return self._index

    def load_steps(self) -> Generator[Step, None, None]:
        """Load what searches the records, in slices, unless it is loaded; anew when they change meanwhile.
        It waits while others are being loaded.
        """
        if self._index is None and self.npc is None:
            yield from self._load_steps()
        elif self._index is None:
            yield from self.save.loading_queue.in_turn_steps(self._load_steps(), self.count())

    def _load_steps(self) -> Generator[Step, None, None]:
        while self._index is None:
            loading = NpcIndex(
                self.store,
                self.npc,
                self.npc_id,
                self._config,
                self.save.embedder,
                self.save.model,
                on_server=self.save.mode.name == SERVER or not self.store.owns(self.npc_id),
            )
            self._loading = loading
            try:
                with closing(loading.load_steps(self.save.index_cache)) as steps:
                    for step in steps:
                        yield step
                        if self._loading is not loading:
                            break
                    else:
                        loading.columns.note_accesses(self.save.accesses.waiting)
                        self._index = loading
                if self._index is loading:
                    self.save.index_cache.use(self)
            finally:
                if self._loading is loading:
                    self._loading = None

    @property
    def index_bytes(self) -> int:
        """The memory the search index takes; 0 while it is not loaded."""
        return 0 if self._index is None else self._index.bytes

    def embed_steps(self, records: Sequence[Record]) -> Generator[Step, None, FloatMatrix]:
        """The vectors of records, one row each, in slices."""
        vectors: FloatMatrix = np.empty((len(records), self.save.embedder.dimension), dtype=np.float32)
        done = 0
        for positions, embedded in self.save.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            done += len(positions)
            yield Step(done, len(records), "embedding memories")
        return vectors

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

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        if not keep_index:
            self._index = None
            self.save.index_cache.discard(self)
        self._npc = self.store.npc_number(self.npc_id)
        self._changed()

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        index, self._index = self._index, None
        self.save.index_cache.discard(self)
        if index is not None:
            index.save()

    def _changed(self, told: Sequence[Record] | None = None) -> None:
        """Forget what followed from the records. `told`: the new and changed ones, when nothing was lost that
        is not archived.
        """
        self._loading = None
        if self._index is not None:
            self.save.index_cache.measure(self)
        self.lists.forget()
        self._slots.clear()
        if told is None:
            self._knows_first_meeting = False
        elif self._knows_first_meeting:
            # A memory more cannot take a meeting back, so that the others need not be asked again.
            times = [record.first_timestamp for record in told if tells_of_meeting(record)]
            self._first_meeting = min(
                times if self._first_meeting is None else [self._first_meeting, *times], default=None
            )


def _validated(config: MemoryConfig) -> MemoryConfig:
    """The config itself when its values have their types, so that callers recognise what they have set."""
    if not isinstance(config, MemoryConfig):
        raise wrong_type("config", "config", config, "a MemoryConfig")
    validated = config.validated()
    return config if validated == config else validated
