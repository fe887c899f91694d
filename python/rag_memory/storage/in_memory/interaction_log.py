"""The log of interactions in memory."""

from __future__ import annotations

from collections.abc import Iterator

from rag_memory.memory.interaction import EVENT, PRUNED, Interaction
from rag_memory.memory.interaction import REFLECTION as REFLECTION_ENTRY
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.storage.in_memory.records import InMemory
from rag_memory.storage.in_memory.tables import Tables
from rag_memory.storage.interaction_row import PRUNING_SLACK


class InteractionLog(InMemory):
    """See storage.protocol.Interactions."""

    def add_interaction(self, npc: int, interaction: Interaction) -> int:
        rows = self._tables.interactions.rows
        key = max(rows, default=0) + 1
        self._tables.interactions.set(key, (npc, interaction._replace(key=key)))
        return key

    def interactions(self, npc: int, source_id: str, count: int) -> list[Interaction]:
        found = [
            each for each in self._newest(npc) if each.kind == EVENT and source_id in ("", each.source_id)
        ]
        return found[:count]

    def all_interactions(self, npc: int) -> list[Interaction]:
        return list(self._newest(npc))[::-1]

    def newest_of_sources(self, npc: int) -> list[Interaction]:
        by_source: dict[str, Interaction] = {}
        for each in self._newest(npc):
            if each.source_id:
                by_source.setdefault(each.source_id, each)
        return list(by_source.values())

    def newest_entry(self, npc: int, kind: str = "") -> Interaction | None:
        of_kind = (each for each in self._newest(npc) if each.kind == (kind or each.kind) != PRUNED)
        return next(of_kind, None)

    def prune_interactions(self, npc: int, kept: int) -> int:
        entries = list(self._newest(npc))
        if sum(each.kind != PRUNED for each in entries) <= kept + PRUNING_SLACK:
            return 0
        known: set[str] = set()
        count = 0
        for each in entries[kept:]:
            is_reflection = each.kind == REFLECTION_ENTRY
            if each.source_id in known or not (each.source_id or is_reflection):
                self._tables.interactions.set(each.key, None)
                count += 1
                continue
            known.add(each.source_id)
            if not is_reflection:
                pruned = each._replace(kind=PRUNED, content="", details={})
                self._tables.interactions.set(each.key, (npc, pruned))
        return count

    def forget_interactions(self, npc: int) -> None:
        for each in list(self._newest(npc)):
            self._tables.interactions.set(each.key, None)

    def last_key(self, npc: int) -> int:
        return max(self._tables.memories.of(npc), default=0)

    def importance_after(self, npc: int, key: int) -> int:
        records = self._tables.memories.records(npc)
        return sum(
            each.importance for each in records if each.key > key and each.kind not in (REFLECTION, FACT)
        )

    def _newest(self, npc: int) -> Iterator[Interaction]:
        rows = self._tables.interactions.rows
        return (each for _, (of, each) in sorted(rows.items(), reverse=True) if of == npc)


def roll_back(tables: Tables, moment: float) -> None:
    """Forget the entries that were stored later, as storage/sqlite/interaction_log.py does."""
    rows = list(tables.interactions.rows.items())
    staying = {(npc, each.source_id) for _, (npc, each) in rows if each.stored_at <= moment}
    for key, (npc, each) in rows:
        is_base = each.kind == PRUNED and each.known_since <= moment and (npc, each.source_id) not in staying
        if each.stored_at > moment and not is_base:
            tables.interactions.set(key, None)
