"""The language pack in an exported game and in a zip file of its own."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from tests.engine.game import Home
from tests.export.exported import Exported, play

from rag_memory_build import engine, export, language_pack, package
from rag_memory_build.console import SetupError
from rag_memory_build.paths import LOGS

pytestmark = pytest.mark.slow

EXPORT_LOG = LOGS / "export.log"
PLACE = f"addons/rag_memory/models/{language_pack.NAME}"


def multilingual_project(exported: Exported, folder: Path) -> Path:
    project = folder / "project"
    shutil.copytree(exported.project, project)
    settings = project / "project.godot"
    text = settings.read_text(encoding="utf-8")
    wanted = '[rag_memory]\n\nembedding/language="multilingual"\n'
    settings.write_text(text.replace("[rag_memory]\n\n", wanted), encoding="utf-8")
    return project


def test_a_game_has_the_chosen_model_only(exported: Exported, home: Home, tmp_path: Path) -> None:
    project = multilingual_project(exported, tmp_path)
    (project / PLACE).parent.mkdir(exist_ok=True)
    shutil.rmtree(project / PLACE, ignore_errors=True)
    (project / PLACE).symlink_to(language_pack.prepare())
    game = tmp_path / "game"
    messages = export.export(engine.find(), project, game)
    assert f"adds res://{PLACE} (" in messages and "models/default" not in messages
    assert [folder.name for folder in (game / "rag_memory" / "models").iterdir()] == [language_pack.NAME]
    run = play(game / export.PROGRAM, "check", environment=home.environment(), cwd=game)
    assert run.code == 0, run.text()
    assert run.value("health")["model"] == "universal-sentence-encoder-multilingual-3"
    assert "The player gave me a red rose by the well." in run.value("recalled")


def test_an_export_without_the_pack_is_refused(exported: Exported, tmp_path: Path) -> None:
    project = multilingual_project(exported, tmp_path)
    shutil.rmtree(project / PLACE, ignore_errors=True)
    with pytest.raises(SetupError):
        export.export(engine.find(), project, tmp_path / "game")
    log = EXPORT_LOG.read_text(encoding="utf-8")
    assert "The language pack is not in this project" in log
    assert f"rag_memory-{package.version()}-multilingual.zip" in log


def test_an_export_with_a_broken_pack_is_refused(exported: Exported, tmp_path: Path) -> None:
    project = multilingual_project(exported, tmp_path)
    shutil.rmtree(project / PLACE, ignore_errors=True)
    shutil.copytree(language_pack.prepare(), project / PLACE)
    (project / PLACE / "model.onnx").write_bytes(b"cut off")
    with pytest.raises(SetupError):
        export.export(engine.find(), project, tmp_path / "game")
    log = EXPORT_LOG.read_text(encoding="utf-8")
    assert "The language pack is damaged" in log and "model.onnx has 7 bytes instead of" in log
    assert f"rag_memory-{package.version()}-multilingual.zip" in log


def test_the_pack_is_zipped_by_itself_and_in_no_other_zip(tmp_path: Path) -> None:
    packed = package.build_language_pack(language_pack.prepare(), tmp_path)
    assert packed.name == f"rag_memory-{package.version()}-multilingual.zip"
    with zipfile.ZipFile(packed) as archive:
        names = {name for name in archive.namelist() if ".gdignore" not in name}
        archive.extractall(tmp_path)
    assert names >= {f"{PLACE}/{name}" for name in language_pack.FILES}
    for name in language_pack.FILES:
        assert (tmp_path / PLACE / name).read_bytes() == (language_pack.FOLDER / name).read_bytes()
    ours = [file for file in package.addon_files([]) if "models" in file.parts]
    assert ours and not any(language_pack.NAME in file.parts for file in ours)
