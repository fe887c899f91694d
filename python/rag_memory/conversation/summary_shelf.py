"""What an NPC knows from the summaries of its conversations, ranked beside its memories."""

from __future__ import annotations

import dataclasses
import sys
from typing import TypeAlias

from rag_memory.config.calendar import CALENDAR
from rag_memory.conversation.turn_log import TurnLog
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import CONVERSATION
from rag_memory.memory.importance import base_importance
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.record import Record, new_record
from rag_memory.memory.speech import speech_of
from rag_memory.retrieval.shelf import Shelf
from rag_memory.searchable.passages import Passages
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.searcher import Searcher
from rag_memory.step import Steps, run
from rag_memory.text.statements import passages_of

_Stamp: TypeAlias = "tuple[int, list[Document]]"


class SummaryShelf:
    """The passages of one NPC's conversation summaries. They follow from the summaries and are only in
    memory, so that whatever changes or deletes a summary changes what is found.
    """

    def __init__(self, records: OwnedRecords, turns: TurnLog) -> None:
        self._records = records
        self._turns = turns
        self._passages: Passages | None = None
        self._stamp: _Stamp = (-1, [])
        """The embedding model and the summaries that the passages were made with."""

    def shelves(self, query: QueryText, is_of_player: bool) -> list[Shelf]:
        """Return the passages, ranked for a query; none without a summary."""
        run(self.load_steps())
        if self._passages is None:
            return []
        # Passages of one summary are of different turns.
        config = dataclasses.replace(self._records.config, neighbour_weight=0.0)
        return [Searcher(self._records, config).shelf(query, self._passages, is_of_player)]

    def load_steps(self) -> Steps[None]:
        """Make the passages of summaries that have changed, in slices."""
        stamp = (self._records.save.model, self._turns.summaries(self._records.npc_id))
        if stamp == self._stamp:
            return
        records = [record for summary in stamp[1] for record in self._records_of(summary)]
        if not records:
            self._passages, self._stamp = None, stamp
            return
        vectors = yield from self._records.embed_steps(records)
        self._passages = Passages(records, vectors)
        if vectors.any():  # There are none while the embedding model is away.
            self._stamp = stamp

    def _records_of(self, summary: Document) -> list[Record]:
        config, player_id = self._records.config, summary.content["player_id"]
        data = {
            "event_type": SUMMARY,
            "participants": [player_id],
            "timestamp": summary.content["last_turn_day"] * CALENDAR.seconds_per_day,
        }
        unlimited = dataclasses.replace(config, max_text_chars=sys.maxsize)
        importance = base_importance(config, CONVERSATION)
        return [
            new_record(
                "a summary", summary.owner, unlimited, summary.timestamp, text, importance, data
            )._replace(id=f"{summary.owner}_summary_{player_id}_{number}")
            for number, text in enumerate(passages_of(summary.content["summary"], speech_of(config)), 1)
        ]
