"""A game whose autoloads and classes have the commonest names of public Godot games, with the addon in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import ADDON, Home, run

from rag_memory_build.all_classes import all_classes

pytestmark = pytest.mark.slow

AUTOLOADS = (
    *("Achievements", "AudioManager", "Config", "Console", "Constants", "Data", "Database", "Debug"),
    *("DialogueManager", "Dialogic", "EventBus", "Events", "GameData", "GameEvents", "GameManager"),
    *("GameState", "Global", "Globals", "InputManager", "InventoryManager", "LevelManager", "Lobby"),
    *("Localization", "LogManager", "MessageBus", "Music", "MusicPlayer", "Network", "NetworkManager"),
    *("PlayerData", "QuestManager", "SaveGame", "SaveLoad", "SaveManager", "SaveSystem", "SceneChanger"),
    *("SceneLoader", "SceneManager", "SceneTransition", "Settings", "SignalBus", "Signals", "Sound"),
    *("SoundManager", "StoryFlags", "Utils", "World", "WorldEvents", "WorldKnowledge", "WorldState"),
)
CLASSES = (
    *("Bullet", "Character", "ContextBuilder", "DossierConfig", "EmbeddingModel", "Enemy", "Entity"),
    *("Event", "ExportPlugin", "Faction", "Fact", "Game", "HotCache", "Health", "HealthComponent", "Hitbox"),
    *("HUD", "Hurtbox", "Interactable", "InteractionArea", "Inventory", "Item", "ItemData", "LanguageModel"),
    *("Level", "Main", "Memory", "MindConfig", "NPC", "Player", "PlayerState", "PostgresStorage", "Quest"),
    *("Relationship", "Room", "SavedWorld", "Server", "Skill", "Spell", "State", "StateMachine", "Stats"),
    *("Task", "Tile", "Turn", "UI", "Wording", "Weapon", "WorldConfig", "WorldMemory"),
)
"""Names of public games, and those that the addon once had, or has as constants of its own scripts."""

PREFIXES = ("RAG", "Memory", "NPC")


def test_every_global_name_of_the_addon_has_its_prefix() -> None:
    names = [declared.name for declared in all_classes()]
    for script in ADDON.rglob("*.gd"):
        names += re.findall(r"^class_name (\w+)", script.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) > 25
    assert [name for name in names if not name.startswith(PREFIXES)] == []


def test_no_script_declares_a_type_that_a_class_of_the_game_would_hide() -> None:
    """In a type annotation a global class of the game wins over a constant, class or enum of the script."""
    hidden = [
        f"{script.name}: {name}"
        for script in ADDON.rglob("*.gd")
        for name in re.findall(
            r"^(?:const|class|enum) _?([A-Z]\w*[a-z]\w*)", script.read_text("utf-8"), re.MULTILINE
        )
        if not name.startswith(PREFIXES)
    ]
    assert hidden == []


def test_a_game_with_the_commonest_names_starts_with_the_addon(tmp_path: Path, home: Home) -> None:
    assert len(AUTOLOADS) >= 50 and len(CLASSES) >= 50
    project = EditorProject(tmp_path / "project")
    game = project.folder / "game"
    game.mkdir()
    for name in AUTOLOADS:
        (game / f"{name}_autoload.gd").write_text(
            f'extends Node\n\n\nfunc title() -> String:\n\treturn "{name}"\n', encoding="utf-8"
        )
    for name in CLASSES:
        (game / f"{name}_class.gd").write_text(
            f'class_name {name}\nextends RefCounted\n\n\nfunc title() -> String:\n\treturn "{name}"\n',
            encoding="utf-8",
        )
    titles = [f"{name}.title()" for name in AUTOLOADS] + [f"{name}.new().title()" for name in CLASSES]
    lines = ["extends RefCounted", "", "", "func titles() -> PackedStringArray:", "\treturn ["]
    (game / "uses_all.gd").write_text(
        "\n".join([*lines, *(f"\t\t{title}," for title in titles), "\t]", ""]), encoding="utf-8"
    )
    project.write_settings(
        {
            "editor_plugins/enabled": project.plugins,
            **{f"autoload/{name}": f'"*res://game/{name}_autoload.gd"' for name in AUTOLOADS},
        }
    )
    play(project, home, "do_nothing")
    played = run(project, home, "common_names")
    assert played.value("titles") == [*AUTOLOADS, *CLASSES]
    assert played.value("unusable") == []
    assert played.value("recalled") == ["The player gave me a red rose."]
