"""An exported game runs no code that somebody has put around it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.game import ADDON, LIBRARY, PLATFORM, Home
from tests.export.exported import Exported, play

from rag_memory_build import compiler, export

pytestmark = pytest.mark.slow

MARKING_LIBRARY = """
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void mark(void) { close(open(MARKER, O_CREAT | O_WRONLY, 0600)); }
"""
MARKING_MODULE = "open({marker!r}, 'w').close()\n"


def plant(places: list[Path], library: Path, module: str) -> None:
    """Put code to all places below these that some layout of the addon could find."""
    addons = [
        place / inside for place in places for inside in (".", "addons/rag_memory", "rag_memory", "bin")
    ]
    for addon in addons:
        (addon / "runtime" / PLATFORM / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy(ADDON / "rag_memory.gdextension", addon)
        for file in (ADDON / "runtime" / PLATFORM / "lib").iterdir():
            shutil.copy(library, addon / "runtime" / PLATFORM / "lib" / file.name)
        (addon / "bin").mkdir(exist_ok=True)
        shutil.copy(library, addon / "bin" / LIBRARY)
        for source in (addon / "python", addon / "runtime" / PLATFORM / "stdlib", addon):
            package = source / "rag_memory" / "godot"
            package.mkdir(parents=True, exist_ok=True)
            for file in (source / "os.py", source / "rag_memory" / "__init__.py", package / "bridge.py"):
                file.write_text(module, encoding="utf-8")
    for place in places:
        (place / "project.godot").write_text("config_version=5\n", encoding="utf-8")


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Path, str, Path]:
    """A library and a module that leave a marker when they are run, and the marker's place."""
    marker = tmp_path / "marker"
    source = tmp_path / "marking.c"
    source.write_text(MARKING_LIBRARY, encoding="utf-8")
    library = tmp_path / "marking.so"
    words = [*compiler.find(), "-x", "c", "-shared", "-fPIC", f"-DMARKER={json.dumps(str(marker))}"]
    subprocess.run([*words, str(source), "-o", str(library)], check=True)
    subprocess.run([sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(library)!r})"], check=True)
    marker.unlink()  # it tells
    return library, MARKING_MODULE.format(marker=str(marker)), marker


def test_nothing_planted_around_the_game_is_run(
    exported: Exported, tmp_path: Path, home: Home, planted: tuple[Path, str, Path]
) -> None:
    library, module, marker = planted
    game = tmp_path / "grandparent" / "parent" / "game"
    shutil.copytree(exported.folder, game)
    elsewhere = tmp_path / "elsewhere" / "working directory"
    places = [game.parent, game.parent.parent, elsewhere, elsewhere.parent, home.folder]
    plant(places, library, module)
    beside = game / "runtime" / PLATFORM / "lib"
    beside.mkdir(parents=True)
    for name in ("rag_memory.gdextension", "runtime", "project.godot"):
        if (game.parent / name).is_dir():
            shutil.copytree(game.parent / name, game / name, dirs_exist_ok=True)
        else:
            shutil.copy(game.parent / name, game)
    libraries = elsewhere / "runtime" / PLATFORM / "lib"
    environment = home.environment() | {
        "PYTHONHOME": str(elsewhere / "runtime" / PLATFORM),
        "PYTHONPATH": str(elsewhere),
        "PYTHONSTARTUP": str(elsewhere / "os.py"),
        "LD_LIBRARY_PATH": str(libraries),
    }
    for cwd in (elsewhere, game.parent, game):
        run = play(game / export.PROGRAM, "check", environment=environment, cwd=cwd)
        assert run.code == 0, run.text()
        assert run.value("open") == 0, run.text()
        paths = run.value("health")["python_path"]
        assert all(path.startswith(f"{game}/rag_memory/") for path in paths), paths
        assert not marker.exists(), f"planted code ran, started in {cwd}\n{run.text()}"


def test_without_its_own_runtime_the_game_takes_no_other(
    exported: Exported, tmp_path: Path, home: Home, planted: tuple[Path, str, Path]
) -> None:
    library, module, marker = planted
    game = tmp_path / "parent" / "game"
    shutil.copytree(exported.folder, game)
    shutil.rmtree(game / "rag_memory" / "runtime")
    elsewhere = tmp_path / "elsewhere"
    plant([game.parent, tmp_path, elsewhere], library, module)
    run = play(game / export.PROGRAM, "check", environment=home.environment(), cwd=elsewhere)
    assert f"there is no {game}/rag_memory/runtime/{PLATFORM}/lib/" in run.text(), run.text()
    assert not marker.exists(), run.text()
