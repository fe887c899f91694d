"""Debts that are paid in parts, grow, are forgiven, or are somebody else's, through store_turn()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save

LANTERN = ("I owe you 40 silver for the lantern.", "So you do.")


def open_debts(npc: Npc, event_type: str = "debt") -> list[tuple[Any, Any]]:
    """The amounts that are owed, in the order in which they were stored."""
    memories = npc.recall.retrieve_relevant_raw("", {"limit": 50, "filter": {"event_type": event_type}})
    memories = [memory for memory in memories if not memory["metadata"]["superseded_by"]]
    facts = [memory["metadata"]["fact"] for memory in memories]
    return sorted((fact["amount"], fact["unit"]) for fact in facts)


@pytest.mark.parametrize(
    ("turns", "rest"),
    [
        ([("Here's 15 silver of the 40.", "Good.")], [(25, "silver")]),
        ([("I paid you back ten silver.", "I counted it.")], [(30, "silver")]),
        ([("There, fifteen back.", "Twenty-five to go.")], [(25, "silver")]),
        ([("Here are the 40 silver that I still owe you.", "Thanks.")], []),
        ([("Here's half of it.", "Half.")], [(20, "silver")]),
        (
            [("I gave you back a quarter of it, remember?", ""), ("I gave you back a quarter of it.", "")],
            [(30, "silver")],
        ),
        ([("Here are ten.", "Thanks."), ("And here's another ten.", "Thanks.")], [(20, "silver")]),
        ([("I paid you back part of it.", "A part, yes.")], [(40, "silver")]),
        ([("I paid you everything I owed.", "You did.")], []),
        ([("How do we stand?", "We're even.")], []),
        ([("I paid you back 10 silver, even though it was hard.", "Thanks.")], [(30, "silver")]),
        ([("I paid you back 10 silver at the market square.", "Thanks.")], [(30, "silver")]),
        ([("I paid you back everything but 5 silver.", "Good.")], [(5, "silver")]),
        ([("I've given back the ring.", "Good.")], [(40, "silver")]),
        ([("I gave everything for this town.", "We know.")], [(40, "silver")]),
        ([("I handed in the quest, everything is done.", "Well done.")], [(40, "silver")]),
        ([("I returned half of the letters.", "Well done.")], [(40, "silver")]),
        ([("I gave you 10 silver for the bread.", "You did.")], [(40, "silver")]),
        ([("They are coming!", "Forget the money, we must run!")], [(40, "silver")]),
        ([("I owe you two hundred and fifty gold for the horse.", "Yes.")], [(40, "silver"), (250, "gold")]),
        ([("I can't pay.", "Forget the debt.")], []),
        ([("I can't pay.", "Your debt is forgiven.")], []),
        ([("I paid back my debt to Hester.", "Good for her.")], [(40, "silver")]),
        ([("Hester paid me back.", "Ah.")], [(40, "silver")]),
        ([("I'll pay you back tomorrow.", "Good.")], [(40, "silver")]),
        ([("I owe you another five.", "Yes.")], [(45, "silver")]),
        ([("I owe you 60 silver now, with the oil.", "Yes.")], [(60, "silver")]),
        ([("I still owe you 40 silver.", "Yes.")], [(40, "silver")]),
        ([("I paid you back the 40 silver.", "Liar! I've not seen a coin.")], [(40, "silver")]),
        (
            [("I owe you three hens.", "Yes."), ("Here are two of the three hens.", "Fine hens.")],
            [(1, "hens"), (40, "silver")],
        ),
        (
            [("I owe you 9 silver for the rope.", "Yes."), ("Here's the money for the rope I owe you.", "")],
            [(40, "silver")],
        ),
        (
            [("I owe you 9 silver for the rope.", "Yes."), ("I paid you 5 silver back.", "")],
            [(9, "silver"), (40, "silver")],
        ),
    ],
)
def test_what_is_left_of_a_debt(
    opened: Callable[..., Save], turns: list[tuple[str, str]], rest: list[tuple[int, str]]
) -> None:
    mira = opened().npc("mira")
    for turn in (LANTERN, *turns):
        mira.conversation.store_turn(*turn)
    assert open_debts(mira) == rest


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("Here are the 7 silver I still owe you.", []),
        ("Here are the 7 silver which I still owe you.", []),
        ("Here are the 7 silver that I owe you still.", []),
        ("Here are the last 7 silver.", []),
        ("Here is the remaining 7 silver.", []),
        ("Here are the 7 silver that are left.", []),
        ("I brought you the 7 silver I still owe you.", []),
        ("Here are 3 silver, I still owe you 4.", [(4, "")]),
        ("Here are 3 silver, and 4 are left.", [(4, "silver")]),
    ],
)
def test_the_rest_of_a_debt_is_paid(
    opened: Callable[..., Save], words: str, rest: list[tuple[int, str]]
) -> None:
    mira = opened().npc("mira")
    for line in ("I owe you 12 silver for the iron.", "Here are 5 silver of the 12 that I owe you.", words):
        mira.conversation.store_turn(line, "Good.")
    assert open_debts(mira) == rest


def test_the_npc_pays_in_parts_as_well(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.conversation.store_turn("Any news?", "I owe you 12 gold for the hides.")
    mira.conversation.store_turn("Well?", "Here are five gold of the twelve I owe you.")
    assert open_debts(mira, "own_debt") == [(7, "gold")]
    (debt, _) = mira.recall.get_recent(2)
    assert debt["document_full"].startswith("I still owe the player 7 gold: ")


def test_one_player_does_not_pay_the_debts_of_another(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    for player in ("ann", "bob"):
        mira.conversation.store_turn(*LANTERN, {"speaker": player})
    mira.conversation.store_turn("I paid you back 10 silver.", "Yes.", {"speaker": "ann"})
    facts = [memory["metadata"] for memory in mira.recall.get_recent(9)]
    current = {fact["fact"]["by"]: fact["fact"]["amount"] for fact in facts if not fact["superseded_by"]}
    assert current == {"ann": 30, "bob": 40}


def test_a_debt_that_the_game_stored_is_paid_in_parts(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.memories.store(
        "The player owes me 50 gold for the horse.", 6, {"event_type": "debt", "participants": ["player"]}
    )
    mira.conversation.store_turn("I paid you back 20 gold.", "Yes.")
    memories = mira.recall.get_recent(2)
    assert [bool(memory["metadata"]["superseded_by"]) for memory in memories] == [False, True]
    assert memories[0]["metadata"]["fact"]["amount"] == 30


def test_what_is_said_twice_is_owed_once(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    for _ in range(3):
        mira.conversation.store_turn(*LANTERN)
    assert open_debts(mira) == [(40, "silver")]


def test_a_claim_ends_and_owes_nothing(opened: Callable[..., Save]) -> None:
    mira = opened().npc("mira")
    mira.conversation.store_turn("You owe me 70 gold.", "I owe you nothing.")
    mira.conversation.store_turn("My name is Duke Robard.", "You are no duke. You're Pim.")
    assert open_debts(mira, "own_debt") == []
    assert mira.recall.retrieve_relevant_raw("", {"filter": {"slot_type": "player_name"}}) == []
    assert not mira.recall.knows("I owe the player money")
    claims = mira.recall.retrieve_relevant_raw("", {"filter": {"event_type": "claim"}})
    assert {claim["metadata"]["fact"]["claims"] for claim in claims} == {"debt", "name"}
