"""The sureness of one NPC that a condition is true."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag_memory.memory.company import OVERHEARD
from rag_memory.memory.event_templates import CLAIM
from rag_memory.memory.former_player import named
from rag_memory.memory.record import Record
from rag_memory.npc.retriever import Retriever
from rag_memory.retrieval import other_words, other_words_weights
from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.condition_weights import BIAS, WEIGHTS
from rag_memory.retrieval.deeds import DEEDS, FULFILMENTS, deeds_of_type
from rag_memory.retrieval.even_similarities import even_similarity
from rag_memory.retrieval.evidence import Account, Claim, claim_of, evidence
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, names_of_player, written_name
from rag_memory.text.gazetteer import name_words
from rag_memory.text.language import looks_english
from rag_memory.text.languages.condition_words import ConditionWords, condition_words
from rag_memory.text.participants import Narrator
from rag_memory.validation import list_in, mapping_in
from rag_memory.world.rumors import RUMOR_HEARD

_CANDIDATES = 20
"""The number of relevant memories that are read."""
_EVEN = 0.5
_TELLING = 3
"""Memories, by which a language is told."""
_SUREST = 0.95
"""Nothing is surer: words can always mean something else."""


class ConditionJudge:
    """Answers how sure one NPC is of a condition."""

    def __init__(self, records: OwnedRecords, retriever: Retriever) -> None:
        self._records = records
        self._retriever = retriever

    def sureness(self, query: QueryText, listening: Collection[str]) -> float:
        """Return the sureness, 0 to 1, as if the NPC did not know what somebody who listens may not know."""
        query = self._by_name(query)
        narrator, others = self._narrator(), other_names(self._records)
        condition = claim_of(others.by_first_name(query), narrator)
        candidates = self._candidates(query, condition, listening)
        if not candidates:
            return 0.0
        hidden = {record.id for record in self._records.hidden_from(listening)}
        statements = [
            statement._replace(text=others.by_first_name(statement.text))
            for statement in (self._statement(candidate, hidden) for candidate in candidates)
        ]
        confidences = [_confidence(candidate.record) for candidate in candidates]
        is_english = looks_english([query, *(statement.text for statement in statements)])

        def surest(confidence: float) -> float:
            """The sureness by what is believed at least so much."""
            believed = [
                statement for statement, of in zip(statements, confidences, strict=True) if of >= confidence
            ]
            if condition is None or not is_english:
                return self._in_other_words(query, believed)
            return sureness_of(evidence(condition, believed, narrator))

        return max(confidence * surest(confidence) for confidence in dict.fromkeys(confidences))

    def evidence_in_other_words(self, text: str, table: ConditionWords | None = None) -> list[list[float]]:
        """The same in other languages, by the table of the text's own or by that; for
        bench/fit_knows_languages.py.
        """
        query = self._by_name(QueryText(text), table)
        statements = [self._statement(one, ()) for one in self._candidates(query, None, ())]
        table = table or _table_of(query, statements)
        return [] if table is None else other_words.evidence(query, statements, table, self._player())

    def _in_other_words(self, query: str, statements: Sequence[Account]) -> float:
        model = self._records.save.embedder.name
        table = _table_of(query, statements)
        if table is None or model not in other_words_weights.WEIGHTS:
            return _by_similarity(statements, even_similarity(model))
        rows = other_words.evidence(query, statements, table, self._player())
        least = _EVEN if any(map(other_words.is_restated, rows)) else 0.0
        return max(
            least, _logistic(rows, other_words_weights.WEIGHTS[model], other_words_weights.BIAS[model])
        )

    def _by_name(self, query: QueryText, table: ConditionWords | None = None) -> QueryText:
        """The condition with the player's name for "the player": memories mostly have the name."""
        table, names = table or condition_words(query), self._player()
        if not (table and names):
            return query
        named = table.with_name(query, " ".join(names))
        return self._records.save.query_text("knows()", "condition", named)

    def _player(self) -> list[str]:
        return written_name(self._records.in_slot(PLAYER_NAME_SLOT))

    def evidence(self, text: str) -> list[list[float]]:
        """The numbers by which `sureness()` decides; for bench/fit_knows.py."""
        narrator = self._narrator()
        condition = claim_of(text, narrator)
        if condition is None:
            return []
        candidates = self._candidates(QueryText(text), condition, ())
        return evidence(condition, [self._statement(candidate, ()) for candidate in candidates], narrator)

    def _candidates(
        self, query: QueryText, condition: Claim | None, listening: Collection[str]
    ) -> list[Candidate]:
        deeds = frozenset[str]() if condition is None else condition.deeds
        event_types = frozenset[str]().union(*(DEEDS[deed].event_types for deed in deeds))
        candidates = self._retriever.most_relevant(query, _CANDIDATES, sorted(event_types), listening)
        return [candidate for candidate in candidates if candidate.record.event_type != CLAIM]

    def _statement(self, candidate: Candidate, hidden: Collection[str]) -> Account:
        record: Record = candidate.record
        rumor = _rumor(record)
        people = [record.speaker, *map(str, list_in(record.participants) + list_in(record.entities))]
        by = record.superseded_by
        later = self._records.by_id("knows()", by) if by and by not in hidden else None
        return Account(
            str(rumor.get("statement", named(self._records.config, record, record.document_full))),
            candidate.similarity,
            "" if rumor else record.event_type,
            record.timestamp,
            bool(candidate.newer or (by and by not in hidden)),
            name_words(people),
            later is not None and bool(deeds_of_type(later.event_type) & FULFILMENTS),
        )

    def _narrator(self) -> Narrator:
        player = names_of_player(self._records.in_slot(PLAYER_NAME_SLOT))
        return Narrator(player, name_words([self._records.npc_id]))


def _table_of(condition: str, statements: Sequence[Account]) -> ConditionWords | None:
    """The table of a condition's language, or else of the memories': it may be too short to tell."""
    return condition_words(condition) or condition_words(" ".join(one.text for one in statements[:_TELLING]))


def sureness_of(rows: Sequence[Sequence[float]]) -> float:
    """Return the sureness of the best clause; `rows` are those of `evidence()`."""
    return _logistic(rows, WEIGHTS, BIAS) if rows else 0.0


def _logistic(rows: Sequence[Sequence[float]], weights: Mapping[str, float], bias: float) -> float:
    score = max(sum(map(operator.mul, weights.values(), row)) for row in rows) + bias
    return min(_SUREST, 1.0 / (1.0 + math.exp(-score)))


def _rumor(record: Record) -> Mapping[str, Any]:
    """The metadata of a rumor; empty for any other memory."""
    return mapping_in(record.extra) if record.event_type == RUMOR_HEARD else {}


def _confidence(record: Record) -> float:
    """How much the NPC believes a memory: 1 unless it is a rumor, or was overheard."""
    is_heard = record.event_type in (RUMOR_HEARD, OVERHEARD)
    confidence = mapping_in(record.extra).get("confidence", 1.0) if is_heard else 1.0
    return float(confidence) if isinstance(confidence, int | float) else 1.0


def _by_similarity(statements: Sequence[Account], even: float) -> float:
    """Return the sureness by similarity alone: half at `even`, and less below it."""
    highest = max(statement.similarity for statement in statements)
    if highest < even:
        return 0.5 * max(0.0, highest) / even
    return min(_SUREST, 0.5 + 0.5 * (highest - even) / (1.0 - even))
