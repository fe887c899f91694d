"""The checks of `build.py test`: format, lint and types, then the tests."""

from __future__ import annotations

import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import cpython, development
from .console import say
from .machines import HERE, VARIABLE, Machine
from .paths import ROOT

_PYTHON_SOURCES = ("build.py", "python", "tests", "bench")
_TYPED_SOURCES = (
    *("python/rag_memory", "python/rag_memory_server", "python/rag_memory_build"),
    *("bench", "tests"),
)
_SCRIPT_FOLDERS = ("addons", "demo", "tests", "bench")
_LANES = 3
"""Test folders that run at the same time. Engine tests wait for frames and servers for half of their time, so
three keep two cores busy.
"""
_FOR_OTHERS = ("tests/platforms", "tests/windows")
"""Tests for other systems, run by `build.py test --platform NAME` beside the GDScript tests."""
SMOKE = tuple(
    ROOT / "tests" / name
    for name in (
        "platforms/test_demo.py",
        *(
            f"engine/{name}.gd"
            for name in (
                "remembering/test_storing",
                "mind/test_npc_mind",
                "world/test_people",
                "saves/test_save_slots",
            )
        ),
    )
)
"""Tests that a complete run repeats on the other systems."""
_CLANG_FORMAT = development.SITE_PACKAGES / "clang_format" / "data" / "bin" / "clang-format"


@dataclass(frozen=True)
class _Job:
    """Test files that run in one pytest process, and the machine they run on."""

    title: str
    tests: Sequence[Path]
    machine: Machine = HERE


def run_all(
    pytest_arguments: Sequence[str], others: Sequence[Machine] = (), *, repeated: bool = False
) -> int:
    """Run every check, then pytest with the given arguments; return 0 if all of them passed.

    Without arguments all tests run, several folders at a time, and the most important ones again on `others`.
    `repeated` also runs the tests that tests/conftest.py skips by default. The tests run even if a check
    failed, so that one run shows all problems.
    """
    python = cpython.EXECUTABLE
    with ThreadPoolExecutor(_LANES) as lanes:
        checks = _checks(python)
        passed = lanes.map(lambda check: _passes(*check), checks)
        failed = [title for (title, _words), has_passed in zip(checks, passed, strict=True) if not has_passed]
    if failed:
        say(f"Failed: {', '.join(failed)} (see above). The tests run all the same; the exit code will be 1.")
    say("pytest ...")
    if pytest_arguments:
        words: list[str | Path] = [python, "-m", "pytest", *_options(repeated), *pytest_arguments]
        return _call(words) or (1 if failed else 0)
    jobs = [_Job(f"{machine.target.name}, the most important tests", SMOKE, machine) for machine in others]
    folders = test_folders(ROOT / "tests")
    jobs += [_Job(folder, files) for folder, files in folders.items() if not _is_for_others(folder)]
    failed += _failed_jobs(python, jobs, _options(repeated))
    say(f"Failed: {', '.join(failed)} (see above)." if failed else "Everything passed.")
    return 1 if failed else 0


def _options(repeated: bool) -> list[str]:
    """pytest options for all test runs."""
    return ["--all"] if repeated else []


def test_folders(tests: Path) -> dict[str, list[Path]]:
    """Group the test files by folder, in the order to run them.

    Folders with engine tests come first, large ones before small ones: they take longest, and the last
    ones should be short.
    """
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in sorted(tests.rglob("test_*")):
        if file.suffix in (".py", ".gd"):
            folders[file.parent].append(file)

    def place(folder: Path) -> tuple[bool, int]:
        return tests / "unit" in (folder, *folder.parents), -sum(
            file.stat().st_size for file in folders[folder]
        )

    return {f"{folder.relative_to(tests.parent)}": folders[folder] for folder in sorted(folders, key=place)}


def run_on(machine: Machine, pytest_arguments: Sequence[str], *, repeated: bool = False) -> int:
    """Run pytest with the given arguments on another system; without arguments run all tests for it."""
    python = cpython.EXECUTABLE
    if pytest_arguments:
        if any("tests/unit" in word for word in pytest_arguments):
            return machine.core_tests(pytest_arguments)
        return _call([python, "-m", "pytest", *_options(repeated), *pytest_arguments], machine)
    for reason, names in machine.excluded.items():
        say(f"Not on {machine.target.name}: tests that {reason} ({', '.join(names)})")
    failed = ["the core's tests"] if machine.core_tests() else []
    jobs = []
    for folder, files in test_folders(ROOT / "tests").items():
        system = machine.target.name.partition("_")[0]
        own = folder.startswith(("tests/platforms", f"tests/{system}"))
        wanted = [file for file in files if own or file.suffix == ".gd"]
        if wanted:
            jobs.append(_Job(folder, wanted, machine))
    failed += _failed_jobs(python, jobs, _options(repeated))
    say(f"Failed: {', '.join(failed)} (see above)." if failed else "Everything passed.")
    return 1 if failed else 0


def _is_for_others(folder: str) -> bool:
    return folder.startswith(_FOR_OTHERS)


def _failed_jobs(python: Path, jobs: Sequence[_Job], options: Sequence[str]) -> list[str]:
    """Run the jobs; return the titles of those with failures."""
    # Two processes must not write pytest's cache at the same time.
    pytest: tuple[str | Path, ...] = (python, "-m", "pytest", "-p", "no:cacheprovider", *options)
    with ThreadPoolExecutor(_LANES) as lanes:
        passed = lanes.map(lambda job: _passes(job.title, [*pytest, *job.tests], job.machine), jobs)
        return [job.title for job, has_passed in zip(jobs, passed, strict=True) if not has_passed]


def _checks(python: Path) -> list[tuple[str, list[str | Path]]]:
    sources = [name for name in _PYTHON_SOURCES if (ROOT / name).exists()]
    typed = [name for name in _TYPED_SOURCES if any((ROOT / name).rglob("*.py"))]
    native = sorted(file for file in (ROOT / "native").rglob("*") if file.suffix in (".c", ".cpp", ".h"))
    scripts = sorted(file for name in _SCRIPT_FOLDERS for file in (ROOT / name).rglob("*.gd"))
    checks: list[tuple[str, list[str | Path]]] = [
        ("ruff format", [python, "-m", "ruff", "format", "--check", *sources]),
        ("ruff check", [python, "-m", "ruff", "check", *sources]),
        ("mypy", [python, "-m", "mypy", *typed]),
    ]
    if native:
        checks.append(("clang-format", [_CLANG_FORMAT, "--dry-run", "-Werror", *native]))
    if scripts:
        checks.append(("gdformat", [python, "-m", "gdtoolkit.formatter", "--check", *scripts]))
        checks.append(("gdlint", [python, "-m", "gdtoolkit.linter", *scripts]))
    return checks


def _passes(title: str, words: Sequence[str | Path], machine: Machine = HERE) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=_environment(machine),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    seconds = time.monotonic() - started
    if done.returncode == 0:
        last = done.stdout.rstrip().rpartition("\n")[2]
        say(f"{title}: {last}" if " passed in " in last else f"{title}: passed in {seconds:.1f} s")
        return True
    say(f"{title}: FAILED in {seconds:.1f} s\n{done.stdout.rstrip()}")
    return False


def _call(words: Sequence[str | Path], machine: Machine = HERE) -> int:
    return subprocess.run(words, cwd=ROOT, env=_environment(machine), check=False).returncode


def _environment(machine: Machine) -> dict[str, str]:
    return development.environment() | {VARIABLE: machine.target.name}
