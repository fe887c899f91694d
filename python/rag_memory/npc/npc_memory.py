"""The memory of one NPC: everything a game asks of it goes through here."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.exchange import csv_io, json_io
from rag_memory.memory import event_templates
from rag_memory.memory import importance as importances
from rag_memory.memory.amendment import amended, pinned, unpinned
from rag_memory.memory.conflicts import ConflictRule, conflict_rule, slot_conflicts
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.formatting import format_memories
from rag_memory.memory.memory_view import described, described_archived, is_protected
from rag_memory.memory.record import PLAYER_INFO, Record, new_record
from rag_memory.mind import consolidation
from rag_memory.mind.npc_state import SLOT_TYPE as STATE_SLOT
from rag_memory.mind.npc_state import state_memory, state_of
from rag_memory.mind.relationship import relationship_memory, relationship_of, slot_of
from rag_memory.mind.relationship_header import RANGES, validate_state
from rag_memory.mind.summarizer import written_steps
from rag_memory.npc.memory_stats import memory_stats
from rag_memory.npc.npc_index import PLAYER_NAME_SLOT
from rag_memory.npc.records import EventFunction, NpcRecords
from rag_memory.npc.retriever import Retriever
from rag_memory.npc.save_context import SaveContext
from rag_memory.npc.tools import NpcBrowsing
from rag_memory.retrieval import tiered
from rag_memory.retrieval.selection import estimate_tokens
from rag_memory.step import Step, run
from rag_memory.text.gazetteer import name_words, names_in
from rag_memory.text.name_check import validate_told
from rag_memory.validation import validate_flag, validate_integer, validate_text, wrong_type
from rag_memory.vectors import FloatMatrix

DEFAULT_IMPORTANCE = 5
_CHECKED_AT_ONCE = 16


class NpcMemory(NpcBrowsing):
    """The long-term memory of one NPC in a save; `save.npc(npc_id)` makes it.

    `on_event` is called with the name and arguments of what happened: ("memory_added", (id,)),
    ("milestone_created", (type,)), ("memories_recalled", (count,)), ("memory_superseded", (id, by_id)),
    ("memories_consolidated", (removed, summary_ids)).
    """

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

    def store(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """Keep a memory; once this returns its id, it survives a killed process.

        A player_info with an info_type that is known already replaces what was known, under the same id.

        Args:
            importance: 1 to 10; a value outside is clamped with a logged warning.
            data: event_type, emotion, participants, location, topics, interaction_type, memory_tier,
                is_milestone, milestone_type, is_first, info_type, slot_type, timestamp, entities,
                document_short and check_names have a meaning; any other key is kept as metadata.

        Raises:
            InvalidArgumentError: the text is empty, a value has the wrong type, or the text speaks of people
                nobody knows although Save.register_people() said who exists.
            StoreError: the database could not write.
        """
        return self._remember("store()", MemoryDraft(text, importance, data))

    def store_with_conflict_check(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """store() for what may contradict a memory, old and new in one transaction.

        With a `slot_type` of config.slot_types the old value of the slot is archived. With an `event_type`
        that ends another one (config.supersession_pairs), the memories of that one are kept, marked with
        superseded_by and superseded_at, and memory_superseded tells of each.
        """
        told = MemoryDraft(text, importance, data)
        return self._remember("store_with_conflict_check()", told, conflict_rule(self.config))

    def store_conversation(self, speaker: str, message: str, context: Mapping[str, Any] | None = None) -> str:
        """Keep what "player", somebody else, or with its own npc_id the NPC itself said.

        Args:
            context: keys of the data of store(), and `importance` (by default that of a conversation).
        """
        told = event_templates.conversation(self.config, self.npc_id, speaker, message, context)
        return self._remember("store_conversation()", told)

    def store_witnessed_event(self, description: str, importance: int = 7, emotion: str = "surprised") -> str:
        """Keep what the NPC has seen."""
        told = event_templates.witnessed_event(description, importance, emotion)
        return self._remember("store_witnessed_event()", told)

    def store_player_action(
        self, action_type: str, description: str, importance: int = 8, emotion: str = ""
    ) -> str:
        """Keep what the player did, with `action_type` as event type and with the conflict check."""
        told = event_templates.player_action(action_type, description, importance, emotion)
        return self._remember("store_player_action()", told, conflict_rule(self.config))

    def store_quest_memory(self, quest_id: str, outcome: str, importance: int = 8) -> str:
        """Keep how a quest went: "started", "completed", "failed", or any other outcome in words."""
        return self._remember("store_quest_memory()", event_templates.quest(quest_id, outcome, importance))

    def store_milestone(self, milestone_type: str, description: str, emotion: str = "significant") -> str:
        """Keep a turning point: PINNED, of the highest importance, with its type as event type."""
        told = event_templates.milestone(self.config, milestone_type, description, emotion)
        return self._remember("store_milestone()", told, conflict_rule(self.config))

    def store_npc_awareness(self, other_npc_id: str, description: str, importance: int = 8) -> str:
        """Keep what the NPC has learned of another NPC."""
        told = event_templates.npc_awareness(other_npc_id, description, importance)
        return self._remember("store_npc_awareness()", told)

    def store_npc_state(self, is_alive: bool, death_data: Mapping[str, Any] | None = None) -> str:
        """Keep whether this NPC lives, and how it died; what was said of it before holds no longer.

        Args:
            death_data: cause, killed_by, location, timestamp and whatever else the game knows of it.
        """
        text, data = state_memory(is_alive, death_data)
        importance = self.calculate_importance(data["event_type"], {}, {"npc_died": not is_alive})
        return self._remember(
            "store_npc_state()", MemoryDraft(text, importance, {**data, "check_names": False}), slot_conflicts
        )

    def get_npc_state(self) -> dict[str, Any]:
        """Whether this NPC lives: {npc_id, is_alive, known, timestamp, memory_id, death_data}."""
        return state_of(self.npc_id, self._records.in_slot(STATE_SLOT))

    def check_npc_state(self, other_npc_id: str) -> dict[str, Any]:
        """Whether another NPC of the same save lives, as get_npc_state()."""
        other = validate_text("check_npc_state()", "other_npc_id", other_npc_id)
        number = self._save.store.npc_number(other)
        return state_of(
            other, None if number is None else self._save.store.newest_in_slot(number, STATE_SLOT)
        )

    def store_relationship(self, with_entity: str, data: Mapping[str, Any]) -> str:
        """Keep how the NPC stands to an entity, "player" or any other; a dimension left out stays as it was.
        To the player that is at first what set_initial_relationship() told.

        The relationship header tells of the one to "player", as far as set_relationship_state() says nothing.

        Args:
            data: trust, respect, affection and fear (-100 to 100), familiarity (0 to 100); a value outside
                is clamped with a logged warning.
        """
        slot = slot_of("store_relationship()", with_entity)
        known = relationship_of(self._records.in_slot(slot))
        if not known and slot == slot_of("store_relationship()", PLAYER):
            initial = self._retrieval.initial_relationship
            known = {name: initial[name] for name in RANGES if name in initial}
        told = MemoryDraft(*relationship_memory(self.config, with_entity, known, data))
        told = told._replace(data={**told.data, "check_names": False})
        return self._remember("store_relationship()", told, slot_conflicts)

    def get_relationship(self, with_entity: str) -> dict[str, Any]:
        """How the NPC stands to an entity: the five dimensions and the status label; {} when nothing was
        stored.
        """
        return relationship_of(self._records.in_slot(slot_of("get_relationship()", with_entity)))

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
            if number % _CHECKED_AT_ONCE == _CHECKED_AT_ONCE - 1:
                yield Step(0, total, "checking memories")
        ids = yield from self._records.add_steps(records, self._add)
        yield from self._records.build_index_steps()
        self._records.save_index_if_grown()
        return ids

    def load_steps(self) -> Generator[Step, None, None]:
        """Load the search index in slices; otherwise the first question does it in one piece, in 0.04 s per
        thousand memories. It waits while others are loaded besides whom it would not fit into the cache:
        whoever loads several NPCs at once gives each a slice in turn.
        """
        return self._records.load_steps()

    def build_index_steps(self) -> Generator[Step, None, None]:
        """Bring the search index of a large memory up to date, in slices; answers are complete without it,
        only slower.
        """
        return self._records.build_index_steps()

    def retrieve_scored(self, context: str, token_budget: int = -1) -> list[dict[str, Any]]:
        """The memories that belong in the prompt when `context` was said, best first, within a budget of
        tokens.

        Protected memories come first and always; the others by score, each that still fits. An empty context
        finds what is protected, recent high-signal events and the newest memories.

        Args:
            token_budget: -1 for config.memory_token_budget.
        """
        found = self._retrieval.scored("retrieve_scored()", context, token_budget)
        self._emit("memories_recalled", (len(found),))
        return found

    def retrieve_tiered(self, context: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """{pinned, important, relevant, total_chars, budget_remaining}: memories by tier, within a number of
        characters; none is cut.

        Stored protected memories lead the list of their tier, always. The relationship header is not among
        them: generate_relationship_header() returns it.

        Args:
            options: max_pinned_memories, max_important_memories, max_regular_memories and max_memory_chars
                (by default as configured), min_importance, and filter as in retrieve_relevant_raw().
        """
        found = self._retrieval.by_tier("retrieve_tiered()", context, options)
        self._emit("memories_recalled", (sum(len(found[name]) for name in tiered.LISTS),))
        return found

    def retrieve_relevant(self, context: str, options: Mapping[str, Any] | None = None) -> list[str]:
        """The rendered texts of the memories most relevant to `context`; options as in
        retrieve_relevant_raw().
        """
        return [memory["rendered_text"] for memory in self._relevant("retrieve_relevant()", context, options)]

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
        return self._retrieval.recent("get_recent()", count, min_importance)

    def get_memory(self, id: str) -> dict[str, Any]:
        """The memory with this id, or {}: its texts and metadata, without what only a question gives it."""
        record = self._records.by_id("get_memory()", id)
        if record is None:
            return {}
        is_protected = any(record.key == protected.key for protected in self._records.protected())
        return described(record, self.npc_id, self.config, is_protected)

    def update_memory(self, id: str, changes: Mapping[str, Any]) -> bool:
        """Change a memory under the same id; False when there is none with this id.

        Args:
            changes: text, importance, and any key of the data of store(); what is not named stays. The tier
                follows, unless it was set by hand.
        """
        record = self._records.by_id("update_memory()", id)
        if record is None:
            return False
        changed = amended(self.npc_id, self.config, self._save.now(), record, changes)
        self._records.amend(record, changed)
        if changed.is_milestone and not record.is_milestone:
            self._emit("milestone_created", (changed.milestone_type,))
        return True

    def pin_memory(self, id: str) -> bool:
        """Make a memory PINNED; False when there is none with this id."""
        record = self._records.by_id("pin_memory()", id)
        if record is not None:
            self._records.amend(record, pinned(record))
        return record is not None

    def unpin_memory(self, id: str) -> bool:
        """Give a PINNED memory the tier of its event, IMPORTANT at most; False when there is none with this
        id.
        """
        record = self._records.by_id("unpin_memory()", id)
        if record is not None:
            self._records.amend(record, unpinned(self.config, record))
        return record is not None

    def forget(self, id: str) -> bool:
        """Delete a memory for good; False when there is none with this id.

        What it superseded is valid again.
        """
        record = self._records.by_id("forget()", id)
        if record is not None:
            self._records.delete(record)
        return record is not None

    def clear_all_memories(self) -> int:
        """Delete every memory of this NPC for good; how many there were."""
        return self._records.delete_all()

    def get_archived(self, id: str = "") -> list[dict[str, Any]]:
        """What holds no longer but is kept: earlier values and versions, and what summaries were made from;
        newest first. No search finds it.

        Each is a memory with the key `archived`: {number, at, reason, by}; reasons are "slot_update",
        "info_update", "updated" and "consolidated". A version that says what the memory says now is left
        out.

        Args:
            id: "" for all, or that of one memory.
        """
        id = validate_text("get_archived()", "id", id)
        return [
            described_archived(each, self.npc_id, self.config)
            for each in self._records.archived()
            if id in ("", each.record.id)
        ]

    def restore_archived(self, id: str, number: int = 0) -> bool:
        """Make an archived memory hold again; False when there is none with this id and number.

        An earlier value of a slot, or version of a memory, changes places with what holds now; a source of a
        summary comes back beside it.

        Args:
            number: which of them, from get_archived(); 0 for the newest.
        """
        id = validate_text("restore_archived()", "id", id)
        number = validate_integer("restore_archived()", "number", number)
        found = (each for each in self._records.archived() if each.record.id == id)
        archived = next((each for each in found if number in (0, each.number)), None)
        if archived is not None:
            self._records.restore(archived)
        return archived is not None

    def get_memory_count(self) -> int:
        """The number of memories of this NPC."""
        return self._records.count()

    def get_memory_stats(self) -> dict[str, Any]:
        """Counts by tier and event type, and what else sums up this NPC's memories."""
        return memory_stats(self._save.store, self._records.npc, self.npc_id, self.config)

    def needs_consolidation(self) -> bool:
        """Whether there are more memories than config.max_memories_before_consolidate."""
        return self.get_memory_count() > self.config.max_memories_before_consolidate

    def consolidate(self) -> dict[str, Any]:
        """Merge old conversations, and when there are too many memories those of the lowest score, into
        summaries: of their own sentences, or as Save.summarizer tells them.

        The memories that were merged are archived in the same transaction: nothing finds them any more, and
        restore_archived() or a rollback brings them back.

        Returns:
            {removed: how many were merged, summary_ids, remaining: how many memories there are now}.
        """
        return run(self.consolidate_steps())

    def consolidate_steps(self) -> Generator[Step, None, dict[str, Any]]:
        """consolidate() in slices of a few milliseconds. A memory that changes meanwhile is left alone."""
        self._wants_consolidation = False
        now = self._save.now()
        records = yield from self._records.all_steps()
        groups = (yield from consolidation.plan_steps(self.config, records, now)).groups
        removed, ids = 0, list[str]()
        try:
            for number, group in enumerate(groups):
                summary = yield from self._summary_steps(now, group)
                yield Step(number, len(groups), "summarising memories")
                vectors = yield from self._records.embed_steps([summary])
                removed += self._records.merge(group, summary, vectors[0], ids)
        finally:
            if ids:
                self._emit("memories_consolidated", (removed, ids))
        self._left_by_consolidation = self.get_memory_count()
        return {"removed": removed, "summary_ids": ids, "remaining": self._left_by_consolidation}

    def _summary_steps(self, now: float, group: list[Record]) -> Generator[Step, None, Record]:
        npc_id, config = self.npc_id, self.config
        data, extract = consolidation.about(npc_id, group), consolidation.extract(group)
        text = ""
        if self._save.summarizer is not None:
            request = consolidation.request(npc_id, config, group, data, extract)
            seconds = config.summarizer_timeout_seconds
            text = yield from written_steps(self._save.summarizer, request, seconds)
        return consolidation.summary_of(npc_id, config, now, data, text or extract, not text)

    def idle_steps(self) -> Generator[Step, None, None]:
        """What nobody waits for: consolidation, when config.auto_consolidate asks for it, and settling."""
        if self._wants_consolidation and self.config.auto_consolidate:
            yield from self.consolidate_steps()
        yield from self.build_index_steps()

    def export_json(self) -> str:
        """The NPC's memories and archive as JSON, for import_json() of any save."""
        return json_io.to_text(self.npc_id, self._records.all(), self._records.archived()[::-1])

    def import_json(self, text: str) -> int:
        """Store what export_json() returned, of this NPC or another; how many memories were new, without
        those in the archive.

        A memory that the NPC has already is left out, and so is a player_info of which it has the same or a
        newer value. Nothing is stored when one of them is not valid.
        """
        return run(self.import_json_steps(text))

    def import_json_steps(self, text: str) -> Generator[Step, None, int]:
        """import_json() in slices; all memories are written together."""
        return self._take_in_steps("import_json()", json_io.from_text(text))

    def export_csv(self) -> str:
        """The NPC's memories as CSV, for a spreadsheet and import_csv(); the archive is not in it."""
        return csv_io.to_csv(self._records.all())

    def import_csv(self, text: str) -> int:
        """Store the memories of a table as import_json() does; how many were new.

        Only the column "text" is needed; the others are those of export_csv(), and any other column is kept
        as metadata.

        Raises:
            InvalidArgumentError: the table cannot be read, or a memory is not valid.
        """
        return run(self.import_csv_steps(text))

    def import_csv_steps(self, text: str) -> Generator[Step, None, int]:
        """import_csv() in slices; all memories are written together."""
        return self._take_in_steps("import_csv()", json_io.Exchanged(csv_io.from_csv(text), []))

    def _take_in_steps(self, where: str, exchanged: json_io.Exchanged) -> Generator[Step, None, int]:
        records, archived = json_io.imported(
            where,
            self.npc_id,
            self.config,
            self._save.now(),
            exchanged,
            json_io.Known(
                lambda id: self._records.by_id(where, id),
                self._records.player_info,
                self._records.archived() if exchanged.archive else [],
            ),
        )
        vectors = yield from self._records.embed_steps([*records, *(each.record for each in archived)])
        if records:
            self._add(records, vectors[: len(records)])
        if archived:
            self._records.add_archived(archived, vectors[len(records) :])
        return len(records)

    def dump_all_memories(self) -> str:
        """Every memory to read, oldest first, for logs and bug reports."""
        return json_io.listing(self.npc_id, self._records.all())

    def set_relationship_state(self, state: Mapping[str, Any]) -> None:
        """Tell how the NPC stands to the player: trust, affection, fear, respect (-100 to 100 each),
        familiarity (0 to 100), and optionally met. A number outside its range is clamped, with a warning;
        so is said when a key looks like a slip for one of these, or when none of them is there.

        The state belongs to the game and is not saved; it replaces the one told before.
        """
        self._retrieval.relationship = validate_state("set_relationship_state()", state)

    def set_initial_relationship(self, state: Mapping[str, Any]) -> None:
        """Tell how the NPC stands to a player she has never met; `state` as for set_relationship_state().

        The relationship header says so as far as store_relationship() has stored nothing for the player and
        set_relationship_state() has told nothing. It is not saved and replaces the one told before.
        """
        self._retrieval.initial_relationship = validate_state("set_initial_relationship()", state)

    def generate_relationship_header(self) -> dict[str, Any]:
        """The relationship header, as retrieve_scored() returns it: generated, never stored."""
        return self._retrieval.header()

    def is_protected(self, memory: Mapping[str, Any]) -> bool:
        """Whether a memory, as a dictionary with its metadata, is in a protected slot."""
        return is_protected(memory, self.config)

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
        return importances.calculate_importance(self.config, event_type, analysis, state_deltas)

    def get_deterministic_deltas(
        self, event_type: str, context: Mapping[str, Any] | None = None
    ) -> dict[str, int]:
        """What an event of this type does to the relationship; {} for a type without a rule."""
        return importances.get_deterministic_deltas(self.config, event_type, context)

    def estimate_tokens(self, text: str) -> int:
        """The tokens a language model needs for a text, estimated as a third of its characters, rounded up;
        Chinese, Japanese, Korean and Thai may need about one a character.
        """
        return estimate_tokens(validate_text("estimate_tokens()", "text", text))

    def explain(self, context: str, memory_id: str = "") -> dict[str, Any]:
        """Why a memory came, or did not, when retrieve_scored() answers `context` with the configured budget.

        Returns:
            {memory_id, is_returned, reason, text, rank, score, score_rank, source, similarity, breakdown,
            relevance_rank, ranks, ...}; `reason` is "returned", "unknown", "filtered", "not_candidate",
            "duplicate", "out_scored" or "budget", and `text` says it in words. Ranks begin with 1. `ranks`
            has one for each channel of relevance among all memories (equal values share a rank),
            relevance_rank is the place among those that are important enough, score_rank the one among the
            candidates, and rank the one in the answer. With "" {memories: such a Dictionary for every
            candidate, candidate_count, tokens_used, names, keywords, ...}.
        """
        return self._retrieval.explained("explain()", context, memory_id)

    def calculate_memory_score(self, memory: Mapping[str, Any], context: str = "") -> float:
        """The score of a memory as retrieve_scored() computes it.

        A memory of this NPC, given with its id and document_full, has the relevance that `context` gives it;
        a retrieved one, given without a context, the relevance of its breakdown. For any other memory,
        similarity is that of `context` and the memory's text when both are given, else the memory's own
        `similarity`, else 1 - its `distance`, else 0.5. A memory with only one of `similarity` and `distance`
        (the memories of this library have both) is taken at its word. Missing metadata counts as REGULAR,
        importance 5 and timestamp 0.
        """
        return self._retrieval.score_of("calculate_memory_score()", memory, context)

    @property
    def pending_vectors(self) -> int:
        """How many memories wait for their place in the search index; they are found all the same."""
        return self._records.pending_vectors

    @property
    def loaded_count(self) -> int:
        """How many memories are in memory to be searched: all of the NPC's, or none."""
        return self._records.loaded_count

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self._records.reload(keep_index)
        self._left_by_consolidation = 0

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        self._records.unload()

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
        told = self._checked(where, MemoryDraft(text, importance, data))
        return new_record(where, self.npc_id, self.config, now, *told)

    def _checked(self, where: str, told: MemoryDraft) -> MemoryDraft:
        """What is to be stored, if it speaks of people who exist."""
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
        also = name_words(names_in(named.document_full) if named is not None else [])
        text, checked = validate_told(where, check, told.text, data, also)
        return MemoryDraft(text, told.importance, checked)

    def _remember(self, where: str, told: MemoryDraft, rule: ConflictRule | None = None) -> str:
        told = self._checked(where, told)
        record = new_record(where, self.npc_id, self.config, self._save.now(), *told)
        return self._add([record], self._save.embedder.embed([record.document_full]), rule)[0]

    def _add(
        self, records: Sequence[Record], vectors: FloatMatrix, rule: ConflictRule | None = None
    ) -> list[str]:
        ids = self._records.add(records, vectors, rule)
        config = self.config
        if config.auto_consolidate and self.needs_consolidation():
            # When little could be merged, trying again after each memory would come to nothing.
            grown = config.max_memories_before_consolidate - config.consolidate_target
            least = self._left_by_consolidation + max(1, grown // 2)
            self._wants_consolidation = self.get_memory_count() >= least
        return ids

    def _relevant(self, where: str, context: Any, options: Any) -> list[dict[str, Any]]:
        found = self._retrieval.relevant(where, context, options)
        self._emit("memories_recalled", (len(found),))
        return found

    def _emit(self, name: str, arguments: tuple[Any, ...]) -> None:
        if self.on_event is not None:
            self.on_event(name, arguments)
