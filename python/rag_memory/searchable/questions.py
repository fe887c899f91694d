"""Questions to one NPC, and the relevance of its memories to them."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.config.memory_config import RelevanceMode
from rag_memory.game_rules import GAME_RULES
from rag_memory.memory.memory_view import described
from rag_memory.retrieval.event_channel import event_channel
from rag_memory.retrieval.hybrid_relevance import HybridRelevance
from rag_memory.retrieval.keyword_channel import MAX_TERMS, keyword_scores
from rag_memory.retrieval.keyword_relevance import KeywordRelevance
from rag_memory.retrieval.ranking_weights import GENERAL, PERSONAL
from rag_memory.retrieval.relevance import DenseRelevance, Match, NothingAsked, Relevance
from rag_memory.retrieval.ruled_relevance import RuledRelevance
from rag_memory.retrieval.time_channel import time_scores
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.text.gazetteer import Question, parse_query
from rag_memory.text.perspective import from_npc_view, is_personal, speaks_to_npc
from rag_memory.text.query_time import query_time
from rag_memory.text.terms import question_terms


class Questions:
    """Reads the questions to one NPC, by what its memories and its save have in them."""

    def __init__(self, records: OwnedRecords) -> None:
        self._records = records
        self._save = records.save

    def relevance(self, context: QueryText, is_of_player: bool = True) -> Relevance:
        """How relevant each memory is to what was said. `is_of_player`: the player says it, so "I" is the
        player.
        """
        relevance = self._own_relevance(context, is_of_player)
        if not GAME_RULES.has("relevance") or isinstance(relevance, NothingAsked):
            return relevance
        columns = self._records.index.get().columns
        return RuledRelevance(relevance, columns, lambda matches: self._ruled(context, matches))

    def _ruled(self, context: QueryText, matches: Sequence[Match]) -> list[float] | None:
        """The answer of the game's rule about these memories."""
        records = {
            record.key: record
            for record in self._records.store.records.by_keys([match.key for match in matches])
        }
        memories = [
            {
                **described(records[match.key], self._records.npc_id, self._records.config),
                "relevance": match.relevance,
            }
            for match in matches
        ]
        ruled: list[float] | None = GAME_RULES.ask("relevance", str(context), memories)
        return ruled

    def _own_relevance(self, context: QueryText, is_of_player: bool) -> Relevance:
        index = self._records.index.get()
        columns = index.columns
        if not context.strip() or not len(columns):
            return NothingAsked(columns)
        config = self._records.config
        mode = self._save.relevance_mode(config)
        parsed = self.parsed(context)
        is_hybrid = mode == RelevanceMode.HYBRID
        when = query_time(context, self._save.now()) if is_hybrid else None
        question = self._save.question(
            self._embedded(context, parsed, is_of_player) if is_hybrid else context, config
        )
        if question is None:
            return KeywordRelevance(columns, index.postings, context)
        if not is_hybrid:
            return DenseRelevance(columns, index.vectors, question)
        conversations = index.conversations(config.conversation_gap_minutes)
        neighbour_weight = conversations.weight_among_all(config.neighbour_weight)
        return HybridRelevance(
            config,
            columns,
            index.vectors,
            conversations,
            neighbour_weight,
            question,
            keyword_scores(
                index.postings,
                conversations,
                context if when is None else when.words,
                parsed.names,
                config.neighbour_window,
                neighbour_weight,
            ),
            event_channel(columns, question_terms(context)[:MAX_TERMS], config.event_words),
            time_scores(columns, index.postings, conversations, when),
            PERSONAL if is_personal(context) else GENERAL,
        )

    def _embedded(self, context: QueryText, parsed: Question, is_of_player: bool) -> str:
        """What is embedded of a question. One that nobody asks, such as a condition in a dialogue file, is
        from the NPC's point of view already, unless it speaks to the NPC.
        """
        rewritten = None
        if is_of_player or speaks_to_npc(context):
            rewritten = from_npc_view(context, self._records.index.get().name_for_player())
        return parsed.nameless if rewritten is None else self.parsed(QueryText(rewritten)).nameless

    def parsed(self, context: QueryText) -> Question:
        """The names in a question, and it without those that tell nothing."""
        registered, index = self._save.names.words(), self._records.index.get()
        return parse_query(context, lambda word: word in registered or index.is_name(word), index.is_telling)

    def embedded(self, context: QueryText) -> str:
        """What is embedded of the player's question: it from the NPC's point of view, and without names that
        tell nothing.
        """
        if self._records.config.relevance_mode != RelevanceMode.HYBRID:
            return context
        return self._embedded(context, self.parsed(context), True)
