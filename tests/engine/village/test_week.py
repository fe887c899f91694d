"""A week in the village: what each of its people hears, remembers and says (week.gd plays it)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.engine.game import Game, Home, Project
from tests.engine.screen import virtual_screen
from tests.engine.village.village_project import WINDOW, check_close

WEEK = "res://tests/engine/village/week.tscn"
WEEK_LIMIT_SECONDS = 1200.0
CART = '"The salt cart leaves in three days, by the ford."'
FIREWOOD = '"I promise to bring firewood within two days."'
GOAL = "Goal: Mira's pig is gone."
PIG = "In the night a covered cart passed the store"
OWED = "Bjorn owes Gregor 12 silver: "
PAY = 'Bjorn promised Gregor: "I will pay you within three days."'


def answers_to(game: Game, question: str) -> dict[str, str]:
    """What each of them has answered the player."""
    return {npc: answer for npc, _, asked, answer in game.values("asked") if asked == question}


def check_goal(game: Game) -> None:
    """What is asked for is told on, and the third who hears of it is believed."""
    value = game.value
    assert value("goal_at_first") == value("goal_after_aldric") == f"{GOAL} Ask her where it is."
    assert "Gregor hears every cart" in value("goal_after_mira")
    assert "So far: Gregor" in value("goal_after_gregor")
    assert value("first_news") == "Gregor tells Elena of the cart that squealed."
    assert value("second_news") == "Elena tells Aldric of the cart that squealed."
    answers = [
        (npc, answer) for npc, _, asked, answer in game.values("asked") if asked == "Where is the pig?"
    ]
    assert [npc for npc, _ in answers] == ["aldric", "mira", "gregor", "aldric", "bjorn"]
    assert "pig" not in answers[0][1], "nobody has told him yet"
    assert f"I heard from Elena that this happened: {PIG}" in answers[3][1]
    assert "Captain Aldric found Mira's pig" in answers[4][1], "everybody knows of it now"
    assert "The end" in value("goal_reached") and value("goal_reached") in value("closing_line")


def check_talks(game: Game) -> None:
    """What the player notices."""
    heard = game.value("overheard")
    assert f"Aldric to Mira: {CART.strip(chr(34))}\nMira: Then I shall bake for the carters." in heard
    assert heard.endswith("Overheard by Elena.")
    assert "Bjorn to Gregor: I owe you 12 silver" in game.value("bargain")
    assert game.value("whisper").endswith("Gregor whispers to Varn.")
    assert "Aldric to Mira: The salt cart was robbed at the ford! Who knew of it?" in game.value("shouted")


def check_memories(known: dict[str, list[str]]) -> None:
    """Who remembers what after the first evening."""
    assert f"I overheard Aldric tell Mira: {CART}" in known["elena"]
    assert known["mathias"] == [], "the old man stood beside them, and is deaf"
    assert f"I whispered to Varn: {CART}" in known["gregor"]
    assert any(f"Gregor whispered: {CART}" in text for text in known["varn"])
    whispers = {id for id, texts in known.items() if any("whispered" in text for text in texts)}
    assert whispers == {"gregor", "varn"}
    assert 'Bjorn promised me: "I will pay you within three days."' in known["gregor"]
    assert 'I promised Gregor: "I will pay you within three days."' in known["bjorn"]
    assert any("… pay you … three days." in text and "not catch all" in text for text in known["mira"])


def check_journals(value: Callable[[str], Any]) -> None:
    """What is open between them, and what becomes of it."""
    at_first = value("journal_at_first")
    assert f"[open] The player promised Mira: {FIREWOOD} It is due on day 38." in at_first
    assert f"[open] {PAY} It is due on day 39." in at_first
    assert f'[open] {OWED}"I owe you 12 silver for the iron."' in at_first
    assert any(OWED in line and "What is left: 7 silver." in line for line in value("journal_in_part"))
    assert f"[overdue] {PAY} It was due yesterday and has not been done." in value("journal_overdue")
    at_last = value("journal_at_last")
    assert f"[kept] The player promised Mira: {FIREWOOD}" in at_last and f"[paid] {PAY}" in at_last
    assert [line for line in at_last if OWED in line and not line.startswith("[paid]")] == []


def test_a_week_in_the_village(village: Callable[..., Project], home: Home) -> None:
    with virtual_screen(1280, 720) as screen:
        game = Game(village(), home, "", options=[*WINDOW, WEEK], screen=screen)
        assert game.end(WEEK_LIMIT_SECONDS) == 0, game.tail()
    check_close(game)
    check_goal(game)
    check_talks(game)
    check_memories(game.value("first_evening"))
    check_journals(game.value)

    # The same question three times has an answer each time, and another remark before it.
    answers = [game.value(name) for name in ("asked_1", "asked_2", "asked_3")]
    assert all(FIREWOOD in answer for answer in answers) and len(set(answers)) == len(answers)

    # Who heard it can tell; a whisper is told on by nobody.
    of_cart = answers_to(game, "What do you know of the salt cart?")
    assert {id for id, answer in of_cart.items() if CART in answer} == {"elena", "aldric"}
    of_robbery = answers_to(game, "Who robbed the salt cart?")
    assert {id for id, answer in of_robbery.items() if "was robbed at the ford!" not in answer} == {"mathias"}

    # What is overdue is told to the game, and said by her.
    overdue = "It was due yesterday and has not been done."
    assert game.value("overdue") == f"Overdue: The player promised Mira: {FIREWOOD} {overdue}"
    assert game.value("reminded").endswith(f"{FIREWOOD} {overdue}")
    assert game.value("overdue_silver") == f"Overdue: {PAY} {overdue}"
    assert "firewood" not in game.value("greeted_at_last")
