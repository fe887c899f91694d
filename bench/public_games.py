"""Starts games of other people with the addon installed: `python3 build.py bench public_games PROJECT...`.

Every PROJECT is the folder or the Git repository of a Godot game on this machine; nothing is downloaded. Two
copies are imported and their main scenes run without a window: the game alone, and the game with the addon's
zip unpacked in it and the plugin enabled. Errors that only the second copy prints, and classes that both the
game and the addon define, are listed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measurement import command

from rag_memory.godot import classes
from rag_memory_build import engine, export, package, targets
from rag_memory_build.console import SetupError, step

_NAME = re.compile(r'^config/name="(.*)"$', re.MULTILINE)
_FEATURES = re.compile(r'^config/features=PackedStringArray\("([\d.]+)"', re.MULTILINE)
_CLASS = re.compile(r"^class_name (\w+)", re.MULTILINE)
_AUTOLOAD = re.compile(r'^(\w+)="\*?(?:res|uid)://', re.MULTILINE)
_ERROR = re.compile(r"^(?:USER )?(?:SCRIPT )?ERROR: ")
_AT_EXIT = re.compile(r"still in use at exit|leaked at exit|were leaked")
"""Errors that depend on the moment at which the engine quits. They are not counted."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_LIMIT_SECONDS = 900.0
_ERRORS_SHOWN = 5


@dataclass(frozen=True)
class _Start:
    """The import and a run of a copy of a game."""

    exit_codes: tuple[int, int]
    """Of the import and of the main scene."""
    errors: list[str]
    """Error lines of both, with numbers replaced."""


def main(arguments: list[str]) -> int:
    options = command.parser("public_games", __doc__)
    options.add_argument("projects", nargs="+", type=Path, metavar="PROJECT", help="a folder or a repository")
    options.add_argument("--frames", type=int, default=300, help="of the main scene (default 300)")
    words = options.parse_args(arguments)
    return command.end(lambda: _report(words.projects, words.frames))


def _report(projects: list[Path], frames: int) -> str:
    program = engine.find()
    lines = [f"* Godot {program.version_text}, headless; {frames} frames of the main scene", ""]
    lines += [
        "| game | made for | scripts | errors alone | errors with the addon | only with the addon |",
        "|---|---|---|---|---|---|",
    ]
    remarks: list[str] = []
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as name:
        folder = Path(name)
        addon = package.build([targets.HERE], folder)
        for number, project in enumerate(projects):
            row, notes = _compare(project, program.path, addon, folder / str(number), frames)
            lines.append(row)
            remarks += notes
    return "\n".join([*lines, "", *remarks])


def _compare(project: Path, program: Path, addon: Path, folder: Path, frames: int) -> tuple[str, list[str]]:
    """The row of a game in the table, and the lines about it below the table."""
    alone, with_addon = folder / "alone", folder / "with_addon"
    check_out(project, alone)
    shutil.copytree(alone, with_addon, symlinks=True)
    install(addon, with_addon)
    settings = (alone / "project.godot").read_text(encoding="utf-8")
    name, version = _NAME.search(settings), _FEATURES.search(settings)
    title = name[1] if name else project.name
    with step(title):
        before = _start(program, alone, frames)
        after = _start(program, with_addon, frames)
    new = sorted(set(after.errors) - set(before.errors))
    row = (
        f"| {title} | Godot {version[1] if version else '?'} | {sum(1 for _ in alone.rglob('*.gd'))} "
        f"| {len(before.errors)} | {len(after.errors)} | {len(new)} |"
    )
    notes = [f"* {title}: {error}" for error in new[:_ERRORS_SHOWN]]
    if after.exit_codes != before.exit_codes:
        notes.append(f"* {title}: exit codes {before.exit_codes} alone, {after.exit_codes} with the addon")
    if clashes := sorted(_names_of(alone, settings) & _names_of_the_addon(with_addon)):
        notes.append(f"* {title}: names that both define: {', '.join(clashes)}")
    return row, notes


def check_out(project: Path, folder: Path) -> None:
    """Copy a game into a new folder, without the editor's cache."""
    if (project / "project.godot").is_file():
        shutil.copytree(project, folder, ignore=shutil.ignore_patterns(".git", ".godot"))
        return
    folder.mkdir(parents=True)
    index = {**os.environ, "GIT_INDEX_FILE": os.fspath(folder.with_suffix(".index"))}
    git = ("git", f"--git-dir={project}", f"--work-tree={folder}")
    subprocess.run([*git, "read-tree", "HEAD"], env=index, check=False)
    # This skips missing files: partial clones lack large ones.
    subprocess.run([*git, "checkout-index", "--all"], env=index, check=False)
    shutil.rmtree(folder / ".godot", ignore_errors=True)
    if not (folder / "project.godot").is_file():
        raise SetupError(
            f"There is no game in {project}",
            "neither the folder nor the newest commit of a repository there has a project.godot",
            "name the folder of a Godot project",
        )


def install(addon: Path, project: Path) -> None:
    """Unpack the addon's zip and enable its plugin, as the README says."""
    with zipfile.ZipFile(addon) as archive:
        archive.extractall(project)
    file = project / "project.godot"
    settings = file.read_text(encoding="utf-8")
    file.write_text(export.with_plugin(settings), encoding="utf-8")


def _start(program: Path, project: Path, frames: int) -> _Start:
    """Import a game as the editor does, then run its main scene."""
    imported = _run(program, project, "--import")
    played = _run(program, project, "--quit-after", str(frames))
    return _Start((imported.returncode, played.returncode), [*_errors(imported), *_errors(played)])


def _run(program: Path, project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    home = project.with_name(f"{project.name}_home")
    try:
        return run_at_home([program, "--headless", "--path", project, *words], home, _LIMIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SetupError(
            f"{project.name} did not end", f"it ran for {_LIMIT_SECONDS:.0f} s", "try fewer --frames"
        ) from error


def run_at_home(
    words: Sequence[str | Path], home: Path, limit_seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a program whose user files are in a folder of their own; `stdout` has all of its output.

    Raises:
        subprocess.TimeoutExpired: it did not end.
    """
    folders = {f"XDG_{kind}_HOME": home / kind for kind in ("DATA", "CONFIG", "CACHE")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        words,
        env={**os.environ, **{name: os.fspath(folder) for name, folder in folders.items()}},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=limit_seconds,
        check=False,
    )


def _errors(run: subprocess.CompletedProcess[str]) -> Iterator[str]:
    for line in _COLOURS.sub("", run.stdout).splitlines():
        if _ERROR.match(line) and not _AT_EXIT.search(line):
            yield re.sub(r"\d+", "N", line)


def _names_of(project: Path, settings: str) -> set[str]:
    """The classes and autoloads that a game defines."""
    autoloads = settings.partition("[autoload]")[2].partition("\n[")[0]
    return _class_names(project) | set(_AUTOLOAD.findall(autoloads))


def _names_of_the_addon(project: Path) -> set[str]:
    native = {declared.name for declared in classes.declared_classes()}
    return native | _class_names(project / "addons" / "rag_memory")


def _class_names(folder: Path) -> set[str]:
    scripts = (file.read_text(encoding="utf-8", errors="replace") for file in folder.rglob("*.gd"))
    return {name for script in scripts for name in _CLASS.findall(script)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
