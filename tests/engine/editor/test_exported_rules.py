"""Exports with the game's own rules: messages about the setting, and exported files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject
from tests.engine.game import Game, Home

PRESETS = """[preset.0]

name="Linux"
platform="Linux"
runnable=true
export_filter="resources"
export_files=PackedStringArray("res://game.tscn")
export_path=""

[preset.0.options]

binary_format/architecture="x86_64"
"""
MISSING = "The file of rules {} is not in the project"
NO_LIST = "The project setting rag_memory/python/rules is no Array of paths"
TOLD = {
    '["res://rules/village.py", "res://rules/gone.py", "user://mine.py"]': [
        MISSING.format("res://rules/gone.py"),
        MISSING.format("user://mine.py"),
    ],
    'PackedStringArray("res://rules/village.py")': [],
    '"res://rules/village.py"': [NO_LIST],
    "5": [NO_LIST],
}


@pytest.mark.parametrize("value", TOLD)
def test_the_files_of_rules_are_in_the_game_and_what_is_not_is_told(
    tmp_path: Path, home: Home, value: str
) -> None:
    project = EditorProject(tmp_path / "project", settings={"rag_memory/python/rules": value})
    (project.folder / "game.tscn").write_text(
        '[gd_scene format=3]\n\n[node name="Game" type="Node"]\n', "utf-8"
    )
    (project.folder / "rules").mkdir()
    rule = "def sentiment(content, action):\n    return 5\n"
    (project.folder / "rules" / "village.py").write_text(rule, encoding="utf-8")
    (project.folder / "export_presets.cfg").write_text(PRESETS, encoding="utf-8")
    pack = project.folder / "game.pck"
    game = Game(project, home, "", options=["--export-pack", "Linux", str(pack)])
    assert game.end() == 0, game.tail()
    warnings = [line for line in game.warnings() if "rules" in line]
    assert [told in line for told, line in zip(TOLD[value], warnings, strict=True)] == [True] * len(
        TOLD[value]
    )
    assert [line for line in game.errors() if "SCRIPT ERROR" in line] == [], game.tail()
    is_added = NO_LIST not in TOLD[value]
    assert (rule.encode() in pack.read_bytes()) is is_added
    named = [line for line in game.lines if "RAG Memory: adds res://rules/" in line]
    assert [line.split("adds ")[1].split(" (")[0] for line in named] == ["res://rules/village.py"] * is_added
