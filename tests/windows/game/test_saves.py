"""Saves of a game for Windows while it is killed and while another game or program uses their files: what the
game was told is stored is there afterwards.
"""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest
from tests.export.exported import Exported
from tests.windows.game.windows_game import Running, Windows

from rag_memory_build import wine

pytestmark = pytest.mark.slow

KILLS = 20
LONG_SECONDS = "40"
SHORT_SECONDS = "1"


def test_killed_while_it_stores_it_has_lost_nothing_each_time(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    dice = random.Random("windows")
    acknowledged: set[str] = set()
    for number in range(KILLS + 1):
        game = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
        game.wait_for("found")
        assert game.value("open") == 0, game.text()
        found = set(game.value("found"))
        assert acknowledged <= found, f"kill {number}: {len(acknowledged - found)} of {len(acknowledged)}"
        if number < KILLS:
            game.wait_for("stored", dice.randint(1, 40))
            time.sleep(dice.uniform(0.0, 0.2))
        game.kill()
        acknowledged |= {id for id in game.values("stored") if id}
    assert len(acknowledged) > 5 * KILLS


def test_the_second_game_is_told_that_the_save_is_in_use(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    first = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    first.wait_for("stored", 3)
    assert first.value("open") == 0, first.text()
    second = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    second.wait_for("found")
    assert second.values("open") != [0], second.text()
    assert any("open" in line and "slot_1" in line for line in second.errors()), second.text()
    count = len(first.values("stored"))
    first.wait_for("stored", count + 3)
    assert first.errors() == []
    second.kill()
    first.kill()
    third = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    third.wait_for("found")
    assert third.value("open") == 0, third.text()
    assert {id for id in first.values("stored") if id} <= set(third.value("found"))
    third.kill()


def held(
    windows: Windows, exported: Exported, holder: Path, folder: Path, seconds: str, pattern: str
) -> Running:
    """The end of save_and_restore.gd, while files of its save were held for some seconds."""
    go_on = folder / "go_on"
    game = windows.game(exported.folder, "save_and_restore.gd", wine.windows_path(go_on), cwd=folder)
    game.wait_for("ready")
    files = [path for path in sorted(windows.saves().rglob(pattern)) if path.is_file()]
    assert files, [str(path) for path in windows.saves().rglob("*")]
    program = windows.start(holder, seconds, *map(wine.windows_path, files), cwd=folder)
    end = time.monotonic() + 60
    while not (program.values("held") or program.values("refused")) and time.monotonic() < end:
        time.sleep(0.05)
    go_on.touch()
    assert game.end() == 0, game.text()
    program.kill()
    return game


@pytest.mark.parametrize("pattern", ["*.sqlite3", "*.sqlite3-wal", "*.lock", "before.sqlite3"])
@pytest.mark.parametrize("seconds", [SHORT_SECONDS, LONG_SECONDS], ids=["for a moment", "for long"])
def test_files_that_another_program_holds_cost_no_memory(
    seconds: str,
    pattern: str,
    exported: Exported,
    windows: Windows,
    holder: Path,
    tmp_path: Path,
) -> None:
    game = held(windows, exported, holder, tmp_path, seconds, pattern)
    stored = {id for id in game.values("stored") if id}
    assert len(stored) >= 3, game.text()
    # What fails is told, and tells which file it is about.
    failed = [code for name in ("snapshot", "restored", "closed") for code in game.values(name) if code]
    assert not failed or any("slot_1" in line or "before" in line for line in game.errors()), game.text()
    again = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    again.wait_for("found")
    assert again.value("open") == 0, again.text()
    assert again.errors() == [], again.text()
    assert stored <= set(again.value("found"))
    again.kill()


def test_the_files_of_an_open_save_can_be_copied_and_put_back(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    game = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    game.wait_for("stored", 5)
    save = windows.saves() / "slot_1.sqlite3"
    kept = tmp_path / "kept"
    kept.mkdir()
    before = {id for id in game.values("stored") if id}
    for file in save.parent.glob("slot_1.sqlite3*"):
        shutil.copyfile(file, kept / file.name)
    game.wait_for("stored", 2 * len(before))
    assert game.errors() == [], game.text()
    game.kill()
    for file in save.parent.glob("slot_1.sqlite3*"):
        file.unlink()
    for file in kept.iterdir():
        if file.name != "slot_1.sqlite3.lock":
            shutil.copyfile(file, save.parent / file.name)
    again = windows.game(exported.folder, "store_forever.gd", cwd=tmp_path)
    again.wait_for("found")
    assert again.value("open") == 0, again.text()
    assert before <= set(again.value("found"))
    again.kill()
