"""The plugin in the real editor: what it adds, and that it leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import ADDON, ROOT, Home

pytestmark = pytest.mark.slow

ENGINE_ERRORS = ["FileAccess::exists(path)", "GDExtension dynamic library", "Error loading extension"]
"""The engine's messages about a missing library, before any script runs."""


@pytest.fixture
def editor_project(tmp_path: Path) -> EditorProject:
    return EditorProject(tmp_path / "project", model=False)


def test_enabling_and_disabling_leaves_nothing_behind(editor_project: EditorProject, home: Home) -> None:
    game = play(editor_project, home, "enable_and_disable")
    before = game.value("before")
    enabled, disabled = game.values("enabled"), game.values("disabled")
    assert len(enabled) == len(disabled) == 20
    assert before["settings"] == []
    assert "rag_memory/request_timeout_seconds" in enabled[0]["settings"]
    assert enabled[1:] == enabled[:1] * 19
    assert disabled == [before] * 20


def test_a_changed_setting_outlives_the_plugin(editor_project: EditorProject, home: Home) -> None:
    settings = editor_project.folder / "project.godot"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text + "\n[rag_memory]\n\nrequest_timeout_seconds=5.0\n", encoding="utf-8")
    game = play(editor_project, home, "enable_and_disable")
    assert game.value("before")["settings"] == ["rag_memory/request_timeout_seconds"]
    assert "request_timeout_seconds=5.0" in settings.read_text(encoding="utf-8")


def test_one_explanation_where_the_library_is_missing(editor_project: EditorProject, home: Home) -> None:
    (editor_project.addon / "bin" / "librag_memory.linux.x86_64.so").unlink()
    game = play(editor_project, home, "do_nothing", allowed=ENGINE_ERRORS)
    explained = [line for line in game.lines if "RAG Memory" in line]
    assert len(explained) == 1, game.tail()
    assert "WARNING" in explained[0]
    assert "no native library for Linux x86_64" in explained[0]
    assert "librag_memory.linux.x86_64.so was removed, perhaps by an antivirus program" in explained[0]


def test_the_library_may_be_found_after_the_plugin(editor_project: EditorProject, home: Home) -> None:
    known = editor_project.folder / ".godot" / "extension_list.cfg"
    known.unlink()
    game = play(editor_project, home, "late_library")
    assert "editor_panels.gd" in game.value("panels")
    assert known.is_file()


SCENE = """[gd_scene format=3]

[node name="Village" type="Node"]

[node name="Elena" type="RAGMemory" parent="."]
npc_id = "elena"

[node name="Mira" type="RAGMemory" parent="."]
npc_id = "mira"
"""
CONFIG = """[gd_resource type="MemoryConfig" format=3]

[resource]
semantic_top_k = 30
"""


def test_warnings_of_nodes(editor_project: EditorProject, home: Home) -> None:
    (editor_project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    (editor_project.folder / "calm.tres").write_text(CONFIG, encoding="utf-8")
    game = play(editor_project, home, "warnings")
    for name in ("fine", "new_config", "saved_config"):
        assert game.value(name) == []
    expected = {
        "empty": ["npc_id is empty"],
        "space": ["begins or ends with a space"],
        "twin": ['Mira has the npc_id "mira" too'],
        "look_alike": ['Mira has the npc_id "mira", which looks the same'],
        "broken_config": [
            "config: consolidation_min_count is 1",
            "config: recency_floor is 1",
            "config: semantic_top_k is 0",
        ],
        "unsaved_config": ["config: calm.tres has changes that are not saved"],
    }
    for name, parts in expected.items():
        warnings = game.value(name)
        assert len(warnings) == len(parts), warnings
        assert all(part in warning for part, warning in zip(parts, warnings, strict=True)), warnings
    assert game.value("state") == "idle", "a warning starts nothing"


def test_every_rule_of_a_config(editor_project: EditorProject, home: Home) -> None:
    game = play(editor_project, home, "config_rules")
    assert game.value("defaults") == []
    said = game.values("broken")
    rules = (ADDON / "editor" / "config_rules.gd").read_text(encoding="utf-8")
    for name, sentences in said:
        assert sentences, name
    first = {sentences[0].split(":")[0] for _, sentences in said}
    assert len(first) >= 18, first
    assert len(said) >= rules.count("\n\t\t[\n"), "a rule without a case in config_rules.gd"


def test_the_folder_of_saves_is_the_one_the_game_uses(editor_project: EditorProject, home: Home) -> None:
    saves = home.user_data(editor_project) / "village saves"
    saves.mkdir(parents=True)
    for name in ("slot_2.sqlite3", "slot_1.sqlite3", "slot_1.sqlite3-wal"):
        (saves / name).touch()
    game = play(editor_project, home, "saves_folder")
    assert game.values("path") == [
        ["user://village saves/", "user://village saves"],
        ["user://a/b", "user://a/b"],
        ["user://", "user://rag_memory"],
        ["user:///", "user://rag_memory"],
        ["user://.", "user://rag_memory"],
        ["user://./", "user://rag_memory"],
        ["user://../saves", "user://rag_memory"],
        ["res://saves", "user://rag_memory"],
        ["/tmp/saves", "user://rag_memory"],
    ]
    assert game.values("saves")[0] == ["slot_1", "slot_2"]


def test_what_an_export_measures_is_what_is_there(editor_project: EditorProject, home: Home) -> None:
    game = play(editor_project, home, "export_sizes")
    assert game.value("file") == [0, 4, 0], "a save that was opened and closed again"
    assert game.value("folder") == [0, 0, 6, 10], "a runtime that was missing, came and grew"


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "editor.md").read_text(encoding="utf-8")
    table = (ADDON / "editor" / "settings.gd").read_text(encoding="utf-8")
    names = re.findall(r'"(rag_memory/\w+)"', table)
    assert names
    assert [name for name in names if f"| `{name}` |" not in text] == []
