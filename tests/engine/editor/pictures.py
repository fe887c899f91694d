"""The pictures of docs/images/, taken in the real editor and in the village: `build.py pictures`.

Each editor setting (theme, scale) is a run of its own; the script scenarios/pictures.gd takes them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.engine.editor.editor_project import EditorProject
from tests.engine.game import ROOT, Game, Home
from tests.engine.screen import virtual_screen
from tests.engine.village import pictures as village_pictures

LOOKS = {
    "dark": (1600, 900, ""),
    "light": (1600, 900, 'interface/theme/color_preset = "Light"\n'),
    "small": (1280, 720, ""),
    "small light": (1280, 720, 'interface/theme/color_preset = "Light"\n'),
    "200": (3200, 1800, "interface/editor/display_scale = 6\n"),
}
"""Width and height of the screen, and lines of the editor's settings. The first is the documents' own."""

PUBLISHED = "dark"
LIMIT_SECONDS = 240.0

VILLAGE = """[gd_scene load_steps=4 format=3]

[ext_resource type="MemoryConfig" path="res://tavern_keeper.tres" id="1"]
[ext_resource type="Script" path="res://addons/rag_memory/language/npc_dialogue.gd" id="2"]
[ext_resource type="Resource" path="res://addons/rag_memory/editor/template/personality.tres" id="3"]

[node name="Village" type="Node"]

[node name="Mira" type="RAGMemory" parent="."]
npc_id = "mira"
config = ExtResource("1")

[node name="Mind" type="NPCMind" parent="Mira"]

[node name="NPCDialogue" type="Node" parent="Mira"]
script = ExtResource("2")
personality = ExtResource("3")

[node name="Elena" type="RAGMemory" parent="."]
npc_id = "elena"

[node name="Bjorn" type="RAGMemory" parent="."]
"""
CONFIG = """[gd_resource type="MemoryConfig" format=3]

[resource]
recency_half_life_days = 30.0
semantic_top_k = 20
relevance_mode = 0
"""
LORE = """# Thornhaven

A village at the ford of the Elm. Its people live from wool and from travellers.

## The mill

The mill was built by old Aldo. Bandits burned it in the dry summer, and it was never built again. Children
say that somebody still grinds there at night.

## The inn

Mira keeps the inn at the ford. Her roof has leaked since the storm, and her cider is
known as far as the coast.
"""
GAME = "res://tests/engine/editor/scenarios/played_game.gd"


def village(folder: Path) -> EditorProject:
    """A small game with three NPCs, one without a name."""
    project = EditorProject(folder)
    (folder / "village.tscn").write_text(VILLAGE, encoding="utf-8")
    (folder / "tavern_keeper.tres").write_text(CONFIG, encoding="utf-8")
    played = f'[gd_scene load_steps=2 format=3]\n\n[ext_resource type="Script" path="{GAME}" id="1"]\n\n'
    played += '[node name="Game" type="Node"]\nscript = ExtResource("1")\n'
    (folder / "played.tscn").write_text(played, encoding="utf-8")
    (folder / "lore").mkdir()
    (folder / "lore" / "thornhaven.md").write_text(LORE, encoding="utf-8")
    (folder / "demo" / "memories").symlink_to(ROOT / "demo" / "memories")
    return project


def take(look: str, pictures: list[str], target: Path, scratch: Path) -> list[Path]:
    """Take the named pictures (all, when none is named) and return their files."""
    width, height, settings = LOOKS[look]
    project = village(scratch / look)
    home = Home(scratch / f"{look} home")
    config = home.folder / "config" / "godot"
    config.mkdir(parents=True)
    text = '[gd_resource type="EditorSettings" format=3]\n\n[resource]\n' + settings
    minor = ".".join(engine_minor())
    (config / f"editor_settings-{minor}.tres").write_text(text, encoding="utf-8")
    target.mkdir(parents=True, exist_ok=True)
    before = {file: file.stat().st_mtime_ns for file in target.glob("*.png")}
    with virtual_screen(width, height) as screen:
        options = ["--editor", "--resolution", f"{width}x{height}", "--position", "0,0", "res://village.tscn"]
        game = Game(project, home, "", "pictures", str(target), *pictures, options=options, screen=screen)
        game.wait_until(lambda: any("SCRIPT ERROR" in line for line in game.lines), LIMIT_SECONDS)
        if not game.has_ended:
            game.kill()
            raise SystemExit(f"no pictures within {LIMIT_SECONDS:.0f} s\n" + game.tail())
        code = game.end()
    if code != 0:
        raise SystemExit(f"the editor ended with exit code {code}\n" + game.tail())
    return [file for file in sorted(target.glob("*.png")) if before.get(file) != file.stat().st_mtime_ns]


def engine_minor() -> tuple[str, str]:
    from rag_memory_build import engine

    major, minor, _ = engine.find().version
    return str(major), str(minor)


def main() -> int:
    parser = argparse.ArgumentParser(prog="build.py pictures", description=__doc__)
    parser.add_argument("pictures", nargs="*", help="names of pictures; all when none is given")
    parser.add_argument("--look", choices=[*LOOKS], default=PUBLISHED, help="theme and scale of the editor")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "images", help="the folder for them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rag_memory_pictures_") as scratch:
        target = options.to.resolve()
        files: list[Path] = []
        if options.pictures != [village_pictures.NAME]:
            files += take(options.look, options.pictures, target, Path(scratch))
        if options.look == PUBLISHED and (not options.pictures or village_pictures.NAME in options.pictures):
            files += village_pictures.take(target, Path(scratch))
        for file in files:
            print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
