"""The debugger's RAG Memory tab, with a game played from the real editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, check_explained, play
from tests.engine.game import Home

pytestmark = pytest.mark.slow

PLAYED = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://tests/engine/editor/scenarios/played_game.gd" id="1"]

[node name="Game" type="Node"]
script = ExtResource("1")
"""


def test_the_tab_shows_what_a_running_game_does(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", settings={"editor/run/main_run_args": '"--headless"'})
    (project.folder / "played.tscn").write_text(PLAYED, encoding="utf-8")
    game = play(project, home, "live", errors=["store(): text is empty"])
    check_explained(game)
    assert "Play the project" in game.value("before")
    assert game.value("save_while_playing") == "", "the save is closed before the game wants it"
    states = dict(text.split(": ", 1) for text in game.value("states") if ": " in text)
    assert states["Runtime"] == "ready"
    assert states["Save"] == "slot_1"
    assert states["Failed"] == "1"
    assert states["Maintenance"].endswith(" ms, tasks expired: 1")
    npcs = {row[0]: row for row in game.value("npcs")}
    assert set(npcs) == {"mira", "elena"}
    assert npcs["elena"][1].endswith("(1 failed)")
    mood, *feelings = game.value("mind")
    assert mood.startswith("Mood: angry ") and mood.endswith("(Kael attacked me at the old mill.)")
    assert feelings == [
        "Kael: hostile 20 of 100 (Kael attacked me at the old mill.)",
        "Rowan: friendly 70 of 100 (Rowan gave me a warm cloak.)",
    ]
    assert game.value("no_mind") == []
    calls = game.value("calls")
    assert len(calls) > 12
    for npc_id, method, latency, waited, worked, result in calls[:5]:
        assert npc_id in npcs
        assert method in ("store", "retrieve_scored")
        assert float(latency.removesuffix(" ms")) + 0.2 >= float(waited[:-3]) + float(worked[:-3])
        assert result
    assert game.value("details")[0].startswith("[Met=no")
    failed = game.value("failed")
    assert len(failed) == 1 and "text is empty" in failed[0][5]
    assert "text is empty" in game.value("last_error")
    assert "not running" in game.value("after")
