"""The exported game runs where nothing but the game is; the export tells and refuses what it should."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.engine.game import Home, engine_path
from tests.engine.read_only import read_only
from tests.engine.village.told_day import check_day
from tests.export.exported import (
    KEY,
    KEY_VARIABLE,
    LORE,
    VILLAGE_DAY,
    Exported,
    Run,
    bare_root,
    play,
)

from rag_memory_build import export, package, targets

pytestmark = pytest.mark.slow

ELF_MACHINE_OFFSET = 18
ELF_X86_32 = 3
LARGE_FILE_BYTES = 5_000_000
PE_X86_64, PE_ARM64 = 0x8664, 0xAA64


def check_that_it_recalls(run: Run, program: Path) -> None:
    assert run.code == 0, run.text()
    # The engine asks a program where the desktop is; there is no shell to start it.
    assert [line for line in run.errors() if "xdg-user-dir" not in line] == [], run.text()
    assert (run.value("open"), run.value("prepared")) == (0, len(LORE))
    assert "The player gave me a red rose by the well." in run.value("recalled")
    assert run.value("ruled") == 9, "by a file in the pack"
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


def test_the_inference_engine_is_shipped_once(exported: Exported) -> None:
    copies = [
        path
        for path in (exported.folder / "rag_memory").rglob("*onnxruntime*")
        if path.is_file() and path.stat().st_size > LARGE_FILE_BYTES
    ]
    assert len(copies) == 1, copies


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


def test_the_key_of_a_language_model_is_not_exported(exported: Exported) -> None:
    files = [path.read_bytes() for path in exported.folder.rglob("*") if path.is_file()]
    assert any(KEY_VARIABLE.encode() in content for content in files), "the model that names it is there"
    assert not any(KEY.encode() in content for content in files)
    assert KEY not in exported.messages


KNOWN = ("xdg-user-dir", "Attempt to disconnect a nonexistent connection from")
"""There is no shell; and Debian's template says that whenever a container loses a child."""


def test_a_day_in_the_village_with_nothing_but_the_game(
    exported: Exported, tmp_path: Path, home: Home
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with read_only(exported.folder) as read_only_words:
        bare = bare_root(root, exported.folder, home.folder)
        run = play(
            exported.folder / export.PROGRAM,
            VILLAGE_DAY.name,
            environment={"HOME": str(home.folder), "PATH": "/nonexistent"},
            cwd=Path("/"),
            wrapper=bare or read_only_words,
            root=root if bare else None,
        )
    assert run.code == 0, run.text()
    assert [line for line in run.errors() if not any(part in line for part in KNOWN)] == [], run.text()
    check_day(run.value, run.values("met"))


def test_the_demo_runs_with_an_empty_environment(exported: Exported, tmp_path: Path) -> None:
    moved = tmp_path / "game"
    shutil.copytree(exported.folder, moved)
    run = play(moved / export.PROGRAM, environment={}, cwd=tmp_path)
    assert run.code == 0, run.text()
    assert run.errors() == [], run.text()
    found = re.search(r"Expected memories recalled: (\d+) of (\d+)", "\n".join(run.lines))
    assert found, run.text()
    assert int(found[1]) >= int(found[2]) / 2


def test_every_rule_in_python_holds_in_the_game_and_its_error_has_file_and_line(
    exported: Exported, home: Home
) -> None:
    program = exported.folder / export.PROGRAM
    run = play(program, "rules.gd", environment=home.environment(), cwd=exported.folder)
    assert run.code == 0, run.text()
    assert run.value("importance") == 9
    assert run.value("first") == "The barn burned down."
    assert run.value("tier") == 0
    assert run.value("sentiment") == 42
    assert run.value("insight") == "The village is unlucky."
    assert run.value("fact") == "The player is called Tom the Fool."
    assert 1 <= run.value("flood") <= 10
    assert 1 <= run.value("endless") <= 10
    told = "res://rules/village.py, line 3: importance() failed: KeyError: 'nothing'."
    assert run.value("sale") == 5
    unshipped, failed, ended = run.errors()
    assert (
        "line 9: importance() failed: ModuleNotFoundError: No module named 'asyncio': games are" in unshipped
    )
    assert "unpack the zip file rag_memory-<version>-python-linux_x86_64.zip" in unshipped
    assert "the export option rag_memory/python_library" in unshipped
    assert told in failed
    assert re.search(r"res://rules/village\.py, line \d+: importance\(\) took longer than 5 s", ended), (
        run.text()
    )


def test_what_is_added_is_told_within_its_budget_and_without_the_editors_parts(
    exported: Exported, home: Home
) -> None:
    program = exported.folder / export.PROGRAM
    run = play(program, "check", environment=home.environment(), cwd=exported.project)
    check_that_it_recalls(run, program)
    assert run.value("editor_files") == []
    assert run.value("languages") == ["de"], "the project lists no other"
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
        "town.md",
        "town.vectors",
        "village.py",
    ]
    warnings = [line for line in exported.messages.splitlines() if "WARNING: " in line]
    assert any("res://prepared_saves/not_closed.sqlite3 is open" in line for line in warnings), warnings
    assert any("The lore file res://lore/gone.md is missing" in line for line in warnings), warnings
    assert not any("town.md" in line for line in warnings)
    assert not any("village_lore" in line for line in warnings)
    size = export.size_of(exported.folder)
    assert sum(float(megabytes) for _, megabytes in told) == pytest.approx(size.unpacked, abs=0.5)
    assert 80 < size.unpacked <= export.UNPACKED_LIMIT_MEGABYTES
    assert 30 < size.zipped <= export.ZIPPED_LIMIT_MEGABYTES


@dataclass(frozen=True)
class Place:
    """A preset for which the addon has no files, and what is said of it."""

    platform: str
    architecture: str
    reason: str
    is_runtime_there: bool = True


_THERE = "has them for: Linux x86_64"
PLACES = {
    "linux, another processor": Place("Linux", "x86_32", f"does not run on Linux x86_32: .* {_THERE}"),
    "web": Place("Web", "", f"does not run on Web: .* {_THERE}"),
    "windows, another processor": Place(
        "Windows Desktop", "arm64", f"does not run on Windows arm64: .* {_THERE}.*, Windows x86_64"
    ),
    "windows, not installed": Place(
        "Windows Desktop",
        "x86_64",
        r"RAG Memory for Windows x86_64 is not installed in this project: unpack "
        rf"rag_memory-{re.escape(package.version())}-windows_x86_64\.zip .*-all\.zip",
    ),
    "no runtime": Place(
        "Linux", "x86_64", "The addon is incomplete.*runtime/linux_x86_64", is_runtime_there=False
    ),
}


def project_without_other_platforms(exported: Exported, folder: Path, *, is_runtime_there: bool) -> Path:
    """The exported project's addon with nothing but this system's files, and no scene; links where it can."""
    addon = folder / "addons" / "rag_memory"
    others = [each.library_name for each in targets.TARGETS.values() if each is not targets.HERE]
    ignored = shutil.ignore_patterns("runtime", *others)
    shutil.copytree(exported.project / "addons/rag_memory", addon, ignore=ignored, copy_function=os.link)
    (addon / "runtime").mkdir()
    (addon / "runtime" / ".gdignore").touch()
    if is_runtime_there:
        runtime = Path("runtime", targets.HERE.name)
        (addon / runtime).symlink_to(exported.project / "addons/rag_memory" / runtime)
    shutil.copytree(exported.project / ".godot", folder / ".godot")
    settings = (exported.project / "project.godot").read_text(encoding="utf-8")
    settings = re.sub("run/main_scene=.*", "", settings)
    settings += "\n[rendering]\n\ntextures/vram_compression/import_etc2_astc=true\n"
    (folder / "project.godot").write_text(settings, encoding="utf-8")
    return addon


def export_for(
    place: Place, exported: Exported, project: Path, template: Path, target: Path, home: Home
) -> tuple[int, str]:
    """The exit code and the output of an export of `project`."""
    presets = (exported.project / "export_presets.cfg").read_text(encoding="utf-8")
    presets = presets.replace('"Linux"', f'"{place.platform}"')
    chosen = f'binary_format/architecture="{place.architecture}"' if place.architecture else ""
    presets = presets.replace('binary_format/architecture="x86_64"', chosen)
    presets = re.sub('custom_template/release=".*"', f'custom_template/release="{template}"', presets)
    if place.platform == "macOS":
        presets += 'application/bundle_identifier="org.example.village"\ncodesign/codesign=0\n'
    if place.platform == "Windows Desktop":
        presets += "application/modify_resources=false\n"
    (project / "export_presets.cfg").write_text(presets, encoding="utf-8")
    target.parent.mkdir()
    done = subprocess.run(
        [engine_path(), "--headless", "--path", project, "--export-release", place.platform, target],
        env=home.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def make_template(place: Place, exported: Exported, folder: Path) -> Path:
    """As much of an export template as the editor looks at."""
    template = folder / "template"
    if place.platform == "Web":
        return Path(shutil.make_archive(str(template), "zip", exported.project / "check"))
    content = bytearray((exported.folder / export.PROGRAM).read_bytes()[:4096])
    if place.platform == "Windows Desktop":
        machine = PE_ARM64 if place.architecture == "arm64" else PE_X86_64
        content = bytearray(b"MZ".ljust(60, b"\0") + struct.pack("<I4sH", 64, b"PE", machine)).ljust(
            4096, b"\0"
        )
    elif place.architecture == "x86_32":
        content[ELF_MACHINE_OFFSET] = ELF_X86_32
    template.write_bytes(content)
    return template


@pytest.mark.parametrize("name", PLACES)
def test_a_platform_it_cannot_run_on_is_refused(
    name: str, exported: Exported, tmp_path: Path, home: Home
) -> None:
    place = PLACES[name]
    project = tmp_path / "project"
    project_without_other_platforms(exported, project, is_runtime_there=place.is_runtime_there)
    template = make_template(place, exported, tmp_path)
    target = tmp_path / "out" / ("index.html" if place.platform == "Web" else "game.exe")
    code, output = export_for(place, exported, project, template, target, home)
    assert code != 0, output
    assert not (tmp_path / "out" / "rag_memory").exists()
    # One reason is told. What the engine says of the stop itself leads back to it.
    problems = [line for line in output.splitlines() if re.search(r"\b(ERROR|WARNING): ", line)]
    reasons = [line for line in problems if "stopped this export, see its message above" not in line]
    assert len(reasons) == 2, output
    assert "RAG Memory: " in reasons[0] and "Project export for preset" in reasons[1]
    assert re.search(place.reason, reasons[0]), reasons[0]


@pytest.mark.parametrize("clash", ["class", "autoload"])
def test_a_project_with_a_class_or_an_autoload_of_the_addon_s_name_is_refused(
    clash: str, exported: Exported, tmp_path: Path, home: Home
) -> None:
    place = Place("Linux", "x86_64", "")
    project = tmp_path / "project"
    project_without_other_platforms(exported, project, is_runtime_there=True)
    if clash == "class":
        (project / "feelings.gd").write_text("class_name NPCMindConfig\nextends Resource\n", "utf-8")
        reason = "NPCMindConfig: the class in res://feelings.gd, and a native class of RAG Memory."
    else:
        (project / "feelings.gd").write_text("extends Node\n", "utf-8")
        settings = project / "project.godot"
        autoload = '[autoload]\n\nMemoryDebugConsole="*res://feelings.gd"\n'
        settings.write_text(f"{settings.read_text(encoding='utf-8')}\n{autoload}", "utf-8")
        reason = "MemoryDebugConsole: the autoload res://feelings.gd, and the addon's class in"
    template = make_template(place, exported, tmp_path)
    code, output = export_for(place, exported, project, template, tmp_path / "out" / "game", home)
    assert code != 0, output
    assert "RAG Memory: these names are used twice, which breaks scripts." in output
    assert reason in output
    assert not (tmp_path / "out" / "rag_memory").exists()


def test_a_runtime_that_is_not_whole_is_refused_and_left_over_files_are_told(
    exported: Exported, tmp_path: Path, home: Home
) -> None:
    place = Place("Linux", "x86_64", "")
    project = tmp_path / "project"
    runtime = project_without_other_platforms(exported, project, is_runtime_there=True) / "runtime"
    own = runtime / targets.HERE.name
    whole = own.resolve()
    own.unlink()
    shutil.copytree(whole, own, copy_function=os.link)
    (own / "site-packages" / "old.libs").mkdir()
    (own / "site-packages" / "old.libs" / "libold.so").touch()
    template = make_template(place, exported, tmp_path)
    code, output = export_for(place, exported, project, template, tmp_path / "left" / "game", home)
    assert code == 0, output
    assert "has 1 files that do not belong to it, such as site-packages/old.libs/libold.so" in output
    (own / "stdlib" / "os.pyc").unlink()
    library = next((own / "lib").glob("*sqlite3*"))
    library.unlink()
    library.write_bytes(b"cut off")
    code, output = export_for(place, exported, project, template, tmp_path / "out" / "game", home)
    assert code != 0, output
    assert re.search(
        rf"ERROR: RAG Memory: The addon is damaged.*lib/{re.escape(library.name)} has 7 bytes instead of "
        r"\d+, stdlib/os\.pyc is missing\. Install it again",
        output,
    ), output


@pytest.mark.parametrize("architecture", ["universal", "arm64", "x86_64"])
def test_a_platform_that_nobody_has_tried_is_exported_with_a_warning(
    architecture: str, exported: Exported, tmp_path: Path, home: Home
) -> None:
    place = Place("macOS", architecture, "")
    project = tmp_path / "project"
    addon = project_without_other_platforms(exported, project, is_runtime_there=True)
    mac = targets.TARGETS["macos_universal"]
    runtime = addon / "runtime" / mac.name
    runtime.mkdir()
    for file in (addon / "bin" / mac.library_name, runtime / "manifest.txt"):
        file.write_text("A stand-in: this is about what is said.\n", encoding="utf-8")
    contents = tmp_path / "app" / "macos_template.app" / "Contents"
    (contents / "MacOS").mkdir(parents=True)
    (contents / "MacOS" / "godot_macos_release.universal").write_bytes(b"")
    template = Path(shutil.make_archive(str(tmp_path / "template"), "zip", tmp_path / "app"))
    target = tmp_path / "out" / "game.zip"
    _, output = export_for(place, exported, project, template, target, home)
    told = [line for line in output.splitlines() if "WARNING: RAG Memory" in line and " macOS " in line]
    assert len(told) == 1, output
    assert "RAG Memory for macOS is built and checked, but its makers have not run it" in told[0]
    assert f"adds res://addons/rag_memory/bin/{mac.library_name}" in output, output
    assert f"adds res://addons/rag_memory/runtime/{mac.name}" in output, output
    assert "stopped this export" not in output, output
