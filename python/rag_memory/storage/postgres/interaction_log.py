"""The table of interactions: what happened between NPCs and others, and what they feel since then."""

from __future__ import annotations

from typing import Any

from rag_memory.memory.interaction import EVENT, PRUNED, Interaction
from rag_memory.memory.interaction import REFLECTION as REFLECTION_ENTRY
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.storage.interaction_row import COLUMNS, PRUNING_SLACK, interaction_of, row_of
from rag_memory.storage.postgres.connected import Connected

_HERS = "save = %(save)s AND npc = %(npc)s"
_OF_NPC = f"SELECT {', '.join(COLUMNS)} FROM interactions WHERE {_HERS}"
_INSERT = (
    f"INSERT INTO interactions (save, npc, {', '.join(COLUMNS)}) "
    f"VALUES (%(save)s, %(npc)s, {', '.join(f'%({name})s' for name in COLUMNS)})"
)
_OLD = f"{_HERS} AND interaction < %(oldest)s"


class InteractionLog(Connected):
    """See storage.protocol.Interactions."""

    def add_interaction(self, npc: int, interaction: Interaction) -> int:
        key = self._next("interaction")
        self._write(_INSERT, npc=npc, **dict(zip(COLUMNS, (key, *row_of(interaction)), strict=True)))
        return key

    def interactions(self, npc: int, source_id: str, count: int) -> list[Interaction]:
        of_source = " AND source_id = %(source_id)s" if source_id else ""
        return self._interactions(
            f"{_OF_NPC} AND kind = %(kind)s{of_source} ORDER BY interaction DESC LIMIT %(count)s",
            npc=npc,
            kind=EVENT,
            source_id=source_id,
            count=count,
        )

    def all_interactions(self, npc: int) -> list[Interaction]:
        return self._interactions(f"{_OF_NPC} ORDER BY interaction", npc=npc)

    def newest_of_sources(self, npc: int) -> list[Interaction]:
        return self._interactions(
            f"{_OF_NPC} AND interaction IN (SELECT max(interaction) FROM interactions "
            f"WHERE {_HERS} AND source_id <> '' GROUP BY source_id) ORDER BY interaction",
            npc=npc,
        )

    def newest_entry(self, npc: int, kind: str = "") -> Interaction | None:
        of_kind = "kind = %(kind)s" if kind else "kind <> %(kind)s"
        found = self._interactions(
            f"{_OF_NPC} AND {of_kind} ORDER BY interaction DESC LIMIT 1", npc=npc, kind=kind or PRUNED
        )
        return found[0] if found else None

    def prune_interactions(self, npc: int, kept: int) -> int:
        values = {"npc": npc, "pruned": PRUNED, "reflection": REFLECTION_ENTRY}
        not_pruned = f"FROM interactions WHERE {_HERS} AND kind <> %(pruned)s"
        if self._number(f"SELECT count(*) {not_pruned}", **values) <= kept + PRUNING_SLACK:
            return 0
        oldest = self._number(
            f"SELECT interaction {not_pruned} ORDER BY interaction DESC LIMIT 1 OFFSET %(offset)s",
            offset=kept - 1,
            **values,
        )
        deleted = self._count_written(
            f"DELETE FROM interactions WHERE {_OLD} AND interaction NOT IN (SELECT max(interaction) "
            f"FROM interactions WHERE {_OLD} AND (source_id <> '' OR kind = %(reflection)s) "
            "GROUP BY source_id)",
            oldest=oldest,
            **values,
        )
        self._write(
            "UPDATE interactions SET kind = %(pruned)s, content = '', details = '{}' "
            f"WHERE {_OLD} AND kind NOT IN (%(pruned)s, %(reflection)s)",
            oldest=oldest,
            **values,
        )
        return deleted

    def forget_interactions(self, npc: int) -> None:
        self._write(f"DELETE FROM interactions WHERE {_HERS}", npc=npc)

    def last_key(self, npc: int) -> int:
        return self._number(f"SELECT max(memory) FROM memories WHERE {_HERS}", npc=npc)

    def importance_after(self, npc: int, key: int) -> int:
        return self._number(
            f"SELECT sum(importance)::bigint FROM memories WHERE {_HERS} AND memory > %(key)s "
            "AND kind NOT IN (%(reflection)s, %(fact)s)",
            npc=npc,
            key=key,
            reflection=REFLECTION,
            fact=FACT,
        )

    def _interactions(self, sql: str, **values: Any) -> list[Interaction]:
        return [interaction_of(row) for row in self._rows(sql, **values)]
