"""The evidence for a condition in memories, as the numbers that `knows()` decides by.

A condition is a short English sentence or phrase, such as "the player broke a promise" or "a gift from
Elena". It is compared with every clause of a memory. A clause counts only if nothing in it speaks against the
condition: somebody else did it, the roles are reversed, the thing is another person's, it is denied, wished
or hearsay, or a later memory undoes it. `condition_weights.py` says how much each number counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag_memory.retrieval.deeds import (
    CONVERSES,
    JOINT,
    UNDOES,
    deeds_of_type,
    is_implied,
    query_deeds,
    stated_deeds,
)
from rag_memory.text.clauses import Clause, clauses_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.grammar import OPPOSITES
from rag_memory.text.participants import NPC, PLAYER, SOMEBODY, UNRESOLVED, WE, Narrator
from rag_memory.text.terms import words

NUMBERS = (
    *("lead", "is_nearest", "same_verb", "other_deed", "same_subject", "words_missing"),
    *("is_topic", "is_complete", "verb_elsewhere", "no_words"),
)
"""The numbers of a clause, in their order."""

_NO_NAMES = frozenset({NPC, PLAYER, WE, SOMEBODY, UNRESOLVED})
_EMPTY_VERBS = frozenset({"", "at", *map(base_term, ("get", "make", "do"))})
_CARRIERS = _EMPTY_VERBS | frozenset({"be", "have", *map(base_term, ("give", "become", "beg", "commit"))})
"""Verbs whose object says what was done: "gave a promise", "had a quarrel"."""
_NAMING = frozenset(map(base_term, ["be", "become", "call", "name"]))
_HAVING = frozenset(map(base_term, ["have", "own", "keep", "possess"]))
_DOER_IS_NPC = {"gift_given": True, "gift_received": False, "own_debt": True}
"""Event types that say who did it."""
_UNDOABLE = frozenset[str]().union(*UNDOES.values())
_SHORTEST_PREFIX = 5
_LONGEST_ENDING = 3
_COVERED = 0.5
_LONGEST_LEAD = 0.15
"""Of the similarity of one memory over the next."""
_CROWD = 10
"""Memories. Among fewer, to be the nearest means nothing."""


class Claim(NamedTuple):
    """The claim that a condition of knows() makes."""

    clause: Clause
    """Its first clause with a verb; the words of the others count as its words."""
    words: frozenset[str]
    """Its terms besides the verb, a subject that is no person, and names."""
    names: frozenset[str]
    """The names in it, besides those of the player and of the NPC."""
    deeds: frozenset[str]

    @property
    def is_topic(self) -> bool:
        """True for a phrase without a verb."""
        return self.clause.verb == ""


class Account(NamedTuple):
    """A memory, as far as claims are concerned."""

    text: str
    similarity: float
    """Cosine of the memory and the condition."""
    event_type: str
    timestamp: float
    is_superseded: bool
    people: frozenset[str]
    """The words of its speaker, participants and entities, in lower case."""
    is_fulfilled: bool = False
    """It was superseded because somebody did what it says: a promise was kept, or a debt paid."""


def claim_of(text: str, narrator: Narrator) -> Claim | None:
    """The condition that a text states; None when no word of it carries meaning."""
    clauses = clauses_of(text, narrator)
    if not clauses:
        return None
    main = next((clause for clause in clauses if clause.verb), clauses[0])
    terms, people = _terms_and_people(clauses)
    names = frozenset(who[1:] for who in people if who.startswith("@") and who not in _NO_NAMES)
    named = frozenset(map(base_term, names | narrator.player | narrator.npc))
    subject = main.subject if main.verb else frozenset[str]()
    words = terms - named - {main.verb} - subject
    if not (words or names or main.subject or main.objects):
        return None
    deeds = query_deeds(terms)
    if main.verb and main.verb not in _CARRIERS:
        deeds = query_deeds([main.verb]) | deeds & JOINT
    return Claim(main, words, names, deeds)


def evidence(condition: Claim, statements: Sequence[Account], narrator: Narrator) -> list[list[float]]:
    """The `NUMBERS` of every clause that may support the condition; none of those that cannot."""
    highest = sorted((statement.similarity for statement in statements), reverse=True)[:2]
    is_crowd = len(statements) >= _CROWD
    rows = []
    shared = [condition.words & {base_term(word) for word in words(memory.text)} for memory in statements]
    ended = [len(terms) for terms, old in zip(shared, statements, strict=True) if old.is_superseded]
    for statement, terms in zip(statements, shared, strict=True):
        is_debt = condition.deeds & deeds_of_type(statement.event_type) & _UNDOABLE
        if is_debt and len(terms) < max(ended, default=0):
            continue  # The condition speaks of what has been ended.
        if _is_undone(condition, statement, statements, narrator):
            continue
        rival = highest[-1] if statement.similarity == highest[0] else highest[0]
        lead = min(_LONGEST_LEAD, statement.similarity - rival)
        nearness = [lead, float(statement.similarity == highest[0])] if is_crowd else [0.0, 0.0]
        rows += [[*nearness, *numbers] for numbers in _of_statement(condition, statement, narrator)]
    return rows


def _of_statement(condition: Claim, statement: Account, narrator: Narrator) -> list[list[float]]:
    clauses = clauses_of(statement.text, narrator)
    terms, people = _terms_and_people(clauses)
    present = terms | _bare(people) | statement.people
    if any(name not in present and base_term(name) not in present for name in condition.names):
        return []
    of_type = deeds_of_type(statement.event_type)
    is_void = statement.is_superseded and not statement.is_fulfilled
    if is_void and not of_type & condition.deeds:
        return []
    if any(_is_reversed(condition, clause) for clause in clauses):
        return []
    verbs = frozenset(clause.verb for clause in clauses)
    doers = {clause.subject for clause in clauses if clause.is_main and _people(clause.subject)}
    witnesses = people if len(doers) <= 1 else people & {NPC, WE}
    rows = []
    for clause in clauses:
        turned = _from_the_same_side(condition.clause, clause)
        is_stated = _is_stated_by_type(condition, turned, witnesses, statement.event_type)
        by_type = of_type if is_stated else frozenset[str]()
        is_typed = bool(by_type & condition.deeds) and turned.verb != condition.clause.verb
        if _is_possible(condition, turned, is_typed):
            deeds = by_type | _stated_deeds(condition, turned, verbs)
            rows.append(_numbers(condition, turned, terms, deeds, by_type))
    return rows


def _numbers(
    condition: Claim,
    clause: Clause,
    terms: frozenset[str],
    deeds: frozenset[str],
    by_type: frozenset[str],
) -> list[float]:
    wanted = condition.clause
    has_verb = wanted.verb not in _EMPTY_VERBS
    is_same_verb = has_verb and wanted.verb == clause.verb
    is_same_deed = is_same_verb or bool(condition.deeds & deeds) or not has_verb
    if wanted.verb == "have":
        is_same_deed = clause.verb in _HAVING
    elif wanted.verb == "be":
        is_same_deed = clause.verb in _NAMING or bool(wanted.objects & clause.subject)
    in_memory = clause.terms if condition.is_topic else terms - {"back"}
    is_fact = not (clause.is_unreal or clause.is_negated or clause.reporters - clause.subject)
    stated = deeds if is_fact else frozenset[str]()
    coverage = [_coverage(word, clause.terms, in_memory, stated, by_type) for word in condition.words]
    subjects, others = _counterparts(condition, clause)
    subject_agrees = _agreement(*subjects)
    is_complete = is_same_deed and min(coverage, default=1.0) > _COVERED
    if condition.is_topic:
        is_complete = is_complete and subject_agrees >= 0
    else:
        is_complete = is_complete and subject_agrees > 0
        if wanted.is_transitive and not condition.words and not condition.deeds & by_type:
            owners = frozenset[str]()
            if "theft" in condition.deeds:
                # Who robs somebody's house robs them; who kills somebody's dog does not kill them.
                owners = frozenset(owner for _thing, owner in clause.owners)
            is_complete = is_complete and (not others[0] or _agreement(others[0], others[1] | owners) > 0)
    return [
        float(is_same_verb),
        float(not is_same_deed),
        float(subject_agrees > 0),
        1.0 - sum(coverage) / len(coverage) if coverage else 0.0,
        float(condition.is_topic),
        float(is_complete),
        float(has_verb and not is_same_verb and wanted.verb in terms),
        float(not condition.words),
    ]


def _is_possible(condition: Claim, clause: Clause, is_typed: bool) -> bool:
    """Return True if nothing in a clause contradicts the condition.

    `is_typed`: the memory's event type states the deed, and the clause only how it came about. A promise was
    broken when something was *not* done.
    """
    wanted = condition.clause
    if _owner_agreement(wanted, clause) < 0 or _is_opposite(wanted, clause):
        return False
    if condition.is_topic:
        return _agreement(wanted.subject, clause.subject) >= 0
    if _is_for_another(wanted, clause):
        return False
    if clause.is_negated != wanted.is_negated and (wanted.is_negated or not is_typed):
        return False
    if (clause.is_unreal and not wanted.is_unreal) or clause.reporters - clause.subject:
        return False
    (subject, counterpart), others = _counterparts(condition, clause)
    if _agreement(*others) < 0:
        return False
    return _agreement(subject, counterpart) >= 0 or not _people(subject | counterpart)


def _stated_deeds(condition: Claim, clause: Clause, verbs: frozenset[str]) -> frozenset[str]:
    """The deeds that a clause itself states. Verbs of other clauses say nothing about this one."""
    terms = clause.terms - (verbs - {clause.verb})
    if condition.is_topic or clause.verb in _CARRIERS:
        return stated_deeds(terms | {clause.verb})
    return stated_deeds([clause.verb]) | stated_deeds(terms) & JOINT


def _from_the_same_side(wanted: Clause, clause: Clause) -> Clause:
    """The clause with its roles exchanged, when the condition has the converse of its verb: "I lent Kit ten
    silver" is that Kit owes, and "my sister" that I have one.
    """
    if wanted.verb == "have" and _is_owner(wanted, clause):
        return clause._replace(subject=wanted.subject, verb="have", objects=clause.objects | clause.subject)
    if wanted.verb not in CONVERSES.get(clause.verb, frozenset()):
        return clause
    people = _people(clause.objects)
    return clause._replace(
        subject=people,
        verb=wanted.verb,
        objects=(clause.objects - people) | clause.subject,
        recipients=frozenset(),
    )


def _is_stated_by_type(condition: Claim, clause: Clause, witnesses: frozenset[str], event_type: str) -> bool:
    """Return True if a clause may be the one in which the deed of the memory's event type is done.

    It has to be a main clause, and everybody in the condition has to be in it or among `witnesses`: people
    elsewhere in the memory who count as well.
    """
    wanted = condition.clause
    if condition.is_topic and not wanted.subject:
        return True
    is_npc = _DOER_IS_NPC.get(event_type)
    if not clause.is_main or (is_npc is not None and clause.subject and (NPC in clause.subject) != is_npc):
        return False
    owners = frozenset(owner for _thing, owner in wanted.owners)
    others = _people(wanted.objects | owners) - wanted.subject - {SOMEBODY}
    present = (
        clause.objects | clause.subject | frozenset(owner for _thing, owner in clause.owners) | witnesses
    )
    return others - {NPC} <= present and (NPC not in others or bool({NPC, WE} & present))


def _is_owner(wanted: Clause, clause: Clause) -> bool:
    """Return True if the clause says that the condition's subject has one of its things: "my sister" means
    that I have a sister.
    """
    return any(thing in wanted.objects and owner in wanted.subject for thing, owner in clause.owners)


_Pair = tuple[frozenset[str], frozenset[str]]


def _counterparts(condition: Claim, clause: Clause) -> tuple[_Pair, _Pair]:
    """The subject of the condition and who has to agree with it, then the same for the other people. For
    "Nell is dead" that is also the one who was killed.
    """
    wanted = condition.clause
    is_death = "death" in condition.deeds and not wanted.objects
    if wanted.is_state or is_death or (wanted.verb and not wanted.subject):
        is_done_to_another = clause.is_transitive and not clause.is_state
        counterpart = clause.objects if is_done_to_another else clause.objects | clause.subject
        counterpart |= {owner for thing, owner in clause.owners if stated_deeds([thing]) & condition.deeds}
        others = wanted.objects if wanted.subject else frozenset[str]()
        return (wanted.subject or wanted.objects, counterpart), (_people(others), _people(clause.objects))
    if not wanted.objects and not _people(wanted.subject):
        # What burned was burned by somebody.
        return (wanted.subject, clause.subject | clause.objects), (frozenset(), frozenset())
    stated = clause.objects if wanted.verb else clause.objects | clause.subject
    return (wanted.subject, clause.subject), (_people(wanted.objects), _people(stated))


def _agreement(wanted: frozenset[str], stated: frozenset[str]) -> int:
    """1: the same, -1: others, 0: unknown."""
    if not wanted or not stated:
        return 0
    if SOMEBODY in wanted or wanted & stated or _bare(wanted) & frozenset(map(base_term, _bare(stated))):
        return 1
    if (NPC in wanted and WE in stated) or (WE in wanted and NPC in stated):
        return 1
    return 0 if WE in wanted or stated & {WE, SOMEBODY, UNRESOLVED} else -1


def _is_for_another(wanted: Clause, clause: Clause) -> bool:
    """Return True if a clause says that somebody else got the thing than the person in the condition."""
    if not wanted.recipients or not clause.recipients or wanted.verb != clause.verb:
        return False
    if (wanted.recipients | clause.recipients) & {WE, SOMEBODY, UNRESOLVED}:
        return False
    return not wanted.recipients & clause.recipients


def _is_opposite(wanted: Clause, clause: Clause) -> bool:
    """Return True if a clause has the opposite of a word of the condition: "against" for "for"."""
    opposites = {OPPOSITES[word] for word in wanted.relations}
    return bool(opposites & clause.relations) and not wanted.relations & clause.relations


def _owner_agreement(wanted: Clause, clause: Clause) -> int:
    """Return -1 if a thing of the condition belongs to somebody else in the clause."""
    for thing, owner in wanted.owners:
        owners = frozenset(other for other_thing, other in clause.owners if other_thing == thing)
        if UNRESOLVED not in owners | {owner} and _agreement(frozenset({owner}), owners) < 0:
            return -1
    return 0


def _is_reversed(condition: Claim, clause: Clause) -> bool:
    """Return True if a clause states the deed with the two people, or things, reversed."""
    wanted = condition.clause
    subject, other = (_people(side) or side - {UNRESOLVED} for side in (wanted.subject, wanted.objects))
    if not subject or not other or wanted.is_state:
        return False
    if wanted.verb != clause.verb and not condition.deeds & stated_deeds([clause.verb]):
        return False
    if wanted.verb in CONVERSES.get(clause.verb, frozenset()) or subject & clause.subject:
        return False
    return bool(subject & clause.objects) and bool(other & clause.subject)


def _coverage(
    word: str,
    in_clause: frozenset[str],
    in_memory: frozenset[str],
    deeds: frozenset[str],
    by_type: frozenset[str],
) -> float:
    """Return how well a clause and its memory cover a word of the condition, 0 to 1."""
    if word in in_clause:
        return 1.0
    if word in in_memory:
        return 0.8
    if query_deeds([word]) & deeds or is_implied(word, by_type):
        return 0.7
    if len(word) >= _SHORTEST_PREFIX and any(
        len(term) >= _SHORTEST_PREFIX
        and abs(len(term) - len(word)) <= _LONGEST_ENDING
        and (term.startswith(word) or word.startswith(term))
        for term in in_memory
    ):
        return 0.6
    return 0.0


def _is_undone(
    condition: Claim, statement: Account, statements: Sequence[Account], narrator: Narrator
) -> bool:
    """Return True if a later memory undoes what this one states."""
    if not condition.deeds & _UNDOABLE:
        return False
    is_open = bool(deeds_of_type(statement.event_type) & _UNDOABLE) and not statement.is_superseded
    for later in statements:
        is_of_another = is_open and deeds_of_type(later.event_type) & UNDOES.keys()
        if later.timestamp <= statement.timestamp or is_of_another:
            continue
        deeds = deeds_of_type(later.event_type).union(
            *(
                stated_deeds(clause.terms)
                for clause in clauses_of(later.text, narrator)
                if not clause.is_negated and not clause.is_unreal
            )
        )
        if any(UNDOES.get(deed, frozenset()) & condition.deeds for deed in deeds):
            return True
    return False


def _terms_and_people(clauses: Sequence[Clause]) -> tuple[frozenset[str], frozenset[str]]:
    terms = frozenset[str]().union(*(clause.terms for clause in clauses))
    return terms, frozenset[str]().union(*(clause.subject | clause.objects for clause in clauses))


def _people(participants: Iterable[str]) -> frozenset[str]:
    return frozenset(who for who in participants if who.startswith("@"))


def _bare(participants: Iterable[str]) -> frozenset[str]:
    return frozenset(who.removeprefix("@") for who in participants)
