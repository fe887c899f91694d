"""The memory of one NPC: everything a game asks of it goes through here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .candidates import Candidate, Collector, protected_slots
from .config import MemoryConfig, RelevanceMode
from .errors import InvalidArgumentError
from .filter import matching, parse_filter
from .gazetteer import without_names
from .memory import FULL, SHORT, described
from .npc_index import NpcIndex, index_options
from .record import PLAYER_INFO, Record, new_record
from .relationship_header import FIRST_MEETING, SLOT_TYPE, checked_state, header_record, header_text
from .relevance import DenseRelevance, HybridRelevance, NothingAsked, Relevance
from .scoring import factors, score
from .selection import estimate_tokens, fill_budget
from .step import Step, run
from .value import checked_integer, checked_number, checked_text, wrong_type
from .vector import FloatMatrix, FloatVector, Mask

if TYPE_CHECKING:
    from .save import Save

DEFAULT_IMPORTANCE = 5
DEFAULT_LIMIT = 5
_RELEVANT_OPTIONS = ("limit", "min_importance", "filter")
_UNKNOWN_SIMILARITY = 0.5
_BATCH_COMMIT = 32

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
        record = new_record("store()", self.npc_id, self._config, self._save.now(), text, importance, data)
        vectors = self._save.embedder.embed([record.document_full])
        return self._write([record], vectors)[0]

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
        embedder = self._save.embedder
        vectors: FloatMatrix = np.empty((total, embedder.dimension), dtype=np.float32)
        done = 0
        for positions, embedded in embedder.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            done += len(positions)
            yield Step(done, total, "embedding memories")
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

    def forget(self, id: str) -> bool:
        """Delete a memory for good; False when there is none with this id."""
        record = self._by_id("forget()", id)
        if record is None or self._npc is None:
            return False
        with self._store.transaction():
            self._store.delete(record.rowid)
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
            self._store.touch(self._npc)
        if self._index is not None:
            self._index.clear()
        self._changed()
        return count

    def get_memory_count(self) -> int:
        """The number of memories of this NPC."""
        return 0 if self._npc is None else self._store.count(self._npc)

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

    def _write(self, records: Sequence[Record], vectors: FloatMatrix) -> list[str]:
        model = self._save.model
        written: list[tuple[Record, FloatVector, bool]] = []
        npc = self._npc
        with self._store.transaction():
            if npc is None:
                npc = self._store.add_npc(self.npc_id)
            for record, vector in zip(records, vectors, strict=True):
                known = self._known_player_info(npc, record)
                if known is None:
                    record = record._replace(id=self._free_id(npc, record))
                    record = record._replace(rowid=self._store.insert(npc, record, vector, model))
                else:
                    record = record._replace(id=known.id, rowid=known.rowid)
                    self._store.replace(record, vector, model)
                written.append((record, vector, known is None))
            self._store.touch(npc)
        self._npc = npc
        if self._index is not None:
            self._index.set_npc(npc)
            for record, vector, _ in written:
                self._index.add(record, vector)
        self._changed()
        for record, _, is_new in written:
            if is_new:
                self._emit("memory_added", record.id)
            if record.is_milestone:
                self._emit("milestone_created", record.milestone_type)
        return [record.id for record, _, _ in written]

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
        return header_record(self.npc_id, header_text(self._relationship, self._first_meeting, now), now)

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
