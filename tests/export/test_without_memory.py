"""A game exported for a system that the addon does not run on: its scripts load, and nobody remembers.

The stand-in is a pack for 32 bit, which the engine of this machine runs: no part of the addon is in it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.engine.game import ADDON, ROOT, Home, Project, engine_path, is_error, is_warning, parse_value

from rag_memory_build import export

pytestmark = pytest.mark.slow

WRAPPER = (ROOT / "docs" / "npc_memory.gd").read_text(encoding="utf-8")
ALLOWED = {"rag_memory/export/allow_without_memory": "true"}
SETTINGS = {
    "editor_plugins/enabled": f'PackedStringArray("{export.PLUGIN}")',
    "application/run/main_scene": '"res://game.tscn"',
    "application/run/flush_stdout_on_print": "true",
}
GAME = """extends Node

const NPCMemory := preload("res://npc_memory.gd")


func _ready() -> void:
	var mira := NPCMemory.new()
	mira.npc_id = "mira"
	var gregor := NPCMemory.new()
	gregor.npc_id = "gregor"
	gregor.scene = "res://gregor.tscn"
	add_child(mira)
	add_child(gregor)
	say("open", NPCMemory.server(&"open_save", ["slot_1"], -1))
	mira.store("The player gave me a red rose.", 7, {"event_type": "gift_received"})
	say("recalled", (await mira.recall("Did I give you a rose?")).size() > 0)
	say("knows", mira.ask(&"knows_event", [{"event_type": "gift_received"}], false))
	say("answer", await gregor.say("Good evening.", "A line of the game."))
	say("available", NPCMemory.is_available())
	get_tree().quit()


func say(what: String, value: Variant) -> void:
	print("@%s %s" % [what, JSON.stringify(value)])
"""
SCENE = """[gd_scene format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]

[node name="Game" type="Node"]
script = ExtResource("1")
"""
PRESET = """[preset.0]

name="Linux"
platform="Linux"
export_filter="all_resources"
script_export_mode=2

[preset.0.options]

binary_format/architecture="x86_32"
"""
GREGOR = """[gd_scene format=3]

[ext_resource type="Script" path="res://addons/rag_memory/language/npc_dialogue.gd" id="1"]

[node name="Gregor" type="RAGMemory"]

[node name="NPCDialogue" type="Node" parent="."]
script = ExtResource("1")
"""


def make_project(folder: Path) -> Project:
    project = Project(folder, settings=SETTINGS | ALLOWED)
    for part in ("editor", "plugin.gd", "plugin.cfg"):
        (project.addon / part).symlink_to(ADDON / part)
    for link in (project.folder / "tests", project.folder / "demo" / "villagers"):
        link.unlink()
    files = {"npc_memory.gd": WRAPPER, "game.gd": GAME, "game.tscn": SCENE, "gregor.tscn": GREGOR}
    files["old.gd"] = 'extends Node\n\nvar memory: RAGMemory\nvar name_only := "MemoryServer"\n'
    files["fine.gd"] = "extends Node\n\n# RAGMemory is not named here.\n"
    files["export_presets.cfg"] = PRESET
    for name, text in files.items():
        (project.folder / name).write_text(text, encoding="utf-8")
    return project


def run(home: Home, *words: str | Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [engine_path(), "--headless", *words],
        env=home.environment(),
        cwd=home.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in done.stdout.splitlines()]


def test_a_game_without_the_library_loads_every_script_and_warns_once(tmp_path: Path, home: Home) -> None:
    project = make_project(tmp_path / "project")
    pack = tmp_path / "game.pck"
    extensions = project.folder / ".godot" / "extension_list.cfg"
    before = extensions.read_text(encoding="utf-8")
    code, lines = run(home, "--path", project.folder, "--export-pack", "Linux", pack)
    text = "\n".join(lines)
    assert code == 0, text
    assert "RAG Memory does not run on Linux x86_32, and is left out of this game" in text
    assert extensions.read_text(encoding="utf-8") == before, "as the editor needs it"
    assert re.search(r"do not load in this game: res://old\.gd\. ", text), text

    code, lines = run(home, "--main-pack", pack)
    assert code == 0, lines
    said = dict(filter(None, map(parse_value, lines)))
    assert said == {
        "open": -1,
        "recalled": False,
        "knows": False,
        "answer": "A line of the game.",
        "available": False,
    }
    assert not [line for line in lines if is_error(line)], lines
    warnings = [line for line in lines if is_warning(line)]
    assert len(warnings) == 1 and "NPCs remember nothing in this game" in warnings[0], lines

    code, lines = run(home, "--path", project.folder)
    said = dict(filter(None, map(parse_value, lines)))
    assert (said["open"], said["recalled"], said["knows"], said["available"]) == (0, True, True, True), lines
    assert said["answer"] not in ("", "A line of the game."), lines
    assert not [line for line in lines if is_error(line) or is_warning(line)], lines
