"""The subject of a memory: who it is about, and the words that say which matter of theirs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER
from rag_memory.memory.game_time import number_in
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

_PRONOUNS = [[word] for word in ("they", "their", "he", "his", "she", "her", "it", "its")]
"""First words of a text that does not say whom it is about."""
_WORDS_OF_THING = 4
_NUMBER = lazy_pattern(rf"(?<![\w.,])(?P<number>{CARDINAL})(?:\s+[^\W\d_]+)?(?!\w)", re.IGNORECASE)
_NO_NAMES = frozenset({roles.NPC, roles.PLAYER, roles.WE, roles.SOMEBODY, roles.UNRESOLVED})
_UNCLEAR = frozenset({roles.SOMEBODY, roles.UNRESOLVED})
_ID = "_id"
_IDS_OF_PEOPLE = frozenset({"player_id", "npc_id", "other_npc_id", "source_id", "speaker_id", "turn_id"})
_PLAYER_ALONE = frozenset({PLAYER})
_OWN = "own_"
"""The beginning of event types that the NPC does."""


class Doer(NamedTuple):
    """Somebody, as far as a memory says who it is. Without names and flags: unknown."""

    names: frozenset[str] = frozenset()
    """Words of the id or name, in lower case."""
    is_player: bool = False
    is_npc: bool = False
    """It is the NPC that remembers."""

    def differs(self, other: Doer) -> bool:
        """Return True if two memories are certainly about two people."""
        if not (any(self) and any(other)):
            return False
        if self.is_npc != other.is_npc:
            return True
        if self.names and other.names:
            if _PLAYER_ALONE in (self.names, other.names):
                return self.names != other.names  # "player_2" has the word, too.
            return not (self.names <= other.names or other.names <= self.names)
        return self.is_player != other.is_player


class Subject(NamedTuple):
    """Who a memory is about, and which of their matters."""

    person: Doer
    """Who does or promised it."""
    people: frozenset[str]
    """The words of the names of others that the text mentions."""
    receivers: frozenset[str]
    """To whom something was given or paid: words of names, or roles such as `participants.NPC`."""
    everybody: frozenset[str]
    """All whom the text mentions, in the same form."""
    owners: frozenset[tuple[str, str]]
    """Pairs of a thing and whose it is."""
    terms: frozenset[str]
    """What the text says besides."""
    amount: float | None
    """The first number, which is how much is owed or paid."""
    units: frozenset[str]
    """The numbers, and the words that follow them: "10" and "silver"."""
    company: frozenset[str]
    """The words of the participants' names."""
    ids: Mapping[str, Any]
    """The game's own ids of the matter, such as `quest_id`."""
    is_english: bool
    thing: frozenset[str]
    """The words before that of the slot: "north", where a gate_state says "The north gate is shut."."""

    def is_of_another(self, other: Subject) -> bool:
        """Return True if a value of the one says nothing of the other: two people, or two gates."""
        if self.thing and other.thing:
            shared = self.thing & other.thing
            if self.thing - shared and other.thing - shared:
                return True
            if self.thing == other.thing and other.person.names <= self.people | self.person.names:
                return False  # It has passed from one to the other.
        return self.person.differs(other.person)


@functools.lru_cache(8192)
def subject_of(record: Record, narrator: Narrator, player_words: frozenset[str]) -> Subject:
    """Read the subject of a memory from its text, participants and other data.

    Args:
        narrator: the NPC that remembers, and its names for the player.
        player_words: the words that mean the player in the language of the game.
    """
    extra = mapping_in(record.extra)
    fact = extra.get("fact")
    text = record.document_full
    if isinstance(fact, Mapping):
        text = str(fact.get("quote") or text)
    written = words(text)
    is_english = _is_english(text, written)
    clauses = clauses_of(text, narrator) if is_english and written[:1] not in _PRONOUNS else ()
    present = [who for who in map(str, list_in(record.participants)) if not name_words([who]) <= narrator.npc]
    person = _person(record, extra, clauses, written, present, narrator, player_words)
    everybody = frozenset(
        who
        for clause in clauses
        for who in clause.subject | clause.objects | {owner for _thing, owner in clause.owners}
        if who.startswith("@")
    )
    named = frozenset(who[1:] for who in everybody - _NO_NAMES)
    own_words = person.names | narrator.player | narrator.npc | player_words
    return Subject(
        person,
        named - own_words,
        frozenset(
            who
            for clause in clauses
            for who in clause.recipients | _paid_to(clause)
            if who.startswith("@") and who not in _UNCLEAR
        ),
        everybody,
        frozenset(owned for clause in clauses for owned in clause.owners if owned[1] != roles.UNRESOLVED),
        frozenset(
            term
            for word in written
            if word not in STOP_WORDS and word not in own_words
            for term in ((base_term(word),) if word.isascii() else terms_of(word))
        ),
        _amount(extra, text),
        frozenset(
            term
            for match in _NUMBER.finditer(text)
            for word in words(match.group())
            for term in (base_term(word), word)
        ),
        name_words(present) - own_words,
        {
            name: value
            for name, value in extra.items()
            if name.endswith(_ID) and name not in _IDS_OF_PEOPLE and value not in ("", None)
        },
        is_english,
        _thing(written, words(f"{record.slot_type} {record.info_type}".replace("_", " "))),
    )


def _amount(extra: Mapping[str, Any], text: str) -> float | None:
    fact = extra.get("fact")
    amount = fact.get("amount") if isinstance(fact, Mapping) else None
    if isinstance(amount, int | float):
        return number_in(amount)
    match = _NUMBER.search(amount if isinstance(amount, str) else text)
    return None if match is None else cardinal(match["number"].lower())


def _thing(written: list[str], value: list[str]) -> frozenset[str]:
    """The words right before one that names the kind of value."""
    bases = {base_term(word) for word in value}
    for place, word in enumerate(written):
        if base_term(word) in bases:
            before = written[max(0, place - _WORDS_OF_THING) : place][::-1]
            end = next((at for at, other in enumerate(before) if other in STOP_WORDS - {"s"}), len(before))
            if end:
                return frozenset(before[:end]) - {"s"}
    return frozenset()


def _is_english(text: str, written: list[str]) -> bool:
    return looks_english([text]) or sum(word in STOP_WORDS for word in written) >= 0.2 * len(written)


def _paid_to(clause: Clause) -> frozenset[str]:
    """The people after the verb of a payment: "to Roland"."""
    return clause.objects if clause.verb in _PAYING else frozenset()


_TASK = lazy_pattern(r"(?:own_)?(?:task|quest|errand|mission|order|favou?r)(?:_|$)")
_ASKING = frozenset(
    map(base_term, ("ask", "tell", "order", "beg", "command", "send", "hire", "charge", "want", "need"))
)
_PAYING = frozenset(map(base_term, ("pay", "repay", "return", "give", "settle")))


def _person(
    record: Record,
    extra: Mapping[str, Any],
    clauses: tuple[Clause, ...],
    written: list[str],
    present: list[str],
    narrator: Narrator,
    player_words: frozenset[str],
) -> Doer:
    if record.event_type.startswith(_OWN):
        return Doer(is_npc=True)
    fact = extra.get("fact")
    doer = str(fact.get("by") or "") if isinstance(fact, Mapping) else ""
    if doer:
        names = name_words([doer])
        if names <= narrator.npc or doer in NPC_SPEAKERS:
            return Doer(is_npc=True)
        return _of_player(present, written) if doer == PLAYER else Doer(names, doer in present[:1])
    is_task = _TASK.match(record.event_type) is not None
    for clause in clauses:
        if is_task and clause.verb in _ASKING and clause.is_main:
            continue  # Who was asked comes next.
        people = [who for who in clause.subject if who.startswith("@")]
        things = clause.subject.difference(people)
        people += [owner for thing, owner in clause.owners if thing in things and owner not in _NO_NAMES]
        if roles.PLAYER in people:
            return _of_player(present, written)
        if names := frozenset(who[1:] for who in people if who not in _NO_NAMES):
            return Doer(names)
        if roles.NPC in people:
            return Doer(is_npc=True)
    if player_words.intersection(written) or PLAYER in (written[:2] if clauses else written):
        return _of_player(present, written)
    if present:
        return Doer(name_words(present), PLAYER in present)
    entities = (name_words([str(entity)]) for entity in list_in(record.entities))
    return Doer(next((names for names in entities if names <= set(written[: len(names) + 1])), frozenset()))


def _of_player(present: Iterable[str], written: Iterable[str]) -> Doer:
    """The player, in games with several the one who is a participant that the text does not name."""
    mentioned = set(written)
    return Doer(
        frozenset({PLAYER})
        if PLAYER in present
        else name_words(who for who in present if not name_words([who]) <= mentioned),
        True,
    )
