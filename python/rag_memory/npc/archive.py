"""Old memories of one NPC: archived, merged into summaries, faded."""

from __future__ import annotations

from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.game_call import game_call
from rag_memory.memory.memory_view import described_archived
from rag_memory.memory.record import Record
from rag_memory.mind import consolidation
from rag_memory.mind.capacity import leaving_steps
from rag_memory.mind.summarizer import written_steps
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.storage.filter import Condition
from rag_memory.validation import validate_integer, validate_text

_READ_AT_ONCE = 200


class Archive:
    """Archives, merges, fades and restores the memories of one NPC."""

    def __init__(self, records: OwnedRecords, emit: EventFunction) -> None:
        self._records = records
        self._emit = emit
        self._wants_consolidation = False
        self._left_by_consolidation = 0
        self._may_be_over_limit = True
        self._left_at_limit = 0

    @game_call()
    def get_archived(self, id: str = "") -> list[dict[str, Any]]:
        """Returns the archived memories, newest first: earlier values and versions, and sources of summaries.

        No search finds them. A version that says what the memory says now is left out.

        Args:
            id: of which memory; empty for all.

        Returns:
            memories with the key `archived`: `number`, `at` (game time), `by` (the id of what replaced it)
            and `reason`: `"slot_update"`, `"info_update"`, `"updated"`, `"consolidated"` or `"over_limit"`.
        """
        id = validate_text("get_archived()", "id", id)
        return [
            described_archived(archived, self._records.npc_id, self._records.config)
            for archived in self._records.archived()
            if id in ("", archived.record.id)
        ]

    @game_call(writes=True)
    def restore_archived(self, id: str, number: int = 0) -> bool:
        """Makes an archived memory valid again. Returns `False` when there is none with this id and number.

        An earlier value or version changes places with the current one. A source of a summary comes back
        beside the summary.

        Args:
            number: which of them, from `get_archived()`; 0 for the newest.
        """
        id = validate_text("restore_archived()", "id", id)
        number = validate_integer("restore_archived()", "number", number)
        versions = (version for version in self._records.archived() if version.record.id == id)
        archived = next((version for version in versions if number in (0, version.number)), None)
        if archived is not None:
            self._records.writer.restore(archived)
        return archived is not None

    @game_call()
    def needs_consolidation(self) -> bool:
        """Returns whether there are more memories than `MemoryConfig.max_memories_before_consolidate`."""
        return self._records.count() > self._records.config.max_memories_before_consolidate

    @game_call(writes=True)
    @in_slices
    def consolidate(self) -> Steps[dict[str, Any]]:
        """Merges old memories into summaries.

        Old conversations of one day and topic are merged. When there are more than
        `MemoryConfig.max_memories_before_consolidate` memories, those of the lowest score are merged, too,
        until about `MemoryConfig.consolidate_target` are left. Never merged are memories of
        `MemoryConfig.lasting_kinds` (facts, reflections, episodes, and what the game stored with a text of
        its own), pinned memories, milestones, what is in a slot, what is known about the player, secrets, and
        promises and the like. `preview_consolidation()` lists what would be merged.

        A summary consists of the memories' own sentences, or of what `MemoryServer.summarizer` writes. Its
        metadata has `source_ids`, `dates`, `topics`, `people` and `numbers`. The merged memories are archived
        in the same transaction. No search finds them, but `restore_archived()` and
        `MemoryServer.rollback_to()` bring them back.

        Emits `memories_consolidated`. With `MemoryConfig.auto_consolidate` all of this happens by itself.

        Returns:
            `removed` (how many were merged), `summary_ids`, and `remaining` (how many memories there are
            now).
        """
        self._wants_consolidation = False
        now = self._records.save.now()
        self._records.save.accesses.write()
        groups = yield from self._groups_steps(now)
        removed, ids = 0, list[str]()
        try:
            for number, group in enumerate(groups):
                summary = yield from self._summary_steps(now, group)
                yield Step(number, len(groups), "summarising memories")
                vectors = yield from self._records.embed_steps([summary])
                removed += self._records.writer.merge(group, summary, vectors[0], ids)
                yield Step(number + 1, len(groups), "summarising memories")
        finally:
            if ids:
                self._emit("memories_consolidated", (removed, ids))
        self._left_by_consolidation = self._records.count()
        return {"removed": removed, "summary_ids": ids, "remaining": self._left_by_consolidation}

    @game_call()
    @in_slices
    def preview_consolidation(self) -> Steps[list[dict[str, Any]]]:
        """Returns what `consolidate()` would merge now, and changes nothing.

        Returns:
            one Dictionary for each summary, in the order of time: `sources` (the memories that it would
            replace), `extract` (its text, unless `MemoryServer.summarizer` writes one), `source_ids`,
            `dates`, `topics`, `people` and `numbers`.
        """
        npc_id, config = self._records.npc_id, self._records.config
        groups = yield from self._groups_steps(self._records.save.now())
        return [consolidation.request(npc_id, config, group, *self._extracted(group)) for group in groups]

    def fade_steps(self, most_importance: int, seconds: float) -> Steps[int]:
        """Takes a point of importance from each ordinary memory of at most this importance that was not
        stored, asked for or faded for so long; how many these were. None falls below 1, nor below what a
        question asks for at least (MemoryConfig): it would be forgotten.
        """
        limits = {1, self._records.config.min_semantic_importance, self._records.config.min_tiered_importance}
        npc, store, accesses = self._records.npc, self._records.save.store, self._records.save.accesses
        if npc is None:
            return 0
        count, now = 0, self._records.save.now()
        accesses.write()
        keys = store.lists.keys_where(npc, Condition("importance", "<=", most_importance)).tolist()
        for start in range(0, len(keys), _READ_AT_ONCE):
            fading = [
                record
                for record in store.records.by_keys(keys[start : start + _READ_AT_ONCE], is_read_again=False)
                if record.importance not in limits
                and record.memory_tier == TIER_REGULAR
                and now - max(record.timestamp, record.stored_at, record.last_accessed) >= seconds
                and consolidation.is_ordinary(self._records.config, record)
            ]
            if fading:
                self._records.writer.fade(fading, now)
            count += len(fading)
            yield Step(start, len(keys), "letting memories fade")
        return count

    def _groups_steps(self, now: float) -> Steps[list[list[Record]]]:
        """The groups of memories that are each to become one summary."""
        records = yield from self._records.all_steps()
        records = [self._records.save.accesses.up_to_date(record) for record in records]
        return (yield from consolidation.plan_steps(self._records.config, records, now)).groups

    def _extracted(self, group: list[Record]) -> tuple[dict[str, Any], str]:
        """The metadata and the text of a summary of the group's own sentences."""
        config = self._records.config
        return consolidation.about(self._records.npc_id, config, group), consolidation.extract(group, config)

    def _summary_steps(self, now: float, group: list[Record]) -> Steps[Record]:
        npc_id, config = self._records.npc_id, self._records.config
        data = consolidation.about(npc_id, config, group)
        yield Step(0, 1, "summarising memories")
        extract, text = consolidation.extract(group, config), ""
        if self._records.save.summarizer is not None:
            request = consolidation.request(npc_id, config, group, data, extract)
            text = yield from written_steps(self._records.save.summarizer, request, config)
        return consolidation.summary_of(npc_id, config, now, data, text or extract, not text)

    def note_added(self) -> None:
        """Decide whether there are so many memories that some should be merged or let go."""
        config, count = self._records.config, self._records.count
        self._may_be_over_limit = True
        if config.auto_consolidate and count() > config.max_memories_before_consolidate:
            # When little could be merged, trying again after every memory would not help.
            grown = config.max_memories_before_consolidate - config.consolidate_target
            least = self._left_by_consolidation + max(1, grown // 2)
            self._wants_consolidation = count() >= least

    def idle_steps(self) -> Steps[None]:
        """Consolidate in the background, when MemoryConfig.auto_consolidate asks for it, and let go what is
        above MemoryConfig.max_memories.
        """
        if self._wants_consolidation and self._records.config.auto_consolidate:
            yield from self.consolidate.steps()
        if self._may_be_over_limit:
            self._may_be_over_limit = False
            yield from self._let_go_steps(self._records.config.max_memories)

    def _let_go_steps(self, limit: int) -> Steps[None]:
        if not limit or self._records.count() <= max(limit, self._left_at_limit):
            return
        records, now = (yield from self._records.all_steps()), self._records.save.now()
        records = [self._records.save.accesses.up_to_date(record) for record in records]
        leaving = yield from leaving_steps(self._records.config, records, now)
        # Other calls may have stored and forgotten between two slices.
        while leaving and (surplus := self._records.count() - limit) > 0:
            count = min(surplus, _READ_AT_ONCE)
            self._records.writer.let_go(leaving[:count])
            del leaving[:count]
            yield Step(0, surplus, "letting memories go")
        self._left_at_limit = self._records.count()

    def reload(self) -> None:
        """Forget how many memories consolidation and the limit left: the store or the config has changed."""
        self._left_by_consolidation = self._left_at_limit = 0
        self._may_be_over_limit = True
