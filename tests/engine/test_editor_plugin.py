"""The plugin in the real editor: what it adds, and that it leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.engine.editor_project import EditorProject, play
from tests.engine.game import ADDON, ROOT, Home

pytestmark = pytest.mark.slow

ENGINE_ERRORS = ["FileAccess::exists(path)", "GDExtension dynamic library", "Error loading extension"]
"""What the engine itself says of a missing library, before any script runs."""


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
    explained = [line for line in game.lines if "no native library for Linux x86_64" in line]
    assert len(explained) == 1, game.tail()
    assert "WARNING" in explained[0]


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "editor.md").read_text(encoding="utf-8")
    table = (ADDON / "editor" / "settings.gd").read_text(encoding="utf-8")
    names = re.findall(r'"(rag_memory/\w+)"', table)
    assert names
    assert [name for name in names if f"| `{name}` |" not in text] == []
