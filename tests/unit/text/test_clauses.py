"""Clauses of plain English sentences: subject, verb and objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory.text.clauses import Clause, clauses_of
from rag_memory.text.english_verbs import base_term
from rag_memory.text.language import looks_english
from rag_memory.text.participants import NPC, PLAYER, UNRESOLVED, WE, Narrator

NARRATOR = Narrator(frozenset({"kit"}), frozenset({"hanna"}))


def read(text: str) -> tuple[Clause, ...]:
    return clauses_of(text, NARRATOR)


@pytest.mark.parametrize(
    ("text", "subject", "verb", "objects"),
    [
        ("Kit gave me a jar.", {PLAYER}, "give", {NPC, "jar"}),
        ("The player was arrested by Nell.", {"@nell"}, "arrest", {PLAYER}),
        ("Nell is dead.", {"@nell"}, "dead", set()),
        ("In Nassau I spent my share.", {NPC}, "spend", {"share"}),
        ("We found the island.", {WE}, "find", {"island"}),
        ("My sister Bess runs a tavern now.", {"sister", "@bess"}, "run", {"tavern"}),
        ("Hanna didn't steal the ring.", {NPC}, "steal", {"ring"}),
        ("a gift from Elena", {"@elena"}, "", {"gift"}),
        ("They left.", {UNRESOLVED}, "leave", set()),
    ],
)
def test_a_clause_has_a_subject_a_verb_and_objects(
    text: str, subject: set[str], verb: str, objects: set[str]
) -> None:
    clause = read(text)[0]
    things = {thing if thing.startswith("@") else base_term(thing) for thing in objects}
    assert (set(clause.subject), clause.verb, set(clause.objects)) == (subject, base_term(verb), things)


@pytest.mark.parametrize(
    ("text", "is_fact"),
    [
        ("Kit mended the oven.", True),
        ("Kit managed to mend the oven.", True),
        ("I saw Kit mend the oven.", True),
        ("Kit promised to mend the oven.", False),
        ("Kit wants to mend the oven.", False),
        ("I hope that Kit mended the oven.", False),
        ("If Kit mended the oven, I was asleep.", False),
        ("Kit would have mended the oven.", False),
        ("Kit almost mended the oven.", False),
        ("Did you hear that Kit mended the oven?", False),
        ("There is a rumour that Kit mended the oven.", False),
    ],
)
def test_only_what_happened_is_a_fact(text: str, is_fact: bool) -> None:
    mended = [clause for clause in read(text) if clause.verb == base_term("mend")]
    assert mended and all(clause.is_unreal != is_fact for clause in mended)


def test_hearsay_names_who_said_it() -> None:
    (_, reported) = read("Otto told me that Kit stole my spoon.")
    assert (set(reported.subject), set(reported.reporters)) == ({PLAYER}, {"@otto"})
    (_, own) = read("I told Kit that Otto is my brother.")
    assert own.reporters == frozenset()
    quoted = read('Elena said, "I saw Kit at the mill."')
    assert quoted[1].subject == quoted[1].reporters == {"@elena"}
    promised = read('Elena promised me: "I promise to come back."')
    assert [clause.subject for clause in promised[:2]] == [{"@elena"}, {"@elena"}]


def test_things_have_owners() -> None:
    assert ("spoon", NPC) in read("Kit stole my silver spoon.")[0].owners
    assert ("oven", PLAYER) in read("I mended Kit's oven.")[0].owners


def test_a_denial_stands_near_the_verb() -> None:
    assert read("Kit never stole.")[0].is_negated
    assert read("Nobody stole the ring.")[0].is_negated
    assert not read("Kit took the ring without asking me.")[0].is_negated


@given(st.text(max_size=200))
def test_any_text_has_clauses(text: str) -> None:
    for clause in read(text):
        assert isinstance(clause.terms, frozenset)


@pytest.mark.parametrize(
    ("text", "is_english"),
    [
        ("The player gave me a jar of jam and left.", True),
        ("My brother hides in the cellar.", True),
        ("Der Spieler hat mir das Leben gerettet, so war es.", False),
        ("Le joueur m'a donné un pot de confiture et il est parti.", False),
        ("El jugador me dio un tarro de mermelada y no volvió.", False),
        ("De speler was in het huis en had me gezien.", False),
        ("Игрок дал мне банку варенья.", False),
        ("田中さんは古い水車小屋を燃やした。", False),
        ("", False),
    ],
)
def test_english_is_told_from_other_languages(text: str, is_english: bool) -> None:
    assert looks_english([text]) == is_english
