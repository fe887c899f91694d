"""The memories that a new memory replaces or supersedes.

A slot holds one current value, so the old one goes. A supersession keeps the old memory and says what came
after it: that a promise was given stays true when it was broken. Which promise it was is decided by its
subject: who gave it, and the matter in the words or in the meaning of both memories.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.record import Record
from rag_memory.memory.subject import Subject, subject_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.participants import Narrator
from rag_memory.text.terms import STOP_WORDS, words
from rag_memory.validation import mapping_in, to_json

_CLOSE = 0.5
"""The least closeness of a memory and the one that it supersedes."""
_CLOSE_IN_WORDS = 0.3
"""The same where nothing but the words can be compared."""
_SAME_COMPANY = 0.2
"""So much closer is a memory that concerns the same third person; that alone makes it no matter."""
_EQUALLY_CLOSE = 1e-6
_MOST_READ = 256
"""Memories whose subjects are read for one new memory."""
_OF_A_PERSON = frozenset({"trust_gained", "alliance_formed"})
"""Event types without a matter: they hold between two people, or a person and a group."""
_OF_MONEY = lazy_pattern(r"^(?:own_)?(?:debt|loan)(?:_|$)")
_LEFT = frozenset(map(base_term, ("left", "remain", "remains", "still", "outstanding")))
_PART = frozenset(map(base_term, ("half", "part", "some", "partly", "instalment", "third", "quarter")))
_REST = frozenset(map(base_term, ("rest", "remainder", "whole", "entire", "everything", "last", "all")))
_NO_MATTER = frozenset(
    map(
        base_term,
        (
            *("promise", "vow", "oath", "pledge", "swear", "word", "keep", "fulfil", "fulfill", "honour"),
            *("break", "fail", "never", "done", "finish", "complete", "cancel", "give", "get", "do", "make"),
            *("agree", "come", "owe", "pay", "repay", "debt", "back", "return", "settle", "plan", "want"),
            *("intend", "task", "ask", "tell", "say", "shall", "also", "too", "now", "again", "finally"),
            *("last", "any", "whole", "rest", "all", "honor", "broken"),
        ),
    )
)
"""Terms that say what kind of event it was, but not which one."""


class Conflicts(NamedTuple):
    """The memories that a new one replaces, and those that it supersedes."""

    replaced: list[Record]
    superseded: list[Record]


class Stored(NamedTuple):
    """A new record, as it was written."""

    id: str
    superseded: list[str]
    """The ids of the memories that it has retired: superseded, or archived as an earlier value."""


class StoredMemories(Protocol):
    """The stored memories, as a conflict rule reads them."""

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""

    def get(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""

    def of_info(self, npc: int, info_type: str) -> list[Record]:
        """Every memory with this info_type, in the order in which they were stored."""

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The memories of an event type that nothing has superseded, dated `until` or earlier."""

    def event_types(self, npc: int) -> Sequence[str]:
        """The event types of the NPC's memories."""

    def narrator(self, npc: int) -> Narrator:
        """The names of the NPC and of the player."""

    def similarities(self, record: Record, others: Sequence[Record]) -> list[float]:
        """The cosine of a stored memory and each of the others; 0 for one without a vector."""


ConflictRule = Callable[[StoredMemories, int, Record], Conflicts]
"""Finds the conflicts of a stored record of an NPC, by its number."""


def settled_by(record: Record) -> list[str] | None:
    """The ids of the memories that a debt or a payment ends, when rules have read it out of talk, and so
    reckoned with what was open; else None.
    """
    fact = mapping_in(record.extra).get("fact")
    settled = fact.get("settles") if isinstance(fact, Mapping) else None
    return [str(id) for id in settled] if isinstance(settled, list) else None


def slot_conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
    """Everything else in the record's slot is replaced."""
    others = [old for old in memories.in_slot(npc, record.slot_type) if old.key != record.key]
    return Conflicts(others, [])


def value_conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
    """The values of the record's slot for the same person or thing are replaced."""
    reader = _Reader(memories, npc)
    subject = reader.subject(record)
    return Conflicts(
        [
            old
            for old in memories.in_slot(npc, record.slot_type)
            if old.key != record.key and not subject.is_of_another(reader.subject(old))
        ],
        [],
    )


def former_info(memories: StoredMemories, npc: int, record: Record) -> Record | None:
    """The memory with the record's piece of information about the same player, which is to be updated."""
    if not record.is_player_info:
        return None
    reader = _Reader(memories, npc)
    subject = reader.subject(record)
    return next(
        (
            old
            for old in reversed(memories.of_info(npc, record.info_type))
            if old.is_player_info and not subject.is_of_another(reader.subject(old))
        ),
        None,
    )


def is_same_subject(memories: StoredMemories, npc: int, record: Record, other: Record) -> bool:
    """Return True unless two values are certainly about two people or things."""
    reader = _Reader(memories, npc)
    return not reader.subject(record).is_of_another(reader.subject(other))


def conflict_rule(config: MemoryConfig) -> ConflictRule:
    """Return the rule for every memory that is stored.

    Of a slot, or an `info_type`, the earlier values of the same person are retired: replaced in the slots of
    `config.slot_types`, superseded otherwise. An event type that ends another one supersedes the closest
    memory of it, see `_closest()`. A memory that was superseded before keeps the mark it has, and one that is
    dated later than the new memory is not superseded by it.
    """

    def conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        settled = settled_by(record)
        if settled is not None:
            debts = (memories.get(npc, id) for id in settled)
            return Conflicts([], [old for old in debts if old is not None and not old.superseded_by])
        may_end = config.may_end(record.event_type)
        if record.superseded_by or not (record.slot_type or record.info_type or may_end):
            return Conflicts([], [])
        reader = _Reader(memories, npc, config)
        values = _same_value(reader, record)
        if record.slot_type and config.is_slot_type(record.slot_type):
            return Conflicts(values, [])
        ended = config.ended_by(record.event_type, memories.event_types(npc)) if may_end else []
        closest = [old for event_type in ended for old in _closest(reader, record, event_type)]
        return Conflicts([], list({old.key: old for old in [*values, *closest]}.values()))

    return conflicts


class _Reader:
    """Reads the subjects of memories of one NPC."""

    def __init__(self, memories: StoredMemories, npc: int, config: MemoryConfig | None = None) -> None:
        self.memories = memories
        self.npc = npc
        self._narrator = memories.narrator(npc)
        player = "player" if config is None else config.sentence("the_player")
        self._player = frozenset(words(player)) - {"the"}

    def subject(self, record: Record) -> Subject:
        return subject_of(record, self._narrator, self._player)


def _same_value(reader: _Reader, record: Record) -> list[Record]:
    """The earlier values of the record's slot, and of its info_type, for the same person or thing."""
    olds = reader.memories.in_slot(reader.npc, record.slot_type) if record.slot_type else []
    if record.info_type:
        olds = olds + reader.memories.of_info(reader.npc, record.info_type)
    subject = reader.subject(record)
    return [
        old
        for old in olds
        if old.key != record.key
        and not old.superseded_by
        and old.timestamp <= record.timestamp
        and not subject.is_of_another(reader.subject(old))
    ]


def _closest(reader: _Reader, record: Record, event_type: str) -> list[Record]:
    """The memory of an event type that a new one ends: of the same person, and closest in words and meaning.
    There is none if none is close enough. Memories that say the same are one.

    A new memory that names no matter ("The player broke a promise.") ends the only one there is.
    """
    new = reader.subject(record)
    valid = reader.memories.valid_of_event(reader.npc, event_type, record.timestamp)
    valid = _likely(reader, record, new, [old for old in valid if old.key != record.key])
    candidates = [_Candidate(old, reader.subject(old)) for old in valid]
    candidates = [old for old in candidates if _may_end(new, old.subject, event_type)]
    own = [old for old in candidates if not new.person.differs(old.subject.person)]
    candidates = own or candidates
    if event_type in _OF_A_PERSON:
        return [old.record for old in own if not _are_apart(new.people, old.subject.people)]
    if by_id := [old.record for old in candidates if _shares_id(new, old.subject)]:
        return by_id
    closest = _closest_of(reader, record, new, candidates, event_type)
    if closest and _OF_MONEY.search(event_type):
        return [old.record for old in closest if _is_settled(reader, record, new, old)]
    return [old.record for old in closest]


def _likely(reader: _Reader, record: Record, new: Subject, olds: list[Record]) -> list[Record]:
    """Of very many memories those that a new one may end, by their words, meaning, participants and ids: to
    read the subject of each would take seconds.
    """
    if len(olds) <= _MOST_READ:
        return olds
    wanted, terms = _terms(record.document_full), [_terms(old.document_full) for old in olds]
    weights = _weights(terms)
    most = max(weights.values(), default=1.0)
    ids = [f'"{name}":{to_json(value)}' for name, value in new.ids.items()]
    similarities = reader.memories.similarities(record, olds)
    closeness = [
        _overlap(wanted, of_old, weights, most)
        + similarity
        + (old.participants == record.participants)
        + 3.0 * any(id in old.extra for id in ids)
        for old, of_old, similarity in zip(olds, terms, similarities, strict=True)
    ]
    best = sorted(range(len(olds)), key=lambda place: closeness[place], reverse=True)[:_MOST_READ]
    return [olds[place] for place in sorted(best)]


@functools.lru_cache(8192)
def _terms(text: str) -> frozenset[str]:
    return frozenset(base_term(word) for word in words(text) if word not in STOP_WORDS)


class _Candidate(NamedTuple):
    """A memory that a new one may end."""

    record: Record
    subject: Subject


def _closest_of(
    reader: _Reader, record: Record, new: Subject, candidates: Sequence[_Candidate], event_type: str
) -> list[_Candidate]:
    company = new.company.union(*(old.subject.company for old in candidates))
    matter = _matter(new, record, event_type) - company
    matters = [_matter(old.subject, record, event_type) - company for old in candidates]
    if _OF_MONEY.search(event_type) and len(candidates) > 1 and new.amount is not None:
        exact = [old for old in candidates if old.subject.amount == new.amount]
        if len(exact) == 1 and not any(matter & other for other in matters):
            return exact
    if not matter or not candidates:
        return list(candidates) if len(candidates) == 1 else []
    similarities = reader.memories.similarities(record, [old.record for old in candidates])
    weights = _weights(matters)
    most = max(weights.values(), default=1.0)
    scores = [
        _overlap(matter, other, weights, most) + (similarity if new.is_english else 0.0)
        for other, similarity in zip(matters, similarities, strict=True)
    ]
    best = max(
        range(len(scores)),
        key=lambda place: (
            scores[place] + _SAME_COMPANY * bool(new.company & candidates[place].subject.company),
            candidates[place].record.timestamp,
        ),
    )
    least = _CLOSE if new.is_english and any(similarities) else _CLOSE_IN_WORDS
    if scores[best] < least:
        return []
    return [
        old
        for old, other, score in zip(candidates, matters, scores, strict=True)
        if other == matters[best] and score >= scores[best] - _EQUALLY_CLOSE
    ]


def _is_settled(reader: _Reader, record: Record, new: Subject, debt: _Candidate) -> bool:
    """Return True unless a part of a debt is left after a payment. What cannot be computed stays open."""
    if new.terms & _LEFT:
        return False
    owed, paid = debt.subject.amount, new.amount
    if paid is None or owed is None or new.terms & _REST:
        return not new.terms & _PART or bool(new.terms & _REST)
    others = _payments(reader, debt, new, record.event_type, record.timestamp)
    return paid + sum(amount for old, amount in others if old.key != record.key) >= owed


def left_of(memories: StoredMemories, npc: int, config: MemoryConfig, debt: Record) -> float | None:
    """Return what payments have left of a debt that none of them has ended; None when nobody can say."""
    reader = _Reader(memories, npc, config)
    candidate = _Candidate(debt, reader.subject(debt))
    if candidate.subject.amount is None:
        return None
    paid = sum(
        amount
        for event_type in memories.event_types(npc)
        if debt.event_type in config.ended_by(event_type, [debt.event_type])
        for payment, amount in _payments(reader, candidate, candidate.subject, event_type, math.inf)
        if settled_by(payment) is None
    )
    return max(candidate.subject.amount - paid, 0.0)


def _payments(
    reader: _Reader, debt: _Candidate, payer: Subject, event_type: str, until: float
) -> Iterator[tuple[Record, float]]:
    """The payments of an event type that may be for a debt, each with its amount."""
    for record in reader.memories.valid_of_event(reader.npc, event_type, until):
        payment = reader.subject(record)
        if record.timestamp < debt.record.timestamp or payment.amount is None:
            continue
        matter = _matter(debt.subject, record, debt.record.event_type)
        about = _matter(payment, record, debt.record.event_type)
        if not payment.person.differs(payer.person) and (about & matter or not about):
            yield record, payment.amount


def stored_subject(memories: StoredMemories, npc: int, config: MemoryConfig, record: Record) -> Subject:
    """Return the subject of a stored memory."""
    return _Reader(memories, npc, config).subject(record)


def _may_end(new: Subject, old: Subject, event_type: str) -> bool:
    """Return True unless another person did it, it concerns somebody else, or the game says it is another."""
    if new.person.differs(old.person) and (old.person.is_npc or not new.person.is_npc):
        return False
    if any(name in old.ids and old.ids[name] != value for name, value in new.ids.items()):
        return False
    if any(
        thing == other_thing and owner != other_owner and thing not in _NO_MATTER
        for thing, owner in new.owners
        for other_thing, other_owner in old.owners
    ):
        return False
    if not _OF_MONEY.search(event_type) or not new.receivers:
        return True
    return bool(new.receivers & old.receivers) if old.receivers else new.receivers <= old.everybody


def _shares_id(new: Subject, old: Subject) -> bool:
    return any(old.ids.get(name) == value for name, value in new.ids.items())


def _are_apart(names: frozenset[str], others: frozenset[str]) -> bool:
    return bool(names and others) and not (names <= others or others <= names)


def _matter(subject: Subject, record: Record, event_type: str) -> frozenset[str]:
    kind = {base_term(word) for word in words(f"{event_type} {record.event_type}".replace("_", " "))}
    units = subject.units if _OF_MONEY.search(event_type) else frozenset[str]()
    return subject.terms - _NO_MATTER - kind - units


def _weights(matters: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """What each term tells: less, the more of the candidates have it."""
    counts = Counter(term for matter in matters for term in matter)
    return {term: math.log(1 + len(matters) / count) for term, count in counts.items()}


def _overlap(
    matter: frozenset[str], other: frozenset[str], weights: Mapping[str, float], most: float
) -> float:
    """The share of two matters' terms that both have, 0 to 1. `most`: what a term tells that is in none."""
    shared = sum(weights.get(term, most) for term in matter & other)
    sizes = [sum(weights.get(term, most) for term in terms) for terms in (matter, other)]
    return shared / math.sqrt(sizes[0] * sizes[1]) if all(sizes) else 0.0
