"""The village of the demo as a game of its own."""

from __future__ import annotations

from pathlib import Path

from tests.engine.game import ADDON, ROOT, Game, Project, check_errors

PARTS = ("village", "memories", "json_file.gd", "memory_loader.gd")
WINDOW = ["--resolution", "1280x720", "--position", "0,0"]
SETTINGS = {
    "display/window/size/viewport_width": "1280",
    "display/window/size/viewport_height": "720",
    "display/window/stretch/mode": '"canvas_items"',
}


def make_village(folder: Path, *, model: bool = True, language_pack: bool = False) -> Project:
    project = Project(folder, settings=SETTINGS, model=model)
    if language_pack:
        (project.models.parent / "multilingual").symlink_to(ADDON / "models" / "multilingual")
    for part in PARTS:
        (project.folder / "demo" / part).symlink_to(ROOT / "demo" / part)
    return project


def check_close(game: Game) -> None:
    """The window was closed in the middle of something: nothing failed, and nothing is left over."""
    check_errors(game.lines, [])
    assert not [line for line in game.lines if "leaked" in line], game.tail()
