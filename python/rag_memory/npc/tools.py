"""Calls for editors and other tools: pages, a timeline, exact undo, and memories as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.game_call import game_call
from rag_memory.memory.conflicts import Conflicts, StoredMemories, conflict_rule
from rag_memory.memory.record import Record
from rag_memory.npc.retriever import Retriever
from rag_memory.portable import csv_io, feelings_io, json_io
from rag_memory.searchable.lists import SIMILAR_LIMIT, SimilarMemories, request_of
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.step import Steps, in_slices
from rag_memory.storage import captured as captures
from rag_memory.storage.timeline import span_of
from rag_memory.validation import validate_texts
from rag_memory.vectors import Keys


class Tools:
    """Lists, captures, exports and imports the memories of one NPC.

    `on_imported` is called when feelings may have been imported.
    """

    def __init__(
        self,
        records: OwnedRecords,
        retriever: Retriever,
        writer: MemoryWriter,
        on_imported: Callable[[], None],
    ) -> None:
        self._records = records
        self._retriever = retriever
        self._writer = writer
        self._on_imported = on_imported

    @game_call()
    @in_slices
    def browse(self, options: Mapping[str, Any] | None = None) -> Steps[dict[str, Any]]:
        """Returns one page of this NPC's memories, for a list on the screen.

        The first page of a list costs time that grows with the number of memories. The others cost only their
        own rows.

        Args:
            options: `sort` (`"timestamp"`, `"importance"`, `"memory_tier"`, `"event_type"`, `"id"` or
                `"text"`), `descending` (`True`), `offset` (0) and `limit` (100, at most 1000). `filter` as in
                `retrieve_relevant_raw()`. `text`: words that all have to occur, each perhaps the beginning of
                a longer one; the first 64 count. `similar_to`: a text, for the most relevant memories, at
                most 1000, best first, each with its `similarity`. `locate`: the id of a memory whose place is
                asked for. `archived`: `True` for the archived memories instead, each with `archived`
                (`number`, `at`, `reason` and `by`). They can be sorted by `"archived_at"` and
                `"archived_reason"`, too.

        Returns:
            `total` (how many the list has), `rows` (the memories of the page, as `get_memory()` returns them)
            and `position` (where the memory to `locate` is in the list, or -1).

        Raises:
            InvalidArgumentError: an option is unknown, of a wrong type or out of range.
        """
        request = request_of(self._records.save, options, other_names(self._records).names_of)
        if request.similar_to:
            yield from self._records.index.load_steps()
        records = self._records
        if records.npc is None:
            return {"total": 0, "rows": [], "position": -1}
        self._records.save.accesses.write()
        if any(condition.field == "last_accessed" for condition in request.listing.conditions):
            records.lists.forget()
        protected = [record.key for record in records.protected()]
        return records.lists.page(records.npc, records.config, request, self._most_similar, protected)

    @game_call()
    def get_timeline(self, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the data to draw a timeline of this NPC's life.

        Args:
            options: `begin` and `end` in seconds of game time (by default the whole life), `buckets` (how
                many stretches of time: 200) and `marks` (how many marks, and links of each kind, at most:
                100).

        Returns:
            `begin` and `end` (what is counted), `first` and `last` (of the whole life), `counts` (three
            lists, one per tier, with the number of memories in each stretch of time), `archived` (the same
            for archived memories), `marks` (the most telling memories) and `links`. A link has `kind`
            (`"superseded"` or `"consolidated"`), `count`, and `from` and `to`, each with `id`, `timestamp`,
            `memory_tier` and `text`.
        """
        span = span_of(options)
        return self._records.store.browsing.timeline(self._records.npc, span)

    @game_call()
    def capture_memories(self, ids: Sequence[str]) -> dict[str, Any]:
        """Returns a complete copy of these memories, for `put_back_memories()`.

        With it, you can exactly undo whatever you do to them next. It holds texts and metadata, vectors,
        archived versions, and which memories they supersede. An id that is not in use is captured, too. The
        result consists of plain values that can be written as JSON.
        """
        self._records.save.accesses.write()
        records = self._records
        checked = validate_texts("capture_memories()", "ids", ids)
        captured = records.store.archive.capture(records.npc, dict.fromkeys(checked))
        return captures.to_dictionary(records.npc_id, captured)

    @game_call(writes=True)
    def put_back_memories(self, captured: Mapping[str, Any]) -> int:
        """Restores memories to exactly what they were when they were captured.

        It does not matter whether they were changed, forgotten or stored since. Returns how many of them
        exist now.

        Args:
            captured: what `capture_memories()` of this NPC returned.

        Raises:
            InvalidArgumentError: it is nothing that `capture_memories()` of this NPC returned.
        """
        return len(self._records.writer.put_back(captures.from_dictionary(self._records.npc_id, captured)))

    @game_call()
    def export_json(self) -> str:
        """Returns this NPC's memories, archive and feelings as JSON, for `import_json()` in any save.

        Feelings are dispositions, emotion and interactions, as `NPCMind` has them.
        """
        self._records.save.accesses.write()
        records = self._records
        return json_io.to_text(
            self._records.npc_id, records.all(), records.archived()[::-1], records.interactions()
        )

    @game_call(writes=True)
    @in_slices
    def import_json(self, text: str) -> Steps[int]:
        """Stores the memories that `export_json()` returned, of this NPC or another one.

        Returns how many of them were new. Archived memories are archived again and not counted. Memories that
        the NPC already has are skipped, and so is information about the player (`player_info`) that is not
        newer than what is stored. If one memory is invalid, nothing is stored.

        Feelings are imported too, unless this NPC already has some.
        """
        write = yield from self.import_steps("import_json()", json_io.from_text(text))
        count = write()
        self._on_imported()
        return count

    @game_call()
    def export_csv(self) -> str:
        """Returns this NPC's memories as a table, for a spreadsheet and `import_csv()`.

        Archived memories are not in it; `export_json()` keeps more.
        """
        self._records.save.accesses.write()
        return csv_io.to_csv(self._records.all(), self._records.config)

    @game_call(writes=True)
    @in_slices
    def import_csv(self, text: str) -> Steps[int]:
        """Stores the memories of a table, as `import_json()` does, and returns how many of them were new.

        The table begins with a line of headings. Only `"text"` is needed. The others are those of
        `export_csv()`, and any other column is stored as metadata. Cells may be separated by commas,
        semicolons or tabs. If one row is invalid, nothing is stored.

        Raises:
            InvalidArgumentError: the table cannot be read, or a memory is not valid.
        """
        export = json_io.Export(csv_io.from_csv(text), [], [])
        return (yield from self.import_steps("import_csv()", export))()

    @game_call()
    def dump_all_memories(self) -> str:
        """Returns every memory of this NPC as text to read, oldest first, for logs and bug reports."""
        self._records.save.accesses.write()
        return json_io.listing(self._records.npc_id, self._records.config, self._records.all())

    def import_steps(self, call: str, export: json_io.Export) -> Steps[Callable[[], int]]:
        """Prepare an import. The result writes it, and returns how many memories were new."""
        imported = yield from json_io.imported_steps(
            call,
            self._records.npc_id,
            self._records.config,
            self._records.save.now(),
            export,
            json_io.Recipient(
                lambda id: self._records.by_id(call, id),
                self._records.player_info,
                self._records.archived() if export.archive else [],
                bool(self._records.interactions()),
            ),
        )
        records, archived = imported.records, imported.archived
        vectors = yield from self._records.embed_steps([*records, *(version.record for version in archived)])
        before = self._records.last()
        last = 0 if before is None else before.key

        def add_feelings(npc: int, stored: Sequence[Record] = ()) -> None:
            keys = [record.key for record in stored]
            for interaction in imported.interactions:
                count = len(export.memories)
                entry = feelings_io.of_npc(interaction, imported.new_ids, keys, count, last)
                self._records.store.interactions.add(npc, entry)

        def write() -> int:
            if records:
                has_retired = {record.superseded_by for record in records}
                decide = conflict_rule(self._records.config)

                def rule(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
                    # What it retired where it comes from is marked already.
                    return Conflicts([], []) if record.id in has_retired else decide(memories, npc, record)

                self._writer.add(records, vectors[: len(records)], rule, add_feelings)
            elif imported.interactions:
                self._records.writer.write(add_feelings)
            if archived:
                self._records.writer.add_archived(archived, vectors[len(records) :])
            return len(records)

        return write

    def _most_similar(self, text: QueryText, keys: Keys) -> SimilarMemories:
        allowed = self._records.index.get().columns.contains(keys)
        matches = self._retriever.searcher.relevance(text).search(SIMILAR_LIMIT, allowed)
        return SimilarMemories(
            np.array([match.key for match in matches], dtype=np.int64),
            np.array([match.similarity for match in matches], dtype=np.float32),
        )
