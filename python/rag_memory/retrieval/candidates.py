"""The candidates for an answer, and their order.

Candidates are collected by what they are and how relevant they are; only then are they scored. The two steps
stay apart: a product of importance, tier and age must never decide what is a candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, MemoryConfig, ScoreMode
from rag_memory.index.columns import Columns
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.memory_view import dated, described
from rag_memory.memory.record import HEADER_SLOT, Record
from rag_memory.retrieval.relevance import Favour, Match, Relevance, addable_relevance
from rag_memory.retrieval.scoring import Factors, factors, score, stream_favour
from rag_memory.storage.protocol import Storage
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.questions import ends_with_question
from rag_memory.vectors import Mask

_SPARE_FOR_REPETITIONS = 8
_QUESTION_ODDS = 0.14
"""e^-2: a memory that ends with a question rarely is an answer. bench/fit_ranking.py fits e^-3.7 on games and
talks; they have few such memories that are wanted, so less is taken.
"""
_Item = TypeVar("_Item")
DedupKey = tuple[str, ...]
_UNSCORED = Factors(0.0, 0.0, 0.0, 0.0, 0.0)


class Candidate:
    """A memory that may be returned: its record, how well it matches, its score, and the form it is rendered
    in.
    """

    __slots__ = (
        "duplicates",
        "factors",
        "last_accessed",
        "match",
        "protected",
        "record",
        "rendered_text",
        "score",
        "used_form",
    )

    def __init__(
        self,
        record: Record,
        match: Match,
        of: Factors,
        score: float,
        protected: bool,
        last_accessed: float = 0.0,
    ) -> None:
        """`last_accessed`: before this question."""
        self.record = record
        self.last_accessed = last_accessed
        self.match = match
        self.factors = of
        self.score = score
        self.protected = protected
        self.rendered_text = ""
        self.used_form = ""
        self.duplicates: list[Candidate] = []
        """Candidates that say the same in nearly the same words, and came later in the order."""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.record.id

    @property
    def document_full(self) -> str:
        """The full text."""
        return self.record.document_full

    @property
    def document_short(self) -> str:
        """The short form."""
        return self.record.document_short

    @property
    def similarity(self) -> float:
        """Cosine of question and memory, 0..1."""
        return self.match.similarity

    def as_dictionary(self, npc_id: str, config: MemoryConfig) -> dict[str, Any]:
        """The retrieved memory as callers get it; with `duplicates` only when it has some."""
        similarity = self.match.similarity
        memory = described(self.record, npc_id, config)
        memory["metadata"]["last_accessed"] = self.last_accessed
        memory["rendered_text"] = dated(config, self.record, self.rendered_text)
        memory["used_form"] = self.used_form
        memory["similarity"] = similarity
        memory["distance"] = 1.0 - similarity
        memory["score"] = self.score
        memory["protected"] = self.protected
        tier_weight, importance, recency, relevance, supersession = self.factors
        memory["breakdown"] = {
            "tier_weight": tier_weight,
            "importance": importance,
            "recency": recency,
            "relevance": relevance,
            "supersession": supersession,
            **self.match.parts,
        }
        if self.duplicates:
            memory["duplicates"] = [duplicate.id for duplicate in self.duplicates]
        return memory


class TierLimits(NamedTuple):
    """The most memories of each tier in a tiered answer."""

    pinned: int
    important: int
    relevant: int
    least_importance: int
    """Of the relevant ones."""

    @classmethod
    def configured(cls, config: MemoryConfig) -> TierLimits:
        """Return the limits of a config."""
        return cls(
            config.max_pinned_memories,
            config.max_important_memories,
            config.max_regular_memories,
            config.min_semantic_importance,
        )


class CandidateRanker:
    """Collects, scores and orders the candidates for one question to one NPC."""

    def __init__(
        self,
        config: MemoryConfig,
        store: Storage,
        columns: Columns,
        relevance: Relevance,
        now: float,
        is_left_out: Callable[[Record], bool],
        last_accessed: Callable[[Record], float],
    ) -> None:
        """`is_left_out`: whether a memory answers nothing, because a later one holds its slot or it is only a
        question of the player. `last_accessed`: when it last entered an answer.
        """
        self._last_accessed = last_accessed
        self._is_left_out = is_left_out
        self._config = config
        self._store = store
        self._columns = columns
        self._relevance = relevance
        self._now = now

    def by_score(self, protected: Sequence[Record]) -> list[Candidate]:
        """Protected ones first, then the others by score; of near-duplicates only the best scored one."""
        config = self._config
        matches: dict[int, Match] = {}
        records: dict[int, Record] = {}
        if config.use_bounded_collection:
            least = self._columns.importances >= config.min_semantic_importance
            for match, record in self._first_different(
                lambda count: self._with_records(self.collected(count, least)),
                lambda pair: pair[1],
                config.semantic_top_k,
            ):
                if match.is_relevant or config.score_mode == ScoreMode.STREAM:
                    matches[match.key] = match
                    records[match.key] = record
            others = self._high_signal()
        else:
            others = self._columns.keys.tolist()
        others += [record.key for record in protected if record.key >= 0]
        self._add([key for key in dict.fromkeys(others) if key not in matches], matches, records)
        protected_candidates = self._protected(protected, matches)
        taken = {candidate.record.key for candidate in protected_candidates}
        scored = [
            self._scored(record, matches[key], False)
            for key, record in records.items()
            if key not in taken and not self._is_left_out(record)
        ]
        scored.sort(key=by_score)
        return distinct([*protected_candidates, *scored])

    def by_tier(
        self, protected: Sequence[Record], limits: TierLimits, allowed: Mask | None = None
    ) -> list[list[Candidate]]:
        """Return protected, PINNED, IMPORTANT and relevant candidates, each up to its limit. The candidates
        of one list say other things than those of the lists before, and have their repetitions beside them.

        Args:
            protected: what comes first, whatever is allowed.
            allowed: None for all.
        """
        tiers = [self.by_protection(protected)]
        texts = {dedup_key(candidate.document_full) for candidate in tiers[0]}
        free = np.ones(len(self._columns), dtype=np.bool_) if allowed is None else allowed
        free = free & ~self._columns.contains(_key_array(candidate.record.key for candidate in tiers[0]))
        # The protected ones of a tier take their places in it; the generated header has no tier.
        places = Counter(candidate.record.memory_tier for candidate in tiers[0] if candidate.record.key >= 0)
        for tier, limit in ((TIER_PINNED, limits.pinned), (TIER_IMPORTANT, limits.important)):
            left = max(0, limit - places[tier])
            tiers.append(self._in_tier(left, free & (self._columns.tiers == tier), texts))
            texts.update(dedup_key(candidate.document_full) for candidate in tiers[-1])
            free &= ~self._columns.contains(_key_array(candidate.record.key for candidate in tiers[-1]))
        free &= self._columns.importances >= limits.least_importance
        return [*tiers, self._most_relevant(max(0, limits.relevant - places[TIER_REGULAR]), free, texts)]

    def by_relevance(self, limit: int, allowed: Mask) -> list[Candidate]:
        """The most relevant of the allowed memories, by relevance alone."""
        matches = self._with_records(self._relevance.search(limit, allowed))
        return [self._scored(record, match, False) for match, record in matches]

    def candidate_for(self, record: Record) -> Candidate:
        """One stored memory as a candidate."""
        return self._scored(record, self._relevance.measure([record.key])[0], False)

    def _in_tier(self, limit: int, free: Mask, texts: Set[DedupKey]) -> list[Candidate]:
        """The best of a tier: by score, or with use_score_based_selection off by importance."""
        if not self._config.use_score_based_selection:
            return self._first_different(
                lambda count: self._measured(self._most_important(free, count)), _record_of, limit, texts
            )
        measured = self._measured(self._columns.keys[free].tolist()) if limit else []
        measured.sort(key=by_score)
        return self._first_different(lambda count: measured[:count], _record_of, limit, texts)

    def _most_relevant(self, limit: int, free: Mask, texts: Set[DedupKey]) -> list[Candidate]:
        """The most relevant: by score, or with use_score_based_selection off by relevance."""
        candidates = self._first_different(
            lambda count: self.by_relevance(count, free), _record_of, limit, texts
        )
        if self._config.use_score_based_selection:
            candidates.sort(key=by_score)
        return candidates

    def _first_different(
        self,
        find: Callable[[int], Sequence[_Item]],
        record_of: Callable[[_Item], Record],
        limit: int,
        others: Set[DedupKey] = frozenset(),
    ) -> list[_Item]:
        """The first of what is found, until `limit` of them say different things, none of which is in
        `known`; with the repetitions among them, and without those that are left out.

        Args:
            find: returns the first `count` of what there is, or all of it.
        """
        count = limit + _SPARE_FOR_REPETITIONS
        while limit:
            items = find(count)
            texts: set[DedupKey] = set()
            taken: list[_Item] = []
            for item in items:
                if self._is_left_out(record_of(item)):
                    continue
                text = dedup_key(record_of(item).document_full)
                if text not in others and text not in texts:
                    if len(texts) == limit:
                        break
                    texts.add(text)
                taken.append(item)
            if len(texts) == limit or len(items) < count:
                return taken
            count *= 2
        return []

    def collected(self, count: int, allowed: Mask) -> list[Match]:
        """The allowed memories that become candidates for how they match, best first: the most relevant, or
        with STREAM those with the best sum of all that counts.
        """
        return self._relevance.search(count, allowed, self._favour())

    def _favour(self) -> Favour | None:
        config, columns = self._config, self._columns
        if config.score_mode != ScoreMode.STREAM:
            return None
        return stream_favour(config, self._now, columns.last_accessed, columns.importances)

    def _with_records(self, matches: Sequence[Match]) -> list[tuple[Match, Record]]:
        records = {
            record.key: record for record in self._store.records.by_keys([match.key for match in matches])
        }
        return [(match, records[match.key]) for match in matches]

    def _high_signal(self) -> list[int]:
        config = self._config
        oldest = self._now - config.high_signal_recency_days * SECONDS_PER_DAY
        newest = self._columns.newest_of(config.high_signal_event_types, config.high_signal_limit)
        return [key for timestamp, key in newest if timestamp >= oldest]

    def _most_important(self, mask: Mask, limit: int) -> list[int]:
        positions = np.flatnonzero(mask)
        columns = self._columns
        order = np.lexsort(
            (-positions, -columns.timestamps[positions], -columns.importances[positions].astype(np.int64))
        )
        return [int(key) for key in columns.keys[positions[order[:limit]]]]

    def _add(self, keys: Sequence[int], matches: dict[int, Match], records: dict[int, Record]) -> None:
        matches.update((match.key, match) for match in self._relevance.measure(keys))
        records.update((record.key, record) for record in self._store.records.by_keys(keys))

    def _measured(self, keys: Sequence[int]) -> list[Candidate]:
        matches: dict[int, Match] = {}
        records: dict[int, Record] = {}
        self._add(keys, matches, records)
        return [self._scored(records[key], matches[key], False) for key in keys]

    def by_protection(self, records: Sequence[Record]) -> list[Candidate]:
        """Protected memories, in their order; the generated header has no score."""
        measured = self._relevance.measure([record.key for record in records if record.key >= 0])
        return self._protected(records, {match.key: match for match in measured})

    def _protected(self, records: Sequence[Record], matches: Mapping[int, Match]) -> list[Candidate]:
        return [
            self._scored(record, matches[record.key], True)
            if record.key >= 0
            else Candidate(record, Match(-1, 0.0, 0.0, {"dense": 0.0}), _UNSCORED, 0.0, True)
            for record in records
        ]

    def _scored(self, record: Record, match: Match, protected: bool) -> Candidate:
        last_accessed = self._last_accessed(record)
        relevance = scored_relevance(self._config, match, record.document_full)
        of = factors(
            self._config,
            self._now,
            record.memory_tier,
            record.importance,
            record.timestamp,
            last_accessed,
            record.superseded_by != "",
            relevance,
        )
        return Candidate(record, match, of, score(self._config, of), protected, last_accessed)


def scored_relevance(config: MemoryConfig, match: Match, text: str) -> float:
    """Return what a memory's relevance counts in its score, before its floor."""
    relevance = match.relevance
    if config.score_mode == ScoreMode.PRODUCT:
        relevance = match.similarity
    elif config.score_mode == ScoreMode.STREAM:
        relevance = addable_relevance(match)
    return _QUESTION_ODDS * relevance if ends_with_question(text) else relevance


def _record_of(candidate: Candidate) -> Record:
    return candidate.record


def protected_slots(config: MemoryConfig) -> list[str]:
    """The slots whose current value is always returned, in the order they are returned; without the
    header's, and without "", which is no slot.
    """
    return [slot_type for slot_type in config.protected_slot_types if slot_type not in ("", HEADER_SLOT)]


def by_score(candidate: Candidate) -> tuple[float, float, str]:
    """Return the sort key of candidates: the best score first, the newest of equal ones."""
    return (-candidate.score, -candidate.record.timestamp, candidate.record.id)


def distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Remove near-duplicates of earlier, better candidates, which list them. Protected candidates stay."""
    best_of: dict[tuple[str, ...], Candidate] = {}
    best: list[Candidate] = []
    keys: set[int] = set()
    for candidate in candidates:
        if candidate.record.key in keys:
            continue
        keys.add(candidate.record.key)
        better = best_of.setdefault(dedup_key(candidate.document_full), candidate)
        if better is candidate or candidate.protected:
            best.append(candidate)
        else:
            better.duplicates += [candidate, *candidate.duplicates]
            candidate.duplicates = []
    return best


def _key_array(keys: Iterable[int]) -> NDArray[np.int64]:
    return np.array(sorted(key for key in keys if key >= 0), dtype=np.int64)
