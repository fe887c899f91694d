"""A Python for tests on Windows: the runtime, a program that starts it, and the packages for tests."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from . import cpython, cpython_windows, disk, library_part, stamp, wheels, windows_libraries, wine, zig
from .console import Progress, SetupError, run
from .paths import BUILD, PYTHON_SOURCE, REQUIREMENTS, ROOT
from .target_windows import WINDOWS_X86_64

FOLDER = BUILD / "windows_python"
PROGRAM = FOLDER / "python.exe"
_SOURCE = ROOT / "native" / "windows_python" / "windows_python.cpp"
_PACKAGES = FOLDER / "site-packages"
_WHOLE_NUMPY = FOLDER / "numpy"
_PINS = REQUIREMENTS / "development.txt"
_RUNTIME_PINS = REQUIREMENTS / "runtime.txt"
_NAMES = (
    *("colorama", "hypothesis", "iniconfig", "packaging", "pluggy", "pygments", "pytest"),
    "sortedcontainers",
)
_FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-s", "-municode", "-DMS_WIN64")
_LAYOUT = "2"
_LOOK_SECONDS = 0.2


def prepare(progress: Progress) -> Path:
    """Build the program if it is missing. It can import the project's sources, pytest and hypothesis."""
    key = stamp.key_of(_LAYOUT, _SOURCE, _PINS, _RUNTIME_PINS, Path(__file__), *cpython_windows.PINS)
    library = library_part.prepare(WINDOWS_X86_64)
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
            # Tests make data with parts of numpy that games are shipped without.
            wheels.install(
                [
                    *wheels.fetch(
                        _RUNTIME_PINS, progress, platforms=WINDOWS_X86_64.wheel_platforms, only=["numpy"]
                    ).values()
                ],
                fresh / _WHOLE_NUMPY.name,
                log="windows-test-numpy",
                platforms=WINDOWS_X86_64.wheel_platforms,
            )
            for module in fresh.rglob("*.pyd"):
                windows_libraries.rename_needed(module, cpython_windows.PRIVATE_NAMES)
            # pytest needs pdb; the runtime of games has none.
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
            folders = (WINDOWS_X86_64.runtime, PYTHON_SOURCE, _PACKAGES, library)
            text = "".join(f"{wine.windows_path(folder)}\n" for folder in folders)
            (fresh / "python.txt").write_text(text, encoding="utf-8")
        stamp.finish("windows_python", key)
    return PROGRAM


@contextlib.contextmanager
def started(progress: Progress) -> Iterator[Callable[..., tuple[int, str]]]:
    """Yield a function that runs this Python under Wine in the project's folder.

    It returns the exit code and the output; `is_shown` also prints the output, `is_shipped` runs it with the
    numpy that games are shipped with. All runs share a Wine prefix, which is removed afterwards.
    """
    program, machine = prepare(progress), wine.prepare(progress)
    with tempfile.TemporaryDirectory() as folder:
        prefix = machine.new_prefix(Path(folder, "prefix"))
        variables = machine.environment(prefix)

        def run_it(
            *arguments: str | Path, is_shown: bool = False, is_shipped: bool = False
        ) -> tuple[int, str]:
            words = [
                wine.windows_path(argument) if isinstance(argument, Path) else argument
                for argument in arguments
            ]
            whole = {} if is_shipped else {"PYTHONPATH": wine.windows_path(_WHOLE_NUMPY)}
            return _relayed(machine.command(program, *words), {**variables, **whole}, is_shown)

        try:
            # If the first two programs start at the same time, both may try to start Wine's server.
            code, said = run_it("-c", "pass")
            if code:
                raise SetupError("The Python for tests on Windows does not start", said, "run this again")
            yield run_it
        finally:
            machine.end(prefix)


def _relayed(words: Sequence[str], variables: Mapping[str, str], is_shown: bool) -> tuple[int, str]:
    process = subprocess.Popen(
        words,
        cwd=ROOT,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    parts: list[bytes] = []
    with process:
        while True:
            has_ended = process.poll() is not None
            # The pipe does not end with the program, because Wine's server keeps it open.
            if select.select([process.stdout], [], [], _LOOK_SECONDS)[0]:
                part = os.read(process.stdout.fileno(), 1 << 16)
                parts.append(part)
                if is_shown:
                    sys.stdout.buffer.write(part)
                    sys.stdout.flush()
                if not part:
                    break
            elif has_ended:
                break
        process.stdout.close()
    return process.returncode, b"".join(parts).decode(errors="replace").replace("\r\n", "\n")
