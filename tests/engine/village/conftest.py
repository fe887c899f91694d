"""The village of the demo as a game of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import ROOT, Project

PARTS = ("village", "memories", "json_file.gd", "memory_loader.gd")
SETTINGS = {
    "display/window/size/viewport_width": "1280",
    "display/window/size/viewport_height": "720",
    "display/window/stretch/mode": '"canvas_items"',
}


@pytest.fixture
def village(tmp_path: Path) -> Callable[..., Project]:
    """Makes the game, with or without the embedding model."""

    def make(*, model: bool = True) -> Project:
        project = Project(tmp_path / "village", settings=SETTINGS, model=model)
        for part in PARTS:
            (project.folder / "demo" / part).symlink_to(ROOT / "demo" / part)
        return project

    return make
