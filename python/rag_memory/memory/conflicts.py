"""The memories that a new memory replaces or supersedes.

A slot holds one current value, so the old one goes. A supersession keeps the old memory and says what came
after it: that a promise was given stays true when it was broken. Which promise it was is decided by its
subject: who gave it, and the matter in the words or in the meaning of both memories.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record
from rag_memory.memory.subject import Subject, subject_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.participants import NPC, PLAYER, Narrator
from rag_memory.text.terms import words
from rag_memory.validation import mapping_in

_CLOSE = 0.5
"""The least closeness of a memory and the one that it supersedes."""
_SIMILARITY_WEIGHT = 1.0
_EQUALLY_CLOSE = 1e-6
_OF_A_PERSON = frozenset({"trust_gained", "alliance_formed"})
"""Event types without a matter: they hold between two people, or a person and a group."""
_OF_MONEY = frozenset({"debt", "own_debt"})
_NO_MATTER = frozenset(
    base_term(word)
    for word in (
        "promise vow oath pledge swear word keep fulfil fulfill honour honor break broken fail never done "
        "finish complete cancel give get do make agree owe pay repay debt back return settle plan want "
        "intend task ask tell say shall also too now again finally last any whole rest all"
    ).split()
)
"""Terms that say what kind of event it was, but not which one."""


class Conflicts(NamedTuple):
    """The memories that a new one replaces, and those that it supersedes."""

    replaced: list[Record]
    superseded: list[Record]


class StoredMemories(Protocol):
    """The stored memories, as a conflict rule reads them."""

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""

    def of_info(self, npc: int, info_type: str) -> list[Record]:
        """Every memory with this info_type, in the order in which they were stored."""

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The memories of an event type that nothing has superseded, dated `until` or earlier."""

    def narrator(self, npc: int) -> Narrator:
        """The names of the NPC and of the player."""

    def similarities(self, record: Record, others: Sequence[Record]) -> list[float]:
        """The cosine of a stored memory and each of the others; 0 for one without a vector."""


ConflictRule = Callable[[StoredMemories, int, Record], Conflicts]
"""Finds the conflicts of a stored record of an NPC, by its number."""


def slot_conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
    """Everything else in the record's slot is replaced."""
    others = [old for old in memories.in_slot(npc, record.slot_type) if old.key != record.key]
    return Conflicts(others, [])


def conflict_rule(config: MemoryConfig) -> ConflictRule:
    """Return the rule for every memory that is stored.

    Of a slot, or an `info_type`, the earlier values of the same person are retired: replaced in the slots of
    `config.slot_types`, superseded otherwise. An event type that ends another one supersedes the closest
    memory of it, see `_closest()`. A memory that was superseded before keeps the mark it has, and one that is
    dated later than the new memory is not superseded by it.
    """

    def conflicts(memories: StoredMemories, npc: int, record: Record) -> Conflicts:
        ended = config.ended_by(record.event_type)
        if record.superseded_by or not (record.slot_type or record.info_type or ended):
            return Conflicts([], [])
        reader = _Reader(config, memories, npc)
        values = _same_value(reader, record)
        if record.slot_type and config.is_slot_type(record.slot_type):
            return Conflicts(values, [])
        closest = [old for event_type in ended for old in _closest(reader, record, event_type)]
        return Conflicts([], list({old.key: old for old in [*values, *closest]}.values()))

    return conflicts


class _Reader:
    """Reads the subjects of memories of one NPC."""

    def __init__(self, config: MemoryConfig, memories: StoredMemories, npc: int) -> None:
        self.memories = memories
        self.npc = npc
        self._narrator = memories.narrator(npc)
        self._player = frozenset(words(config.sentence("the_player"))) - {"the"}

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
    candidates = [(old, reader.subject(old)) for old in valid if old.key != record.key]
    candidates = [(old, subject) for old, subject in candidates if _may_end(new, subject, event_type)]
    own = [pair for pair in candidates if not new.person.differs(pair[1].person)]
    candidates = own or candidates
    if event_type in _OF_A_PERSON:
        return [old for old, subject in own if not _are_apart(new.people, subject.people)]
    by_id = [old for old, subject in candidates if _shares_id(new, subject)]
    if by_id or not candidates:
        return by_id
    matter = _matter(new, record, event_type)
    matters = [_matter(subject, record, event_type) for _old, subject in candidates]
    if not matter:
        return [candidates[0][0]] if len(candidates) == 1 else []
    similarities = reader.memories.similarities(record, [old for old, _subject in candidates])
    weights = _weights(matters)
    scores = [
        _overlap(matter, other, weights) + _SIMILARITY_WEIGHT * similarity
        for other, similarity in zip(matters, similarities, strict=True)
    ]
    best = max(range(len(scores)), key=lambda place: (scores[place], candidates[place][0].timestamp))
    if scores[best] < _CLOSE:
        return []
    return [
        old
        for (old, _subject), other, score in zip(candidates, matters, scores, strict=True)
        if other == matters[best] and score >= scores[best] - _EQUALLY_CLOSE
    ]


def _may_end(new: Subject, old: Subject, event_type: str) -> bool:
    """Return True unless another person did it, it concerns somebody else, or the game says it is another."""
    if new.person.differs(old.person) and (old.person.is_npc or not new.person.is_npc):
        return False
    if any(name in old.ids and old.ids[name] != value for name, value in new.ids.items()):
        return False
    if any(
        thing == other_thing and owner != other_owner
        for thing, owner in new.owners
        for other_thing, other_owner in old.owners
        if base_term(thing) not in _NO_MATTER
    ):
        return False
    payees = {who.lstrip("@") for who in new.receivers if who not in (NPC, PLAYER)} - new.person.names
    return not (event_type in _OF_MONEY and NPC not in new.receivers and payees - old.people)


def _shares_id(new: Subject, old: Subject) -> bool:
    return any(old.ids.get(name) == value for name, value in new.ids.items())


def _are_apart(names: frozenset[str], others: frozenset[str]) -> bool:
    return bool(names and others) and not (names <= others or others <= names)


def _matter(subject: Subject, record: Record, event_type: str) -> frozenset[str]:
    kind = {base_term(word) for word in words(f"{event_type} {record.event_type}".replace("_", " "))}
    return subject.terms - _NO_MATTER - kind - {"player"}


def _weights(matters: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """What each term tells: less, the more of the candidates have it."""
    counts = Counter(term for matter in matters for term in matter)
    return {term: math.log(1 + len(matters) / count) for term, count in counts.items()}


def _overlap(matter: frozenset[str], other: frozenset[str], weights: Mapping[str, float]) -> float:
    """The share of two matters' terms that both have, 0 to 1."""
    most = max(weights.values(), default=1.0)
    shared = sum(weights.get(term, most) for term in matter & other)
    sizes = [sum(weights.get(term, most) for term in terms) for terms in (matter, other)]
    return shared / math.sqrt(sizes[0] * sizes[1]) if all(sizes) else 0.0
