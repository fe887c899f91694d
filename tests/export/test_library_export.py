"""The library part: what Python modules a game gets by itself, and all of them with the part."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from tests.engine.game import Home
from tests.export.exported import Exported, play

from rag_memory_build import engine, export, library_part, package, targets

pytestmark = pytest.mark.slow

PART = f"rag_memory/python_library/{targets.HERE.name}"


def exported_with_part(exported: Exported, folder: Path, option: str) -> Exported:
    project = folder / "project"
    shutil.copytree(exported.project, project)
    library_part.install(targets.HERE, project)
    game = folder / "game"
    messages = export.export(
        engine.find(), project, game, options={"rag_memory/python_library": option == "on"}
    )
    return Exported(game, project, messages)


def test_with_the_part_a_rule_imports_any_module(exported: Exported, home: Home, tmp_path: Path) -> None:
    game = exported_with_part(exported, tmp_path, "on")
    assert f"adds res://addons/{PART} (" in game.messages
    assert (game.folder / PART / "asyncio" / "__init__.pyc").is_file()
    run = play(game.folder / export.PROGRAM, "rules.gd", environment=home.environment(), cwd=game.folder)
    assert run.code == 0, run.text()
    assert run.value("sale") == 5
    assert not any("asyncio" in line for line in run.errors()), run.text()


def test_the_option_leaves_the_part_out(exported: Exported, tmp_path: Path) -> None:
    game = exported_with_part(exported, tmp_path, "off")
    assert "python_library" not in game.messages
    assert not (game.folder / PART).exists()


def test_the_part_is_packed_by_itself(tmp_path: Path) -> None:
    part = library_part.prepare(targets.HERE)
    packed = package.build_part(library_part.FOLDER, targets.HERE, part, tmp_path)
    assert packed.name == f"rag_memory-{package.version()}-python-{targets.HERE.name}.zip"
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
    assert f"addons/{PART}/asyncio/__init__.pyc" in names
