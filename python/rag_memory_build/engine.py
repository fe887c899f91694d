"""The Godot engine: the user's if there is one, otherwise a private one from Debian's packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import debian, disk, patchelf, stamp
from .console import Progress, SetupError, step
from .lock import exclusive
from .paths import BUILD, CACHE

OLDEST_VERSION = (4, 4)
_SUITE = "forky"


@dataclass(frozen=True)
class _Packages:
    """An engine in Debian's packages."""

    architecture: str
    names: tuple[str, ...]
    size: str
    without: tuple[str, ...] = ()
    """Dependencies that are not needed."""


_HERE = _Packages(
    debian.HERE,
    (
        *("godot", "godot-template-release", "godot-template-debug"),
        # For the editor and for games in a window, without a screen or a graphics card.
        *("libgl1", "libgl1-mesa-dri", "libglx-mesa0", "libegl1", "libxkbcommon-x11-0"),
        *("xvfb", "x11-xkb-utils", "xkb-data", "fontconfig-config"),
        # Preloaded for the sanitizer build of the native host; must fit this engine's C library.
        *("libasan8", "libubsan1"),
    ),
    "215 MB",
)
# Without libraries for drawing: it runs headless.
_ARM64 = _Packages("arm64", ("godot",), "92 MB", without=("mesa-libgallium", "libllvm21", "libz3-4"))
_LAYOUT = "1"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_THREAD_SANITIZER = "libtsan.so.2"
_PROGRAMS = ("godot", "godot-template-release", "godot-template-debug", "Xvfb", "xkbcomp")
_INSTALLED_MEGABYTES = 1500
_VERSIONS_FILE = BUILD / "stamps" / "engine_versions.json"
_REMEDY = (
    "install Godot 4.4 or newer (the Linux x86_64 editor, from Godot's site or your distribution) and put "
    "it on PATH as `godot`, or set GODOT to its full path"
)


@dataclass(frozen=True)
class Engine:
    """An engine that runs: its program, version and, if it is the private one, its folder."""

    path: Path
    version: tuple[int, int, int]
    version_text: str
    private_folder: Path | None = None

    @property
    def release_template(self) -> Path | None:
        """The private engine's export template for release builds."""
        return None if self.private_folder is None else self.private_folder / "usr/bin/godot-template-release"

    def sanitizer_libraries(self, sanitizer: str) -> list[Path]:
        """Libraries for LD_PRELOAD with which this engine can load a sanitizer build of the host."""
        if self.private_folder is None:
            return []
        if sanitizer == "thread":
            return [_thread_sanitizer()]
        return [self.private_folder / _LIBRARIES / name for name in ("libasan.so.8", "libubsan.so.1")]

    def graphics_environment(self) -> dict[str, str]:
        """Environment variables for opening a window without a graphics card (private engine only)."""
        if self.private_folder is None:
            return {}
        share = self.private_folder / "usr" / "share"
        return {
            "LIBGL_DRIVERS_PATH": str(self.private_folder / _LIBRARIES / "dri"),
            "__EGL_VENDOR_LIBRARY_DIRS": str(share / "glvnd" / "egl_vendor.d"),
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "XKB_CONFIG_ROOT": str(share / "X11" / "xkb"),
            # The X server starts xkbcomp; appended, so that nothing of the system is hidden.
            "PATH": f"{os.environ.get('PATH', os.defpath)}:{self.private_folder / 'usr' / 'bin'}",
        }

    def virtual_screen(self) -> list[str] | None:
        """The command (without a display number) that starts the private engine's X server."""
        if self.private_folder is None:
            return None
        keyboards = self.private_folder / "usr" / "share" / "X11" / "xkb"
        return [str(self.private_folder / "usr" / "bin" / "Xvfb"), "-xkbdir", str(keyboards)]


def find() -> Engine:
    """Find the engine: $GODOT, then `godot` on PATH, then the private one, which is fetched if missing.

    Raises SetupError if the engine is older than 4.4, does not run, or can't be fetched.
    """
    chosen = os.environ.get("GODOT")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise SetupError("GODOT names no program", f"{chosen} is not an executable file", _REMEDY)
        return _checked(Path(path).absolute(), "GODOT")
    path = shutil.which("godot")
    if path is not None:
        return _checked(Path(path).absolute(), "PATH")
    return _private()


def version_of(path: Path) -> tuple[tuple[int, int, int], str]:
    """The version that the program reports, as numbers and as text; cached until the file changes."""
    status = path.stat()
    identity = f"{path}:{status.st_size}:{status.st_mtime_ns}"
    try:
        cached = json.loads(_VERSIONS_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        cached = {}
    text = cached.get(identity) if isinstance(cached, dict) else None
    if not isinstance(text, str):
        text = _ask_version(path)
    match = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if match is None:
        raise SetupError(
            f"{path} is not a Godot engine", f"asked for its version it said: {text[:200]!r}", _REMEDY
        )
    if cached != {identity: text}:
        _VERSIONS_FILE.parent.mkdir(parents=True, exist_ok=True)
        _VERSIONS_FILE.write_text(json.dumps({identity: text}), encoding="utf-8")
    return (int(match[1]), int(match[2]), int(match[3] or 0)), text


def _ask_version(path: Path) -> str:
    try:
        done = subprocess.run(
            [path, "--headless", "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"The engine {path} does not start", str(error), _REMEDY) from error
    if done.returncode != 0:
        why = (done.stderr or done.stdout).strip() or f"exit code {done.returncode}"
        raise SetupError(f"The engine {path} does not start", why, _REMEDY)
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else ""


def _checked(path: Path, origin: str, private_folder: Path | None = None) -> Engine:
    version, text = version_of(path)
    if version[:2] < OLDEST_VERSION:
        oldest = ".".join(map(str, OLDEST_VERSION))
        raise SetupError(
            f"The engine {path} is too old", f"{origin} gives Godot {text}; {oldest} is needed", _REMEDY
        )
    return Engine(path, version, text, private_folder)


def arm64() -> Path:
    """The private engine for Linux on arm64, fetched if missing.

    Returns the root folder of a system in which /usr/bin/godot runs headless. Raises DebianUnavailable if
    there are no Debian packages.
    """
    return _unpacked(
        _ARM64, stamp.key_of(_LAYOUT, _SUITE, "arm64", *_ARM64.names), lambda fresh, folder: None
    )


def _private() -> Engine:
    try:
        folder = _unpacked(_HERE, stamp.key_of(_LAYOUT, _SUITE, *_HERE.names), _make_independent)
    except debian.DebianUnavailable as error:
        raise SetupError("There is no Godot engine on this machine", error.why, _REMEDY) from error
    return _checked(folder / "usr" / "bin" / "godot", "the private engine", folder)


def _unpacked(packages: _Packages, key: str, finish: Callable[[Path, Path], None]) -> Path:
    folder = CACHE / "engine" / key[:12]
    if not is_complete(folder):
        with exclusive(CACHE / "engine.lock", "the private engine"):
            if not is_complete(folder):
                _build(packages, folder, finish)
    return folder


def _thread_sanitizer() -> Path:
    """The thread sanitizer's library for the private engine's C library, fetched if missing."""
    library = CACHE / "thread_sanitizer" / _SUITE / _LIBRARIES / _THREAD_SANITIZER
    if not library.is_file():
        with (
            step("Thread sanitizer (3 MB to fetch, once)") as progress,
            disk.replacing(CACHE / "thread_sanitizer" / _SUITE) as fresh,
        ):
            # The engine's packages have its dependencies.
            archives = debian.fetch(_SUITE, ["libtsan2"], progress)
            debian.unpack([file for file in archives if file.name.startswith("libtsan2_")], fresh, progress)
    return library


def is_complete(folder: Path) -> bool:
    """True if every program and library of an unpacked engine is present with its full size."""
    try:
        sizes = json.loads((folder / "engine.json").read_text(encoding="utf-8"))
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def _build(packages: _Packages, folder: Path, finish: Callable[[Path, Path], None]) -> None:
    """Unpack an engine. `finish` gets the unfinished folder and the final one."""
    title = f"Private Godot engine ({packages.architecture}, {packages.size} to fetch, once)"
    with step(title) as progress:
        disk.require_free(CACHE, _INSTALLED_MEGABYTES, "the private engine")
        archives = debian.fetch(
            _SUITE,
            packages.names,
            progress,
            architecture=packages.architecture,
            without=packages.without,
        )
        with disk.replacing(folder) as fresh:
            debian.unpack(archives, fresh, progress)
            for name in (
                "usr/share/doc",
                "usr/share/man",
                "usr/share/locale",
                "usr/share/lintian",
                "var",
                "etc/init.d",
            ):
                shutil.rmtree(fresh / name, ignore_errors=True)
            progress.update("making it independent of the system's libraries")
            finish(fresh, folder)
            sizes = {
                str(file.relative_to(fresh)): file.stat().st_size
                for file in sorted(fresh.rglob("*"))
                if patchelf.is_elf(file)
            }
            (fresh / "engine.json").write_text(json.dumps(sizes, indent=0), encoding="utf-8")


def _make_independent(fresh: Path, folder: Path) -> None:
    _use_own_libraries(fresh, folder, patchelf.patchelf(Progress("Private Godot engine")))
    _find_keyboard_compiler_on_path(fresh / "usr" / "bin" / "Xvfb")


def _use_own_libraries(fresh: Path, folder: Path, program: Path) -> None:
    """Set interpreter and library path of the programs, so that they need no library of the system.

    DT_RPATH (not RUNPATH) also applies to indirect dependencies and to libraries opened at run time. A
    library with its own RUNPATH ignores it, so those get the same path.
    """
    libraries = folder / _LIBRARIES
    rpath = f"{libraries}:{libraries}/pulseaudio"
    loader = str(libraries / "ld-linux-x86-64.so.2")
    common = ("--force-rpath", "--set-rpath", rpath)
    jobs: list[tuple[Path, tuple[str, ...]]] = [
        (fresh / "usr" / "bin" / name, ("--set-interpreter", loader, *common)) for name in _PROGRAMS
    ]
    for file in sorted((fresh / _LIBRARIES).rglob("*.so*")):
        if patchelf.is_elf(file) and not file.name.startswith(("ld-linux", "libc.so", "libasan", "libubsan")):
            content = file.read_bytes()
            if b"/pulseaudio\0" in content or b"$ORIGIN" in content:
                jobs.append((file, common))
    patchelf.modify(jobs, program)


def _find_keyboard_compiler_on_path(server: Path) -> None:
    """Make Xvfb find xkbcomp on PATH: the folder /usr/bin is compiled in, and no option changes it."""
    content = server.read_bytes()
    folder = b"\0/usr/bin\0"
    if content.count(folder) == 1:
        server.write_bytes(content.replace(folder, b"\0" * len(folder)))
