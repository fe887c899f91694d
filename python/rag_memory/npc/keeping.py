"""What becomes of memories: changed, pinned, forgotten, archived, merged, and counted."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.amendment import amended, pinned, unpinned
from rag_memory.memory.memory_view import described_archived
from rag_memory.memory.record import Record
from rag_memory.mind import consolidation
from rag_memory.mind.summarizer import written_steps
from rag_memory.npc.game_call import game_call
from rag_memory.npc.memory_stats import memory_stats
from rag_memory.npc.npc_part import NpcPart
from rag_memory.step import Step, run
from rag_memory.storage.filter import Condition
from rag_memory.validation import validate_integer, validate_text
from rag_memory.vectors import FloatMatrix

_READ_AT_ONCE = 200


class Keeping(NpcPart):
    """The calls that change or count what is stored already."""

    @game_call(writes=True)
    def update_memory(self, id: str, changes: Mapping[str, Any]) -> bool:
        """Changes a memory under the same id. Returns `False` when there is none with this id.

        What is not named stays. A new text gets a new `document_short`, unless one is given. The tier follows
        the change, unless it was set by hand.

        Args:
            changes: `text`, `importance`, or any key of `data` in `store()`.
        """
        record = self._records.by_id("update_memory()", id)
        if record is None:
            return False
        changed = amended(self.npc_id, self.config, self._now(), record, changes)
        self._records.writer.amend(record, changed)
        if changed.is_milestone and not record.is_milestone:
            self._emit("milestone_created", (changed.milestone_type,))
        return True

    @game_call(writes=True)
    def pin_memory(self, id: str) -> bool:
        """Makes a memory pinned, whatever its event. Returns `False` when there is none with this id."""
        record = self._records.by_id("pin_memory()", id)
        if record is not None:
            self._records.writer.amend(record, pinned(record))
        return record is not None

    @game_call(writes=True)
    def unpin_memory(self, id: str) -> bool:
        """Gives a pinned memory the tier of its event, but important at most.

        Returns `False` when there is none with this id.
        """
        record = self._records.by_id("unpin_memory()", id)
        if record is not None:
            self._records.writer.amend(record, unpinned(self.config, record))
        return record is not None

    @game_call(writes=True)
    def forget(self, id: str) -> bool:
        """Deletes a memory for good. Returns `False` when there is none with this id.

        What it superseded is valid again.
        """
        record = self._records.by_id("forget()", id)
        if record is not None:
            self._records.writer.delete(record)
        return record is not None

    @game_call()
    def get_archived(self, id: str = "") -> list[dict[str, Any]]:
        """Returns the archived memories, newest first: earlier values and versions, and sources of summaries.

        No search finds them. A version that says what the memory says now is left out.

        Args:
            id: of which memory; empty for all.

        Returns:
            memories with the key `archived`: `number`, `at` (game time), `by` (the id of what replaced it)
            and `reason`: `"slot_update"`, `"info_update"`, `"updated"` or `"consolidated"`.
        """
        id = validate_text("get_archived()", "id", id)
        return [
            described_archived(each, self.npc_id, self.config)
            for each in self._records.archived()
            if id in ("", each.record.id)
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
        found = (each for each in self._records.archived() if each.record.id == id)
        archived = next((each for each in found if number in (0, each.number)), None)
        if archived is not None:
            self._records.writer.restore(archived)
        return archived is not None

    @game_call()
    def get_memory_count(self) -> int:
        """Returns how many memories this NPC has."""
        return self._records.count()

    @game_call()
    def get_memory_stats(self) -> dict[str, Any]:
        """Returns what this NPC's memories add up to.

        Returns:
            `npc_id`, `total`, `pinned`, `important`, `regular`, `milestones`, `superseded`, `protected`,
            `event_types` (how many of each), `average_importance`, and the timestamps `oldest` and `newest`
            (0 without memories).
        """
        return memory_stats(self._save.store, self._records.npc, self.npc_id, self.config)

    @game_call()
    def needs_consolidation(self) -> bool:
        """Returns whether there are more memories than `MemoryConfig.max_memories_before_consolidate`."""
        return self.get_memory_count() > self.config.max_memories_before_consolidate

    @game_call(writes=True)
    def consolidate(self) -> dict[str, Any]:
        """Merges old memories into summaries.

        Old conversations of one day and topic are merged. When there are more than
        `MemoryConfig.max_memories_before_consolidate` memories, those of the lowest score are merged, too,
        until about `MemoryConfig.consolidate_target` are left. Never merged are pinned memories, milestones,
        what is in a slot, what is known about the player, facts, reflections, secrets, and promises and the
        like.

        A summary consists of the memories' own sentences, or of what `MemoryServer.summarizer` writes. Its
        metadata has `source_ids`, `dates`, `topics`, `people` and `numbers`. The merged memories are archived
        together with the storing of the summary. No search finds them, but `restore_archived()` and
        `MemoryServer.rollback_to()` bring them back.

        `memories_consolidated` tells what was merged. With `MemoryConfig.auto_consolidate` all of this
        happens by itself.

        Returns:
            `removed` (how many were merged), `summary_ids`, and `remaining` (how many memories there are
            now).
        """
        return run(self.consolidate_steps())

    def consolidate_steps(self) -> Generator[Step, None, dict[str, Any]]:
        """consolidate() in slices of a few milliseconds. A memory that changes meanwhile is left alone."""
        self._wants_consolidation = False
        now = self._now()
        self._save.accesses.write()
        records = yield from self._records.all_steps()
        groups = (yield from consolidation.plan_steps(self.config, records, now)).groups
        removed, ids = 0, list[str]()
        try:
            for number, group in enumerate(groups):
                summary = yield from self._summary_steps(now, group)
                yield Step(number, len(groups), "summarising memories")
                vectors = yield from self._records.embed_steps([summary])
                removed += self._records.writer.merge(group, summary, vectors[0], ids)
        finally:
            if ids:
                self._emit("memories_consolidated", (removed, ids))
        self._left_by_consolidation = self.get_memory_count()
        return {"removed": removed, "summary_ids": ids, "remaining": self._left_by_consolidation}

    def fade_steps(self, most_importance: int, seconds: float) -> Generator[Step, None, int]:
        """Takes a point of importance from each ordinary memory of at most this importance that was not
        stored, asked for or faded for so long; how many these were. None falls below 1, nor below what a
        question asks for at least (MemoryConfig): it would be forgotten.
        """
        limits = {1, self.config.min_semantic_importance, self.config.min_tiered_importance}
        npc, store, accesses = self._records.npc, self._save.store, self._save.accesses
        if npc is None:
            return 0
        count, now = 0, self._now()
        accesses.write()
        keys = store.keys_where(npc, Condition("importance", "<=", most_importance)).tolist()
        for start in range(0, len(keys), _READ_AT_ONCE):
            fading = [
                record
                for record in store.read_once(keys[start : start + _READ_AT_ONCE])
                if record.importance not in limits
                and record.memory_tier == TIER_REGULAR
                and now - max(record.timestamp, record.stored_at, record.last_accessed) >= seconds
                and consolidation.is_ordinary(self.config, record)
            ]
            if fading:
                self._records.writer.fade(fading, now)
            count += len(fading)
            yield Step(start, len(keys), "letting memories fade")
        return count

    def _summary_steps(self, now: float, group: list[Record]) -> Generator[Step, None, Record]:
        npc_id, config = self.npc_id, self.config
        data, extract = consolidation.about(npc_id, config, group), consolidation.extract(group, config)
        text = ""
        if self._save.summarizer is not None:
            request = consolidation.request(npc_id, config, group, data, extract)
            text = yield from written_steps(self._save.summarizer, request, config)
        return consolidation.summary_of(npc_id, config, now, data, text or extract, not text)

    def build_index_steps(self) -> Generator[Step, None, None]:
        """Brings the search index of a large memory up to date, in slices; answers are complete without it,
        only slower.
        """
        return self._records.index.build_steps()

    def idle_steps(self) -> Generator[Step, None, None]:
        """What nobody waits for: consolidation, when config.auto_consolidate asks for it, and the index."""
        if self._wants_consolidation and self.config.auto_consolidate:
            yield from self.consolidate_steps()
        yield from self.build_index_steps()

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Takes in new vectors of those of these memories that are in memory to be searched."""
        self._records.index.take_vectors(keys, vectors)

    @property
    def pending_vectors(self) -> int:
        """How many memories wait for their place in the search index; they are found all the same."""
        return self._records.index.pending_vectors

    @property
    def loaded_count(self) -> int:
        """How many memories are in memory to be searched: all of the NPC's, or none."""
        return self._records.index.loaded_count

    def reload(self, keep_index: bool = False) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        self._records.reload(keep_index)
        self._left_by_consolidation = 0

    def forget_accesses(self, moment: float) -> None:
        """What was accessed later than `moment` was accessed then, because the store says so now."""
        self._records.index.forget_accesses(moment)

    def unload(self) -> None:
        """Writes the search index and drops what is in memory; the next question loads it again."""
        self._records.index.unload()
