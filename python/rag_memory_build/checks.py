"""What `build.py test` runs: format, lint and type checks, then the tests."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from . import cpython, development
from .console import say
from .paths import ROOT

_PYTHON_SOURCES = ("build.py", "python", "tests", "bench")
_TYPED_SOURCES = ("python/rag_memory", "python/rag_memory_build", "bench", "tests")
_SCRIPT_FOLDERS = ("addons", "demo", "tests", "bench")
_CLANG_FORMAT = development.SITE_PACKAGES / "clang_format" / "data" / "bin" / "clang-format"


def run_all(pytest_arguments: Sequence[str]) -> int:
    """Run every check, then pytest with the given arguments; the exit code is 0 when all of them passed.

    A failed check does not keep the tests from running: one run shows everything that is wrong.
    """
    python = cpython.EXECUTABLE
    failed = [title for title, words in _checks(python) if not _passes(title, words)]
    if failed:
        say(f"Failed: {', '.join(failed)} (see above). The tests run all the same; the exit code will be 1.")
    say("pytest ...")
    tests = _call([python, "-m", "pytest", *pytest_arguments])
    return tests or (1 if failed else 0)


def _checks(python: Path) -> list[tuple[str, list[str | Path]]]:
    sources = [name for name in _PYTHON_SOURCES if (ROOT / name).exists()]
    typed = [name for name in _TYPED_SOURCES if any((ROOT / name).rglob("*.py"))]
    native = sorted(file for file in (ROOT / "native").rglob("*") if file.suffix in (".cpp", ".h"))
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


def _passes(title: str, words: Sequence[str | Path]) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        words,
        cwd=ROOT,
        env=development.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    seconds = time.monotonic() - started
    if done.returncode == 0:
        say(f"{title}: passed in {seconds:.1f} s")
        return True
    say(f"{title}: FAILED in {seconds:.1f} s\n{done.stdout.rstrip()}")
    return False


def _call(words: Sequence[str | Path]) -> int:
    return subprocess.run(words, cwd=ROOT, env=development.environment(), check=False).returncode
