"""Thornhaven, the village of the demo: a whole day of it, and a window played with real keys."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from tests.engine.game import ADDON, Game, Home, Project, check_errors
from tests.engine.screen import virtual_screen
from tests.engine.village.told_day import check_day
from tests.engine.village.village_project import WINDOW, check_close

from rag_memory_build import xdotool
from rag_memory_build.language_server import LanguageServer

DAY = "res://tests/engine/village/day.tscn"
LANGUAGES = "res://tests/engine/village/languages.tscn"
OLDER_SAVE = "res://tests/engine/village/older_save.tscn"
REPORTER = "res://tests/engine/village/reporter.tscn"
DAY_LIMIT_SECONDS = 1200.0
"""For the slowest machine. The day itself names what it waits for in vain, much sooner."""

MOST_LINES = 2030
SURE = "Click again"
YOU = "You are Rowan. Give, promise, steal, then ask what they remember."


def state(game: Game) -> dict[str, Any]:
    """The newest that the reporter has said."""
    said = game.values("state")
    return said[-1] if said else {}


def wait(game: Game, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """Wait until the village stands like that."""
    assert game.wait_until(lambda: bool(state(game)) and bool(condition(state(game)))), game.tail(20)
    return state(game)


class Player:
    """Somebody at the keyboard and the mouse of a screen."""

    def __init__(self, screen: dict[str, str]) -> None:
        self._command = xdotool.prepare()
        self._screen = screen

    def do(self, *words: str) -> None:
        done = subprocess.run(
            [*self._command, *words], env=self._screen, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def press(self, key: str) -> None:
        self.do("key", key)

    def write(self, text: str) -> None:
        self.do("type", "--delay", "20", text)
        self.press("Return")

    def click(self, place: Sequence[int]) -> None:
        self.do("mousemove", str(place[0]), str(place[1]), "click", "1")


def test_a_day_in_the_village(village: Callable[..., Project], home: Home) -> None:
    game = Game(village(), home, "", options=[DAY])
    assert game.end(DAY_LIMIT_SECONDS) == 0, game.tail()
    check_close(game)
    check_day(game.value, game.values("met"))


def test_a_window_is_played_with_keys_and_mouse(village: Callable[..., Project], home: Home) -> None:
    with virtual_screen(1280, 720) as screen:
        player = Player(screen)
        game = Game(village(model=False), home, "", options=[*WINDOW, REPORTER], screen=screen)
        try:
            begun = wait(game, lambda now: now["ready"])
            assert begun["talk"] == YOU
            player.do("keydown", "a")
            wait(game, lambda now: now["player"][0] < begun["player"][0] - 20)
            player.do("keyup", "a")

            # A click on Mira leads to her, and she greets.
            player.click(wait(game, lambda now: not now["walks"])["places"]["mira"])
            wait(game, lambda now: now["partner"] == "mira" and now["response"])
            player.write("Good day! (b)[b]not bold[/b]")
            wait(game, lambda now: "You: Good day! (b)[b]not bold[/b]\nMira: " in now["talk"])
            player.press("Return")
            talked = wait(game, lambda now: now["is_shown_whole"] and now["response"] in now["talk"])
            player.click(talked["places"]["Give a gift"])
            given = wait(game, lambda now: "You give Mira a jar of honey." in now["message"])
            here = "You: Here, I brought you a jar of honey.\nMira: "
            wait(game, lambda now: here in now["talk"] and now["is_shown_whole"])
            player.click(given["places"]["What did I promise you?"])
            wait(game, lambda now: "You: What did I promise you?\nMira: " in now["talk"])

            player.press("Return")
            wait(game, lambda now: now["is_shown_whole"])
            long = wait(game, lambda now: now["scrolled"] > 0)
            player.press("Prior")
            wait(game, lambda now: now["scrolled"] < long["scrolled"])
            player.press("Next")
            wait(game, lambda now: now["scrolled"] == long["scrolled"])

            player.press("F2")
            wait(game, lambda now: now["prompt"])
            player.press("Escape")
            wait(game, lambda now: not now["prompt"] and now["partner"] == "mira")
            player.press("Escape")
            wait(game, lambda now: now["partner"] == "")
            player.press("grave")
            wait(game, lambda now: now["console"])
            player.press("Escape")
            wait(game, lambda now: not now["console"])

            player.press("F5")
            saved = wait(game, lambda now: now["message"].startswith("Saved"))
            player.press("F4")
            wait(game, lambda now: now["date"] != saved["date"])
            player.press("F9")
            wait(game, lambda now: now["message"].startswith("Loaded") and now["date"] == saved["date"])
            wait(game, lambda now: now["talk"] == YOU)
            wait(game, lambda now: not now["is_told"])
            player.click(wait(game, lambda now: "New game" in now["places"])["places"]["New game"])
            sure = wait(game, lambda now: SURE in now["places"])
            player.click(sure["places"][SURE])
            wait(game, lambda now: now["message"] == "Welcome to Thornhaven." and now["ready"])
            player.press("F9")
            wait(game, lambda now: "There is no saved game yet" in now["message"])
            assert [each["cut"] for each in game.values("state") if each["ready"] and each["cut"]] == []
        finally:
            game.kill()
        check_errors(game.lines, [])


def test_a_villager_streams_what_a_real_model_says_and_goes_on_without_it(
    village: Callable[..., Project], home: Home
) -> None:
    with virtual_screen(1280, 720) as screen, LanguageServer() as server:
        player = Player(screen)
        address = f"--model-address={server.base_url}"
        project = village(model=False)
        game = Game(project, home, "", address, options=[*WINDOW, REPORTER], screen=screen)
        try:
            # While he thinks, the screen shows what he has in mind, and a line does not interrupt him.
            os.kill(server.pid, signal.SIGSTOP)
            player.click(wait(game, lambda now: now["ready"])["places"]["mathias"])
            wait(game, lambda now: now["title"] == "Mathias is thinking ...")
            wait(game, lambda now: "Mood: " in now["panel"] and "score" in now["panel"])
            player.write("What grows in your orchard?")
            player.press("F2")
            wait(game, lambda now: now["prompt"])
            player.press("F2")
            os.kill(server.pid, signal.SIGCONT)
            greeted = wait(game, lambda now: now["answers"] == 1 and now["title"] == "Mathias")
            assert greeted["line"] == "What grows in your orchard?" and "You:" not in greeted["talk"]
            player.press("Return")
            wait(game, lambda now: now["answers"] == 2)
            player.write("Tell me a long story of the village.")
            spoken = wait(game, lambda now: now["answers"] == 3)
            assert spoken["from_memory"] is False, spoken["message"]
            assert spoken["chunks"] > spoken["answers"], "an answer comes in pieces"
            wait(game, lambda now: now["is_shown_whole"] and now["response"] in now["talk"])
            server.kill()
            player.write("Are you still there?")
            gone = wait(game, lambda now: now["from_memory"])
            assert "The language model does not answer. Villagers answer from memory." in gone["message"]
            wait(game, lambda now: "You: Are you still there?\nMathias: " in now["talk"])
        finally:
            game.kill()
        check_errors(game.lines, [])


def test_what_fails_is_said_on_the_screen(village: Callable[..., Project], home: Home) -> None:
    project = village(model=False)
    saved = home.user_data(project) / "village.json"
    saved.parent.mkdir(parents=True)
    saved.write_text("half a fi")
    game = Game(project, home, "", options=[REPORTER])
    damaged = wait(game, lambda now: now["ready"])
    game.kill()
    assert "village.json is not valid JSON" in damaged["message"]
    saved.unlink()

    project.runtime.unlink()
    game = Game(project, home, "", options=[REPORTER])
    broken = wait(game, lambda now: "runtime" in now["message"])
    game.kill()
    assert "The villagers remember nothing." in broken["message"] and not broken["ready"]

    (project.addon / "rag_memory.gdextension").unlink()
    shutil.rmtree(project.folder / ".godot")
    game = Game(project, home, "", options=[REPORTER])
    missing = wait(game, lambda now: now["message"])
    game.kill()
    assert "the RAG Memory extension is not loaded" in missing["message"]


def test_the_village_is_played_in_german_and_chinese(village: Callable[..., Project], home: Home) -> None:
    game = Game(village(model=False, language_pack=True), home, "", options=[LANGUAGES])
    assert game.end() == 0, game.tail()
    check_close(game)
    german, chinese = game.value("de"), game.value("zh")
    assert german["lacks"] == "" and chinese["lacks"] == "", "no letter without a picture"
    assert german["too_wide"] == [] and chinese["too_wide"] == []
    assert german["button"] == "Versprechen" and chinese["button"] == "许诺"
    assert german["greeting"] in german["talk"] and "Du: Was habe ich versprochen?" in german["talk"]
    assert "in zwei Tagen Feuerholz" in german["answer"] and "Feuerholz" in german["open"][0]
    assert "两天之内送来柴火" in chinese["answer"] and "两天之内送来柴火" in chinese["open"][0]
    assert "你：我答应过你什么？" in chinese["talk"]
    assert not re.search("[A-Za-z]", chinese["talk"]), "the whole talk is Chinese"
    check_pig(german, ["mein Schwein gestohlen", "quiekte wie ein Schwein", "Elena hat mir erzählt"])
    check_pig(chinese, ["偷走了我的猪", "车里有猪在叫", "我听埃琳娜说"])
    assert "trinkt auf dich" in german["goal"] and "米拉举杯敬你" in chinese["goal"]
    assert "Miras Schwein" in german["of_the_pig"][3] and "米拉的猪" in chinese["of_the_pig"][3]


def check_pig(village: dict[str, Any], parts: list[str]) -> None:
    """Mira, Gregor and, from hearsay, Aldric have said this."""
    for answer, part in zip(village["of_the_pig"], parts, strict=False):
        assert part in answer, village["of_the_pig"]
    assert village["goal_lines"] == 1, "there is room for the goal"


def test_an_older_save_gets_the_goal(village: Callable[..., Project], home: Home) -> None:
    game = Game(village(model=False), home, "", options=[OLDER_SAVE])
    assert game.end() == 0, game.tail()
    check_errors(game.lines, [])
    assert game.value("events") == ["pig_gone", "pig_cart"]


def test_the_village_is_short_enough_to_copy() -> None:
    scripts = (ADDON.parents[1] / "demo" / "village").glob("*.gd")
    assert sum(len(each.read_text(encoding="utf-8").splitlines()) for each in scripts) < MOST_LINES
