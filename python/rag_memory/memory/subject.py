"""The subject of a memory: who it is about, and the words that say which matter of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import Record
from rag_memory.text import participants as roles
from rag_memory.text.clauses import Clause, clauses_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.gazetteer import name_words
from rag_memory.text.language import looks_english
from rag_memory.text.number_words import CARDINAL, cardinal
from rag_memory.text.participants import Narrator
from rag_memory.text.terms import STOP_WORDS, terms_of, words
from rag_memory.validation import list_in, mapping_in

_NUMBER = re.compile(rf"(?<![\w.,])(?:{CARDINAL})(?!\w)", re.IGNORECASE)
_NO_NAMES = frozenset({roles.NPC, roles.PLAYER, roles.WE, roles.SOMEBODY, roles.UNRESOLVED})
_ID = "_id"
_IDS_OF_PEOPLE = frozenset({"player_id", "npc_id", "other_npc_id", "source_id", "speaker_id", "turn_id"})
_OWN = "own_"
"""The beginning of event types that the NPC does."""


class Person(NamedTuple):
    """Somebody, as far as a memory says who it is. Without names and flags: unknown."""

    names: frozenset[str] = frozenset()
    """Words of the id or name, in lower case."""
    is_player: bool = False
    is_npc: bool = False
    """It is the NPC that remembers."""

    def differs(self, other: Person) -> bool:
        """Return True if two memories are certainly about two people."""
        if not (any(self) and any(other)):
            return False
        if self.is_npc != other.is_npc:
            return True
        if self.names and other.names:
            return not (self.names <= other.names or other.names <= self.names)
        return self.is_player != other.is_player


class Subject(NamedTuple):
    """Who a memory is about, and which of their matters."""

    person: Person
    """Who does or promised it."""
    people: frozenset[str]
    """The words of the names of others that the text mentions."""
    receivers: frozenset[str]
    """To whom something was given or paid: words of names, or roles such as `participants.NPC`."""
    owners: frozenset[tuple[str, str]]
    """Pairs of a thing and whose it is."""
    terms: frozenset[str]
    """What the text says besides."""
    numbers: tuple[int, ...]
    ids: Mapping[str, Any]
    """The game's own ids of the matter, such as `quest_id`."""
    things: frozenset[str]
    """The terms of what the text is about when that is no person: "north" and "gate"."""

    def is_of_another(self, other: Subject) -> bool:
        """Return True if a value of the one says nothing of the other: two people, or two gates."""
        if any(self.person) or any(other.person):
            return self.person.differs(other.person)
        shared = self.things & other.things
        return bool(shared and self.things - shared and other.things - shared)


def subject_of(record: Record, narrator: Narrator, player_words: frozenset[str]) -> Subject:
    """Read the subject of a memory from its text, participants and other data.

    Args:
        narrator: the NPC that remembers, and its names for the player.
        player_words: the words that mean the player in the language of the game.
    """
    extra = mapping_in(record.extra)
    text = record.document_full
    clauses = clauses_of(text, narrator) if _is_english(text) else ()
    written = words(text)
    present = [who for who in map(str, list_in(record.participants)) if not name_words([who]) <= narrator.npc]
    person = _person(record, extra, clauses, written, present, narrator, player_words)
    everybody = frozenset[str]().union(*(clause.subject | clause.objects for clause in clauses))
    named = frozenset(who[1:] for who in everybody - _NO_NAMES if who.startswith("@"))
    own_words = person.names | narrator.player | narrator.npc | player_words
    return Subject(
        person,
        named - own_words,
        frozenset(
            who for clause in clauses for who in clause.recipients | _paid_to(clause) if who.startswith("@")
        ),
        frozenset(
            owned for clause in clauses for owned in clause.owners if owned[1] != roles.UNRESOLVED
        ),
        frozenset(
            term
            for word in written
            if word not in STOP_WORDS and word not in own_words
            for term in ((base_term(word),) if word.isascii() else terms_of(word))
        ),
        numbers_in(text),
        {
            name: value
            for name, value in extra.items()
            if name.endswith(_ID) and name not in _IDS_OF_PEOPLE and value not in ("", None)
        },
        next((clause.subject or clause.objects for clause in clauses), frozenset()),
    )


def numbers_in(text: str) -> tuple[int, ...]:
    """Return the numbers in a text, in digits or English words, in their order."""
    return tuple(cardinal(match.group().lower()) for match in _NUMBER.finditer(text))


def _is_english(text: str) -> bool:
    written = words(text)
    return looks_english([text]) or sum(word in STOP_WORDS for word in written) >= 0.2 * len(written)


def _paid_to(clause: Clause) -> frozenset[str]:
    """The people after the verb of a payment: "to Roland"."""
    return clause.objects if clause.verb in _PAYING else frozenset()


_PAYING = frozenset(map(base_term, ("pay", "repay", "return", "give", "settle")))


def _person(
    record: Record,
    extra: Mapping[str, Any],
    clauses: tuple[Clause, ...],
    written: list[str],
    present: list[str],
    narrator: Narrator,
    player_words: frozenset[str],
) -> Person:
    if record.event_type.startswith(_OWN):
        return Person(is_npc=True)
    fact = extra.get("fact")
    doer = str(fact.get("by") or "") if isinstance(fact, Mapping) else ""
    if doer:
        names = name_words([doer])
        if names <= narrator.npc:
            return Person(is_npc=True)
        return _of_player(present) if doer == PLAYER else Person(names, doer in present[:1])
    for clause in clauses:
        people = [who for who in clause.subject if who.startswith("@")]
        things = clause.subject.difference(people)
        people += [owner for thing, owner in clause.owners if thing in things and owner not in _NO_NAMES]
        if roles.PLAYER in people:
            return _of_player(present)
        if names := frozenset(who[1:] for who in people if who not in _NO_NAMES):
            return Person(names)
        if roles.NPC in people:
            return Person(is_npc=True)
    if player_words.intersection(written) or PLAYER in (written[:2] if clauses else written):
        return _of_player(present)
    if present:
        return Person(name_words(present) - {PLAYER}, PLAYER in present)
    entities = (name_words([str(entity)]) for entity in list_in(record.entities))
    return Person(next((names for names in entities if names <= set(written[: len(names) + 1])), frozenset()))


def _of_player(present: Iterable[str]) -> Person:
    """The player: the one who is named, in games with several."""
    return Person(name_words(present) - {PLAYER}, True)
