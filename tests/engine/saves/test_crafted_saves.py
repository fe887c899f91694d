"""Saves that a stranger has changed, opened by a game: mended, or refused with an error that says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.crafted_saves import CRAFTS, SECRET, crafted, make_base, outside_of
from tests.engine.game import MACHINE, Home, Project, run

SEED = int(os.environ.get("RAG_MEMORY_TEST_SEED", "1"))
REFUSED = {"links", "linked_folders", "fifo", "fifo_beside", "device", "sparse", "sparse_tail"}
"""No save, or something beside it leads elsewhere: not opened, however often the game tries."""
SECONDS = 600


@pytest.mark.skipif(
    MACHINE.target.name.startswith("windows"), reason="Windows has no links, pipes or devices"
)
def test_a_game_opens_crafted_saves(quick_project: Project, home: Home, tmp_path: Path) -> None:
    base = tmp_path / "base.sqlite3"
    make_base(base)
    folder = home.saves(quick_project)
    folder.mkdir(parents=True)
    outside = [put(name, base.read_bytes(), tmp_path, folder) for name in CRAFTS]

    game = run(
        quick_project, home, "crafted_saves", *CRAFTS, seconds=SECONDS, allowed=["RAG Memory", "The save"]
    )

    assert not [line for line in game.lines if "An error inside RAG Memory" in line], (
        f"seed {SEED}\n{game.tail()}"
    )
    opened = {name: (is_open, problems) for name, is_open, problems in game.values("opened")}
    assert {name for name, (is_open, _) in opened.items() if not is_open} == REFUSED, f"seed {SEED}: {opened}"
    assert dict(game.values("used")) == {name: "" for name in CRAFTS if name not in REFUSED}, f"seed {SEED}"
    for path in outside:
        assert path.read_text() == SECRET and list(path.parent.iterdir()) == [path]


def put(name: str, base: bytes, scratch: Path, folder: Path) -> Path:
    """Put a crafted save and what lies beside it into the folder of a game; the file outside."""
    path = crafted(name, base, scratch, SEED)
    for part in path.parent.iterdir():
        part.rename(folder / part.name.replace("village", name, 1))
    return outside_of(path)
