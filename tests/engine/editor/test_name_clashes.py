"""Messages of the editor about classes or autoloads with the names of the addon's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, play
from tests.engine.game import Game, Home

pytestmark = pytest.mark.slow

TWICE = "these names are used twice"
OWN_CLASS = "class_name {}\nextends Node\n"


@pytest.fixture
def editor_project(tmp_path: Path) -> EditorProject:
    return EditorProject(tmp_path / "project", model=False)


def test_names_used_twice_are_told_once_with_both_files(editor_project: EditorProject, home: Home) -> None:
    _write(editor_project, "before_addons/context_builder.gd", OWN_CLASS.format("NPCContextBuilder"))
    _write(editor_project, "world/npc_personality.gd", OWN_CLASS.format("NPCPersonality"))
    _write(editor_project, "world/world_events.gd", "extends Node\n")
    editor_project.write_settings(
        {
            "editor_plugins/enabled": editor_project.plugins,
            "autoload/NPCWorldEvents": '"*res://world/world_events.gd"',
        }
    )
    game = play(editor_project, home, "do_nothing", errors=[TWICE])
    assert _message(game) == [
        "NPCContextBuilder: the class in res://before_addons/context_builder.gd, and the addon's class in"
        " res://addons/rag_memory/prompt/npc_context_builder.gd.",
        "NPCPersonality: the class in res://world/npc_personality.gd, and the addon's class in"
        " res://addons/rag_memory/prompt/npc_personality.gd.",
        "NPCWorldEvents: the autoload res://world/world_events.gd, and the addon's class in"
        " res://addons/rag_memory/prompt/npc_world_events.gd.",
        "Rename yours, or delete it when the addon takes its place.",
        "Or rename the addon's: in its file, change the line with class_name, for example to"
        " class_name OtherNPCContextBuilder. Of the addon, only lines with extends NPCContextBuilder use"
        " that name, too.",
        "How a game with such classes moves over: docs/porting_from_land.md.",
    ]


def test_a_hidden_native_class_breaks_nothing_and_the_panels_come_when_it_is_renamed(
    editor_project: EditorProject, home: Home
) -> None:
    _write(editor_project, "memory_config.gd", OWN_CLASS.format("MemoryConfig"))
    # The class is known from the start, as in a project that was opened before.
    play(editor_project, home, "do_nothing", errors=[TWICE])
    game = play(editor_project, home, "name_clash_mended", errors=[TWICE])
    assert _message(game) == [
        "MemoryConfig: the class in res://memory_config.gd, and a native class of RAG Memory.",
        "Rename yours, or delete it when the addon takes its place.",
        "How a game with such classes moves over: docs/porting_from_land.md.",
    ]
    assert game.values("panels") == [False, True]


def _write(project: EditorProject, path: str, text: str) -> None:
    file = project.folder / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _message(game: Game) -> list[str]:
    """The lines of the only message about names, after the first."""
    starts = [index for index, line in enumerate(game.lines) if TWICE in line]
    assert len(starts) == 1, game.tail()
    after = game.lines[starts[0] + 1 :]
    return after[: next(index for index, line in enumerate(after) if line.lstrip().startswith("at: "))]
