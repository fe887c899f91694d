"""The key of a paid server is in nothing that a game writes or says."""

from __future__ import annotations

import pytest
from tests.engine.game import Home, Project, run

KEY = "sk-test-9f8e7d6c5b4a"


def test_a_key_is_found_nowhere(quick_project: Project, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TEST_KEY", KEY)
    game = run(quick_project, home, "use_a_key", errors=["answered 401"], allowed=["127.0.0.1"])
    assert game.value("had_key") is True
    assert [bool(problem) for problem in game.value("problems")] == [True] * 4 + [False]
    assert KEY not in game.text()
    files = [file for file in home.folder.rglob("*") if file.is_file()]
    names = {file.name for file in files}
    assert {"default.sqlite3", "scene.tscn", "model.tres", "godot.log"} <= names
    written = [*files, *(file for file in quick_project.folder.glob("*") if file.is_file())]
    assert [file for file in written if KEY.encode() in file.read_bytes()] == []
