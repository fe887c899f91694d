"""The tests of this project by name, so that none disappears unnoticed.

`functions.txt` has a line for every test function, of Python and of GDScript, with its folder. `items.txt`
has the number of items that pytest collects in a folder, which parameters multiply. After a change of tests:

    python3 build.py python -m tests.inventory            # writes both; stops if a function is gone
    python3 build.py python -m tests.inventory --gone     # writes them all the same
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
FUNCTIONS = TESTS / "inventory" / "functions.txt"
ITEMS = TESTS / "inventory" / "items.txt"
COUNTED = ("tests/unit", "tests/engine", "tests/export")
"""The folders whose items this system collects."""

_FUNCTION = {
    ".py": re.compile(r"^ *def (test_\w+)\(", re.MULTILINE),
    ".gd": re.compile(r"^func (test_\w+)\(", re.MULTILINE),
}
_COUNT = re.compile(r"^(tests/\S+)/[^/\s]+: (\d+)$", re.MULTILINE)


def functions() -> Counter[str]:
    """The test functions in the sources, as "folder name"."""
    counted: Counter[str] = Counter()
    for file in TESTS.rglob("test_*"):
        if file.suffix in _FUNCTION:
            folder = file.parent.relative_to(ROOT).as_posix()
            names = _FUNCTION[file.suffix].findall(file.read_text(encoding="utf-8"))
            counted.update(f"{folder} {name}" for name in names)
    return counted


def listed_functions() -> Counter[str]:
    """The names in functions.txt."""
    return Counter(FUNCTIONS.read_text(encoding="utf-8").splitlines())


def gone(before: Counter[str], after: Counter[str]) -> list[str]:
    """The functions of `before` that are in no folder any more. A function that moved is not gone."""
    missing = before - after
    moved_to = Counter(line.partition(" ")[2] for line in (after - before).elements())
    lost = []
    for line in sorted(missing.elements()):
        name = line.partition(" ")[2]
        if moved_to[name]:
            moved_to[name] -= 1
        else:
            lost.append(line)
    return lost


def items() -> dict[str, int]:
    """The number of items that pytest collects, by folder."""
    files = [file for folder in COUNTED for file in sorted((ROOT / folder).rglob("test_*"))]
    words = [sys.executable, "-m", "pytest", "--collect-only", "--all", "-q", "-p", "no:cacheprovider"]
    words += [str(file) for file in files if file.suffix in _FUNCTION]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counted: Counter[str] = Counter()
    for folder, count in _COUNT.findall(done.stdout):
        counted[folder] += int(count)
    return dict(sorted(counted.items()))


def listed_items() -> dict[str, int]:
    """The names in items.txt."""
    lines = ITEMS.read_text(encoding="utf-8").splitlines()
    return {folder: int(count) for folder, count in map(str.split, lines)}
