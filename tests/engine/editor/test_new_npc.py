"""The item of Project > Tools that makes an NPC who remembers, and the scene that it makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import Home, run

pytestmark = pytest.mark.slow


def test_one_item_makes_an_npc_who_remembers_what_was_said_before_saving(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project")
    opened = play(project, home, "new_npc").values("opened")
    assert opened == [
        ["NPCWhoRemembers", f"res://{folder}/npc_who_remembers.tscn"]
        for folder in ("npc_who_remembers", "npc_who_remembers_2")
    ]
    files = {path.name for path in (project.folder / "npc_who_remembers").iterdir()}
    assert {"npc_who_remembers.gd", "npc_who_remembers.tscn", "personality.tres"} <= files
    game = run(project, home, "new_npc")
    assert game.value("greeting")
    assert game.value("waits") is True
    assert game.value("can_load") == [False, True], "before the first save there is nothing to load"
    assert game.value("remembers") == [True, False]
