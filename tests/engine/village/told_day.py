"""The required outcome of a day in the village, wherever it is played (day.gd prints it)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

PROMISE = '"I promise to bring firewood within two days."'
THEFT = "I saw the player steal a purse of coppers from Gregor."


def check_day(value: Callable[[str], Any], met: list[Any]) -> None:
    assert value("message") == "Welcome to Thornhaven."
    assert "no saved game yet" in value("no_save")
    assert value("hint").startswith("Mira") and "E: talk" in value("hint")
    assert met == [True, True, True, True]
    assert value("greeted")
    assert value("unsaid") == ["You went before you had given your word.", {}]
    assert "Save when they have finished" in value("saved_in_talk")

    # She remembers the promise, and says why on the panel.
    assert any(PROMISE in text for text in value("recalled"))
    assert "to bring firewood within two days" in value("answer")
    assert "You: Did I promise you firewood" in value("history") and value("answer") in value("history")
    assert PROMISE in value("panel") and "score" in value("panel") and "Near: Bjorn" in value("panel")
    assert "<identity>" in value("prompt") and "You are Mira" in value("prompt")

    # Feelings go where they should.
    strength = {
        name: value(name)["strength"]
        for name in ("at_first", "promised", "given", "a_week_later", "broken", "saved", "insulted", "loaded")
    }
    assert strength["at_first"] < strength["promised"] < strength["given"]
    assert strength["given"] == strength["a_week_later"] > strength["broken"]
    assert value("given")["trust"] > value("at_first")["trust"]
    assert value("broken")["trust"] < value("given")["trust"]
    assert value("given")["mood"] != "neutral" and value("a_week_later")["mood"] == "neutral"
    assert value("hours_waited") == 168
    assert value("promise_now") is True, "the broken promise replaces the promise"

    # Who saw the theft knows of it.
    assert "You steal a purse of coppers from Gregor." in value("theft") and "Elena" in value("theft")
    assert value("robbed")["strength"] < 50 and value("robbed")["mood"] == "angry"
    assert THEFT in value("witnessed")
    told = value("told")
    assert re.search("I saw (Rowan|you) steal a purse of coppers from Gregor[.]", told), told
    assert value("witness")["strength"] < 50

    # What came after saving is forgotten, and nothing else.
    assert value("heard") is True and value("insulted")["strength"] < value("saved")["strength"]
    assert value("loaded") == value("saved")
    assert value("forgotten") is True and value("kept") is True

    # All of it works with a gamepad, too.
    assert value("pad_greeted") == "mira" and value("pad_prompt") is True
    assert value("pad_left") is True and value("pad_menu").startswith("Hour (F3)")
