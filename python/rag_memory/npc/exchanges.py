"""Exchanges of one NPC with the player: what is said, and everything that comes of it, is one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.conversation.conversation import Conversation
from rag_memory.conversation.recording import GIFTS, Before, Recording, RecordingOptions, recording_of
from rag_memory.game_call import game_call
from rag_memory.memory.conflicts import Conflicts, StoredMemories, conflict_rule, slot_conflicts
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.record import Record
from rag_memory.mind.relationship_memory import PLAYER_SLOT, relationship_draft
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, names_of_player
from rag_memory.step import Steps, in_slices
from rag_memory.validation import validate_text, wrong_type
from rag_memory.world.world import World


class Exchanges:
    """Records exchanges."""

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

    @game_call(writes=True, searches=True)
    @in_slices
    def record_exchange(
        self, line: str, answer: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> Steps[dict[str, Any]]:
        """Stores what the player said and the NPC answered, with all memories that it leaves, or nothing.

        `NPCContextBuilder.record_interaction()` does this by itself and describes what is stored.

        Args:
            line: what the player said; empty when the NPC spoke first.
            answer: the result of `NPCContextBuilder.parse_response()`.
            options: those of `NPCContextBuilder.record_interaction()`. `personality` and `world_knowledge`
                are what `to_data()` of these resources returns.

        Returns:
            `stored`: every memory that the exchange made, each with `id`, `text`, `event_type` and
            `importance`; `rejected`, `corrections`, `deltas` and `relationship`: see
            `NPCContextBuilder.record_interaction()`.

        Raises:
            InvalidArgumentError: an argument has the wrong type, or an option is unknown. Nothing is stored.
            StoreError: the database could not write. Nothing is stored.
        """
        call = "record_exchange()"
        line = validate_text(call, "line", line)
        if not isinstance(answer, Mapping):
            raise wrong_type(call, "answer", answer, "a Dictionary")
        return self._record_steps(call, line, answer, RecordingOptions.of(call, options, self._world))

    def _record_steps(
        self, call: str, line: str, answer: Mapping[str, Any], options: RecordingOptions
    ) -> Steps[dict[str, Any]]:
        if options.personality is not None:
            self._player.begin_with(options.personality.relationship_to_set())
        recording = recording_of(self._records.config, line, answer, options, self._before())
        turn = self._turn_of(call, recording)
        drafts = list(recording.memories)
        if turn is not None and not recording.is_analysed:
            drafts += self._conversation.drafts_of(turn)
        if options.relationship is None and any(recording.deltas.values()):
            drafts.append(self._relationship_draft(recording.relationship))
        records, vectors = yield from self._writer.prepared_steps(call, drafts)
        if turn is not None and not self._conversation.is_next(turn):
            return (yield from self._record_steps(call, line, answer, options))

        def write_turn() -> None:
            if turn is not None:
                self._conversation.add_turn(turn, is_read=recording.is_analysed)

        written = self._writer.add_together(records, vectors, self._conflicts, write_turn)
        if options.relationship is not None:
            self._player.set_by_game = recording.relationship
        return {
            "stored": [_described(record) for record in written],
            "rejected": recording.rejected,
            "corrections": recording.corrections,
            "deltas": recording.deltas,
            "relationship": recording.relationship,
        }

    def _before(self) -> Before:
        header = self._player.header(self._records.save.now()).metadata("")
        name = self._records.in_slot(PLAYER_NAME_SLOT)
        has_gifts = bool(self._records.index.get().columns.is_event(GIFTS).any())
        return Before(header["relationship"], has_gifts, names_of_player(name))

    def _turn_of(self, call: str, recording: Recording) -> Document | None:
        if not recording.has_turn:
            return None
        return self._conversation.draft_turn(
            call, recording.player_message, recording.npc_message, recording.turn_data
        )

    def _relationship_draft(self, relationship: Mapping[str, Any]) -> MemoryDraft:
        return relationship_draft(self._records.config, PLAYER, self._player.stored(), relationship)

    def _conflicts(self, memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        rule = slot_conflicts if record.slot_type == PLAYER_SLOT else conflict_rule(self._records.config)
        return rule(memories, npc, record)


def _described(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "text": record.document_full,
        "event_type": record.event_type,
        "importance": record.importance,
    }
