"""What files of other programs bring one NPC: turns, with the memories that they leave, and memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.conversation.conversation import Conversation
from rag_memory.memory.conflicts import conflict_rule
from rag_memory.memory.document import Document
from rag_memory.memory.record import Record
from rag_memory.npc.tools import Tools
from rag_memory.portable.json_io import Export
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps
from rag_memory.vectors import FloatVector

_READ_AT_ONCE = 16


class NpcImports:
    """Prepares what a file brings this NPC, so that it can be written with what it brings others."""

    def __init__(
        self, records: OwnedRecords, writer: MemoryWriter, conversation: Conversation, tools: Tools
    ) -> None:
        self._records = records
        self._writer = writer
        self._conversation = conversation
        self._tools = tools

    def prepared_steps(
        self, call: str, turns: Sequence[Mapping[str, Any]], memories: Sequence[Mapping[str, Any]]
    ) -> Steps[Callable[[], None]]:
        """Prepare turns and memories in slices. The result writes them, inside a transaction that takes in
        nothing when it fails.

        Args:
            turns: `player_message` and `npc_message` of each.
            memories: as store_batch() takes them.

        Raises:
            InvalidArgumentError: one of them is not valid.
        """
        expected: list[Record] = []
        for number, turn in enumerate(turns, 1):
            expected += self._records_of(call, self._document(call, number, turn))
            if number % _READ_AT_ONCE == 0:
                yield Step(0, len(turns), "reading turns")
        matrix = yield from self._records.embed_steps(expected)
        texts = (record.document_full for record in expected)
        vectors: dict[str, FloatVector] = dict(zip(texts, matrix, strict=True))
        write_memories = yield from self._tools.import_steps(call, Export(list(memories), [], []))

        def write() -> None:
            if memories:
                write_memories()
            for number, turn in enumerate(turns, 1):
                self._write_turn(call, self._document(call, number, turn), vectors)

        return write

    def _document(self, call: str, number: int, turn: Mapping[str, Any]) -> Document:
        messages = turn["player_message"], turn["npc_message"]
        return self._conversation.draft_turn(f"{call}, turn {number}", *messages, {})

    def _records_of(self, call: str, turn: Document) -> list[Record]:
        """The memories that a turn leaves, after what was stored so far."""
        return [self._writer.record(call, draft) for draft in self._conversation.drafts_of([turn])]

    def _write_turn(self, call: str, turn: Document, vectors: Mapping[str, FloatVector]) -> None:
        records = self._records_of(call, turn)
        # What is open by then may change what a turn is taken for.
        rows = [
            vectors[text] if text in vectors else self._records.save.embed([text])[0]
            for text in (record.document_full for record in records)
        ]
        matrix = np.array(rows, dtype=np.float32)
        rule = conflict_rule(self._records.config)
        self._writer.add_together(records, matrix, rule, lambda: self._conversation.write(turn))
