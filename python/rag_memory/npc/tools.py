"""What tools need of an NPC's memory: pages, a timeline and exact undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.npc.lists import SIMILAR_LIMIT, Ranking, request_of
from rag_memory.npc.records import NpcRecords
from rag_memory.npc.retriever import Retriever
from rag_memory.storage import captured as captures
from rag_memory.storage.timeline import span_of
from rag_memory.validation import validate_texts
from rag_memory.vectors import Keys


class NpcBrowsing:
    """The part of NpcMemory that an editor and a developer's tools use."""

    _records: NpcRecords
    _retrieval: Retriever

    def browse(self, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One page of the NPC's memories: {total: how many the list has, rows: those of the page, position:
        where the memory `locate` is in the list, or -1}.

        The list is found once, in time that grows with the number of memories; its other pages cost only
        their own rows.

        Args:
            options: sort ("timestamp", "importance", "memory_tier", "event_type", "id", "text"), descending
                (True), offset (0), limit (100, at most 1000), filter as in retrieve_relevant_raw(), text
                (words that all have to occur, each perhaps the beginning of a longer one), similar_to (a
                text: the most relevant memories, at most 1000, best first, each with its `similarity`),
                locate (an id), and archived (False). A row is a memory as get_memory() returns it. With
                archived the rows are what holds no longer, each with `archived` {number, at, reason, by},
                and can be sorted by "archived_at" and "archived_reason", too.

        Raises:
            InvalidArgumentError: an unknown option, or a value of a wrong type or out of range.
        """
        request = request_of(options)
        records = self._records
        if records.npc is None:
            return {"total": 0, "rows": [], "position": -1}
        protected = [record.key for record in records.protected()]
        return records.lists.page(records.npc, records.config, request, self._most_similar, protected)

    def get_timeline(self, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The NPC's life to be drawn: {begin, end (what the counts cover), first, last (of the whole life),
        counts (three lists, one per tier: how many memories in each stretch of time), archived (the same of
        what holds no longer), marks (the most telling memories), links}.

        A link is {kind: "superseded" or "consolidated", count, from, to}, with {id, timestamp, memory_tier,
        text} at both ends.

        Args:
            options: begin and end (game time in seconds; by default the whole life), buckets (stretches of
                time, 200), marks (how many marks, and links of each kind, at most: 100).
        """
        span = span_of(options)
        return self._records.store.timeline(self._records.npc, span)

    def capture_memories(self, ids: Sequence[str]) -> dict[str, Any]:
        """Everything there is under these ids, for put_back_memories(): texts and metadata, vectors, archived
        versions, and which memories they supersede. An id that is not in use is captured, too.
        """
        records = self._records
        checked = validate_texts("capture_memories()", "ids", ids)
        return captures.to_dictionary(
            records.npc_id, [records.store.capture(records.npc, id) for id in dict.fromkeys(checked)]
        )

    def put_back_memories(self, captured: Mapping[str, Any]) -> int:
        """Make memories again exactly what they were when they were captured, whether they were changed,
        forgotten or stored since; how many of them exist now.

        Raises:
            InvalidArgumentError: it is nothing that capture_memories() of this NPC has returned.
        """
        return len(self._records.put_back(captures.from_dictionary(self._records.npc_id, captured)))

    def _most_similar(self, text: str, keys: Keys) -> Ranking:
        allowed = self._records.index().columns.contains(keys)
        matches = self._retrieval.relevance(text).search(SIMILAR_LIMIT, allowed)
        return Ranking(
            np.array([match.key for match in matches], dtype=np.int64),
            np.array([match.similarity for match in matches], dtype=np.float32),
        )
