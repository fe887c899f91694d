"""The project in the real editor."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from tests.engine.game import ROOT, SCRIPT_PARTS, Game, Home, Project, check_errors

from rag_memory_build.all_classes import all_classes

pytestmark = pytest.mark.slow

HOST_LIBRARY = "librag_memory.linux.x86_64"
PYTHON_LIBRARY = "librag_memory_python.so"
TOP_LEVEL = ("demo", "project.godot", "icon.svg", "docs", "bench")

SCENE = """[gd_scene load_steps=2 format=3]

[sub_resource type="MemoryConfig" id="MemoryConfig_elena"]
semantic_top_k = 40
tier_weights = Array[float]([9.0, 4.5, 1.5])

[node name="Elena" type="Node"]

[node name="Memory" type="RAGMemory" parent="."]
npc_id = "elena"
config = SubResource("MemoryConfig_elena")
"""


def whole_project(folder: Path) -> Project:
    """A copy of this repository as far as the editor looks at it; the built parts are links."""
    project = Project(folder)
    shutil.rmtree(folder / "demo")
    for part in SCRIPT_PARTS:
        (project.addon / part).unlink()
    for name in TOP_LEVEL:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.import", "*.uid"))
        elif source.exists():
            shutil.copy(source, folder / name)
    (project.addon / "icons").unlink()
    (project.addon / "wording.pot").unlink()
    shutil.copytree(
        ROOT / "addons" / "rag_memory",
        project.addon,
        ignore=shutil.ignore_patterns("bin", "runtime", "models", "*.import", "*.uid"),
        dirs_exist_ok=True,
    )
    return project


def edit(project: Project, home: Home, *options: str) -> tuple[Game, set[str]]:
    """Open the project in the editor until it has drawn a while; what it printed, and the libraries that
    were mapped at any time meanwhile.
    """
    return _run(project, home, "--editor", "--quit-after", "30", *options)


def import_all(project: Project, home: Home) -> tuple[Game, set[str]]:
    """Let the editor import every resource and quit when it is done, as build servers do."""
    return _run(project, home, "--import")


def _run(project: Project, home: Home, *options: str) -> tuple[Game, set[str]]:
    game = Game(project, home, "", options=options)
    maps = Path(f"/proc/{game.process.pid}/maps")
    mapped: set[str] = set()
    while game.process.poll() is None:
        try:
            text = maps.read_text(encoding="utf-8", errors="replace")
        except OSError:
            break
        mapped |= {name for name in (HOST_LIBRARY, PYTHON_LIBRARY) if name in text}
        time.sleep(0.02)
    code = game.end()
    assert code == 0, f"the editor ended with exit code {code}\n{game.tail()}"
    return game, mapped


def test_the_project_opens_without_red_text_and_without_python(tmp_path: Path, home: Home) -> None:
    project = whole_project(tmp_path / "project")
    for start in (edit, import_all, edit):
        game, mapped = start(project, home)
        check_errors(game.lines, [])
        assert mapped == {HOST_LIBRARY}, f"{start.__name__}: {mapped}\n{game.tail()}"
    icons = sorted(path.name for path in (project.addon / "icons").glob("*.svg.import"))
    names = sorted([*(cls.name for cls in all_classes()), "NPCDialogue"])
    assert icons == [f"{name}.svg.import" for name in names]


def test_a_node_in_an_edited_scene_does_not_start_python(project: Project, home: Home) -> None:
    (project.folder / "npc.tscn").write_text(SCENE, encoding="utf-8")
    game, mapped = edit(project, home, "res://npc.tscn")
    check_errors(game.lines, [])
    assert mapped == {HOST_LIBRARY}, game.tail()


def test_the_editor_opens_without_a_runtime(project: Project, home: Home) -> None:
    project.runtime.unlink()
    game, mapped = edit(project, home)
    check_errors(game.lines, [])
    assert mapped == {HOST_LIBRARY}
