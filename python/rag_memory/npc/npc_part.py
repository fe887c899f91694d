"""What every part of an NPC's memory works on: her records, her questions, and what tells the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.conflicts import ConflictRule
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.record import PLAYER_INFO, Record, new_record
from rag_memory.memory.sizes import refuse_long_text
from rag_memory.npc.retriever import Retriever
from rag_memory.npc.rules import Rules
from rag_memory.searchable.npc_index import PLAYER_NAME_SLOT, names_of_player
from rag_memory.searchable.record_writer import AlsoFunction, EventFunction
from rag_memory.searchable.records import NpcRecords
from rag_memory.searchable.save_context import SaveContext
from rag_memory.text.name_check import with_checked_names
from rag_memory.validation import validate_flag
from rag_memory.vectors import FloatMatrix


class NpcPart(Rules):
    """The state that the parts of one NPC's memory share."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        self.npc_id = npc_id
        self.on_event: EventFunction | None = None
        self._save = save
        self._records = NpcRecords(save, npc_id, config, self._emit)
        self._retrieval = Retriever(self._records)
        self._wants_consolidation = False
        self._left_by_consolidation = 0

    @property
    def config(self) -> MemoryConfig:
        """How memories are kept, scored and chosen. A config with a value out of range raises ConfigError."""
        return self._records.config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        self._records.config = config

    def _now(self) -> float:
        return self._save.now()

    def _checked(self, where: str, told: MemoryDraft) -> MemoryDraft:
        """What is to be stored, if it is not too long and speaks of people who exist."""
        refuse_long_text(where, "text", self.config, told.text)
        given = {} if told.data is None else told.data
        if not isinstance(given, Mapping):
            return told
        data = {name: value for name, value in given.items() if name != "check_names"}
        wanted = validate_flag(where, "check_names", given.get("check_names", True))
        check = self._save.names.check()
        # What the player is called is told by the player, and others may talk of whom they like.
        is_hearsay = data.get("event_type") == PLAYER_INFO or data.get("slot_type") == PLAYER_NAME_SLOT
        if check is None or not wanted or not self.config.check_names or is_hearsay:
            return told._replace(data=data)
        named = self._records.in_slot(PLAYER_NAME_SLOT)
        also = names_of_player(named) | self.config.own_words()
        text, checked = with_checked_names(where, check, told.text, data, also)
        return MemoryDraft(text, told.importance, checked)

    def _remember(
        self,
        where: str,
        told: MemoryDraft,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> str:
        told = self._checked(where, told)
        record = new_record(where, self.npc_id, self.config, self._now(), *told)
        return self._add([record], self._save.embed([record.document_full]), rule, also)[0]

    def _add(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> list[str]:
        ids = self._records.writer.add(records, vectors, rule, also)
        config, count = self.config, self._records.count
        if config.auto_consolidate and count() > config.max_memories_before_consolidate:
            # When little could be merged, trying again after each memory would come to nothing.
            grown = config.max_memories_before_consolidate - config.consolidate_target
            least = self._left_by_consolidation + max(1, grown // 2)
            self._wants_consolidation = count() >= least
        return ids

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)
