"""What is open between an NPC and the player after a talk: who, what, until which day, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import Save

DAY = 86400.0
Turn = tuple[str, str]


def listed(save: Save, closed: bool = False) -> list[tuple[str, str, str]]:
    """Kind, who has to act, and state of what is open with Mira."""
    matters = save.npc("mira").get_open_matters("player", closed)
    return [(matter["kind"], matter["by"], matter["state"]) for matter in matters]


def talk(save: Save, *turns: Turn) -> None:
    for turn in turns:
        save.npc("mira").conversation.store_turn(*turn)


@pytest.fixture
def save(opened: Callable[..., Save], clock: GameClock) -> Save:
    clock.now = 10.3 * DAY
    return opened()


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([("I'll bring you the medicine by tomorrow.", "Thank you.")], [("promise", "player", 11)]),
        ([("I promise to fix your roof within three days.", "Good.")], [("promise", "player", 13)]),
        ([("Can you mend it?", "I'll mend your armor by noon tomorrow.")], [("promise", "mira", 11.5)]),
        ([("I owe you 50 gold for the horse.", "Yes.")], [("debt", "player", -1)]),
        ([("I owe you 50 gold. I'll pay you back in a week.", "Fine.")], 2),
        ([("If you don't pay by tomorrow, I'll burn your house down.", "No!")], [("threat", "player", 11)]),
        ([("Let me go!", "Come closer and I'll break your legs.")], 1),
        ([("Let me go!", "Sit down or I'll break your legs.")], [("threat", "mira", -1)]),
        ([("Meet me at the bridge tomorrow at noon.", "I'll be there.")], [("appointment", "player", 11.5)]),
        ([("Meet me at the bridge tomorrow at noon.", "I can't, I have to work.")], 0),
        ([("Can you meet me at the mill tonight?", "Yes, gladly.")], [("appointment", "player", 10)]),
        ([("Can you meet me at the mill tonight?", "Not tonight.")], 0),
        ([("What now?", "Come to my house tomorrow evening.")], [("appointment", "mira", 11)]),
        ([("Who stole the bell?", "I don't know.")], [("question", "mira", -1)]),
        ([("Who stole the bell?", "I'll ask around. Come back tomorrow.")], [("question", "mira", 11)]),
        ([("Who stole the bell?", "I don't know, but Ulf was seen there.")], 0),
        ([("Who stole the bell?", "Ulf did.")], 0),
        ([("Hello.", "Where is my brother?"), ("What do you sell?", "Rope.")], [("question", "player", -1)]),
        ([("Hello.", "Where is my brother?"), ("In the mine.", "Ah.")], 0),
        ([("Hello.", "What do you want?"), ("What do you sell?", "Rope.")], 0),
        ([("How are you?", "I don't know.")], 0),
        ([("Hallo!", "Was kann ich für dich tun?"), ("Was kostet ein Schwert?", "Dreißig Gold.")], 0),
        ([("Salut !", "Qu'est-ce qui t'amène ?"), ("Que vends-tu ?", "Du pain.")], 0),
        ([("See you tomorrow!", "Farewell.")], 0),
        ([("I'll beat you at dice.", "Ha!")], 0),
        ([("I promise you, he's dead.", "No!")], 0),
        ([("Bjorn promised to pay for the flour.", "He did.")], 0),
    ],
)
def test_what_a_talk_leaves_open(save: Save, turns: list[Turn], expected: Any) -> None:
    talk(save, *turns)
    matters = save.npc("mira").get_open_matters("player")
    if isinstance(expected, int):
        assert len(matters) == expected
    else:
        assert [(m["kind"], m["by"], pytest.approx(m["due_day"])) for m in matters] == expected


@pytest.mark.parametrize(
    ("first", "then", "state"),
    [
        ("I'll bring you the medicine by tomorrow.", ("Here's the medicine you asked for.", "Oh!"), "kept"),
        ("I'll bring you the medicine by tomorrow.", ("I brought you the medicine.", "Oh!"), "kept"),
        ("I'll bring you the medicine by tomorrow.", ("Here's the medicine.", "Late, but thanks."), "kept"),
        ("I'll bring you the medicine by tomorrow.", ("Here is the medicine.", "I don't want it."), ""),
        ("I promise to fix your roof.", ("I've fixed your roof.", "At last."), "kept"),
        ("I promise to fix your roof.", ("Your roof is mended.", "At last."), "kept"),
        ("I promise to fix your roof.", ("I kept my promise about the roof.", "So you did."), "kept"),
        ("I promise to fix your roof.", ("I can't fix your roof after all.", "Oh."), "withdrawn"),
        ("I promise to fix your roof.", ("Hello.", "You needn't fix my roof any more."), "withdrawn"),
        ("I promise to fix your roof.", ("I broke my promise about the roof.", "Yes."), "broken"),
        ("I owe you 50 gold.", ("I paid you back the 50 gold.", "Thanks."), "paid"),
        ("Meet me at the bridge tomorrow.", ("I can't make it tomorrow.", "A pity."), "cancelled"),
        ("Meet me at the bridge tomorrow.", ("Here I am, as we agreed.", "Good."), "kept"),
        ("Pay up or I'll burn your barn.", ("I take it back. I'm sorry.", "Good."), "withdrawn"),
        # What ends nothing:
        ("I'll bring you the medicine by tomorrow.", ("Here's a rose.", "Oh!"), ""),
        ("I promise to fix your roof.", ("I've fixed the cart.", "Good."), ""),
        ("I promise to fix your roof.", ("I fixed your roof.", "You did not! It still leaks."), ""),
        ("I promise to fix your roof.", ("Would you say I fixed your roof?", "No."), ""),
        ("I promise to fix your roof.", ("I'm fixing your roof.", "Good."), ""),
        ("I promise to fix your roof.", ("I can't make it tomorrow.", "Where to?"), ""),
        ("I owe you 50 gold.", ("I paid my debt to Gregor.", "Good for him."), ""),
        ("Pay up or I'll burn your barn.", ("Meet my sister.", "Hello."), ""),
    ],
)
def test_what_ends_it(save: Save, first: str, then: Turn, state: str) -> None:
    talk(save, (first, "I see."))
    assert len(listed(save)) == 1
    talk(save, then)
    if not state:
        assert len(listed(save)) == 1
    else:
        assert listed(save) == []
        assert [entry[2] for entry in listed(save, closed=True)] == [state]


def test_a_question_is_answered_later(save: Save) -> None:
    talk(save, ("Who stole the bell?", "I'll ask around."), ("Thanks.", "Farewell."))
    assert listed(save) == [("question", "mira", "open")]
    talk(save, ("Hello.", "I know it now: Ulf stole the bell."))
    assert listed(save) == []


def test_a_question_that_the_player_walks_away_from(save: Save, clock: GameClock) -> None:
    talk(save, ("Hello.", "Where is my brother?"))
    assert listed(save) == []  # The player may be about to answer.
    clock.now += 0.5 * DAY
    assert listed(save) == [("question", "player", "open")]
    talk(save, ("Your brother is in the mine.", "Oh no."))
    assert listed(save) == []


def test_a_part_payment_reduces_a_debt(save: Save, clock: GameClock) -> None:
    talk(save, ("I owe you 50 gold for the horse.", "Yes, by day 20."))
    clock.now += DAY
    talk(save, ("Here's 20 gold of it.", "Thirty left."), ("Here's another 10.", "Twenty left."))
    (debt,) = save.npc("mira").get_open_matters()
    assert (debt["amount"], debt["rest"], debt["unit"]) == (50, 20, "gold")
    assert debt["since"] == 10.3 * DAY
    assert debt["text"].startswith("The player owes Mira 50 gold")
    assert "What is left: 20 gold." in debt["text"]


def test_a_part_of_what_was_promised(save: Save) -> None:
    talk(
        save,
        ("I'll bring you ten pelts by day 15.", "Good."),
        ("Here are four of the ten pelts.", "Six left."),
    )
    (matter,) = save.npc("mira").get_open_matters()
    assert (matter["rest"], matter["unit"], matter["due_day"]) == (6, "pelts", 15)


def test_what_the_game_stores_is_open_as_well(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    mira.memories.store(
        "The player promised to bring medicine by tomorrow.", 7, {"event_type": "promise_made"}
    )
    mira.memories.store("I owe the player 30 gold.", 7, {"event_type": "own_debt", "due_day": 12})
    mira.memories.store("Bjorn owes me 8 silver.", 7, {"event_type": "debt", "participants": ["bjorn"]})
    mira.memories.store("The player repaid me.", 7, {"event_type": "gift_received"})
    assert [(m["kind"], m["by"], m["to"], m["due_day"]) for m in mira.get_open_matters()] == [
        ("promise", "player", "mira", 11),
        ("debt", "mira", "player", 12),
        ("debt", "bjorn", "mira", -1),
    ]
    assert [m["amount"] for m in mira.get_open_matters()][1:] == [30, 8]
    mira.memories.store("Bjorn paid me 5 silver.", 6, {"event_type": "debt_paid", "participants": ["bjorn"]})
    assert [m["rest"] for m in mira.get_open_matters("bjorn")] == [3]
    clock.now = 12.1 * DAY
    promise = mira.get_open_matters("player")[0]
    assert promise["state"] == "overdue"
    assert promise["text"].endswith("It was due yesterday and has not been done.")


def test_a_bystander_has_no_part_in_it(save: Save) -> None:
    save.npc("anna").memories.store(
        "Bjorn promised Mira to pay for the flour.",
        6,
        {"event_type": "promise_made", "by": "bjorn", "to": "mira", "participants": ["bjorn", "mira"]},
    )
    assert save.npc("anna").get_open_matters() == []


def test_the_list_of_all_npcs_has_tasks(save: Save) -> None:
    save.world.tasks.add_task(
        {"assignee": "ulf", "issuer": "mira", "summary": "Mend the net", "status": "active"}
    )
    talk(save, ("I'll bring you the medicine by tomorrow.", "Thank you."))
    matters = save.world.open_matters.get_open_matters()
    assert [(m["kind"], m["npc_id"], m["by"], m["to"]) for m in matters] == [
        ("promise", "mira", "player", "mira"),
        ("task", "ulf", "ulf", "mira"),
    ]
    assert save.npc("mira").get_open_matters("ulf")[0]["text"] == "Ulf is to do this for Mira: Mend the net"


def test_an_overdue_matter_is_reported_once(
    opened: Callable[..., Save], clock: GameClock, save_path: Path
) -> None:
    reported: list[tuple[str, str, str]] = []

    def begin() -> Save:
        save = opened(save_path)
        save.world.on_event = lambda name, arguments: (
            reported.append((arguments[0], arguments[1]["kind"], arguments[1]["state"]))
            if name == "matter_overdue"
            else None
        )
        return save

    def idle(save: Save) -> None:
        for _step in save.world.open_matters.overdue_steps():
            pass

    clock.now = 10.3 * DAY
    save = begin()
    talk(save, ("I'll bring you the medicine by tomorrow.", "Thank you."))
    save.world.tasks.add_task(
        {"assignee": "ulf", "summary": "Mend the net", "status": "active", "due_day": 11}
    )
    idle(save)
    clock.now = 11.9 * DAY
    save.world.tasks.expire_tasks()
    assert reported == [("ulf", "task", "overdue")]
    idle(save)
    assert len(reported) == 1
    clock.now = 12.1 * DAY
    idle(save)
    assert reported[1:] == [("mira", "promise", "overdue")]
    idle(save)
    save.close()
    save = begin()
    clock.now = 13.0 * DAY
    idle(save)
    assert len(reported) == 2
    talk(save, ("Here's the medicine.", "Late, but thanks."))
    assert save.npc("mira").get_open_matters("player") == []


def test_what_two_npcs_remember_is_reported_to_the_one_who_waits(save: Save, clock: GameClock) -> None:
    reported: list[tuple[str, str]] = []
    save.world.on_event = lambda name, arguments: (
        reported.append((arguments[0], arguments[1]["about"])) if name == "matter_overdue" else None
    )
    save.npc("bjorn").memories.store("I keep the smithy.", 5)
    pays, brings = "I'll pay you for it by tomorrow.", "I'll bring you ten sacks by tomorrow."
    save.npc("mira").conversation.store_turn(pays, brings, {"speaker": "bjorn"})
    clock.now += 3 * DAY
    for _step in save.world.open_matters.overdue_steps():
        pass
    assert sorted(reported) == [("bjorn", brings), ("mira", pays)]


def test_a_promise_with_a_new_day_takes_the_place_of_the_one_before(save: Save, clock: GameClock) -> None:
    talk(save, ("I'll bring you the medicine tomorrow.", "Thank you."))
    clock.now += 2 * DAY
    talk(save, ("I'll bring you the medicine tomorrow.", "You said so before."))
    (promise,) = save.npc("mira").get_open_matters()
    assert (promise["due_day"], promise["state"]) == (13, "open")


def test_a_secret_debt_makes_a_secret_promise(save: Save) -> None:
    mira = save.npc("mira")
    debt = {"event_type": "debt", "participants": ["player"], "secret": True, "known_to": ["player"]}
    mira.memories.store("The player owes me 50 gold for the smuggled wine.", 7, debt)
    talk(save, ("I'll pay you back the 50 gold next week.", "Good."), ("I'll mend your roof.", "Good."))
    lines = save.world.open_matters.lines(mira.config, "mira", "player", ["player"], 9)
    assert len(lines) == 3
    lines = save.world.open_matters.lines(mira.config, "mira", "player", ["player", "anna"], 9)
    assert ["roof" in line for _matter, line in lines] == [True]
    talk(save, ("I kept my promise about the 50 gold.", "You did."))
    kept = mira.recall.retrieve_relevant_raw("", {"filter": {"event_type": "promise_kept"}})
    assert [memory["metadata"]["secret"] for memory in kept] == [True]


def test_an_exchange_that_is_undone_leaves_it_as_it_was(save: Save) -> None:
    mira = save.npc("mira")
    talk(save, ("I owe you 50 gold.", "Yes."))
    before = mira.get_open_matters()
    begun = mira.exchanges.record_exchange("Here's 20 gold of it.", {"response": "Thirty left."})
    assert [m["rest"] for m in mira.get_open_matters()] == [30]
    mira.exchange_undo.undo_exchange(begun["exchange"])
    assert mira.get_open_matters() == before


def test_a_greeting_speaks_of_it(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    talk(save, ("I'll bring you the medicine by tomorrow.", "Thank you."))
    clock.now = 12.5 * DAY
    greeting = mira.unaided_answers.answer_from_memory("greeting")
    assert "the medicine by tomorrow" in greeting["response"]
    assert greeting["response"].endswith("It was due yesterday and has not been done.")


def test_prompts_and_dossiers_speak_of_it(save: Save, clock: GameClock) -> None:
    mira = save.npc("mira")
    mira.memories.store(
        "The player promised to bring medicine by tomorrow.", 7, {"event_type": "promise_made"}
    )
    clock.now = 12.5 * DAY
    note = "The player promised to bring medicine by tomorrow."
    prompt = mira.prompts.build_prompt("line", "Good day.")
    assert prompt["prompt"].count(note.rstrip(".")) == 1
    assert "It was due yesterday and has not been done." in prompt["sections"]["relationship"]["text"]
    dossier = mira.dossiers.build_dossier("Good day.")
    assert "It was due yesterday and has not been done." in dossier["sections"]["tasks"]["text"]


@pytest.mark.parametrize("option", [{"bystanders": ["anna"]}, {"addressees": ["anna"]}, {"speaker": "anna"}])
@pytest.mark.parametrize("has_dossier", [False, True])
def test_a_prompt_has_no_secret_matter_of_another(
    save: Save, option: dict[str, Any], has_dossier: bool
) -> None:
    mira = save.npc("mira")
    mira.conversation.store_turn("I promise to steal the crown by tomorrow.", "Good.", {"secret": True})
    options = {"dossier": has_dossier}
    assert "steal the crown" in mira.prompts.build_prompt("greeting", "", options)["prompt"]
    assert "steal the crown" not in mira.prompts.build_prompt("greeting", "", options | option)["prompt"]


@pytest.mark.parametrize("occasion", ["line", "greeting"])
@pytest.mark.parametrize("has_dossier", [False, True])
def test_a_prompt_has_what_is_open_with_its_speaker(save: Save, occasion: str, has_dossier: bool) -> None:
    mira = save.npc("mira")
    hidden = "Where did your brother hide the amulet?"
    for speaker, wares in (("player", "pelts"), ("bjorn", "flour"), ("peer_2", "rope")):
        said = f"I promise to bring you {wares} by tomorrow. {hidden if speaker == 'player' else ''}"
        mira.conversation.store_turn(said, "I don't know.", {"speaker": speaker})
    mira.conversation.store_turn(
        "Who stole the bell?", "I'll ask around. Ask tomorrow.", {"speaker": "bjorn"}
    )
    for speaker, wares in (("player", "pelts"), ("bjorn", "flour"), ("peer_2", "rope"), ("anna", "")):
        options = {"speaker": speaker, "dossier": has_dossier}
        sections = mira.prompts.build_prompt(occasion, "Good day.", options)["sections"]
        open_now = sections["relationship"]["text"] + sections["world_facts"]["text"]
        named = [one for one in ("pelts", "flour", "rope", "amulet", "bell") if one in open_now]
        expected = {"player": ["pelts", "amulet"], "bjorn": ["flour", "bell"]}.get(speaker, [wares])
        if has_dossier and "amulet" not in named:
            expected = [one for one in expected if one != "amulet"]  # It has what is due.
        assert named == list(filter(None, expected)), speaker
        if speaker == "bjorn":
            assert "Bjorn asked me, and I could not say: 'Who stole the bell?'" in open_now


def test_a_dossier_is_for_whom_its_scene_names(save: Save) -> None:
    mira = save.npc("mira")
    save.world.profiles.set_profile("mira", {"backstory": "She came from the hills."})
    mira.conversation.store_turn("I promise to bring you pelts by tomorrow.", "Good.")
    with_bjorn = mira.dossiers.build_dossier("Good day.", {"player": "bjorn"})["sections"]
    assert "pelts" not in with_bjorn["tasks"]["text"] and with_bjorn["backstory"]["text"]
    mira.conversation.store_turn("I promise to bring you flour by tomorrow.", "Good.", {"speaker": "bjorn"})
    with_bjorn = mira.dossiers.build_dossier("Good day.", {"player": "bjorn"})["sections"]
    assert "flour" in with_bjorn["tasks"]["text"] and not with_bjorn["backstory"]["text"]
    assert "Bjorn: 'I promise" in with_bjorn["turns"]["text"]
