"""Numbers about a save for tools and debug views."""

from __future__ import annotations

import heapq
from typing import Any

from rag_memory.embedding.registry import FALLBACK
from rag_memory.memory.owners import RESERVED, is_npc
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext

_MOST_MINDS = 100


class Overview:
    """Counts memories and NPCs, and lists the latest feelings."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs, missing: MissingVectors) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs
        self._missing = missing
        self._counted_at: tuple[int, int] | None = None
        self._counted = (0, 0)
        """The memories and NPCs at that state of the store."""

    def health(self) -> dict[str, Any]:
        """Return the path, versions, counts and embedding model of the save."""
        self._missing.look_if_stale()
        embedder = self._context.embedder
        return {
            "path": self._store.path,
            **self._store.versions(),
            "npc_count": len(self._npc_ids()),
            "npcs_owned": sum(map(self._store.owners.owns, self._npc_ids())),
            "memory_count": self._count(),
            "pending_vectors": sum(npc.records.index.pending_vectors for npc in self._npcs),
            "missing_vectors": self._context.missing_vectors,
            "vector_index": self._context.mode.name,
            "vector_index_reason": self._context.mode.reason,
            "vector_cache_bytes": self._context.index_cache.used_bytes,
            "embedder": embedder.name,
            "embedder_fingerprint": embedder.fingerprint,
            "embedder_dimension": embedder.dimension,
            "embedder_is_fallback": embedder.name == FALLBACK,
        }

    def counts(self) -> dict[str, Any]:
        """Return the numbers of memories and NPCs, and the state of the vectors and of maintenance.

        `loaded_memories` counts those that are in memory to be searched. Counting a large save takes
        milliseconds, so it is repeated only after a change.
        """
        state = (self._store.change_count, self._npcs.reload_count)
        if self._counted_at != state:
            self._counted_at, self._counted = state, (self._count(), len(self._npc_ids()))
        memories, npcs = self._counted
        return {
            "memories": memories,
            "npcs": npcs,
            "loaded_memories": sum(npc.records.index.loaded_count for npc in self._npcs),
            "missing_vectors": self._context.missing_vectors,
            "vector_index": self._context.mode.name,
            "vector_index_reason": self._context.mode.reason,
            "maintenance": self._npcs.world.maintenance.last,
        }

    def feelings(self) -> dict[str, dict[str, Any]]:
        """Return the emotions and dispositions of the up to 100 NPCs whose feelings changed last, by id.

        The strongest dispositions come first. NPCs that are not in use are left out.
        """
        moved = ((npc.npc_id, npc.mind) for npc in self._npcs if npc.mind.log.moved_at is not None)
        latest = heapq.nlargest(_MOST_MINDS, moved, key=lambda item: item[1].log.moved_at or 0.0)
        return {id: mind.feelings.overview() for id, mind in latest}

    def list_npcs(self) -> list[dict[str, Any]]:
        """Return for each NPC its id, how many memories it has, and the timestamps of the oldest and newest.

        The keys are npc_id, total, pinned, important, regular, superseded, archived, oldest and newest.
        """
        return [row for row in self._store.browsing.npc_overview() if is_npc(row["npc_id"])]

    def _npc_ids(self) -> list[str]:
        return [npc_id for npc_id in self._store.npcs.ids() if is_npc(npc_id)]

    def _count(self) -> int:
        """Return how many memories the NPCs have."""
        numbers = map(self._store.npcs.number, RESERVED)
        return self._store.records.count() - sum(
            self._store.records.count(number) for number in numbers if number is not None
        )
