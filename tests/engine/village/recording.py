"""The recording of the village for the documents: 40 seconds as an animated picture."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.engine.game import Game, Home
from tests.engine.screen import virtual_screen
from tests.engine.village.village_project import WINDOW, make_village

SCENE = "res://tests/engine/village/recording.tscn"
NAME = "recording"
FILE = "village.webp"
SECONDS = 40
LIMIT_SECONDS = 600.0
_FRAMES_PER_SECOND = 10
_SIZE = (960, 540)
_QUALITY = 70


def take(target: Path, scratch: Path) -> list[Path]:
    """Play the village and record it into `target`; the file."""
    frames = scratch / "frames"
    frames.mkdir()
    project = make_village(scratch / "recorded_village")
    words = [str(frames), str(SECONDS * _FRAMES_PER_SECOND)]
    options = [*WINDOW, "--fixed-fps", str(_FRAMES_PER_SECOND), SCENE]
    with virtual_screen(1280, 720) as screen:
        game = Game(project, Home(scratch / "recorded_home"), "", *words, options=options, screen=screen)
        code = game.end(LIMIT_SECONDS)
    if code != 0:
        raise SystemExit(f"the village ended with exit code {code}\n" + game.tail())
    return [_write(sorted(frames.iterdir()), target / FILE)]


def _write(frames: list[Path], target: Path) -> Path:
    # Of picture_packages.py: no other part of the project has it.
    image = importlib.import_module("PIL.Image")
    pictures = [image.open(frame).convert("RGB").resize(_SIZE, image.Resampling.LANCZOS) for frame in frames]
    target.parent.mkdir(parents=True, exist_ok=True)
    pictures[0].save(
        target,
        save_all=True,
        append_images=pictures[1:],
        duration=1000 // _FRAMES_PER_SECOND,
        loop=0,
        quality=_QUALITY,
    )
    return target
