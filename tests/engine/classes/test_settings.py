"""The project settings rag_memory/*, as a game reads them."""

from __future__ import annotations

from tests.engine.game import Home, Project, run

CONFIG = """[gd_resource type="MemoryConfig" format=3]

[resource]
tier_weights = Array[float]([9.0, 8.0, 7.0])
"""


def test_defaults(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "settings")
    assert game.value("state") == "idle"
    assert game.value("recalled") == game.value("own_config") == 2.0
    assert game.value("folder") == str(home.saves(quick_project))


def test_preload_at_game_start(quick_project: Project, home: Home) -> None:
    quick_project.write_settings({"rag_memory/preload_at_game_start": "true"})
    game = run(quick_project, home, "settings")
    assert game.value("state") in ("starting", "ready")


def test_vector_index(quick_project: Project, home: Home) -> None:
    quick_project.write_settings(
        {"rag_memory/vector_index": '"disabled"', "rag_memory/preload_at_game_start": "true"}
    )
    game = run(quick_project, home, "settings")
    assert game.value("vector_index") == "disabled" and game.value("has_loaded_a_model") is False
    assert not game.warnings(), "nobody misses the model"
    quick_project.write_settings({"rag_memory/vector_index": '"quick"'})
    game = run(quick_project, home, "settings", errors=['"embedded" is used instead'])
    assert game.value("vector_index") == "embedded" and game.value("has_loaded_a_model") is True


def test_saves_folder(quick_project: Project, home: Home) -> None:
    quick_project.write_settings({"rag_memory/saves_folder": '"user://who/remembers/"'})
    game = run(quick_project, home, "settings")
    folder = home.user_data(quick_project) / "who" / "remembers"
    assert game.value("folder") == str(folder)
    assert (folder / "default.sqlite3").is_file()
    assert not home.saves(quick_project).exists()


def test_a_saves_folder_outside_of_the_users_data_is_refused(quick_project: Project, home: Home) -> None:
    outside = ("res://saves", "/tmp/saves", "user://../elsewhere", "user:", "")
    for path in (*outside, "user://", "user:///", "user:////", "user://./"):
        quick_project.write_settings({"rag_memory/saves_folder": f'"{path}"'})
        game = run(quick_project, home, "settings", errors=["Set it to a path that begins with user://"])
        assert game.value("folder") == str(home.saves(quick_project))


def test_default_config(quick_project: Project, home: Home) -> None:
    (quick_project.folder / "calm.tres").write_text(CONFIG, encoding="utf-8")
    quick_project.write_settings({"rag_memory/default_config": '"res://calm.tres"'})
    game = run(quick_project, home, "settings")
    assert game.value("recalled") == 8.0, "of a node without a config"
    assert game.value("own_config") == 2.0, "a node's own config comes first"


def test_a_default_config_that_is_none(quick_project: Project, home: Home) -> None:
    for path in ("res://nothing.tres", "res://project.godot", "res://demo/villagers/mira.tres"):
        quick_project.write_settings({"rag_memory/default_config": f'"{path}"'})
        game = run(
            quick_project, home, "settings", errors=["which is no MemoryConfig"], allowed=["project.godot"]
        )
        assert game.value("recalled") == 2.0
