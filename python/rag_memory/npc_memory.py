"""The memory of one NPC: everything a game asks of it goes through here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import consolidation, exchange, perspective, tiered
from . import importance as importances
from .amendment import amended, pinned, unpinned
from .archive import CONSOLIDATED, INFO_UPDATE, SLOT_UPDATE, UPDATED, Archived
from .candidates import Candidate, Collector, protected_slots
from .config import MemoryConfig, RelevanceMode
from .conflicts import ConflictRule, conflict_rule, slot_conflicts
from .errors import InvalidArgumentError
from .filter import matching, parse_filter
from .formatting import format_memories
from .gazetteer import without_names
from .memory import FULL, SHORT, described
from .memory_stats import memory_stats
from .npc_index import NpcIndex, index_options
from .npc_state import SLOT_TYPE as STATE_SLOT
from .npc_state import state_memory, state_of
from .perspective import Told
from .record import PLAYER_INFO, Record, new_record
from .relationship import PLAYER, relationship_memory, relationship_of, slot_of
from .relationship_header import FIRST_MEETING, SLOT_TYPE, checked_state, header_record, header_text
from .relevance import DenseRelevance, HybridRelevance, NothingAsked, Relevance
from .scoring import factors, score
from .selection import estimate_tokens, fill_budget
from .step import Step, run
from .tiered import tier_options
from .value import checked_integer, checked_number, checked_text, wrong_type
from .vector import FloatMatrix, FloatVector, Mask

if TYPE_CHECKING:
    from .save import Save

DEFAULT_IMPORTANCE = 5
DEFAULT_LIMIT = 5
_RELEVANT_OPTIONS = ("limit", "min_importance", "filter")
_UNKNOWN_SIMILARITY = 0.5
_BATCH_COMMIT = 32
_GROUPS_AT_ONCE = 4

EventFunction = Callable[[str, tuple[Any, ...]], None]


class NpcMemory:
    """The long-term memory of one NPC in a save; `save.npc(npc_id)` makes it.

    `on_event` is called with the name and arguments of what happened: ("memory_added", (id,)),
    ("milestone_created", (type,)), ("memories_recalled", (count,)), ("memory_superseded", (id, by_id)).
    """

    def __init__(self, save: Save, npc_id: str, config: MemoryConfig) -> None:
        self.npc_id = npc_id
        self.on_event: EventFunction | None = None
        self._save = save
        self._store = save.store
        self._config = _validated(config)
        self._npc = self._store.npc_number(npc_id)
        self._index: NpcIndex | None = None
        self._relationship: dict[str, Any] = {}
        self._slots: dict[str, Record | None] = {}
        self._first_meeting: float | None = None
        self._knows_first_meeting = False
        self._next_suffix: dict[str, int] = {}
        self._wants_consolidation = False
        self._left_by_consolidation = 0

    @property
    def config(self) -> MemoryConfig:
        """How memories are kept, scored and chosen. Setting a value out of range raises ConfigError."""
        return self._config

    @config.setter
    def config(self, config: MemoryConfig) -> None:
        if config != self._config:
            config = _validated(config)
        options = index_options(config)
        if self._index is not None and options != index_options(self._config):
            self._index.vectors.configure(options)
        self._config = config

    def store(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """Keep a memory; once this returns its id, it survives a killed process.

        A player_info with an info_type that is known already replaces what was known, under the same id.

        Args:
            importance: 1 to 10; a value outside is clamped with a logged warning.
            data: event_type, emotion, participants, location, topics, interaction_type, memory_tier,
                is_milestone, milestone_type, is_first, info_type, slot_type, timestamp, entities and
                document_short have a meaning; any other key is kept as metadata.

        Raises:
            InvalidArgumentError: the text is empty, or a value has the wrong type.
            StoreError: the database could not write.
        """
        return self._remember("store()", Told(text, importance, data))

    def store_with_conflict_check(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """store() for what may contradict a memory, old and new in one transaction.

        With a `slot_type` of config.slot_types the old value of the slot is gone. With an `event_type` that
        ends another one (config.supersession_pairs), the memories of that one are kept, marked with
        superseded_by and superseded_at, and memory_superseded tells of each.
        """
        told = Told(text, importance, data)
        return self._remember("store_with_conflict_check()", told, conflict_rule(self._config))

    def store_conversation(self, speaker: str, message: str, context: Mapping[str, Any] | None = None) -> str:
        """Keep what "player", somebody else, or with its own npc_id the NPC itself said.

        Args:
            context: keys of the data of store(), and `importance` (by default that of a conversation).
        """
        told = perspective.conversation(self._config, self.npc_id, speaker, message, context)
        return self._remember("store_conversation()", told)

    def store_witnessed_event(self, description: str, importance: int = 7, emotion: str = "surprised") -> str:
        """Keep what the NPC has seen."""
        told = perspective.witnessed_event(description, importance, emotion)
        return self._remember("store_witnessed_event()", told)

    def store_player_action(
        self, action_type: str, description: str, importance: int = 8, emotion: str = ""
    ) -> str:
        """Keep what the player did, with `action_type` as event type and with the conflict check."""
        told = perspective.player_action(action_type, description, importance, emotion)
        return self._remember("store_player_action()", told, conflict_rule(self._config))

    def store_quest_memory(self, quest_id: str, outcome: str, importance: int = 8) -> str:
        """Keep how a quest went: "started", "completed", "failed", or any other outcome in words."""
        return self._remember("store_quest_memory()", perspective.quest(quest_id, outcome, importance))

    def store_milestone(self, milestone_type: str, description: str, emotion: str = "significant") -> str:
        """Keep a turning point: PINNED, of the highest importance, with its type as event type."""
        told = perspective.milestone(self._config, milestone_type, description, emotion)
        return self._remember("store_milestone()", told, conflict_rule(self._config))

    def store_npc_awareness(self, other_npc_id: str, description: str, importance: int = 8) -> str:
        """Keep what the NPC has learned of another NPC."""
        told = perspective.npc_awareness(other_npc_id, description, importance)
        return self._remember("store_npc_awareness()", told)

    def store_npc_state(self, is_alive: bool, death_data: Mapping[str, Any] | None = None) -> str:
        """Keep whether this NPC lives, and how it died; what was said of it before holds no longer.

        Args:
            death_data: cause, killed_by, location, timestamp and whatever else the game knows of it.
        """
        text, data = state_memory(is_alive, death_data)
        importance = self.calculate_importance(data["event_type"], {}, {"npc_died": not is_alive})
        return self._remember("store_npc_state()", Told(text, importance, data), slot_conflicts)

    def get_npc_state(self) -> dict[str, Any]:
        """Whether this NPC lives: {npc_id, is_alive, known, timestamp, memory_id, death_data}."""
        return state_of(self.npc_id, self._in_slot(STATE_SLOT))

    def check_npc_state(self, other_npc_id: str) -> dict[str, Any]:
        """Whether another NPC of the same save lives, as get_npc_state()."""
        other = checked_text("check_npc_state()", "other_npc_id", other_npc_id)
        number = self._store.npc_number(other)
        return state_of(other, None if number is None else self._store.newest_in_slot(number, STATE_SLOT))

    def store_relationship(self, with_entity: str, data: Mapping[str, Any]) -> str:
        """Keep how the NPC stands to an entity, "player" or any other; a dimension left out stays as it was.

        The relationship header tells of the one to "player", as far as set_relationship_state() says nothing.

        Args:
            data: trust, respect, affection and fear (-100 to 100), familiarity (0 to 100); a value outside
                is clamped with a logged warning.
        """
        known = relationship_of(self._in_slot(slot_of("store_relationship()", with_entity)))
        told = Told(*relationship_memory(self._config, with_entity, known, data))
        return self._remember("store_relationship()", told, slot_conflicts)

    def get_relationship(self, with_entity: str) -> dict[str, Any]:
        """How the NPC stands to an entity: the five dimensions and the status label; {} when nothing was
        stored.
        """
        return relationship_of(self._in_slot(slot_of("get_relationship()", with_entity)))

    def store_batch(self, memories: Sequence[Mapping[str, Any]]) -> list[str]:
        """Keep many memories, {"text", "importance", and the keys of `data`} each; their ids in the same
        order.

        Nothing is stored when one of them is not valid.
        """
        return run(self.store_batch_steps(memories))

    def store_batch_steps(self, memories: Sequence[Mapping[str, Any]]) -> Generator[Step, None, list[str]]:
        """store_batch() in slices of a few milliseconds. A written slice survives a killed process."""
        if not isinstance(memories, list | tuple):
            raise wrong_type("store_batch()", "memories", memories, "an Array of Dictionaries")
        total = len(memories)
        now = self._save.now()
        records: list[Record] = []
        for number, memory in enumerate(memories):
            records.append(self._batch_record(number, memory, now))
            if number % _BATCH_COMMIT == _BATCH_COMMIT - 1:
                yield Step(0, total, "checking memories")
        vectors = yield from self._embed_steps(records)
        ids: list[str] = []
        for start in range(0, total, _BATCH_COMMIT):
            end = start + _BATCH_COMMIT
            ids += self._write(records[start:end], vectors[start:end])
            yield Step(len(ids), total, "storing memories")
        if self._index is not None:
            yield from self.settle_steps()
            self._index.save_if_grown()
        return ids

    def settle_steps(self) -> Generator[Step, None, None]:
        """Bring the search index of a large memory up to date, in slices; answers are complete without it,
        only slower.
        """
        if self._index is not None:
            for done, total in self._index.vectors.settle_steps():
                yield Step(done, total, "indexing memories")

    def retrieve_scored(self, context: str, token_budget: int = -1) -> list[dict[str, Any]]:
        """The memories that belong in the prompt when `context` was said, best first, within a budget of
        tokens.

        Protected memories come first and always; the others by score, each that still fits. An empty context
        finds what is protected, recent high-signal events and the newest memories.

        Args:
            token_budget: -1 for config.memory_token_budget.
        """
        where = "retrieve_scored()"
        context = checked_text(where, "context", context)
        budget = self._checked_budget(where, token_budget)
        config = self._config
        now = self._save.now()
        collector = self._collector(context, now)
        protected = self._protected_records(now)
        if config.use_score_based_selection:
            taken = fill_budget(config, self.npc_id, collector.by_score(protected), budget)
        else:
            taken = fill_budget(
                config, self.npc_id, collector.by_tier(protected), budget, config.max_memory_chars
            )
        self._emit("memories_recalled", len(taken))
        return [candidate.as_dictionary(self.npc_id, config) for candidate in taken]

    def retrieve_tiered(self, context: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """{pinned, important, relevant, total_chars, budget_remaining}: memories by tier, within a number of
        characters; none is cut.

        Stored protected memories lead the list of their tier, always. The relationship header is not among
        them: generate_relationship_header() returns it.

        Args:
            options: max_pinned_memories, max_important_memories, max_regular_memories and max_memory_chars
                (by default as configured), min_importance, and filter as in retrieve_relevant_raw().
        """
        where = "retrieve_tiered()"
        context = checked_text(where, "context", context)
        wanted = tier_options(self._config, options)
        allowed = self._allowed(where, wanted.min_importance or 0, wanted.filter)
        now = self._save.now()
        protected = [record for record in self._protected_records(now) if record.rowid >= 0]
        found = tiered.retrieve(
            self._config,
            self.npc_id,
            self._collector(context, now),
            self._loaded().columns,
            wanted,
            allowed,
            protected,
        )
        self._emit("memories_recalled", sum(len(found[name]) for name in tiered.LISTS))
        return found

    def retrieve_relevant(self, context: str, options: Mapping[str, Any] | None = None) -> list[str]:
        """The rendered texts of the memories most relevant to `context`; options as in
        retrieve_relevant_raw().
        """
        found = self._relevant("retrieve_relevant()", context, options)
        return [memory["rendered_text"] for memory in found]

    def retrieve_relevant_raw(
        self, context: str, options: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """The memories most relevant to `context`, by relevance alone.

        Args:
            options: limit (5), min_importance (0), filter: {"event_type": "betrayal", "importance": {">=":
                4}}.
        """
        return self._relevant("retrieve_relevant_raw()", context, options)

    def get_recent(self, count: int = 5, min_importance: int = 0) -> list[dict[str, Any]]:
        """The newest memories of at least this importance, newest first, as for an empty question."""
        count = _checked_count("get_recent()", "count", count)
        least = checked_integer("get_recent()", "min_importance", min_importance)
        if self._npc is None:
            return []
        now = self._save.now()
        collector = self._collector("", now)
        return [
            self._rendered(collector.measured(record))
            for record in self._store.newest(self._npc, count, least)
        ]

    def get_memory(self, id: str) -> dict[str, Any]:
        """The memory with this id, or {}: its texts and metadata, without what only a question gives it."""
        record = self._by_id("get_memory()", id)
        return {} if record is None else described(record, self.npc_id, self._config)

    def update_memory(self, id: str, changes: Mapping[str, Any]) -> bool:
        """Change a memory under the same id; False when there is none with this id.

        Args:
            changes: text, importance, and any key of the data of store(); what is not named stays. The tier
                follows, unless it was set by hand.
        """
        record = self._by_id("update_memory()", id)
        if record is None:
            return False
        changed = amended(self.npc_id, self._config, self._save.now(), record, changes)
        self._amend(record, changed)
        if changed.is_milestone and not record.is_milestone:
            self._emit("milestone_created", changed.milestone_type)
        return True

    def pin_memory(self, id: str) -> bool:
        """Make a memory PINNED; False when there is none with this id."""
        record = self._by_id("pin_memory()", id)
        if record is not None:
            self._amend(record, pinned(record))
        return record is not None

    def unpin_memory(self, id: str) -> bool:
        """Give a PINNED memory the tier of its event, IMPORTANT at most; False when there is none with this
        id.
        """
        record = self._by_id("unpin_memory()", id)
        if record is not None:
            self._amend(record, unpinned(self._config, record))
        return record is not None

    def forget(self, id: str) -> bool:
        """Delete a memory for good; False when there is none with this id.

        What it superseded is valid again.
        """
        record = self._by_id("forget()", id)
        if record is None or self._npc is None:
            return False
        with self._store.transaction():
            self._store.delete(record.rowid)
            self._store.unsupersede(self._npc, record.id)
            self._store.forget_archived(self._npc, record.id)
            self._store.touch(self._npc)
        if self._index is not None:
            self._index.remove(record.rowid)
        self._changed()
        return True

    def clear_all_memories(self) -> int:
        """Delete every memory of this NPC for good; how many there were."""
        if self._npc is None:
            return 0
        with self._store.transaction():
            count = self._store.delete_all(self._npc)
            self._store.forget_archived(self._npc)
            self._store.touch(self._npc)
        if self._index is not None:
            self._index.clear()
        self._changed()
        return count

    def get_memory_count(self) -> int:
        """The number of memories of this NPC."""
        return 0 if self._npc is None else self._store.count(self._npc)

    def get_memory_stats(self) -> dict[str, Any]:
        """Counts by tier and event type, and what else sums up this NPC's memories."""
        return memory_stats(self._store, self._npc, self.npc_id, self._config)

    def needs_consolidation(self) -> bool:
        """Whether there are more memories than config.max_memories_before_consolidate."""
        return self.get_memory_count() > self._config.max_memories_before_consolidate

    def consolidate(self) -> dict[str, Any]:
        """Merge old conversations, and when there are too many memories those of the lowest score, into
        summaries of their own sentences.

        The memories that were merged are archived in the same transaction: nothing finds them any more, and
        a rollback brings them back.

        Returns:
            {removed: how many were merged, summary_ids, remaining: how many memories there are now}.
        """
        return run(self.consolidate_steps())

    def consolidate_steps(self) -> Generator[Step, None, dict[str, Any]]:
        """consolidate() in slices of a few milliseconds. A memory that changes meanwhile is left alone."""
        self._wants_consolidation = False
        now = self._save.now()
        groups = consolidation.plan(self._config, self._all(), now).groups
        removed, ids = 0, list[str]()
        try:
            for start in range(0, len(groups), _GROUPS_AT_ONCE):
                part = groups[start : start + _GROUPS_AT_ONCE]
                summaries: list[Record] = []
                for group in part:
                    summaries.append(consolidation.summary_of(self.npc_id, self._config, now, group))
                    yield Step(start, len(groups), "summarising memories")
                vectors = yield from self._embed_steps(summaries)
                removed += self._consolidated(part, summaries, vectors, ids)
        finally:
            if ids:
                self._emit("memories_consolidated", removed, ids)
        self._left_by_consolidation = self.get_memory_count()
        return {"removed": removed, "summary_ids": ids, "remaining": self._left_by_consolidation}

    def idle_steps(self) -> Generator[Step, None, None]:
        """What nobody waits for: consolidation, when config.auto_consolidate asks for it, and settling."""
        if self._wants_consolidation and self._config.auto_consolidate:
            yield from self.consolidate_steps()
        yield from self.settle_steps()

    def export_json(self) -> str:
        """The NPC's memories as JSON, for import_json() of any save; what is archived is not in it."""
        return exchange.to_text(self.npc_id, self._all())

    def import_json(self, text: str) -> int:
        """Store what export_json() returned, of this NPC or another; how many memories were new.

        A memory that the NPC has already is left out. Nothing is stored when one of them is not valid.
        """
        return run(self.import_json_steps(text))

    def import_json_steps(self, text: str) -> Generator[Step, None, int]:
        """import_json() in slices; all memories are written together."""
        memories = exchange.from_text(text)
        records = exchange.imported(
            self.npc_id, self._config, self._save.now(), memories, lambda id: self._by_id("import_json()", id)
        )
        vectors = yield from self._embed_steps(records)
        if records:
            self._write(records, vectors)
        return len(records)

    def dump_all_memories(self) -> str:
        """Every memory to read, oldest first, for logs and bug reports."""
        return exchange.listing(self.npc_id, self._all())

    def set_relationship_state(self, state: Mapping[str, Any]) -> None:
        """Tell how the NPC stands to the player: trust, affection, fear, respect, familiarity, and
        optionally met.

        The state belongs to the game and is not saved; it replaces the one told before.
        """
        self._relationship = checked_state("set_relationship_state()", state)

    def generate_relationship_header(self) -> dict[str, Any]:
        """The relationship header, as retrieve_scored() returns it: generated, never stored."""
        now = self._save.now()
        collector = Collector(self._config, self._store, self._loaded().columns, self._relevance(""), now)
        (header,) = collector.by_protection([self._header(now)])
        return self._rendered(header)

    def is_protected(self, memory: Mapping[str, Any]) -> bool:
        """Whether a memory, as a dictionary with its metadata, is in a protected slot."""
        slot_type = _metadata_of("is_protected()", memory).get("slot_type", "")
        return (
            isinstance(slot_type, str) and slot_type != "" and slot_type in self._config.protected_slot_types
        )

    def format_memories(self, memories: Sequence[Any], style: str = "") -> list[str]:
        """Retrieved memories as lines; styles: "", "bullet", "numbered", "dated", "detailed"."""
        return format_memories(memories, style, self._save.now())

    def calculate_importance(
        self,
        event_type: str,
        analysis: Mapping[str, Any] | None = None,
        state_deltas: Mapping[str, Any] | None = None,
    ) -> int:
        """How important an event is, 1 to 10, by its type and what it changed; see
        importance.calculate_importance().
        """
        return importances.calculate_importance(self._config, event_type, analysis, state_deltas)

    def get_deterministic_deltas(
        self, event_type: str, context: Mapping[str, Any] | None = None
    ) -> dict[str, int]:
        """What an event of this type does to the relationship; {} for a type without a rule."""
        return importances.get_deterministic_deltas(self._config, event_type, context)

    def estimate_tokens(self, text: str) -> int:
        """The tokens a language model needs for a text, estimated high: a third of its characters, rounded
        up.
        """
        return estimate_tokens(checked_text("estimate_tokens()", "text", text))

    def calculate_memory_score(self, memory: Mapping[str, Any], context: str = "") -> float:
        """The score of a memory as retrieve_scored() computes it from sentence similarity.

        Similarity is that of `context` and the memory's text when both are given, else the memory's own
        `similarity`, else 1 - its `distance`, else 0.5. Missing metadata counts as REGULAR, importance 5 and
        timestamp 0.
        """
        where = "calculate_memory_score()"
        metadata = _metadata_of(where, memory)
        tier = checked_integer(where, "memory_tier", metadata.get("memory_tier", 2))
        if not 0 <= tier <= 2:
            raise InvalidArgumentError(
                f"{where}: memory_tier is {tier}", "it has to be 0 to 2", "Correct the metadata"
            )
        of = factors(
            self._config,
            self._save.now(),
            tier,
            checked_integer(where, "importance", metadata.get("importance", DEFAULT_IMPORTANCE)),
            checked_number(where, "timestamp", metadata.get("timestamp", 0)),
            bool(metadata.get("superseded_by", "")),
            self._similarity(where, memory, checked_text(where, "context", context)),
        )
        return score(self._config.score_mode, of)

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        if not keep_index:
            self._index = None
        self._npc = self._store.npc_number(self.npc_id)
        self._left_by_consolidation = 0
        self._next_suffix.clear()
        self._changed()

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        if self._index is not None:
            self._index.save()
            self._index = None

    # Storing

    def _batch_record(self, number: int, memory: Any, now: float) -> Record:
        where = f"store_batch(), memory {number}"
        if not isinstance(memory, Mapping):
            raise wrong_type(where, "the memory", memory, "a Dictionary")
        data = dict(memory)
        if "text" not in data:
            raise InvalidArgumentError(
                f"{where}: there is no text", "a memory needs one", 'Add the key "text"'
            )
        text = data.pop("text")
        importance = data.pop("importance", DEFAULT_IMPORTANCE)
        return new_record(where, self.npc_id, self._config, now, text, importance, data)

    def _embed_steps(self, records: Sequence[Record]) -> Generator[Step, None, FloatMatrix]:
        embedder = self._save.embedder
        vectors: FloatMatrix = np.empty((len(records), embedder.dimension), dtype=np.float32)
        done = 0
        for positions, embedded in embedder.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            done += len(positions)
            yield Step(done, len(records), "embedding memories")
        return vectors

    def _all(self) -> list[Record]:
        return [] if self._npc is None else self._store.all(self._npc)

    def _remember(self, where: str, told: Told, rule: ConflictRule | None = None) -> str:
        record = new_record(where, self.npc_id, self._config, self._save.now(), *told)
        return self._write([record], self._save.embedder.embed([record.document_full]), rule)[0]

    def _amend(self, record: Record, changed: Record) -> None:
        """Replace a stored record by a changed one; what it was stays archived."""
        if changed._replace(stored_at=record.stored_at) == record:
            return
        now = self._save.now()
        changed = changed._replace(stored_at=now)
        says_the_same = changed.document_full == record.document_full
        vector = None if says_the_same else self._save.embedder.embed([changed.document_full])[0]
        with self._store.transaction():
            self._store.archive_copy([record.rowid], Archived(now, UPDATED, record.id))
            if vector is None:
                self._store.revise(changed)
            else:
                self._store.replace(changed, vector, self._save.model)
                self._store.touch(self._npc or 0)
        if self._index is not None:
            if vector is None:
                self._index.revise(changed)
            else:
                self._index.add(changed, vector)
        self._changed()

    def _write(
        self, records: Sequence[Record], vectors: FloatMatrix, rule: ConflictRule | None = None
    ) -> list[str]:
        model = self._save.model
        written: list[tuple[Record, FloatVector, bool]] = []
        replaced: list[Record] = []
        superseded: list[tuple[str, str]] = []
        npc = self._npc
        with self._store.transaction():
            if npc is None:
                npc = self._store.add_npc(self.npc_id)
            for record, vector in zip(records, vectors, strict=True):
                known = self._known_player_info(npc, record)
                if known is None:
                    record = record._replace(id=record.id or self._free_id(npc, record))
                    record = record._replace(rowid=self._store.insert(npc, record, vector, model))
                else:
                    record = record._replace(id=known.id, rowid=known.rowid)
                    self._store.archive_copy([known.rowid], Archived(record.stored_at, INFO_UPDATE, known.id))
                    self._store.replace(record, vector, model)
                written.append((record, vector, known is None))
                if rule is not None:
                    conflicts = rule(self._store, npc, record)
                    rowids = [old.rowid for old in conflicts.replaced]
                    self._store.archive(rowids, Archived(record.stored_at, SLOT_UPDATE, record.id))
                    self._store.supersede(
                        [old.rowid for old in conflicts.superseded], record.id, record.stored_at
                    )
                    replaced += conflicts.replaced
                    superseded += [(old.id, record.id) for old in conflicts.superseded]
            self._store.touch(npc)
        self._npc = npc
        if self._index is not None:
            self._index.set_npc(npc)
            for record, vector, _ in written:
                self._index.add(record, vector)
            for old in replaced:
                self._index.remove(old.rowid)
        self._changed()
        for record, _, is_new in written:
            if is_new:
                self._emit("memory_added", record.id)
            if record.is_milestone:
                self._emit("milestone_created", record.milestone_type)
        for old_id, new_id in superseded:
            self._emit("memory_superseded", old_id, new_id)
        if self._config.auto_consolidate and self.needs_consolidation():
            # When little could be merged, trying again after each memory would come to nothing.
            grown = self._config.max_memories_before_consolidate - self._config.consolidate_target
            least = self._left_by_consolidation + max(1, grown // 2)
            self._wants_consolidation = self.get_memory_count() >= least
        return [record.id for record, _, _ in written]

    def _consolidated(
        self,
        groups: Sequence[Sequence[Record]],
        summaries: Sequence[Record],
        vectors: FloatMatrix,
        ids: list[str],
    ) -> int:
        """Store summaries in place of their sources, all together, and add their ids to `ids`; how many
        sources there were.
        """
        npc, store = self._npc, self._store
        if npc is None:
            return 0
        removed: list[int] = []
        added: list[tuple[Record, FloatVector]] = []
        with store.transaction():
            for group, summary, vector in zip(groups, summaries, vectors, strict=True):
                rowids = [record.rowid for record in group]
                if store.by_rowids(rowids) != sorted(group, key=lambda record: record.rowid):
                    continue
                summary = summary._replace(id=self._free_id(npc, summary))
                summary = summary._replace(rowid=store.insert(npc, summary, vector, self._save.model))
                store.archive(rowids, Archived(summary.stored_at, CONSOLIDATED, summary.id))
                added.append((summary, vector))
                removed += rowids
            store.touch(npc)
        if self._index is not None:
            for rowid in removed:
                self._index.remove(rowid)
            for summary, vector in added:
                self._index.add(summary, vector)
        self._changed()
        ids += [summary.id for summary, _ in added]
        return len(removed)

    def _known_player_info(self, npc: int, record: Record) -> Record | None:
        if record.event_type != PLAYER_INFO or not record.info_type:
            return None
        return self._store.player_info(npc, record.info_type)

    def _free_id(self, npc: int, record: Record) -> str:
        base = f"{self.npc_id}_{int(record.timestamp)}_{record.event_type}"
        number = self._next_suffix.get(base)
        if number is None:
            if not self._store.id_exists(npc, base):
                return base
            # Many memories may share one moment: gallop past them instead of trying every number.
            number = 2
            while self._store.id_exists(npc, f"{base}_{number}"):
                number *= 2
            taken = number // 2
            while number - taken > 1:
                middle = (taken + number) // 2
                if self._store.id_exists(npc, f"{base}_{middle}"):
                    taken = middle
                else:
                    number = middle
        while self._store.id_exists(npc, f"{base}_{number}"):
            number += 1
        self._next_suffix[base] = number + 1
        return f"{base}_{number}"

    def _changed(self) -> None:
        self._slots.clear()
        self._knows_first_meeting = False

    # Retrieving

    def _loaded(self) -> NpcIndex:
        if self._index is None:
            self._index = NpcIndex(self._store, self._npc, self.npc_id, self._config, self._save.embedder)
        return self._index

    def _relevance(self, context: str) -> Relevance:
        index = self._loaded()
        columns = index.columns
        if not context.strip() or not len(columns):
            return NothingAsked(columns)
        config = self._config
        question = self._save.embedder.embed_query(context)
        if config.relevance_mode == RelevanceMode.DENSE:
            return DenseRelevance(index.vectors, question)
        nameless = without_names(context, self._known_names())
        return HybridRelevance(
            config,
            columns,
            index.vectors,
            question,
            question if nameless == context else self._save.embedder.embed_query(nameless),
            index.keywords.scores(context, config.neighbour_window),
        )

    def _known_names(self) -> frozenset[str]:
        return self._loaded().names() | self._save.name_words()

    def _collector(self, context: str, now: float) -> Collector:
        return Collector(self._config, self._store, self._loaded().columns, self._relevance(context), now)

    def _relevant(self, where: str, context: Any, options: Any) -> list[dict[str, Any]]:
        context = checked_text(where, "context", context)
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise wrong_type(where, "options", options, "a Dictionary")
        for name in options:
            if name not in _RELEVANT_OPTIONS:
                raise InvalidArgumentError(
                    f"{where}: there is no option {name!r}",
                    "",
                    f"The options are {', '.join(_RELEVANT_OPTIONS)}",
                )
        limit = _checked_count(where, "limit", options.get("limit", DEFAULT_LIMIT))
        least = checked_integer(where, "min_importance", options.get("min_importance", 0))
        allowed = self._allowed(where, least, options.get("filter", {}))
        found = self._collector(context, self._save.now()).by_relevance(limit, allowed)
        self._emit("memories_recalled", len(found))
        return [self._rendered(candidate) for candidate in found]

    def _allowed(self, where: str, min_importance: int, filter: Any) -> Mask:
        conditions = parse_filter(where, filter)
        columns = self._loaded().columns
        allowed: Mask = columns.importances >= min_importance
        if conditions and self._npc is not None:
            allowed &= matching(conditions, columns, self._store, self._npc, self.npc_id)
        return allowed

    def _rendered(self, candidate: Candidate) -> dict[str, Any]:
        config = self._config
        full = not config.use_dual_representation or candidate.similarity >= config.high_relevance_threshold
        candidate.used_form = FULL if full else SHORT
        candidate.rendered_text = candidate.document_full if full else candidate.document_short
        return candidate.as_dictionary(self.npc_id, config)

    def _protected_records(self, now: float) -> list[Record]:
        records: list[Record] = []
        if SLOT_TYPE in self._config.protected_slot_types:
            records.append(self._header(now))
        for slot_type in protected_slots(self._config):
            record = self._in_slot(slot_type)
            if record is not None:
                records.append(record)
        return records

    def _in_slot(self, slot_type: str) -> Record | None:
        if slot_type not in self._slots:
            self._slots[slot_type] = (
                None if self._npc is None else self._store.newest_in_slot(self._npc, slot_type)
            )
        return self._slots[slot_type]

    def _header(self, now: float) -> Record:
        if not self._knows_first_meeting:
            self._first_meeting = (
                None if self._npc is None else self._store.first_of_event(self._npc, FIRST_MEETING)
            )
            self._knows_first_meeting = True
        state = {**self.get_relationship(PLAYER), **self._relationship}
        return header_record(self.npc_id, header_text(state, self._first_meeting, now), now)

    def _similarity(self, where: str, memory: Mapping[str, Any], context: str) -> float:
        text = memory.get("document_full", memory.get("document", ""))
        if context.strip() and isinstance(text, str) and text.strip():
            embedder = self._save.embedder
            cosine = float(np.vecdot(embedder.embed_query(context), embedder.embed([text])[0]))
        elif "similarity" in memory:
            cosine = checked_number(where, "similarity", memory["similarity"])
        elif "distance" in memory:
            cosine = 1.0 - checked_number(where, "distance", memory["distance"])
        else:
            cosine = _UNKNOWN_SIMILARITY
        return min(1.0, max(0.0, cosine))

    def _by_id(self, where: str, id: Any) -> Record | None:
        id = checked_text(where, "id", id)
        return None if self._npc is None else self._store.by_id(self._npc, id)

    def _checked_budget(self, where: str, token_budget: Any) -> int:
        budget = checked_integer(where, "token_budget", token_budget)
        if budget < -1:
            raise InvalidArgumentError(
                f"{where}: token_budget is {budget}",
                "a budget is 0 or more",
                "Pass -1 for config.memory_token_budget",
            )
        return self._config.memory_token_budget if budget == -1 else budget

    def _emit(self, name: str, *arguments: Any) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)


def _validated(config: MemoryConfig) -> MemoryConfig:
    """The config itself when its values have their types, so that callers recognise what they have set."""
    if not isinstance(config, MemoryConfig):
        raise wrong_type("config", "config", config, "a MemoryConfig")
    validated = config.validated()
    return config if validated == config else validated


def _checked_count(where: str, name: str, value: Any) -> int:
    count = checked_integer(where, name, value)
    if count < 0:
        raise InvalidArgumentError(f"{where}: {name} is {count}", "it has to be 0 or more", "Pass 0 or more")
    return count


def _metadata_of(where: str, memory: Any) -> Mapping[str, Any]:
    if not isinstance(memory, Mapping):
        raise wrong_type(where, "memory", memory, "a Dictionary")
    metadata = memory.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise wrong_type(where, "metadata", metadata, "a Dictionary")
    return metadata
