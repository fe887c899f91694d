"""The game's own rules in Python files, through public GDScript."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from tests.engine.game import ROOT, Game, Home, Project, run
from tests.engine.untyped_twin import untyped

RULES = """
def importance(event_type, analysis, state_deltas):
    print("The rules were asked about", event_type)
    return 9 if event_type == "harvest" else None

def tier(event_type, importance, interaction_type):
    return 0 if event_type == "harvest" else None

def sentiment(content, action):
    return 42

def relevance(query, memories):
    return [1.0 if each["metadata"]["event_type"] == "harvest" else -1.0 for each in memories]

def reflector(request):
    first, second = [each["id"] for each in request["memories"][:2]]
    return [{"text": "The village is unlucky.", "evidence": [first, second]}]

def extractor(request):
    return ["The player is called Tom the Fool."]
"""
BROKEN = "import sys\nsys.exit(3)\n"
HOSTILE = """
def importance(event_type, analysis, state_deltas):
    while True:
        try:
            while True: pass
        except BaseException:
            pass

def tier(event_type, importance, interaction_type):
    return tier(event_type, importance, interaction_type)

def sentiment(content, action):
    return 10 ** 400

def relevance(query, memories):
    memories.clear()
    return []

def reflector(request):
    raise KeyboardInterrupt

def extractor(request):
    return [{"text": request}]
"""


def write_rules(project: Project, files: Mapping[str, str]) -> None:
    for name, source in files.items():
        (project.folder / "rules" / name).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / "rules" / name).write_text(source, encoding="utf-8")


def setting(*paths: str) -> dict[str, str]:
    return {"rag_memory/python/rules": json.dumps(paths, ensure_ascii=False)}


def check_the_rules(game: Game) -> None:
    assert game.value("importance") == 9
    assert game.value("own_importance") not in (0, 9)
    assert game.value("first") == "The barn burned down."
    assert game.value("first_async")[0] == "The barn burned down."
    assert game.value("tier") == 0
    assert game.value("said") == 1.0
    assert (game.value("sentiment"), game.value("felt")) == (42, 42)
    assert game.value("perceived") == [9, 0]
    assert game.value("insight") == "The village is unlucky."
    assert game.value("facts") == ["The player is called Tom the Fool."]
    assert game.value("answered") == 20
    assert "The rules were asked about harvest" in game.lines


@pytest.mark.parametrize("is_typed", [True, False], ids=["typed", "untyped"])
def test_every_rule_of_the_game_holds_and_bad_files_are_told(
    quick_project: Project, home: Home, is_typed: bool
) -> None:
    script = "rules"
    if not is_typed:
        source = (ROOT / "tests/engine/scenarios/rules.gd").read_text(encoding="utf-8")
        source = source.replace('"scenario.gd"', '"res://tests/engine/scenarios/scenario.gd"')
        (quick_project.folder / "untyped.gd").write_text(untyped(source), encoding="utf-8")
        script = "res://untyped.gd"
    write_rules(quick_project, {"broken.py": BROKEN, "Dörfer/village.py": RULES})
    paths = (
        "res://rules/broken.py",
        "res://rules/gone.py",
        "user://rules.py",
        "res://rules/Dörfer/village.py",
    )
    quick_project.write_settings(setting(*paths))
    told = [
        "res://rules/broken.py, line 2: the file of rules cannot be loaded: SystemExit: 3",
        "res://rules/gone.py: the file of rules cannot be read: there is no such file",
        "user://rules.py: the file of rules cannot be read: it is not in res://",
    ]
    check_the_rules(run(quick_project, home, script, errors=told))


def test_hostile_rules_are_told_with_their_lines_and_the_addons_own_hold(
    quick_project: Project, home: Home
) -> None:
    write_rules(quick_project, {"hostile.py": HOSTILE})
    quick_project.write_settings(setting("res://rules/hostile.py"))
    told = [
        "importance() took longer than 5 s. It is not asked again.",
        "hostile.py, line 10: tier() failed: RecursionError",
        "hostile.py, line 12: sentiment() failed: OverflowError",
        "hostile.py, line 15: relevance() returned [], and it has to be a list of",
        "hostile.py, line 20: reflector() failed: KeyboardInterrupt",
        "hostile.py, line 22: extractor() returned",
    ]
    game = run(quick_project, home, "rules", errors=told)
    assert game.value("importance") == game.value("own_importance")
    assert game.value("first") == "The player sang a song."
    assert game.value("perceived") == []
    assert game.value("answered") == 20


@pytest.mark.parametrize("value", ['"res://rules/village.py"', "5", "null", '{"a": 1}'])
def test_a_setting_of_another_type_is_told(quick_project: Project, home: Home, value: str) -> None:
    quick_project.write_settings({"rag_memory/python/rules": value})
    told = [] if value == "null" else ["rag_memory/python/rules is"]
    run(quick_project, home, "store_and_count", errors=told)


def test_a_packed_array_of_paths_is_taken(quick_project: Project, home: Home) -> None:
    write_rules(quick_project, {"village.py": RULES})
    quick_project.write_settings({"rag_memory/python/rules": 'PackedStringArray("res://rules/village.py")'})
    check_the_rules(run(quick_project, home, "rules"))
