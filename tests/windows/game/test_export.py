"""The demo, exported for Windows by the editor for Linux, runs where players put it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.engine.game import is_error
from tests.export.exported import LORE, Exported
from tests.windows.game.windows_game import PROGRAM, Running, Windows

from rag_memory_build import export

pytestmark = pytest.mark.slow

RUNTIME = "rag_memory/runtime/windows_x86_64"


def check_that_it_recalls(run: Running) -> None:
    assert run.errors() == [], run.text()
    assert (run.value("open"), run.value("prepared")) == (0, len(LORE))
    assert "The player gave me a red rose by the well." in run.value("recalled")
    assert run.value("lore") == [LORE[0]]
    assert "Aldwin rules the town" in run.value("told")
    assert run.value("health")["model_is_fallback"] is False


def copy_of(exported: Exported, folder: Path) -> Path:
    shutil.copytree(exported.folder, folder)
    return folder


def test_it_has_what_windows_needs_and_nothing_else(exported: Exported) -> None:
    assert {path.name for path in exported.folder.iterdir()} == {
        PROGRAM,
        "rag_memory_demo.pck",
        "librag_memory.windows.x86_64.dll",
        "rag_memory",
    }
    assert [path.name for path in (exported.folder / "rag_memory" / "runtime").iterdir()] == [
        "windows_x86_64"
    ]
    files = [path.name for path in exported.folder.rglob("*")]
    assert [name for name in files if re.search(r"\.so\b|\.dylib$|\.exe$", name)] == [PROGRAM]
    size = export.size_of(exported.folder)
    export.report(size)
    assert size.unpacked > 50


def test_it_recalls_when_its_output_goes_to_a_file(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    said = windows.play_into(tmp_path / "log.txt", exported.folder, "check", cwd=tmp_path)
    assert "The player gave me a red rose by the well." in said
    assert not any(map(is_error, said.splitlines())), said


def test_it_recalls_from_a_folder_with_any_letters_that_nobody_can_write(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    game = copy_of(exported, tmp_path / "Spiele und Bücher" / "村 \N{SNOWMAN}")
    before = {path: path.stat().st_mtime_ns for path in game.rglob("*")}
    for path in (*game.rglob("*"), game):
        path.chmod(path.stat().st_mode & ~0o222)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    try:
        run = windows.play(game, "check", cwd=elsewhere)
    finally:
        for path in (game, *game.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)
    check_that_it_recalls(run)
    assert {path: path.stat().st_mtime_ns for path in game.rglob("*")} == before
    assert list(elsewhere.iterdir()) == []
    assert [path.name for path in windows.saves().glob("*.sqlite3")] == ["slot_1.sqlite3"]


def test_a_library_that_somebody_signed_is_no_damage(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    game = copy_of(exported, tmp_path / "game")
    for name in ("lib/rmsqlit.dll", "stdlib/lib-dynload/_sqlite3.pyd"):
        file = game / RUNTIME / name
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content + b"a signature, at the end")
    check_that_it_recalls(windows.play(game, "check", cwd=tmp_path))


def test_a_path_of_more_than_260_characters_is_named_as_the_reason(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    game = copy_of(exported, tmp_path / ("A very long name " * 8).strip() / ("Ein Ordner für " * 8).strip())
    assert len(str(game)) > 260
    run = windows.play(game, "check", cwd=tmp_path)
    told = [line for line in run.errors() if "The path of the Python runtime is too long for Windows" in line]
    assert len(told) == 1, run.text()
    assert str(game).replace("\\", "/").rpartition("/")[2] in told[0]
    assert "Move the folder of the game" in told[0]


def test_the_demo_recalls_half_of_its_lines_at_least(
    exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    run = windows.play(exported.folder, cwd=tmp_path)
    assert run.errors() == [], run.text()
    found = re.search(r"Expected memories recalled: (\d+) of (\d+)", "\n".join(run.lines))
    assert found, run.text()
    assert int(found[1]) >= int(found[2]) / 2


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:20_000])


@pytest.mark.parametrize("fault", ["folder", "runtime", "lib/rmpy311.dll", "lib/rmmsvcp.dll", "numpy module"])
def test_a_game_that_did_not_arrive_whole_says_so_and_goes_on(
    fault: str, exported: Exported, windows: Windows, tmp_path: Path
) -> None:
    game = copy_of(exported, tmp_path / "game")
    module = next((game / RUNTIME).glob("site-packages/numpy/_core/_multiarray_umath.*.pyd"))
    if fault == "folder":
        shutil.rmtree(game / "rag_memory")
    elif fault == "runtime":
        shutil.rmtree(game / "rag_memory" / "runtime")
    else:
        _cut(module if fault == "numpy module" else game / RUNTIME / fault)
    run = windows.play(game, "check", cwd=tmp_path)
    told = [line for line in run.errors() if "The Python runtime is " in line]
    assert len(told) == 1, run.text()
    assert "Install the game again" in told[0]
    assert fault in ("folder", "runtime", "numpy module") or Path(fault).name in told[0]
