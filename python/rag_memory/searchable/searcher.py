"""Searching one owner's records."""

from __future__ import annotations

from rag_memory.memory.record import Record
from rag_memory.retrieval.candidates import Candidate, CandidateRanker, protected_slots
from rag_memory.searchable.questions import Questions
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.text.questions import ends_with_question, only_asks
from rag_memory.vectors import Mask


class Searcher:
    """Ranks records by a question, without those that no longer hold or that only ask."""

    def __init__(self, records: OwnedRecords) -> None:
        self._records = records
        self.questions = Questions(records)

    def ranker(self, query: QueryText, now: float, is_of_player: bool = True) -> CandidateRanker:
        """Make the ranking of all records for a question.

        Args:
            is_of_player: the player asks, so "I" is the player.
        """
        return CandidateRanker(
            self._records.config,
            self._records.store,
            self._records.index.get().columns,
            self.questions.relevance(query, is_of_player),
            now,
            self.is_left_out,
            self._records.save.accesses.of,
        )

    def relevant(self, query: QueryText, limit: int, allowed: Mask) -> list[Candidate]:
        """The allowed records that are most relevant to a question which no player asks, best first. It is
        not recorded that they were returned.
        """
        return self.ranker(query, self._records.save.now(), is_of_player=False).by_relevance(limit, allowed)

    def is_left_out(self, record: Record) -> bool:
        """Return whether a record is outdated, or only a question of the player."""
        text = record.document_full
        return self.is_outdated(record) or (
            ends_with_question(text) and only_asks(text, self._records.config.player_sayings())
        )

    def is_outdated(self, record: Record) -> bool:
        """Return whether a later record holds this one's slot; store() alone does not replace the old one."""
        slot_type, config = record.slot_type, self._records.config
        if not slot_type or not (config.is_slot_type(slot_type) or slot_type in protected_slots(config)):
            return False
        current = self._records.in_slot(slot_type)
        return current is not None and current.key != record.key
