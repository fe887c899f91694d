"""The button that unpacks the language pack, in the real editor."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import Home

pytestmark = pytest.mark.slow

PLACE = "addons/rag_memory/models/multilingual"


def test_a_button_unpacks_the_language_pack(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", model=False)
    with zipfile.ZipFile(project.folder / "pack.zip", "w") as pack:
        pack.writestr("addons/rag_memory/models/.gdignore", "")
        pack.writestr(f"{PLACE}/model.json", "{}")
        pack.writestr(f"{PLACE}/model.onnx", "graph")
    with zipfile.ZipFile(project.folder / "another.zip", "w") as another:
        another.writestr("readme.txt", "no pack")
    game = play(project, home, "language_pack", errors=["another.zip holds no language pack"])
    assert game.value("buttons") == 1
    assert (game.value("in_english"), game.value("without_the_pack")) == (False, True)
    assert game.value("after_another_zip") == [True, False]
    assert game.value("with_the_pack") is False
    assert game.value("files") == ["model.json", "model.onnx"]
    assert (project.folder / PLACE / "model.onnx").read_text() == "graph"
