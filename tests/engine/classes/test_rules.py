"""The game's own rules in Python files, through public GDScript."""

from __future__ import annotations

from tests.engine.game import Home, Project, run

RULES = """
def importance(event_type, analysis, state_deltas):
    return 9 if event_type == "harvest" else None

def tier(event_type, importance, interaction_type):
    return 0 if event_type == "harvest" else None

def sentiment(content, action):
    return 42

def relevance(query, memories):
    return [1.0 if each["metadata"]["event_type"] == "harvest" else -1.0 for each in memories]
"""
BROKEN = "import sys\nsys.exit(3)\n"


def test_rules_of_the_game(quick_project: Project, home: Home) -> None:
    folder = quick_project.folder / "rules"
    folder.mkdir()
    (folder / "broken.py").write_text(BROKEN, encoding="utf-8")
    (folder / "village.py").write_text(RULES, encoding="utf-8")
    files = '["res://rules/broken.py", "res://rules/gone.py", "res://rules/village.py"]'
    quick_project.write_settings({"rag_memory/python/rules": files})
    told = [
        "res://rules/broken.py, line 2: the file of rules cannot be loaded: SystemExit: 3",
        "res://rules/gone.py: the file of rules cannot be read: there is no such file",
    ]
    game = run(quick_project, home, "rules", errors=told)
    assert game.value("importance") == 9
    assert game.value("own_importance") not in (0, 9)
    assert game.value("first") == "The barn burned down."
    assert game.value("tier") == 0
    assert game.value("sentiment") == 42
