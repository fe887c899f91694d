"""A game for Windows loads its own libraries, whatever lies around it or is loaded already."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.export.exported import Exported
from tests.windows.game.test_export import RUNTIME, check_that_it_recalls, copy_of
from tests.windows.game.windows_game import Windows

from rag_memory_build import wine
from rag_memory_build.cpython_windows import PRIVATE_NAMES

pytestmark = pytest.mark.slow

OTHERS = ("python310.dll", "onnxruntime.dll", "onnxruntime_providers_shared.dll", "zlib1.dll")


def test_no_library_beside_the_game_in_the_working_directory_or_in_path_is_loaded(
    exported: Exported, windows: Windows, tmp_path: Path, marking_library: Path
) -> None:
    game = copy_of(exported, tmp_path / "game")
    elsewhere, in_path = tmp_path / "working directory", tmp_path / "path"
    elsewhere.mkdir()
    in_path.mkdir()
    own = [path.name for path in (game / RUNTIME).rglob("*.dll")]
    for folder in (game, elsewhere, in_path):
        for name in {*own, *PRIVATE_NAMES, *OTHERS}:
            shutil.copyfile(marking_library, folder / name)
    marker = tmp_path / "marker"
    variables = {"MARKER_FILE": wine.windows_path(marker), "WINEPATH": wine.windows_path(in_path)}
    run = windows.play(game, "check", cwd=elsewhere, **variables)
    check_that_it_recalls(run)
    assert not marker.exists()
    # It tells: in the place of one of ours it is loaded.
    for file in (game / RUNTIME / "lib").iterdir():
        shutil.copyfile(marking_library, file)
    (game / RUNTIME / "manifest.txt").write_text("".join(_manifest(game / RUNTIME)), encoding="utf-8")
    windows.play(game, "check", cwd=elsewhere, **variables)
    assert marker.exists()


def _manifest(runtime: Path) -> list[str]:
    """The manifest without the libraries in lib/, which the test has replaced."""
    lines = (runtime / "manifest.txt").read_text(encoding="utf-8").splitlines(keepends=True)[1:]
    kept = [line for line in lines if " lib/" not in line]
    return [f"{len(kept)}\n", *kept]
