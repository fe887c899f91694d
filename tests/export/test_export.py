"""The exported game runs where nothing but the game is; the export tells and refuses what it should."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.engine.game import Home, engine_path
from tests.engine.read_only import read_only
from tests.export.exported import LORE, Exported, Run, bare_root, play

from rag_memory_build import export

pytestmark = pytest.mark.slow

ELF_MACHINE_OFFSET = 18
ELF_RISCV = 243


def check_that_it_recalls(run: Run, program: Path) -> None:
    assert run.code == 0, run.text()
    # The engine asks a program where the desktop is; there is no shell to start it.
    assert [line for line in run.errors() if "xdg-user-dir" not in line] == [], run.text()
    assert (run.value("open"), run.value("prepared")) == (0, len(LORE))
    assert "The player gave me a red rose by the well." in run.value("recalled")
    assert run.value("lore") == [LORE[0]]
    imported = run.value("imported")
    assert (imported["key"], imported["chunks"], imported["embedded"]) == ("town", 1, 0), (
        "prepared at the export"
    )
    assert "Aldwin rules the town" in run.value("told")
    health = run.value("health")
    assert health["model_is_fallback"] is False
    assert all(path.startswith(f"{program.parent}/rag_memory/") for path in health["python_path"])
    assert health["saves_folder"] == run.value("user_folder") + "/rag_memory"


def test_it_recalls_with_nothing_but_the_game_in_a_read_only_system(
    exported: Exported, tmp_path: Path, home: Home
) -> None:
    moved = tmp_path / "Spiele und Bücher" / "村 \N{SNOWMAN}"
    shutil.copytree(exported.folder, moved)
    root = tmp_path / "root"
    root.mkdir()
    program = moved / export.PROGRAM
    before = {path: path.stat().st_mtime_ns for path in moved.rglob("*")}
    with read_only(moved) as read_only_words:
        bare = bare_root(root, moved, home.folder)
        run = play(
            program,
            "check",
            environment={"HOME": str(home.folder), "PATH": "/nonexistent"},
            cwd=Path("/"),
            wrapper=bare or read_only_words,
            root=root if bare else None,
        )
    check_that_it_recalls(run, program)
    assert run.value("user_folder").startswith(str(home.folder))
    assert {path: path.stat().st_mtime_ns for path in moved.rglob("*")} == before
    saves = [path.name for path in home.folder.rglob("*.sqlite3")]
    assert saves == ["slot_1.sqlite3"]


def test_the_demo_runs_with_an_empty_environment(exported: Exported, tmp_path: Path) -> None:
    moved = tmp_path / "game"
    shutil.copytree(exported.folder, moved)
    run = play(moved / export.PROGRAM, environment={}, cwd=tmp_path)
    assert run.code == 0, run.text()
    assert run.errors() == [], run.text()
    found = re.search(r"Expected memories recalled: (\d+) of (\d+)", "\n".join(run.lines))
    assert found, run.text()
    assert int(found[1]) >= int(found[2]) / 2


def test_what_is_added_is_told_within_its_budget_and_without_the_editors_parts(
    exported: Exported, home: Home
) -> None:
    program = exported.folder / export.PROGRAM
    run = play(program, "check", environment=home.environment(), cwd=exported.project)
    check_that_it_recalls(run, program)
    assert run.value("editor_files") == []
    assert run.value("console") is True
    assert {path.name for path in exported.folder.iterdir()} == {
        export.PROGRAM,
        "rag_memory_demo.pck",
        "librag_memory.linux.x86_64.so",
        "rag_memory",
    }
    assert [path.name for path in (exported.folder / "rag_memory" / "runtime").iterdir()] == ["linux_x86_64"]
    told = re.findall(r"RAG Memory: adds (\S+) \((\d+\.\d) MB\)", exported.messages)
    assert [Path(path).name for path, _ in told] == [
        "librag_memory.linux.x86_64.so",
        "linux_x86_64",
        "default",
        "not_closed.sqlite3",
        "village_lore.sqlite3",
        "town.vectors",
    ]
    warnings = [line for line in exported.messages.splitlines() if "WARNING: " in line]
    assert any("res://prepared_saves/not_closed.sqlite3 is open" in line for line in warnings), warnings
    assert any("The lore file res://lore/gone.md is missing" in line for line in warnings), warnings
    assert not any("town.md" in line for line in warnings)
    assert not any("village_lore" in line for line in warnings)
    size = export.size_of(exported.folder)
    assert sum(float(megabytes) for _, megabytes in told) == pytest.approx(size.unpacked, abs=0.5)
    assert 100 < size.unpacked <= 200
    assert 40 < size.zipped <= 80


@pytest.mark.parametrize(
    "place", ["riscv", "web", "linux without a runtime"], ids=["riscv", "web", "no runtime"]
)
def test_a_platform_it_cannot_run_on_is_refused(
    place: str, exported: Exported, tmp_path: Path, home: Home
) -> None:
    project = tmp_path / "project"
    (project / "addons").mkdir(parents=True)
    addon = project / "addons" / "rag_memory"
    ignored = shutil.ignore_patterns("runtime", "prompt")
    shutil.copytree(exported.project / "addons/rag_memory", addon, ignore=ignored, copy_function=os.link)
    if place != "linux without a runtime":
        (addon / "runtime").symlink_to(exported.project / "addons/rag_memory/runtime")
    shutil.copytree(exported.project / ".godot", project / ".godot")
    settings = (exported.project / "project.godot").read_text(encoding="utf-8")
    (project / "project.godot").write_text(re.sub("run/main_scene=.*", "", settings), encoding="utf-8")
    presets = (exported.project / "export_presets.cfg").read_text(encoding="utf-8")
    template = tmp_path / "template"
    if place == "web":
        shutil.make_archive(str(template), "zip", exported.project / "check")
        presets = presets.replace('"Linux"', '"Web"').replace('binary_format/architecture="x86_64"\n', "")
        template = tmp_path / "template.zip"
    elif place == "riscv":
        content = bytearray((exported.folder / export.PROGRAM).read_bytes()[:4096])
        content[ELF_MACHINE_OFFSET] = ELF_RISCV
        template.write_bytes(content)
        presets = presets.replace('"x86_64"', '"rv64"')
    else:
        template = exported.folder / export.PROGRAM
    presets = re.sub('custom_template/release=".*"', f'custom_template/release="{template}"', presets)
    (project / "export_presets.cfg").write_text(presets, encoding="utf-8")
    name = "Web" if place == "web" else "Linux"
    target = tmp_path / "out" / ("index.html" if place == "web" else "game")
    target.parent.mkdir()
    done = subprocess.run(
        [engine_path(), "--headless", "--path", project, "--export-release", name, target],
        env=home.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode != 0, output
    if place == "linux without a runtime":
        assert "The addon is incomplete" in output, output
        assert "runtime/linux_x86_64" in output
    else:
        where = "Web" if place == "web" else "Linux rv64"
        assert f"RAG Memory does not run on {where}: " in output, output
        assert "has them for: Linux x86_64" in output
    assert not (tmp_path / "out" / "rag_memory").exists()
    # One reason is told. What the engine says of the stop itself leads back to it.
    problems = [line for line in output.splitlines() if re.search(r"\b(ERROR|WARNING): ", line)]
    reasons = [line for line in problems if "stopped this export, see its message above" not in line]
    assert len(reasons) == 2, output
    assert "RAG Memory: " in reasons[0] and "Project export for preset" in reasons[1]
