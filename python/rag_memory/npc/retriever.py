"""Answering questions to one NPC: candidates, selection, order and form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.config.memory_config import TIER_PINNED, TIER_REGULAR, MemoryConfig, RelevanceMode
from rag_memory.conversation.summary_shelf import SummaryShelf
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.company import read_company
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.memory_view import FULL, SHORT, full_from, metadata_of
from rag_memory.memory.record import HEADER_SLOT, Record
from rag_memory.memory.secrecy import record_may_be_told, validate_listeners
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.retrieval.already_told import AlreadyTold
from rag_memory.retrieval.candidate import Candidate, distinct
from rag_memory.retrieval.candidates import CandidateRanker
from rag_memory.retrieval.channels import MAX_TERMS
from rag_memory.retrieval.explanation import NOT_CANDIDATE, answer_question, explain_answer, explain_memory
from rag_memory.retrieval.filter import matching
from rag_memory.retrieval.relevance import ODDS, Match, overlap
from rag_memory.retrieval.scoring import Rated, factors, score, scored_relevances
from rag_memory.retrieval.selection import select, select_by_tier, tier_options
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.searcher import Searcher
from rag_memory.storage.filter import parse_filter, with_other_names
from rag_memory.text.questions import ends_with_question, from_npc_view, only_asks
from rag_memory.text.terms import WORD, question_terms
from rag_memory.validation import (
    mapping_in,
    validate_count,
    validate_integer,
    validate_number,
    validate_option,
    validate_options,
    validate_text,
)
from rag_memory.vectors import Mask
from rag_memory.world.rumors import RUMOR_HEARD
from rag_memory.world.world import World

DEFAULT_LIMIT = 5
UNKNOWN_IMPORTANCE = 5
_BEYOND_IMPORTANCE = 11
"""No memory has it."""
_RELEVANT_OPTIONS = ("limit", "min_importance", "filter", "listeners", "speaker")
_UNKNOWN_SIMILARITY = 0.5
_NOTHING = QueryText("")


class Retriever:
    """Every way to ask for the memories of one NPC; Recall documents them."""

    def __init__(
        self, records: OwnedRecords, player: PlayerRelationship, world: World, summaries: SummaryShelf
    ) -> None:
        self._records = records
        self._summaries = summaries
        self._world = world
        self._player = player
        self._save = records.save
        self.searcher = Searcher(records)

    def scored(
        self,
        call: str,
        context: Any,
        token_budget: Any,
        listening: Collection[str] = (),
        already_told: Collection[str] = (),
        speaker: Any = PLAYER,
    ) -> list[dict[str, Any]]:
        """The memories for a prompt, best first, within a budget of tokens; -1 for the configured one.

        Args:
            listening: who hears the answer. Secrets that one of them may not know are left out.
            already_told: ids of memories that step back.
            speaker: the id of who asks.
        """
        context, speaker = self._asked(call, context, speaker)
        budget = self._validate_budget(call, token_budget)
        config = self._config
        now = self._save.now()
        ranker = self._ranker(context, listening, speaker == PLAYER)
        ranker.already_told = AlreadyTold(context, already_told)
        protected = self._protected_records(now)
        _ranked, taken = select(config, self._npc_id, ranker, protected, budget)
        self._records.index.access(
            [
                candidate.record.key
                for candidate in taken
                if not candidate.protected and not candidate.is_shared
            ],
            now,
        )
        return [candidate.as_dictionary(self._npc_id, config) for candidate in taken]

    def by_tier(self, call: str, context: Any, options: Mapping[str, Any] | None) -> dict[str, Any]:
        """{pinned, important, relevant, total_chars, budget_remaining}."""
        wanted = tier_options(self._config, options)
        context, speaker = self._asked(call, context, wanted.speaker)
        listening = [speaker] if wanted.listeners is None else wanted.listeners
        allowed = self._allowed(call, wanted.min_importance, wanted.filter)
        now = self._save.now()
        ranker = self._ranker(context, listening, speaker == PLAYER)
        if wanted.filter:
            ranker.rank_beside(())
        protected = self._records.protected()
        tiers = select_by_tier(self._config, self._npc_id, ranker, wanted, allowed, protected)
        self._records.index.access(tiers.keys, now)
        return tiers.memories

    def relevant(self, call: str, context: Any, options: Any) -> list[dict[str, Any]]:
        """The most relevant memories, by relevance alone."""
        options = validate_options(call, options, _RELEVANT_OPTIONS)
        context, speaker = self._asked(call, context, options.get("speaker", PLAYER))
        limit = validate_count(call, "limit", options.get("limit", DEFAULT_LIMIT))
        least = validate_integer(call, "min_importance", options.get("min_importance", 0))
        allowed = self._allowed(call, least, options.get("filter", {}))
        listening = validate_listeners(call, options.get("listeners", speaker))
        now = self._save.now()
        ranker = self._ranker(context, listening, speaker == PLAYER)
        candidates = ranker.by_relevance(limit, allowed)
        if not options.get("filter"):
            candidates = ranker.with_shared(candidates, limit, least)
        if context.strip():
            self._note_access(candidates, now)
        return self._rendered(candidates)

    def most_relevant(
        self, query: QueryText, limit: int, event_types: Sequence[str], listening: Collection[str]
    ) -> list[Candidate]:
        """The most relevant memories that hold a slot or none, then as many of these event types, without
        secrets that somebody who listens may not know; asking leaves no trace.
        """
        columns = self._records.index.get().columns
        ranker = self._ranker(query, listening, False)
        everything: Mask = np.ones(len(columns), dtype=np.bool_)
        candidates = ranker.newest_first(ranker.with_shared(ranker.by_relevance(limit, everything), limit))
        is_of_type = columns.is_event(list(event_types))
        if len(columns) > limit and is_of_type.any():
            candidates += ranker.by_relevance(limit, is_of_type)
        return ranker.answering(distinct(candidates))

    def best(self, call: str, query: Any, listeners: Any) -> list[dict[str, Any]]:
        """The most relevant memory that still holds, or else the most relevant one; or nothing."""
        text, listening = self.filled_query(call, "query", query), validate_listeners(call, listeners)
        candidates = self.most_relevant(text, 2 * DEFAULT_LIMIT, (), listening)
        candidates = sorted(
            candidates[:DEFAULT_LIMIT], key=lambda candidate: bool(candidate.record.superseded_by)
        )[:1]
        self._note_access(candidates, self._save.now())
        return self._rendered(candidates)

    def filled_query(self, call: str, name: str, value: Any) -> QueryText:
        """An argument of a call as a query.

        Raises:
            InvalidArgumentError: it is no text, or empty.
        """
        query = self._save.query_text(call, name, value)
        if not query.strip():
            raise InvalidArgumentError(
                f"{call}: {name} is empty", "nothing is asked", "Pass a sentence or a topic"
            )
        return query

    def for_dossier(self, context: QueryText, limit: int, is_of_player: bool) -> list[Candidate]:
        """The stored protected memories, then the most relevant of those that hold a slot or none; asking
        leaves no trace.
        """
        ranker = self._own_ranker(context, (), is_of_player)
        everything: Mask = np.ones(len(self._records.index.get().columns), dtype=np.bool_)
        relevant = ranker.answering(ranker.newest_first(ranker.by_relevance(limit, everything)))
        return distinct([*ranker.by_protection(self._records.protected()), *relevant])

    def recent(self, call: str, count: Any, min_importance: Any, listeners: Any) -> list[dict[str, Any]]:
        """The newest memories, newest first, as for an empty question."""
        count = validate_count(call, "count", count)
        least = validate_integer(call, "min_importance", min_importance)
        listening = validate_listeners(call, listeners)
        most = count + len(self._records.hidden_from(listening))
        newest = self._records.newest(most, max(0, min(least, _BEYOND_IMPORTANCE)))
        ranker = self._own_ranker(_NOTHING, listening)
        return self._rendered(ranker.candidates_for(newest)[:count])

    def header(self, id: str = PLAYER) -> dict[str, Any]:
        """The relationship header as scored() returns it, or that of another character."""
        now = self._save.now()
        (header,) = self._rendered(
            self.searcher.ranker(_NOTHING, now).by_protection([self._player.header(now, id)])
        )
        return header

    def score_of(self, call: str, memory: Any, context: Any) -> float:
        """The score of a memory given as a dictionary."""
        metadata = metadata_of(call, memory)
        tier = validate_option(call, metadata, "memory_tier", TIER_REGULAR, TIER_PINNED, TIER_REGULAR)
        timestamp = validate_number(call, "timestamp", metadata.get("timestamp", 0))
        rated = Rated(
            tier,
            validate_integer(call, "importance", metadata.get("importance", UNKNOWN_IMPORTANCE)),
            timestamp,
            validate_number(call, "last_accessed", metadata.get("last_accessed", timestamp)),
            bool(metadata.get("superseded_by", "")),
            self._relevance_of(call, memory, self._save.query_text(call, "context", context)),
        )
        return score(self._config, factors(self._config, self._save.now(), rated))

    def read(self, query: QueryText, speaker: str) -> QueryText:
        """A question of another character from the NPC's point of view: it names who asks, and nobody asks it
        any more. One of the player stays: the searcher knows how memories call the player.
        """
        if speaker == PLAYER:
            return query
        name = self._world.people.name_of(self._config, speaker)
        return QueryText(from_npc_view(query, name) or query)

    def _asked(self, call: str, context: Any, speaker: Any) -> tuple[QueryText, str]:
        """What read() makes of a question, and the id of who asks; both are checked."""
        # A hero who has left may be asked under the id of the player.
        if speaker != PLAYER:
            speaker = read_company(call, self._npc_id, {"speaker": speaker}).speaker
        return self.read(self._save.query_text(call, "context", context), speaker), speaker

    def _ranker(self, query: QueryText, listening: Collection[str], is_of_player: bool) -> CandidateRanker:
        """The ranking of the NPC's memories, and of what else it knows."""
        ranker = self._own_ranker(query, listening, is_of_player)
        if query.strip():
            shelves = self._world.shelves(self._npc_id, self._config, query, is_of_player)
            ranker.rank_beside([*shelves, *self._summaries.shelves(query, is_of_player)])
        return ranker

    def _own_ranker(
        self, query: QueryText, listening: Collection[str], is_of_player: bool = True
    ) -> CandidateRanker:
        """The ranking of the NPC's memories, without rumors of what is no longer said."""
        ranker = self.searcher.ranker(query, self._save.now(), is_of_player, listening)
        columns = self._records.index.get().columns
        if RUMOR_HEARD in columns.event_types:
            keys = columns.keys[columns.is_event([RUMOR_HEARD])].tolist()
            ranker.hide(
                {
                    record.key
                    for record in self._save.store.records.by_keys(keys, is_read_again=False)
                    if not self._world.rumors.is_current(mapping_in(record.extra))
                }
            )
        return ranker

    def _note_access(self, candidates: Sequence[Candidate], now: float) -> None:
        own = [candidate.record.key for candidate in candidates if not candidate.is_shared]
        self._records.index.access(own, now)

    @property
    def _config(self) -> MemoryConfig:
        return self._records.config

    @property
    def _npc_id(self) -> str:
        return self._records.npc_id

    def explained(
        self,
        call: str,
        context: Any,
        memory_id: Any,
        listening: Collection[str] = (),
        already_told: Collection[str] = (),
        speaker: Any = PLAYER,
    ) -> dict[str, Any]:
        """Why a memory came or did not when scored() answers a question; with "" the whole answer."""
        context, speaker = self._asked(call, context, speaker)
        is_of_player = speaker == PLAYER
        id = validate_text(call, "memory_id", memory_id)
        config = self._config
        columns = self._records.index.get().columns
        now = self._save.now()
        ranker = self._ranker(context, listening, is_of_player)
        ranker.already_told = AlreadyTold(context, already_told)
        answer = answer_question(
            config,
            self._npc_id,
            context,
            config.memory_token_budget,
            ranker,
            self._protected_records(now),
            self.searcher.relevance(context, is_of_player),
            columns.keys.tolist(),
            columns.importances >= config.min_semantic_importance,
        )
        mode = self._save.relevance_mode(config)
        asked: dict[str, Any] = {"relevance_mode": mode.name, "names": [], "keywords": {}}
        if mode != RelevanceMode.DENSE and context.strip() and len(columns):
            if mode == RelevanceMode.HYBRID:
                asked["names"] = self.searcher.parsed(context).names
                asked["embedded_context"] = self.searcher.embedded(context, is_of_player)
            postings = self._records.index.get().postings
            asked["keywords"] = {
                term: len(postings.positions(WORD, term)) for term in question_terms(context)[:MAX_TERMS]
            }
        if not id:
            return explain_answer(answer, asked)
        record = self._records.by_id(call, id)
        explanation = explain_memory(answer, asked, id, record)
        if record is not None and self.searcher.is_outdated(record):
            explanation["reason"] = NOT_CANDIDATE
            explanation["text"] = (
                f"A later memory holds its slot, {record.slot_type}; the newest of a slot counts."
            )
        elif record is not None and listening and not record_may_be_told(record, listening):
            explanation["reason"] = NOT_CANDIDATE
            explanation["text"] = "It is a secret that somebody who listens may not know."
        elif record is not None and only_asks(record.document_full, config.player_sayings()):
            explanation["reason"] = NOT_CANDIDATE
            explanation["text"] = "It is only a question of the player, and answers nothing."
        return explanation

    def _allowed(self, call: str, min_importance: int, filter: Any) -> Mask:
        conditions = with_other_names(
            parse_filter(call, filter), lambda name: other_names(self._records).names_of(name)
        )
        columns = self._records.index.get().columns
        npc = self._records.npc
        allowed: Mask
        if conditions and npc is not None:
            allowed = matching(conditions, columns, self._records.store, npc, self._npc_id)
        else:
            allowed = np.ones(len(columns), dtype=np.bool_)
        if min_importance > 0:
            allowed &= columns.importances >= min_importance
        return allowed

    def _rendered(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        config, npc_id = self._config, self._npc_id
        in_full_from = full_from(config)
        protected = {record.key for record in self._records.protected()}
        has_header = HEADER_SLOT in config.protected_slot_types
        for candidate in candidates:
            key = candidate.record.key
            candidate.protected = has_header if key < 0 else key in protected
            candidate.used_form = FULL if candidate.similarity >= in_full_from else SHORT
            candidate.rendered_text = candidate.render(config, candidate.used_form)
        return [candidate.as_dictionary(npc_id, config) for candidate in candidates]

    def _protected_records(self, now: float) -> Sequence[Record]:
        records: list[Record] = []
        if HEADER_SLOT in self._config.protected_slot_types:
            records.append(self._player.header(now))
        return [*records, *self._records.protected()]

    def _relevance_of(self, call: str, memory: Mapping[str, Any], context: QueryText) -> float:
        """The relevance that a question gives one of the NPC's own memories; without a question the one that
        a retrieved memory came with, else its similarity.
        """
        breakdown = memory.get("breakdown")
        if not context.strip() and isinstance(breakdown, Mapping) and ODDS in breakdown:
            given = (breakdown[ODDS], memory.get("similarity", breakdown[ODDS]))
            odds, similarity = (min(1.0, max(0.0, validate_number(call, ODDS, number))) for number in given)
            match = Match(0, similarity, odds, {ODDS: odds})
            is_question = ends_with_question(str(memory.get("document_full", "")))
            return scored_relevances(self._config, [(match, is_question)])[0]
        id = memory.get("id", "")
        record = self._records.by_id(call, id) if id and context.strip() else None
        if record is None or record.document_full != memory.get("document_full"):
            return self._similarity(call, memory, context)
        (match,) = self.searcher.relevance(context).measure([record.key])
        return scored_relevances(self._config, [(match, ends_with_question(record.document_full))])[0]

    def _similarity(self, call: str, memory: Mapping[str, Any], context: QueryText) -> float:
        text = memory.get("document_full", memory.get("document", ""))
        is_measured = ("similarity" in memory) != ("distance" in memory)
        if context.strip() and not is_measured and isinstance(text, str) and text.strip():
            question = self._save.question(context, self._config)
            if question is None:
                return overlap(context, text)
            cosine = float(np.vecdot(question, self._save.embed([text])[0]))
        elif "similarity" in memory:
            cosine = validate_number(call, "similarity", memory["similarity"])
        elif "distance" in memory:
            cosine = 1.0 - validate_number(call, "distance", memory["distance"])
        else:
            cosine = _UNKNOWN_SIMILARITY
        return min(1.0, max(0.0, cosine))

    def _validate_budget(self, call: str, token_budget: Any) -> int:
        budget = validate_integer(call, "token_budget", token_budget)
        if budget < -1:
            raise InvalidArgumentError(
                f"{call}: token_budget is {budget}",
                "a budget is 0 or more",
                "Pass -1 for config.memory_token_budget",
            )
        return self._config.memory_token_budget if budget == -1 else budget
