"""The button that unpacks the language pack, in the real editor."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import Home

pytestmark = pytest.mark.slow

PLACE = "addons/rag_memory/models/multilingual"
SIZES = {"model.json": 2, "model.onnx": 5}


def test_a_button_unpacks_the_language_pack(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", model=False)
    with zipfile.ZipFile(project.folder / "pack.zip", "w") as pack:
        pack.writestr("addons/rag_memory/models/.gdignore", "")
        pack.writestr(f"{PLACE}/model.json", "{}")
        pack.writestr(f"{PLACE}/model.onnx", "graph")
        pack.writestr(f"{PLACE}/files.json", json.dumps(SIZES))
    for name, graph, sizes in [
        ("incomplete", "graph", {**SIZES, "model.data": 9}),
        ("without_a_list", "graph", None),
        ("cut_off", "gr", SIZES),
    ]:
        with zipfile.ZipFile(project.folder / f"{name}.zip", "w") as damaged:
            damaged.writestr(f"{PLACE}/model.json", "{}")
            damaged.writestr(f"{PLACE}/model.onnx", graph)
            if sizes:
                damaged.writestr(f"{PLACE}/files.json", json.dumps(sizes))
    content = (project.folder / "pack.zip").read_bytes()
    (project.folder / "changed.zip").write_bytes(content.replace(b"graph", b"grapf", 1))
    with zipfile.ZipFile(project.folder / "another.zip", "w") as another:
        another.writestr("readme.txt", "no pack")
    errors = [
        "another.zip holds no language pack",
        "incomplete.zip is damaged (model.data has 0 bytes instead of 9)",
        "without_a_list.zip is damaged (files.json is missing or damaged)",
        "cut_off.zip is damaged (model.onnx has 2 bytes instead of 5)",
        "changed.zip is damaged (model.onnx has 0 bytes instead of 5)",
        "CRC error",
        "cannot be written into res://addons/rag_memory/models/multilingual (model.onnx has 0 bytes",
    ]
    game = play(project, home, "language_pack", errors=errors)
    assert game.value("buttons") == 1
    assert (game.value("in_english"), game.value("without_the_pack")) == (False, True)
    for name in ("another", "incomplete", "without_a_list", "cut_off", "changed"):
        assert game.value(f"after_{name}") == [True, False]
    assert game.value("after_no_room") == [True, []]
    assert game.value("with_the_pack") is False
    assert game.value("files") == ["files.json", "model.json", "model.onnx"]
    assert game.value("with_a_broken_pack") is True
    assert (project.folder / PLACE / "model.json").read_text() == "{}"
