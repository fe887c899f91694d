"""A game with the addon's plugin enabled, and scripts played in the real editor that has it open."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engine.game import ADDON, ROOT, START_LIMIT_SECONDS, Game, Home, Project, check_errors

PLUGIN = "res://addons/rag_memory/plugin.cfg"
DRIVER = "res://addons/editor_driver/plugin.cfg"


class EditorProject(Project):
    """A game with the whole addon, its plugin enabled, and the editor driver of the tests."""

    plugins = f'PackedStringArray("{PLUGIN}", "{DRIVER}")'

    def __init__(
        self, folder: Path, *, settings: Mapping[str, str] | None = None, model: bool = True
    ) -> None:
        super().__init__(
            folder, settings={"editor_plugins/enabled": self.plugins, **(settings or {})}, model=model
        )
        for part in ("plugin.cfg", "plugin.gd", "editor"):
            (self.addon / part).symlink_to(ADDON / part)
        shutil.copytree(
            ROOT / "tests" / "engine" / "editor" / "editor_driver", folder / "addons" / "editor_driver"
        )


def play(
    project: EditorProject,
    home: Home,
    scenario: str,
    *arguments: str,
    errors: Sequence[str] = (),
    allowed: Sequence[str] = (),
    wrapper: Sequence[str] = (),
    seconds: float = 2 * START_LIMIT_SECONDS,
) -> Game:
    """Play a script of editor/scenarios/ in the editor, to its end; as `run` does with a game."""
    game = Game(project, home, "", scenario, *arguments, options=["--editor"], wrapper=wrapper)
    code = game.end(seconds)
    assert code == 0, f"the editor ended with exit code {code}\n{game.tail()}"
    check_errors(game.lines, errors, allowed)
    return game


def check_explained(game: Game) -> None:
    """Whatever a panel shows has a tooltip: numbers, fields, choices, pictures and columns. Nothing is cut
    off, and no scroll bar stands in another."""
    answers = game.values("unexplained")
    assert answers, "the scenario looked at no panel"
    missing = [part for answer in answers for part in answer]
    assert not missing, "no tooltip:\n" + "\n".join(missing)
    cut = [part for answer in game.values("cut") for part in answer]
    assert not cut, "cut off, or scrolled twice:\n" + "\n".join(cut)
