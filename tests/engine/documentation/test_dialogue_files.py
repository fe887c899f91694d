"""The dialogue files and the autoload of docs/dialogue.md, visit after visit.

RAG_MEMORY_TEST_ADDONS names a folder with the addons dialogue_manager and dialogic: with it, each file runs
in its addon. Neither is on a package registry, so without that folder the engine's class Expression evaluates
the files' expressions, as Dialogic does.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.engine.game import ROOT, Game, Home, Project, check_errors, run

PAGE = (ROOT / "docs" / "dialogue.md").read_text(encoding="utf-8")
VARIABLE = "RAG_MEMORY_TEST_ADDONS"
STRANGER = "Good evening, stranger."
MENDED = "I remember it. You promised to mend the (b)roof(/b) ((before)) winter."
ROOF = f"And my roof, Rowan (b)(x)? {MENDED}"
VISITS = [
    [STRANGER, ["Farewell"], ""],
    [STRANGER, ["Farewell"], ""],
    [ROOF, ["About the roof", "Farewell"], "Yes?"],
    [ROOF, ["About the roof", "About the mill", "Farewell"], "Yes?"],
    [STRANGER, ["About the mill", "Farewell"], "I saw the smoke."],
]
"""What Mira says, the answers that are offered, and what she says to the first of them."""


class Addon(NamedTuple):
    """An addon that runs dialogue files, and how one looks in it."""

    heading: str
    folder: str
    file: str
    script: str
    patterns: dict[str, str]


DIALOGUE_MANAGER = Addon(
    "Dialogue Manager",
    "dialogue_manager",
    "mira.dialogue",
    "dialogue_manager.gd",
    {
        "promise": r"(?m)^if (.+)$",
        "roof": r"About the roof \[if (.+) /\]",
        "mill": r"About the mill \[if (.+) /\]",
        "name": r"\{\{(player_name.+?)\}\}",
        "quote": r"\{\{(tell.+?)\}\}",
        "mutation": r"(?m)^\tdo (.+)$",
    },
)
DIALOGIC = Addon(
    "Dialogic",
    "dialogic",
    "mira.dtl",
    "Core/DialogicGameHandler.gd",
    {
        "promise": r"(?m)^if \{(.+)\}:$",
        "roof": r"About the roof \| \[if \{(.+)\}\]",
        "mill": r"About the mill \| \[if \{(.+)\}\]",
        "name": r"roof, \{(.+?)\}",
        "quote": r"\? \{(.+?)\}",
        "mutation": r"(?m)^\tdo (.+)$",
    },
)
BOTH = pytest.mark.parametrize("addon", [DIALOGUE_MANAGER, DIALOGIC], ids=lambda addon: addon.folder)


def _file(addon: Addon) -> str:
    return PAGE.split(f"### {addon.heading}\n")[1].split("```text\n")[1].split("```")[0]


def _autoload() -> str:
    return PAGE.split("### Connect a dialogue addon\n")[1].split("```gdscript\n")[1].split("```")[0]


@BOTH
def test_the_expressions_are_right_on_every_visit(addon: Addon, project: Project, home: Home) -> None:
    (project.folder / "npcs.gd").write_text(_autoload(), encoding="utf-8")
    project.write_settings({"autoload/NPCs": '"*res://npcs.gd"'})
    matches = {name: re.search(pattern, _file(addon)) for name, pattern in addon.patterns.items()}
    expressions = {name: match[1] for name, match in matches.items() if match}
    (project.folder / "expressions.json").write_text(json.dumps(expressions), encoding="utf-8")
    game = run(project, home, "dialogue_visits")
    without = {"promise": False, "roof": False, "mill": False, "name": "stranger"}
    promised = {"promise": True, "roof": True, "mill": False, "name": "Rowan (b)(x)", "quote": MENDED}
    burned = promised | {"mill": True}
    after = without | {"name": "Rowan (b)(x)", "mill": True}
    assert game.values("visit") == [without, without, promised, burned, after]


@BOTH
def test_the_file_is_right_in_the_addon_itself(addon: Addon, project: Project, home: Home) -> None:
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} names no folder with {addon.folder} in it")
    folder = f"res://addons/{addon.folder}"
    (project.addon.parent / addon.folder).symlink_to(Path(os.environ[VARIABLE]) / addon.folder)
    (project.folder / "npcs.gd").write_text(_autoload(), encoding="utf-8")
    (project.folder / addon.file).write_text(_file(addon), encoding="utf-8")
    project.write_settings(
        {
            "autoload/NPCs": '"*res://npcs.gd"',
            f"autoload/{addon.heading.replace(' ', '')}": f'"*{folder}/{addon.script}"',
            "editor_plugins/enabled": f'PackedStringArray("{folder}/plugin.cfg")',
        }
    )
    importing = Game(project, home, "", options=["--import"])
    assert importing.end() == 0, importing.tail()
    game = Game(project, home, f"visits_in_{addon.folder}")
    visits = game.wait_for("visit", len(VISITS))
    game.kill()  # Without a screen, Dialogic aborts the engine's exit, also where our addon is not.
    assert visits == VISITS, game.tail()
    check_errors(game.lines, [])
