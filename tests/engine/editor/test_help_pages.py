"""The F1 help as the editor shows it, on a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject
from tests.engine.game import Game, Home
from tests.engine.screen import virtual_screen

pytestmark = pytest.mark.slow

PAGES = {
    "RAGMemory": ("The long-term memory of one NPC.", "retrieve_scored_async(line)"),
    "MemoryServer": ("Opens and closes saves", "MemoryServer.open_save"),
    "MemoryConfig": ("Tunes what a RAGMemory keeps", "recency_half_life_days"),
    "NPCMind": ("it turns events into memories", "mind.set_nearby(PackedStringArray("),
    "NPCMindConfig": ("Tunes what an NPCMind makes of what happens", "encoding_rules"),
    "MemoryWorld": ("Keeps what is true in the world of the open save", "MemoryWorld.import_lore"),
    "NPCContextBuilder": ("Makes the prompt for an NPC's answer", "parse_response"),
}
"""Texts on the pages: the first line and one further down."""


def test_an_editor_that_has_never_run_before_shows_every_page(tmp_path: Path, home: Home) -> None:
    """Without a help cache the editor loses the pages of extensions until help_pages.gd brings them back."""
    project = EditorProject(tmp_path / "project", model=False)
    with virtual_screen(1600, 900) as screen:
        options = ["--editor", "--resolution", "1600x900"]
        game = Game(project, home, "", "help_pages", *PAGES, options=options, screen=screen)
        code = game.end(400.0)
    assert code == 0, game.tail()
    assert list((home.folder / "cache" / "godot").glob("editor_doc_cache-*.res")), "the cache was made"
    for name, text in game.values("page"):
        for part in PAGES[name]:
            assert part in text, f"{name}: {part!r} is not in\n{text[:600]}"
        assert "no description" not in text, name
        assert "[/code" not in text and "[member" not in text, name
    assert len(game.values("page")) == len(PAGES)
