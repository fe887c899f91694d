"""Deeds: what people do to each other, in the words of a thesaurus and in common event types.

A general word holds for a special one, but not the other way round: who drowned is dead, and who is dead need
not have drowned. An event type states its deed whatever the words of the memory are.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

from rag_memory.text.english_verbs import base_term


class Deed(NamedTuple):
    """Something that people do. All words are terms."""

    event_types: frozenset[str]
    general: frozenset[str]
    """Words that ask for the deed, and state it."""
    special: frozenset[str]
    """Words that only state it."""
    implied: frozenset[str]
    """Words that add nothing when the event type states the deed: a life was saved, money is owed."""


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(base_term, words.split()))


def _deed(event_types: str, general: str, special: str = "", implied: str = "") -> Deed:
    return Deed(frozenset(event_types.split()), _terms(general), _terms(special), _terms(implied))


DEEDS: dict[str, Deed] = {
    "gift": _deed(
        "gift_received gift_given first_gift", "gift present", "donation donate", "give bring make"
    ),
    "promise": _deed("promise_made", "promise vow swear pledge oath"),
    "keeping_promise": _deed("promise_kept promise_fulfilled", "", "", "keep promise word vow oath pledge"),
    "breaking_promise": _deed("promise_broken", "", "", "break promise word vow oath pledge"),
    "debt": _deed("debt own_debt", "owe debt", "lend loan borrow", "money"),
    "repayment": _deed("debt_paid own_debt_paid", "repay", "", "back debt money loan"),
    "return": _deed("", "return"),
    "betrayal": _deed("betrayal", "betray betrayal traitor", "treason treachery mutiny"),
    "rescue": _deed("life_saved saved_life", "save rescue", "", "life"),
    "theft": _deed("theft", "steal theft thief rob robbery", "loot pilfer shoplift"),
    "secret": _deed("secret_shared secret_revealed", "secret", "confide"),
    "insult": _deed("insult", "insult offend", "mock ridicule"),
    "apology": _deed("apology", "apologise apologize apology sorry", "pardon"),
    "forgiveness": _deed("forgiveness forgiven", "forgive forgiveness", "reconcile reconciliation"),
    "help": _deed("help helped emotional_support", "help aid assist support"),
    "threat": _deed("threat_made", "threaten threat", "menace blackmail"),
    "death": _deed(
        "death witnessed_kill",
        "die death dead",
        "deceased corpse body funeral grave perish drown kill murder slay poison execute",
    ),
    "killing": _deed("witnessed_kill", "kill", "murder slay poison execute assassinate"),
    "love": _deed("romance_confession", "love"),
    "marriage": _deed("wedding", "marry marriage wedding", "wife husband bride groom spouse"),
    "meeting": _deed("first_meeting", "meet meeting"),
    "attack": _deed("attack attacked", "attack", "hit punch slap kick beat raid assault stab ambush"),
    "blow": _deed("", "hit", "punch slap kick beat"),
    "fight": _deed("fight", "fight", "duel brawl"),
    "quarrel": _deed("quarrel argument", "quarrel argue argument", "feud"),
    "repair": _deed("repair", "repair mend fix", "patch restore"),
    "destruction": _deed("destroyed", "destroy", "smash ruin burn wreck demolish"),
    "illness": _deed("illness", "ill illness sick sickness", "fever disease plague flu pneumonia infection"),
    "injury": _deed("injury", "injure injury wound hurt"),
    "imprisonment": _deed("arrest", "arrest jail prison imprison", "dungeon cell"),
}
_LENDING = _terms("owe debt lend loan borrow")
_PROMISES = _terms("promise word vow oath pledge")
_KEEPING = _terms("keep fulfil fulfill honour honor")
_BREAKING = _terms("break")
_PAYING = _terms("pay give")
_RETURNING = _terms("give bring put hand send take")
_BACK = "back"
JOINT = frozenset({"keeping_promise", "breaking_promise", "repayment", "return", "apology"})
"""Deeds that several words of a clause state together, whatever its verb is."""
UNDOES = {
    "repayment": frozenset({"debt"}),
    "return": frozenset({"debt"}),
    "forgiveness": frozenset({"quarrel"}),
}
"""For a deed those that it undoes."""


CONVERSES = {
    base_term(verb): frozenset(map(base_term, others.split()))
    for verb, others in {
        "lend": "borrow owe",
        "borrow": "lend",
        "give": "receive get",
        "receive": "give",
        "get": "give",
        "sell": "buy",
        "buy": "sell",
        "teach": "learn",
        "learn": "teach",
    }.items()
}
"""For a verb those that state the same from the other side."""
FULFILMENTS = frozenset({"keeping_promise", "repayment"})
"""Deeds that do what an earlier memory says will be done."""


@functools.lru_cache(4096)
def _stated_by(term: str) -> frozenset[str]:
    return frozenset(name for name, deed in DEEDS.items() if term in deed.general | deed.special)


@functools.lru_cache(4096)
def _deeds_in_query(term: str) -> frozenset[str]:
    return frozenset(name for name, deed in DEEDS.items() if term in deed.general)


def stated_deeds(terms: Iterable[str]) -> frozenset[str]:
    """The deeds that these terms of one clause state."""
    words = frozenset(terms)
    return _joined(words, frozenset[str]().union(*map(_stated_by, words)))


def query_deeds(terms: Iterable[str]) -> frozenset[str]:
    """The deeds that these terms of a condition ask for."""
    words = frozenset(terms)
    return _joined(words, frozenset[str]().union(*map(_deeds_in_query, words)))


def _joined(words: frozenset[str], deeds: frozenset[str]) -> frozenset[str]:
    joint: set[str] = set()
    if words & _PROMISES:
        joint |= {"breaking_promise"} if words & _BREAKING else set()
        joint |= {"keeping_promise"} if words & _KEEPING else set()
    if (base_term("pay") in words and words & _LENDING) or (_BACK in words and words & _PAYING):
        joint.add("repayment")
    if _BACK in words and words & _RETURNING:
        joint.add("return")
    return (deeds - {"promise", "debt"} if joint else deeds) | joint


@functools.lru_cache(256)
def deeds_of_type(event_type: str) -> frozenset[str]:
    """The deeds that an event of this type states."""
    return frozenset(name for name, deed in DEEDS.items() if event_type in deed.event_types)


def is_implied(term: str, deeds: Iterable[str]) -> bool:
    """Return True if a term adds nothing to one of these deeds."""
    return any(term in DEEDS[deed].implied for deed in deeds)
