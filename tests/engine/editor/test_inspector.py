"""The inspector's panels in the real editor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, check_explained, play
from tests.engine.editor.test_plugin import SCENE
from tests.engine.game import ROOT, Home

from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

DAY = 86400.0


TALKING = """[gd_scene load_steps=4 format=3]

[ext_resource type="Script" path="res://addons/rag_memory/language/npc_dialogue.gd" id="1"]
[ext_resource type="Script" path="res://addons/rag_memory/prompt/npc_personality.gd" id="2"]

[ext_resource type="Script" path="res://addons/rag_memory/language/npc_openai_language_model.gd" id="3"]

[sub_resource type="Resource" id="Model"]
script = ExtResource("3")
model_name = "a_small_model"

[sub_resource type="Resource" id="Elena"]
script = ExtResource("2")
npc_id = "elena"
display_name = "Elena the baker"

[node name="Village" type="Node"]

[node name="Elena" type="RAGMemory" parent="."]
npc_id = "elena"

[node name="Dialogue" type="Node" parent="Elena"]
script = ExtResource("1")
personality = SubResource("Elena")
model = SubResource("Model")
analysis = false

[node name="Mira" type="RAGMemory" parent="."]
npc_id = "mira"
"""


def test_the_panels_show_what_an_npc_remembers(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project")
    (project.folder / "npc.tscn").write_text(TALKING, encoding="utf-8")
    game = play(project, home, "inspector")

    # Empty states say what to do next, and start nothing.
    assert "Play the project once" in game.value("no_saves")
    assert game.value("state_before") == "idle"
    assert game.value("makes") == "New Save" and game.value("opens") == "Open"
    assert "Open a save" in game.value("not_open")
    assert "Npc ID" in game.value("no_npc")
    assert game.value("nobody") == '"nobody" has no memories in this save.'

    assert game.value("saves") == ["slot_1"]
    assert game.value("counts") == "33 memories: 1 pinned, 2 important, 30 regular"
    assert len(game.value("recent")) == 3
    assert game.value("recent")[0] == "• Sold 29 loaves of bread at the market."

    # What was recalled, why, in which form, for how many tokens, and what was left out.
    recalled = game.value("recalled")
    assert "recalled" in game.value("summary") and "of 2500 tokens" in game.value("summary")
    assert any("mend the roof" in text for text in recalled)
    assert any("score" in text and "form" in text and "tokens" in text for text in recalled)
    assert any("protected" in text for text in recalled)
    assert any("Left out" in text and "says the same" in text for text in recalled)
    assert any("did not compete" in text and "semantic_top_k" in text for text in recalled)
    assert game.value("accessed") == 0, "a question in the editor is none of the game"
    bars = game.value("bars")
    assert bars
    for bar in bars:
        assert [line.rpartition(" ")[0] for line in bar.split("\n")] == [
            "score",
            "tier",
            "importance",
            "recency",
            "relevance",
            "in force",
        ]

    check_explained(game)

    # A talk in a copy of the save, from memory and with a model; the save knows nothing of it.
    question, name, question_of_name = game.values("talk")
    assert question[:2] == [
        "Player: Who mends the roof?",
        "Elena the baker: Rowan promised to mend the roof before the first frost.",
    ]
    assert question[2] == "recalled: Rowan promised to mend the roof before the first frost."
    assert sum(text.startswith("recalled: ") for text in question) == 3 and "… and 1 more" in question
    assert name[-1] == "remembers now: The player told me their name: Theron."
    assert any("Elena the baker: " in text and "Theron" in text for text in question_of_name[len(name) :])
    assert game.value("talk_restarted") == []
    assert game.value("model_talk")[:2] == [
        "Player: Who mends the roof?",
        "Elena the baker: The smith does.",
    ]
    assert game.value("model_asked") is True
    assert "127.0.0.1" in game.value("model_away")
    assert game.value("kept") == 33
    assert "Set Model of Dialogue" in game.value("talk_hint")

    # What a model would be told, with what it costs, and what was left out.
    assert game.value("presets") == ["Small (4B)", "Medium (8B)", "Large (32B)", "Custom", "Medium (8B)"]
    assert game.value("dossier_summary").startswith("A dossier of ")
    assert game.value("recalled_hidden") is True
    told = game.value("dossier")
    assert any(re.fullmatch(r"Memories · \d+ of 300 tokens · \d sources", text) for text in told)
    assert any("mend the roof" in text for text in told)
    assert any("saw that the roof leaks" in text for text in told)
    assert any("Bring straw" in text for text in told)
    assert 'Left out of events (the NPC cannot know of it): "plot"' in told
    assert any(re.match(r'Left out of memories \(.+\): "Sold ', text) for text in told)
    assert not any("Ulf" in text for text in told)
    bars = game.value("dossier_bars")
    assert len(bars) == 10 and [budget for _, budget in bars[:3]] == [150, 100, 250]
    assert all(tokens <= budget for tokens, budget in bars)
    assert not any("Bring straw" in text for text in game.value("dossier_later"))
    assert game.value("tasks_after") == 1, "the editor lets no task expire"
    assert game.value("picker") is True
    assert any(re.match(r"Memories · \d+ of 40 tokens", text) for text in game.value("dossier_own"))

    assert game.value("after_rebuild") == "slot_1"
    assert game.value("diagnostics")["health"]["state"] == "ready"
    assert "4." in game.value("diagnostics")["engine"]


def test_the_plots_follow_the_config_and_the_formula_of_the_core(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", model=False)
    (project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    game = play(project, home, "inspector")
    check_explained(game)
    assert game.value("recency") == pytest.approx([1.0, 0.65, 35.0])
    assert game.value("recency_follows") == pytest.approx([1.0, 0.65, 70.0])
    assert game.value("top") == pytest.approx(0.5)
    assert game.value("top_follows") == pytest.approx(1.0, abs=0.01)
    assert game.value("fine") == 0
    assert "built again" in game.value("config_rebuild")
    assert "consolidate_target" in game.value("warning")
    assert "From guards.tres: memory_token_budget 800." in game.value("inherited")
    assert game.value("mode_follows").startswith("BALANCED: relevance leads")
    assert game.values("no_default") == [], "the inspector's revert arrow needs the class's defaults"
    assert game.value("compared") == 108
    assert game.value("largest_difference") < 1e-4


@pytest.mark.parametrize("first_line", ["@tool", ""])
def test_now_is_the_time_of_the_newest_memory(tmp_path: Path, home: Home, first_line: str) -> None:
    project = EditorProject(tmp_path / "project", model=False)
    (project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    calendar = ROOT / "tests" / "engine" / "console" / "calendar.gd"
    text = calendar.read_text(encoding="utf-8").removeprefix("@tool")
    (project.folder / "calendar.gd").write_text(first_line + text, encoding="utf-8")
    now = 52.4 * DAY
    path = home.saves(project) / "slot_1.sqlite3"
    path.parent.mkdir(parents=True)
    with open_save(path, embedder=HashingEmbedder(), clock=lambda: now) as save:
        elena = save.npc("elena")
        elena.memories.store("Rowan promised to mend the roof before the first frost.", 8)
        now = 57.9 * DAY
        elena.memories.store("The mill burned down.", 6)
        now = 59.4 * DAY
        elena.memories.store("Two chickens hatched.", 4)
    game = play(project, home, "game_clock", "res://calendar.gd")
    assert game.value("hidden_while_closed") is False
    assert game.value("now") == [["day 59, 09:36", 0, True], "slot_1"]
    assert game.value("later") == ["day 66, 09:36", 7, True]
    assert any("day 52, 09:36" in text for text in game.value("captions"))
    at_once, later = game.values("recencies")
    assert at_once[0] == "recency 0.65", "seven days, a half-life"
    assert all(
        float(value.split()[1]) < float(before.split()[1])
        for value, before in zip(later, at_once, strict=True)
    )
    assert game.value("browser_now") == ["day 66, 09:36", 7, True], "one time for both panels"
    assert game.value("when") == ["day 59, 09:36", "day 57, 21:36", "day 52, 09:36"]
    assert game.value("archived_at") == pytest.approx(66.4 * DAY)
    assert game.value("moved") == ["day 66, 09:36", 7, True], "an edit does not make a memory newer"
    assert game.value("formatted") == "the 60th of Frostfall, 9 bells"
