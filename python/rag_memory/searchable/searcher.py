"""Searching one owner's records: what a query asks, and how the records rank by it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode
from rag_memory.game_rules import GAME_RULES
from rag_memory.index.columns import Columns
from rag_memory.index.conversations import Conversations
from rag_memory.index.postings import Postings
from rag_memory.index.vector_index import VectorIndex
from rag_memory.memory.conflicts import is_same_subject
from rag_memory.memory.memory_view import described
from rag_memory.memory.record import Record
from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.candidates import CandidateRanker, ReadFunction, protected_slots
from rag_memory.retrieval.changes import Changes
from rag_memory.retrieval.channels import MAX_TERMS, event_channel, keyword_scores, time_scores
from rag_memory.retrieval.hybrid_relevance import GENERAL, PERSONAL, HybridRelevance
from rag_memory.retrieval.relevance import (
    DenseRelevance,
    KeywordRelevance,
    Match,
    NothingAsked,
    Relevance,
    RuledRelevance,
)
from rag_memory.retrieval.shelf import Shelf
from rag_memory.searchable.conflict_view import ConflictView
from rag_memory.searchable.passages import Passages
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.search_index import SearchIndex
from rag_memory.text.gazetteer import Question, parse_query
from rag_memory.text.query_time import query_time
from rag_memory.text.questions import event_terms, from_npc_view, is_personal, speaks_to_npc
from rag_memory.text.tense import asks_about_now
from rag_memory.vectors import Mask


class SearchedTexts(Protocol):
    """What is compared with a question; SearchIndex and Passages are it."""

    columns: Columns
    vectors: VectorIndex
    postings: Postings

    def conversations(self, gap_minutes: float) -> Conversations:
        """The conversations of the texts."""


class Searcher:
    """Ranks records by a query, without those that no longer hold or that only ask."""

    def __init__(self, records: OwnedRecords, config: MemoryConfig | None = None) -> None:
        """`config`: that of who asks; None for the one of the records."""
        self._records = records
        self._save = records.save
        self._conflict_view = ConflictView(records.save, records.npc_id)
        self._own_config = config

    def ranker(
        self, query: QueryText, now: float, is_of_player: bool = True, listening: Collection[str] = ()
    ) -> CandidateRanker:
        """Make the ranking of all records for a query.

        Args:
            is_of_player: the player asks, so "I" is the player.
            listening: who hears the answer: secrets that one of them may not know are left out.
        """
        index = self._records.index.get()
        relevance = self._relevance(index, self._records.store.records.by_keys, query, now, is_of_player)
        changes = None
        if (
            isinstance(relevance, HybridRelevance)
            and asks_about_now(query)
            and query_time(query, now) is None
        ):
            changes = Changes(index.columns, index.vectors, query)
        return CandidateRanker(
            self._config,
            self._records.store.records.by_keys,
            index.columns,
            relevance,
            now,
            self.is_outdated,
            self._save.accesses.waiting,
            frozenset(record.key for record in self._records.hidden_from(listening)),
            changes,
        )

    def shelf(self, query: QueryText, passages: Passages, is_of_player: bool) -> Shelf:
        """Make the ranking of texts that are no memories."""
        now = self._save.now()
        relevance = self._relevance(passages, passages.by_keys, query, now, is_of_player)
        ranker = CandidateRanker(
            self._config, passages.by_keys, passages.columns, relevance, now, lambda record: False, {}
        )
        return Shelf(ranker, np.ones(len(passages.columns), dtype=np.bool_), is_excerpt=True)

    def relevant(self, query: QueryText, limit: int, allowed: Mask) -> list[Candidate]:
        """The allowed records that are most relevant to a question which no player asks, best first. It is
        not recorded that they were returned.
        """
        return self.ranker(query, self._save.now(), is_of_player=False).by_relevance(limit, allowed)

    def is_outdated(self, record: Record) -> bool:
        """Return whether a later record holds this one's slot, for the same person or thing: one that was
        stored in another order.
        """
        slot_type, config = record.slot_type, self._config
        if not slot_type or not (config.is_slot_type(slot_type) or slot_type in protected_slots(config)):
            return False
        current = self._records.in_slot(slot_type)
        npc = self._records.npc
        if npc is None or current is None or current.key == record.key:
            return False
        return is_same_subject(self._conflict_view, npc, record, current)

    def relevance(self, query: QueryText, is_of_player: bool = True) -> Relevance:
        """The relevance of each record to a query."""
        index, read = self._records.index.get(), self._records.store.records.by_keys
        return self._relevance(index, read, query, self._save.now(), is_of_player)

    def parsed(self, query: QueryText) -> Question:
        """The names in a query, and the query without those that tell nothing."""
        return self._parsed(self._records.index.get(), query)

    def embedded(self, query: QueryText, is_of_player: bool = True) -> str:
        """A question as it is embedded: from the NPC's point of view, and without names that tell nothing."""
        if self._config.relevance_mode != RelevanceMode.HYBRID:
            return query
        index = self._records.index.get()
        return self._embedded(index, query, self._parsed(index, query), is_of_player)

    @property
    def _config(self) -> MemoryConfig:
        return self._own_config or self._records.config

    def _relevance(
        self, texts: SearchedTexts, read: ReadFunction, query: QueryText, now: float, is_of_player: bool
    ) -> Relevance:
        relevance = self._own_relevance(texts, query, now, is_of_player)
        if not GAME_RULES.has("relevance") or isinstance(relevance, NothingAsked):
            return relevance
        return RuledRelevance(relevance, texts.columns, lambda matches: self._ruled(query, matches, read))

    def _ruled(self, query: QueryText, matches: Sequence[Match], read: ReadFunction) -> list[float] | None:
        """Ask the game's rule about these records."""
        records = {record.key: record for record in read([match.key for match in matches])}
        memories = [
            {
                **described(records[match.key], self._records.npc_id, self._config),
                "relevance": match.relevance,
            }
            for match in matches
        ]
        ruled: list[float] | None = GAME_RULES.ask("relevance", str(query), memories)
        return ruled

    def _own_relevance(
        self, texts: SearchedTexts, query: QueryText, now: float, is_of_player: bool
    ) -> Relevance:
        columns, config, index = texts.columns, self._config, self._records.index.get()
        if not query.strip() or not len(columns):
            return NothingAsked(columns)
        mode = self._save.relevance_mode(config)
        if mode != RelevanceMode.HYBRID:
            question = self._save.question(query, config)
            if question is None:
                return KeywordRelevance(columns, texts.postings, query)
            return DenseRelevance(columns, texts.vectors, question)
        parsed, others = self._parsed(index, query), other_names(self._records)
        by_all_names = QueryText(others.added_to(query))
        names = parsed.names if by_all_names == query else self._parsed(index, by_all_names).names
        when = query_time(query, now)
        question = self._save.question(self._embedded(index, query, parsed, is_of_player), config)
        if question is None:
            return KeywordRelevance(columns, texts.postings, query)
        conversations = texts.conversations(config.conversation_gap_minutes)
        neighbour_weight = conversations.weight_among_all(config.neighbour_weight)
        return HybridRelevance(
            config,
            columns,
            texts.vectors,
            conversations,
            neighbour_weight,
            question,
            keyword_scores(
                texts.postings,
                conversations,
                others.added_to(query if when is None else when.words),
                names,
                config.neighbour_window,
                neighbour_weight,
            ),
            event_channel(columns, event_terms(query)[:MAX_TERMS], config.event_words),
            time_scores(columns, texts.postings, conversations, when),
            PERSONAL if is_personal(query) else GENERAL,
        )

    def _embedded(self, index: SearchIndex, query: QueryText, parsed: Question, is_of_player: bool) -> str:
        """The query as it is embedded. One that nobody asks, such as a condition in a dialogue file, is from
        the NPC's point of view already, unless it speaks to the NPC.
        """
        rewritten = None
        if is_of_player or speaks_to_npc(query):
            rewritten = from_npc_view(query, index.name_for_player())
        return parsed.nameless if rewritten is None else self._parsed(index, QueryText(rewritten)).nameless

    def _parsed(self, index: SearchIndex, query: QueryText) -> Question:
        registered = self._save.names.words()
        return parse_query(query, lambda word: word in registered or index.is_name(word), index.is_telling)
