"""The candidates for an answer, and their order.

Candidates are collected by what they are and how relevant they are; only then are they scored. The two steps
stay apart: a product of importance, tier and age must never decide what is a candidate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeVar

import numpy as np

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, MemoryConfig, ScoreMode
from rag_memory.index.columns import Columns
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.record import HEADER_SLOT, Record
from rag_memory.retrieval.already_told import AlreadyTold
from rag_memory.retrieval.candidate import Candidate, distinct
from rag_memory.retrieval.changes import Changes, Pair
from rag_memory.retrieval.hybrid_relevance import rank_together
from rag_memory.retrieval.relevance import Favour, Match, Relevance
from rag_memory.retrieval.scoring import Factors, Rated, scored_relevances, scores, stream_favour
from rag_memory.retrieval.shelf import Shelf, shared
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.questions import end_with_question, only_asks
from rag_memory.vectors import Mask, NDArray

_SPARE_FOR_REPETITIONS = 8
_Item = TypeVar("_Item")
DedupKey = tuple[str, ...]
ReadFunction = Callable[[Sequence[int]], list[Record]]
"""Returns the records with these keys, in their order."""
_UNSCORED = Factors(0.0, 0.0, 0.0, 0.0, 0.0)


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


_MANY = 1_000
"""Records of a shelf that are ranked where most of them may be too unimportant."""


class CandidateRanker:
    """Collects, scores and orders the candidates for one question to one NPC."""

    def __init__(
        self,
        config: MemoryConfig,
        read: ReadFunction,
        columns: Columns,
        relevance: Relevance,
        now: float,
        is_outdated: Callable[[Record], bool],
        accesses: Mapping[int, float],
        hidden: Set[int] = frozenset(),
        changes: Changes | None = None,
    ) -> None:
        """`is_outdated` returns True for a memory of a slot that a later one holds. `accesses`: when memories
        last entered an answer, by key, of those whose record does not say so yet. `hidden`: no candidates.
        `changes`: None when the question is not about how things are now.
        """
        self._changes = changes
        self._hidden = frozenset(hidden)
        self._is_outdated = is_outdated
        self._accesses = accesses
        self._questions: set[int] = set()
        """The keys of the memories read that end with a question."""
        self._config = config
        self._read_records = read
        self._columns = columns
        self._relevance = relevance
        self._now = now
        self._shelves: Sequence[Shelf] = ()
        self.already_told = AlreadyTold()
        """What steps back, because whoever listens was told it a moment ago."""

    def hide(self, keys: Set[int]) -> None:
        """Let these memories be no candidates."""
        self._hidden |= frozenset(keys)

    def rank_beside(self, shelves: Sequence[Shelf]) -> None:
        """Let candidates for an answer come from these shelves, too."""
        self._shelves = shelves
        own = (self._relevance, np.ones(len(self._columns), dtype=np.bool_))
        if shelves:
            rank_together([own, *((shelf.ranker.relevance, shelf.visible) for shelf in shelves)])

    @property
    def relevance(self) -> Relevance:
        """The relevance by which memories are compared."""
        return self._relevance

    def with_shared(
        self, candidates: Sequence[Candidate], limit: int, least_importance: int = 0
    ) -> list[Candidate]:
        """Return candidates by relevance with those of the shelves among them, at most `limit`."""
        others = shared(self._shelves, _MANY if least_importance else limit, candidates)
        merged = [*candidates, *(other for other in others if other.record.importance >= least_importance)]
        return sorted(merged, key=lambda candidate: -candidate.match.relevance)[:limit]

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
        scored = self._scored(
            [
                (record, matches[key])
                for key, record in records.items()
                if key not in taken and not self._is_left_out(record)
            ]
        )
        scored += shared(self._shelves, config.semantic_top_k, [*protected_candidates, *scored])
        if config.score_mode != ScoreMode.PRODUCT:
            self.already_told.apply(scored)
        scored.sort(key=by_score)
        if config.score_mode == ScoreMode.BALANCED:
            scored = self.newest_first(scored)
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
        most = max(0, limits.relevant - places[TIER_REGULAR])
        return [*tiers, self._most_relevant(most, free, texts, limits.least_importance)]

    def by_relevance(self, limit: int, allowed: Mask) -> list[Candidate]:
        """The most relevant of the allowed memories, by relevance alone."""
        if self._hidden:
            allowed = allowed & ~self._columns.contains(_key_array(self._hidden))
        matches = self._with_records(self._relevance.search(limit, allowed))
        return self._scored([(record, match) for match, record in matches])

    def candidates_for(self, records: Sequence[Record]) -> list[Candidate]:
        """Stored memories as candidates, in their order."""
        records = self._without_hidden(records)
        self._note_questions(records)
        matches = self._relevance.measure([record.key for record in records])
        return self._scored(list(zip(records, matches, strict=True)))

    def answering(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those of the candidates found here that may be answers: no later memory holds their slot, and they
        are not only a question of the player.
        """
        return [candidate for candidate in candidates if not self._is_left_out(candidate.record)]

    def newest_first(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Put newer memories before the older ones about the same matter, and mark the older ones; see
        changes.py.
        """
        if self._changes is None:
            return list(candidates)
        return self._changes.newest_first(candidates, self._candidates_of)

    def pairs(self, candidates: Sequence[Candidate]) -> list[Pair]:
        """The pairs that `newest_first()` decides about; for bench/fit_changes.py."""
        return [] if self._changes is None else self._changes.pairs(candidates, self._candidates_of)

    def _candidates_of(self, keys: Sequence[int]) -> list[Candidate]:
        candidates = self.candidates_for(self._read_records(keys))
        least = self._config.min_semantic_importance
        return [candidate for candidate in self.answering(candidates) if candidate.record.importance >= least]

    def _in_tier(self, limit: int, free: Mask, texts: Set[DedupKey]) -> list[Candidate]:
        """The best of a tier: by score, or with use_score_based_selection off by importance."""
        if not self._config.use_score_based_selection:
            return self._first_different(
                lambda count: self._measured(self._most_important(free, count)), _record_of, limit, texts
            )
        measured = self._measured(self._columns.keys[free].tolist()) if limit else []
        measured.sort(key=by_score)
        return self._first_different(lambda count: measured[:count], _record_of, limit, texts)

    def _most_relevant(self, limit: int, free: Mask, texts: Set[DedupKey], least: int) -> list[Candidate]:
        """The most relevant: by score, or with use_score_based_selection off by relevance."""
        candidates = self._first_different(
            lambda count: self.by_relevance(count, free), _record_of, limit, texts
        )
        candidates = self.with_shared(candidates, max(limit, len(candidates)), least) if limit else candidates
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
        """The first items, until `limit` of them say different things, none of which is in `others`; with the
        repetitions among them, and without those that are left out.

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
        records = {record.key: record for record in self._read([match.key for match in matches])}
        return [(match, records[match.key]) for match in matches]

    def _read(self, keys: Sequence[int]) -> list[Record]:
        records = self._read_records(keys)
        self._note_questions(records)
        return records

    def _note_questions(self, records: Sequence[Record]) -> None:
        ends = end_with_question(record.document_full for record in records)
        self._questions.update(record.key for record, ends_so in zip(records, ends, strict=True) if ends_so)

    def _without_hidden(self, records: Sequence[Record]) -> Sequence[Record]:
        return [record for record in records if record.key not in self._hidden] if self._hidden else records

    def _is_left_out(self, record: Record) -> bool:
        if record.key in self._hidden or (record.slot_type and self._is_outdated(record)):
            return True
        return record.key in self._questions and only_asks(
            record.document_full, self._config.player_sayings()
        )

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
        records.update((record.key, record) for record in self._read(keys))

    def _measured(self, keys: Sequence[int]) -> list[Candidate]:
        matches: dict[int, Match] = {}
        records: dict[int, Record] = {}
        self._add(keys, matches, records)
        return self._scored([(records[key], matches[key]) for key in keys])

    def by_protection(self, records: Sequence[Record]) -> list[Candidate]:
        """Protected memories, in their order; the generated header has no score."""
        self._note_questions(records)
        measured = self._relevance.measure([record.key for record in records if record.key >= 0])
        return self._protected(records, {match.key: match for match in measured})

    def _protected(self, records: Sequence[Record], matches: Mapping[int, Match]) -> list[Candidate]:
        records = self._without_hidden(records)
        stored = [(record, matches[record.key]) for record in records if record.key >= 0]
        scored = iter(self._scored(stored, True))
        return [
            next(scored)
            if record.key >= 0
            else Candidate(record, Match(-1, 0.0, 0.0, {"dense": 0.0}), _UNSCORED, 0.0, True)
            for record in records
        ]

    def _scored(self, pairs: Sequence[tuple[Record, Match]], protected: bool = False) -> list[Candidate]:
        config = self._config
        matches = [(match, record.key in self._questions) for record, match in pairs]
        rows = [
            Rated(
                record.memory_tier,
                record.importance,
                record.timestamp,
                self._accesses.get(record.key, record.last_accessed),
                record.superseded_by != "",
                relevance,
            )
            for (record, _), relevance in zip(pairs, scored_relevances(config, matches), strict=True)
        ]
        return [
            Candidate(record, match, of, score, protected, row.last_accessed)
            for (record, match), row, (of, score) in zip(
                pairs, rows, scores(config, self._now, rows), strict=True
            )
        ]


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


def _key_array(keys: Iterable[int]) -> NDArray[np.int64]:
    return np.array(sorted(key for key in keys if key >= 0), dtype=np.int64)
