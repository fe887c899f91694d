"""The records of one NPC as the store has them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_header import FIRST_MEETING
from rag_memory.npc.save_context import SaveContext
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.step import Step
from rag_memory.storage.sqlite.archive import ArchivedRecord
from rag_memory.storage.sqlite.listing import Lists
from rag_memory.validation import validate_text, wrong_type

_READ_AT_ONCE = 500


class StoredRecords:
    """What can be read of one NPC without a search; what every answer needs is read once."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        self.npc_id = npc_id
        self.save = save
        self.store = save.store
        self._npc = self.store.npc_number(npc_id)
        self._config = validate_config(config)
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
        """When the NPC met the player first, as far as a record tells."""
        if not self._knows_first_meeting:
            self._first_meeting = (
                None if self.npc is None else self.store.first_of_event(self.npc, FIRST_MEETING)
            )
            self._knows_first_meeting = True
        return self._first_meeting

    def _changed(self) -> None:
        """Forget what was read: it is other now."""
        self.lists.forget()
        self._slots.clear()
        self._knows_first_meeting = False


def validate_config(config: MemoryConfig) -> MemoryConfig:
    """The config itself when its values have their types, so that callers recognise what they have set."""
    if not isinstance(config, MemoryConfig):
        raise wrong_type("config", "config", config, "a MemoryConfig")
    validated = config.validated()
    return config if validated == config else validated
