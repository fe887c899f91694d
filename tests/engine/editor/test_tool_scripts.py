"""Scripts with @tool, which run while a scene is edited, write into no save."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import Home

pytestmark = pytest.mark.slow

SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://innkeeper.gd" id="1"]

[node name="Village" type="Node"]

[node name="Inn" type="Node" parent="."]
script = ExtResource("1")

[node name="Elena" type="RAGMemory" parent="Inn"]
npc_id = "elena"

[node name="Mind" type="NPCMind" parent="Inn/Elena"]
"""
TOOL = """@tool
extends Node

func _ready() -> void:
	print("@ready ", JSON.stringify(($Elena as RAGMemory).store("The scene was loaded.")))
"""


def test_a_tool_script_stores_nothing_unnoticed(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", model=False)
    (project.folder / "village.tscn").write_text(SCENE, encoding="utf-8")
    (project.folder / "innkeeper.gd").write_text(TOOL, encoding="utf-8")
    game = play(project, home, "tool_scripts", errors=["in the editor no save is opened unasked"])

    assert game.value("ready") == ""
    assert (game.value("none_open"), game.value("counted"), game.value("default")) == ("", 0, False)
    assert game.value("opened") == 0
    assert game.values("stored") == ["", "", ""]
    result, error = game.value("async")
    assert result == ""
    assert "the node Village/Inn/Elena is in the scene that you edit" in error
    assert not game.value("perceived")
    assert (game.value("made"), game.value("thread")) == ("", "")
    assert game.value("read") == 0
    assert game.value("fleeting") is True
    assert game.value("filled") is True
    assert game.value("count") == 1

    refused = [line for line in game.warnings() if "script with @tool" in line]
    assert len(refused) == 3, "once for each node"
    assert "RAGMemory.store(): the node Village/Inn/Elena" in refused[0]
    assert "NPCMind.perceive(): the node Village/Inn/Elena/Mind" in refused[1]
    assert "default.sqlite3" not in [file.name for file in home.saves(project).iterdir()]
