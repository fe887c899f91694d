"""The memories that a new memory replaces or supersedes.

A slot holds one current value, so the old one goes. A supersession keeps the old memory and says what came
after it: that a promise was given stays true when it was broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.validation import mapping_in


class Conflicts(NamedTuple):
    """The memories that a new one replaces, and those that it supersedes."""

    replaced: list[Record]
    superseded: list[Record]


class StoredMemories(Protocol):
    """The stored memories, as a conflict rule reads them."""

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""

    def get(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The memories of an event type that nothing has superseded, dated `until` or earlier."""


ConflictRule = Callable[[StoredMemories, int, Record], Conflicts]
"""Finds the conflicts of a stored record of an NPC, by its number."""


def settled_by(record: Record) -> list[str] | None:
    """The ids of the memories that a debt or a payment ends, when rules have read it out of talk, and so
    reckoned with what was open; else None.
    """
    fact = mapping_in(record.extra).get("fact")
    settled = fact.get("settles") if isinstance(fact, Mapping) else None
    return [str(id) for id in settled] if isinstance(settled, list) else None


def slot_conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
    """Everything else in the record's slot is replaced."""
    others = [old for old in memories.in_slot(npc, record.slot_type) if old.key != record.key]
    return Conflicts(others, [])


def conflict_rule(config: MemoryConfig) -> ConflictRule:
    """The rule of `config.slot_types`, `config.supersession_pairs` and `config.ending_event_types`.

    A memory that was superseded before keeps the mark it has, and one that is dated later than the new
    memory is not superseded by it.
    """

    def conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        if record.slot_type and config.is_slot_type(record.slot_type):
            return slot_conflicts(memories, npc, record)
        settled = settled_by(record)
        if settled is not None:
            debts = (memories.get(npc, id) for id in settled)
            return Conflicts([], [old for old in debts if old is not None and not old.superseded_by])
        ended = [old for old, new in config.supersession_pairs.items() if new == record.event_type]
        ended += [old for new, old in config.ending_event_types.items() if new == record.event_type]
        superseded = [
            old
            for event_type in ended
            for old in memories.valid_of_event(npc, event_type, record.timestamp)
            if old.key != record.key
        ]
        return Conflicts([], superseded)

    return conflicts
