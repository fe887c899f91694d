"""A Python for tests on Windows: the staged runtime, a program that starts it, and the packages of tests."""

from __future__ import annotations

import shutil
from pathlib import Path, PureWindowsPath

from . import cpython, cpython_windows, disk, stamp, wheels, zig
from .console import Progress, run
from .paths import BUILD, PYTHON_SOURCE, REQUIREMENTS, ROOT
from .target_windows import WINDOWS_X86_64

FOLDER = BUILD / "windows_python"
PROGRAM = FOLDER / "python.exe"
_SOURCE = ROOT / "native" / "windows_python" / "windows_python.cpp"
_PACKAGES = FOLDER / "site-packages"
_PINS = REQUIREMENTS / "development.txt"
_NAMES = (
    *("colorama", "hypothesis", "iniconfig", "packaging", "pluggy", "pygments", "pytest"),
    "sortedcontainers",
)
_FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-s", "-municode", "-DMS_WIN64")
_LAYOUT = "1"


def prepare(progress: Progress) -> Path:
    """The program, made first when it is not there. It sees the project's sources, pytest and hypothesis."""
    key = stamp.key_of(_LAYOUT, _SOURCE, _PINS, Path(__file__), *cpython_windows.PINS)
    if not stamp.is_current("windows_python", key, PROGRAM):
        stamp.forget("windows_python")
        headers = cpython_windows.prepare(progress).headers
        files = wheels.fetch(_PINS, progress, platforms=WINDOWS_X86_64.wheel_platforms, only=_NAMES)
        progress.update("making a Python for tests on Windows")
        with disk.replacing(FOLDER) as fresh:
            wheels.install(
                [*files.values()],
                fresh / _PACKAGES.name,
                log="windows-test-packages",
                platforms=WINDOWS_X86_64.wheel_platforms,
            )
            # What a game needs no debugger for, pytest does.
            shutil.copy(cpython.STANDARD_LIBRARY / "pdb.py", fresh / _PACKAGES.name)
            run(
                [
                    *zig.compiler(zig.WINDOWS, progress),
                    *_FLAGS,
                    *("-isystem", headers, _SOURCE, "-o", fresh / PROGRAM.name),
                ],
                what="Compiling a Python for tests on Windows",
                remedy="remove the folder zig of the cache, then run this again",
                log="windows-python",
            )
            folders = (WINDOWS_X86_64.runtime, PYTHON_SOURCE, _PACKAGES)
            text = "".join(f"{windows_path(each)}\n" for each in folders)
            (fresh / "python.txt").write_text(text, encoding="utf-8")
        stamp.finish("windows_python", key)
    return PROGRAM


def windows_path(path: Path) -> PureWindowsPath:
    """What Wine calls a file of this machine."""
    return PureWindowsPath(f"Z:{path.absolute()}")
