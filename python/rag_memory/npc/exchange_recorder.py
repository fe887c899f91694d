"""Writes what an exchange leaves: everything in one transaction, or nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.conversation import Conversation
from rag_memory.conversation.recording import GIFTS, Recording
from rag_memory.conversation.recording_options import Before, RecordingOptions
from rag_memory.conversation.told_memories import MEMORY_IDS, TOLD_TO
from rag_memory.memory.conflicts import Conflicts, StoredMemories, conflict_rule, slot_conflicts
from rag_memory.memory.event_templates import CONVERSATION, PLAYER, MemoryDraft
from rag_memory.memory.record import Record
from rag_memory.mind.relationship import validate_relationship
from rag_memory.mind.relationship_memory import EVENT_TYPE as RELATIONSHIP
from rag_memory.mind.relationship_memory import relationship_draft
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.prompt.prompt_options import PromptOptions
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, names_of_player
from rag_memory.step import Steps
from rag_memory.validation import validate_number, validate_text, validate_texts
from rag_memory.world.personality import Personality
from rag_memory.world.world import World
from rag_memory.world.world_knowledge import WorldKnowledge

_CHECKS: Mapping[str, Callable[[str, str, Any], Any]] = {
    "location": validate_text,
    "timestamp": validate_number,
    "topics": validate_texts,
}
"""The options that become data of the memories."""


_NOBODY = ("",)
"""Somebody who may know no secret."""


class ExchangeRecorder:
    """Records exchanges of one NPC."""

    def __init__(
        self,
        records: OwnedRecords,
        writer: MemoryWriter,
        player: PlayerRelationship,
        conversation: Conversation,
        world: World,
    ) -> None:
        self._records = records
        self._writer = writer
        self._player = player
        self._conversation = conversation
        self._world = world

    def options(self, call: str, options: PromptOptions) -> RecordingOptions:
        """Read how an exchange is recorded from the options of a call.

        Raises:
            InvalidArgumentError: with one of them no memory could be stored.
        """
        values = {name: options.get(name) for name in _CHECKS}
        data = {name: _CHECKS[name](call, name, value) for name, value in values.items() if value is not None}
        data_of_personality, data_of_world = options.data("personality"), options.data("world_knowledge")
        world = None if data_of_world is None else WorldKnowledge.from_data(data_of_world, self._world)
        personality = None if data_of_personality is None else Personality.from_data(data_of_personality)
        relationship = options.get("relationship")
        company = options.company(self._records.npc_id)
        config, name = options.config(self._records.config), ""
        if company.speaker != PLAYER:
            name = self._world.people.name_of(config, company.speaker)
        config = config.towards(name, company.manner)
        return RecordingOptions(
            config=config,
            npc_names=[
                self._records.npc_id,
                *([personality.display_name] if personality is not None else []),
            ],
            personality=personality,
            world=world,
            relationship=None if relationship is None else validate_relationship(call, relationship),
            location=data.get("location", ""),
            data=data,
            listeners=validate_texts(call, "listeners", options.get("listeners", [])),
            check_names=options.flag("check_names", True),
            people=self._people(world),
            deterministic_deltas=options.flag("deterministic_deltas", False),
            company=company,
            speaker_name=name,
            proposals=options.get("proposals", {}),
        )

    def _people(self, world: WorldKnowledge | None) -> list[str] | None:
        registered = self._records.save.names.people()
        if world is None or registered is None:
            return registered if world is None else world.names()
        return [*world.names(), *registered]

    def before(self, options: RecordingOptions) -> Before:
        """Return what the NPC knows before an exchange. Needs the search index."""
        if options.personality is not None:
            self._player.begin_with(options.personality.relationship_to_set())
        header = self._player.header(self._records.save.now(), options.company.speaker).metadata("")
        name = self._records.in_slot(PLAYER_NAME_SLOT)
        has_gifts = bool(self._records.index.get().columns.is_event(GIFTS).any())
        hidden = self._records.hidden_from(_NOBODY)
        secrets = [record.document_full for record in hidden]
        if options.personality is not None:
            secrets += [str(secret.get("secret") or "") for secret in options.personality.secrets]
        secret_ids = frozenset(record.id for record in hidden)
        return Before(header["relationship"], has_gifts, names_of_player(name), secrets, secret_ids)

    def record_steps(
        self,
        call: str,
        exchange: str,
        make: Callable[[], Recording],
        options: RecordingOptions,
        check: Callable[[], object],
    ) -> Steps[tuple[Recording, list[dict[str, Any]]]]:
        """Write the recording of an exchange that `make` returns, and return it with the memories as they
        were written. `check` raises when it is too late to write.
        """
        recording = make()
        turn = None
        drafts = list(recording.memories)
        if recording.has_turn:
            self._note_told(recording, options)
            turn = self._conversation.draft_turn(
                call, recording.player_message, recording.npc_message, recording.turn_data
            )
            if not recording.is_analysed:
                drafts += yield from self._conversation.drafts_steps(turn)
                drafts = _without_repeated_line(options.config, drafts)
        if options.relationship is None and any(recording.deltas.values()):
            drafts.append(self._relationship_draft(recording.relationship, options.company.speaker))
        records, vectors = yield from self._writer.prepared_steps(call, drafts)
        check()
        if turn is not None and not self._conversation.is_next(turn):  # Another one was stored meanwhile.
            return (yield from self.record_steps(call, exchange, make, options, check))
        hearers = []
        if turn is not None:
            spoken = self._conversation.spoken(turn, options.company)
            hearers = self._conversation.hearers.prepared(call, spoken)

        def write_turn() -> None:
            if turn is not None:
                self._conversation.add_turn(turn, recording.is_analysed, exchange)

        with self.part_of(exchange), self._conversation.hearers.together(hearers):
            written = self._writer.add_together(records, vectors, self._conflicts, write_turn)
        is_player = options.company.speaker == PLAYER
        if is_player and options.relationship is not None and recording.relationship:
            self._player.set_by_exchange(exchange, recording.relationship)
        return recording, [described(record, superseded) for record, superseded in written]

    def _note_told(self, recording: Recording, options: RecordingOptions) -> None:
        """Note in the turn which memories the NPC tells. What no model says comes with them."""
        data = recording.turn_data
        if MEMORY_IDS not in data and not data.get("from_memory"):
            data[MEMORY_IDS] = self._conversation.memories_in(
                recording.npc_message, recording.player_message, options.company.speaker
            )
        data[TOLD_TO] = [*options.listeners, *options.company.hearing_all]

    @contextmanager
    def part_of(self, exchange: str) -> Iterator[None]:
        """A transaction that undoing the exchange takes back."""
        try:
            with self._records.save.exchange(exchange, self._records.npc_id):
                yield
        except BaseException:
            self._records.reload()  # What is in memory may be ahead of a commit that failed.
            raise

    def _relationship_draft(self, relationship: Mapping[str, Any], speaker: str) -> MemoryDraft:
        config, stored = self._records.config, self._player.stored(speaker)
        return relationship_draft(config, speaker, stored, relationship, self._world.people.name_of)

    def _conflicts(self, memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        rule = slot_conflicts if record.event_type == RELATIONSHIP else conflict_rule(self._records.config)
        return rule(memories, npc, record)


def _without_repeated_line(config: MemoryConfig, drafts: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """Leave out the memory of nothing but a line that another one quotes as a promise, a debt or the like."""
    facts = [fact for draft in drafts if isinstance(fact := draft.data.get("fact"), Mapping)]
    lines = {config.sentence("player_said", message=str(fact.get("quote") or "")) for fact in facts}
    return [
        draft for draft in drafts if draft.data.get("event_type") != CONVERSATION or draft.text not in lines
    ]


def described(record: Record, superseded: Sequence[str]) -> dict[str, Any]:
    """Return a memory as the result of an exchange lists it, with the ids of what it has retired."""
    return {
        "superseded": list(superseded),
        "id": record.id,
        "text": record.document_full,
        "event_type": record.event_type,
        "importance": record.importance,
    }
