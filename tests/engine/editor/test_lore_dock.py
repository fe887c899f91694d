"""The Lore dock in the real editor: the sources, their import in memory, and a question to try."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.editor.editor_project import EditorProject, check_explained, play
from tests.engine.game import Home

pytestmark = pytest.mark.slow

SETTINGS = {"rag_memory/lore/sources": '["res://lore/town.md", "res://lore/kings.md", "res://lore/gone.md"]'}
TOWN = "# Elm\n\n## The mill\n\nBandits burned the mill of Elm in the dry summer.\n"
KINGS = "# Kings\n\nAldo was the first king.\n"
TOWN_FILE, KINGS_FILE, GONE_FILE = "town.md", "kings.md", "gone.md"


def test_lore_is_imported_in_memory_and_asked(tmp_path: Path, home: Home) -> None:
    project = EditorProject(tmp_path / "project", model=False, settings=SETTINGS)
    (project.folder / "lore").mkdir()
    (project.folder / "lore" / "town.md").write_text(TOWN, encoding="utf-8")
    (project.folder / "lore" / "kings.md").write_text(KINGS, encoding="utf-8")
    character = {"name": "Sera", "description": "{{char}} guards the glade.", "tags": ["elf"]}
    book = {"entries": [{"keys": ["oak"], "content": "The oldest oak is hollow."}]}
    card = {"spec": "chara_card_v2", "data": {**character, "character_book": book}}
    (project.folder / "lore" / "sera.json").write_text(json.dumps(card), encoding="utf-8")
    (project.folder / "lore" / "broken.json").write_text('{"entries": [', encoding="utf-8")
    game = play(project, home, "lore", errors=["it may be cut off"])
    check_explained(game)

    gone = [GONE_FILE, "missing", "–", "–"]
    new = [[TOWN_FILE, "not imported yet", "–", "–"], [KINGS_FILE, "not imported yet", "–", "–"], gone]
    kings = [KINGS_FILE, "imported", "1", "5"]
    assert game.value("states") == new
    assert "Import the lore first" in game.value("not_imported")
    assert game.value("state_before") == "idle", "Python starts with the first import"
    assert game.value("imported") == [[TOWN_FILE, "imported", "1", "10"], kings, gone]
    assert game.value("message") == ""
    assert game.value("disabled") is True, "nothing has changed"
    assert game.value("hits")[0][1:] == ["Elm › The mill", "town"]
    assert game.value("chunk") == "Bandits burned the mill of Elm in the dry summer."
    assert game.value("changed")[0] == [TOWN_FILE, "changed", "1", "10"]
    assert game.value("cancelled") == [game.value("changed"), ""]
    assert game.value("again")[0][1] == "imported"
    assert game.value("again")[0][2:] != ["1", "10"]
    assert game.value("none")[0] == []
    assert "Add Files" in game.value("none")[1]
    assert [row[0] for row in game.value("added")] == [TOWN_FILE]
    assert game.value("save") == ""
    assert game.value("takes") == [True, False]
    for words in ("Sera, character card V2", "sera.md, lore; entries: 1", "NPCPersonality", "Tags"):
        assert words in game.value("preview")
    taken = [["sera.md", "sera.tres"], ["res://lore/sera.md"]]
    assert [game.value(name) for name in ("before_ok", "dropped")] == [[[], []], taken]
    assert game.value("background") == "Sera guards the glade."
    assert [game.value(name) for name in ("undone", "redone")] == [[[], []], taken]
    assert not list(home.folder.rglob("*.sqlite3")), "no save of the game is touched"
    assert list((project.folder / "prepared_saves" / "lore").iterdir()), "an export finds the vectors"
