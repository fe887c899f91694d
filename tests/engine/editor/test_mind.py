"""The panels of NPCMind and NPCMindConfig in the real editor, and their warnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.editor.editor_project import EditorProject, check_explained, play
from tests.engine.game import Home

from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.errors import ConfigError

pytestmark = pytest.mark.slow

SCENE = """[gd_scene format=3]

[node name="Village" type="Node"]

[node name="Elena" type="RAGMemory" parent="."]
npc_id = "elena"

[node name="Mind" type="NPCMind" parent="Elena"]

[node name="Inn" type="Node" parent="."]

[node name="Lonely" type="NPCMind" parent="Inn"]

[node name="Place" type="Node2D" parent="Inn"]

[node name="Area" type="Area2D" parent="Inn"]
"""
CONFIG = """[gd_resource type="NPCMindConfig" format=3]

[resource]
emotion_seconds = 60.0
"""


@pytest.fixture
def editor_project(tmp_path: Path) -> EditorProject:
    project = EditorProject(tmp_path / "project", model=False)
    (project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    (project.folder / "calm_mind.tres").write_text(CONFIG, encoding="utf-8")
    return project


def test_the_panel_shows_what_an_npc_feels_and_the_tables_change_rules(
    editor_project: EditorProject, home: Home
) -> None:
    game = play(editor_project, home, "mind")
    check_explained(game)

    # Empty states say what to do next, and start nothing.
    assert "Play the project once" in game.value("no_saves")
    assert game.value("state_before") == "idle"
    assert "Open a save" in game.value("not_open")
    assert "Set Npc ID of Elena" in game.value("no_npc")
    assert "This node has no RAGMemory." in game.value("no_memory")
    assert game.value("nobody") == [
        "neutral",
        ["Nobody yet: perceive() and adjust_disposition() change feelings."],
    ]

    assert game.value("saves") == ["slot_1"]
    assert game.value("mood").startswith("angry 7")
    assert game.value("intensity") == pytest.approx(75.0, abs=1.0)
    assert [text.split(" (")[0] for text in game.value("feelings")] == [
        "Rowan: friendly 100 of 100",
        "Kael: neutral 35 of 100",
        "Tom: neutral 50 of 100",
    ]
    assert "Rowan gave me a lantern." in game.value("feelings")[0]
    assert game.value("bars") == [["friendly", 100.0], ["neutral", 35.0], ["neutral", 50.0]]
    friendly, neutral, _ = game.value("colors")
    assert friendly != neutral
    assert game.value("interactions") == [
        '• Kael: insulted "You stupid idiot!" (-15, kept as episode)',
        "• Tom: waved",
        "• Rowan gave me a lantern. (+20, kept as episode)",
        "• Rowan gave me a warm cloak. (+20, kept as episode)",
        "• Rowan gave me a loaf of bread. (+20, kept as episode)",
    ]
    assert game.value("gathered") == "2.8 of 3.0 importance has gathered since the last reflection."
    assert game.value("gathered_bar") == pytest.approx([2.8, 3.0])
    assert game.value("reflecting") is True
    assert game.value("reflected") == [False, False]
    assert any("Rowan" in text for text in game.value("insights"))
    assert "No conclusions" in game.value("nothing_concluded")[0]

    _check_tables(game)


def _check_tables(game: Any) -> None:
    assert game.value("rows") == [9, 10]
    assert game.value("typed")["condition"] == "helth < 0.5"
    assert game.value("same_row") is True, "the field keeps the focus"
    (problem,) = game.value("problem")
    assert problem.startswith("encoding_rules[1]: ") and 'there is no "helth"' in problem
    assert 'there is no "helth"' in game.value("problem_of_row")[0]
    assert game.value("corrected") == [[], []]
    assert game.value("changed") == {
        "action": "*",
        "kind": "episode",
        "importance": 10,
        "condition": "health < 0.5",
    }
    assert game.value("moved") == ["health < 0.5", 9]
    assert game.value("removed") == [9, 9]
    size, rule, warnings = game.value("added")
    assert (size, rule) == (10, {"action": "", "condition": "", "mood": ""})
    assert len(warnings) == 1 and "mood_rules[9]" in warnings[0]
    assert game.value("undone") == [True, True, 9]
    assert (
        'encoding_rules[0]: the key "kinds" is unknown. Did you mean "kind"?' in game.value("unknown_key")[0]
    )
    assert game.value("offer") == 'Remove the key "kinds"'
    assert game.value("dropped") == [{"action": "*"}]
    assert game.value("NPCDossierConfig") == [
        "total_tokens is -1, but must be from 0 to 100000: every call fails until it is.",
        'flow_order: a dossier has no section "news". Every call fails until it is one of '
        f"{', '.join(NPCDossierConfig().flow_order)}.",
        'min_items: the key "turns" is unknown. Every call fails until it is one of memories, events, lore.',
        'min_items: "events" is above its max_items, which is never passed.',
    ]
    assert game.value("MemoryWorldConfig") == []
    assert game.value("followed") == [
        "rumor_decay is 2.0, but must be from 0 to 1: every call fails until it is."
    ]


CONDITIONS = [
    "health < 0.3 and importance >= 5",
    " sentiment<=-10 ",
    "health < 0.3 or importance > 5",
    "health",
    "helth < 1",
    "health << 1",
    "health < much",
    "health < 1.",
    "health < 1 and",
    "and",
    "  ",
    "Health < 1",
    "health = 1",
    "importance != 3 and sentiment == 0 and health_lost > 0",
]
CASES: list[dict[str, Any]] = [
    *({"encoding_rules": [{"action": "*", "condition": each}]} for each in CONDITIONS),
    *({"mood_rules": [{"action": "*", "mood": "sad", "condition": each}]} for each in CONDITIONS),
    {"encoding_rules": []},
    {"encoding_rules": [{}]},
    {"encoding_rules": [{"action": "  "}]},
    {"encoding_rules": [{"action": "waved", "kinds": "episode"}]},
    {"encoding_rules": [{"action": "waved", "kind": "reflection"}]},
    {"encoding_rules": [{"action": "waved", "kind": "episode", "importance": 7}]},
    {"encoding_rules": [{"action": "waved", "importance": 11}]},
    {"encoding_rules": [{"action": "waved", "importance": -1}]},
    {"encoding_rules": [{"action": "waved", "importance": 2.5}]},
    {"encoding_rules": [{"action": "waved", "importance": True}]},
    {"encoding_rules": [{"action": "waved", "importance": "7"}]},
    {"encoding_rules": [{"action": 3}]},
    {"encoding_rules": [{"action": "waved", "condition": 3}]},
    {"mood_rules": [{"action": "waved"}]},
    {"mood_rules": [{"action": "waved", "mood": " "}]},
    {"mood_rules": [{"action": "waved", "mood": 1}]},
    {"mood_rules": [{"action": "waved", "mood": "sad", "kind": "episode"}]},
    {"action_sentiments": {"attacked": -101.0}},
    {"action_sentiments": {"attacked": "bad"}},
    {"sentiment_words": {"oathbreaker": True}},
    {"sentiment_words": {"oathbreaker": -15}},
    {"kept_interactions": 0},
    {"emotion_intensity": 101.0},
    {"friendly_from": 40.0},
]


def test_the_editor_finds_wrong_what_a_call_would_refuse(editor_project: EditorProject, home: Home) -> None:
    (editor_project.folder / "cases.json").write_text(json.dumps(CASES), encoding="utf-8")
    game = play(editor_project, home, "mind_rules")
    assert game.value("defaults") == []
    said = game.values("case")
    assert len(said) == len(CASES)
    for case, (_, sentences) in zip(CASES, said, strict=True):
        assert bool(sentences) == _is_refused(case), (case, sentences)
        for sentence in sentences:
            assert sentence.startswith(tuple(case)), sentence


def _is_refused(values: dict[str, Any]) -> bool:
    try:
        NPCMindConfig(**values).validated()
    except ConfigError:
        return True
    return False


def test_warnings_of_minds(editor_project: EditorProject, home: Home) -> None:
    game = play(editor_project, home, "mind_warnings")
    for name in ("fine", "memory_set", "area", "new_config", "moved"):
        assert game.value(name) == [], name
    assert "No RAGMemory is the parent, a sibling or a child" in game.value("lonely")[0]
    assert "proximity_area is a Node2D" in game.value("no_area")[0]
    broken = game.value("broken_config")
    assert len(broken) == 2, broken
    assert "config: emotion_intensity is 200.0, but must be from 0 to 100" in broken[0]
    assert 'config: encoding_rules[0]: the kind "gesture" is unknown' in broken[1]
    assert game.value("state") == "idle", "a warning starts nothing"
