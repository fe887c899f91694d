"""Builds the server part: psycopg with its libpq, redis, and the package rag_memory_server.

In a project it is in `addons/rag_memory/server/<platform>/`. The plugin adds it to exports of dedicated
servers only.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from . import (
    cpython,
    debian,
    disk,
    native,
    package,
    runtime,
    runtime_manifest,
    stamp,
    standard_library,
    wheels,
)
from .console import Progress, step
from .paths import ADDON, BUILD, PYTHON_SOURCE, REQUIREMENTS, ROOT
from .target import Target
from .target_linux import LINUX_ARM64, LINUX_X86_64
from .target_windows import WINDOWS_X86_64

TARGETS = (LINUX_X86_64, LINUX_ARM64, WINDOWS_X86_64)
FOLDER = "server"
"""The folder below the addon's."""
_LAYOUT = "2"
_PINS = (REQUIREMENTS / "servers.txt", REQUIREMENTS / "bus.txt")
_SOURCE = PYTHON_SOURCE / "rag_memory_server"
_TABLE = native.GENERATED / native.SERVER_TABLE
_SUITE = "bookworm"
_LIBPQ_LICENSES = ("libpq5", "libssl3")
_LINUX_LICENSES = (
    *("libgssapi-krb5-2", "libcom-err2", "libkeyutils1"),
    *("libldap-2.5-0", "libsasl2-2", "libcrypt1"),
)
"""Debian packages with the licences of the libraries in psycopg's wheel, which has none."""
_WITHOUT = ("libc6", "libgcc-s1", "debconf", "libdb5.3", "libsasl2-modules-db", "libkrb5-3", "libk5crypto3")
_NEEDED_MEGABYTES = 100


def prepare(target: Target) -> Path:
    """Build the part for one of TARGETS if something changed. Runtime and native host have to exist."""
    folder = BUILD / "server_part" / target.name
    sources = [
        Path(__file__),
        Path(runtime.__file__),
        Path(standard_library.__file__),
        ADDON / "plugin.cfg",
        *target.sources(),
    ]
    key = stamp.key_of(_LAYOUT, *_PINS, _SOURCE, _TABLE, *sources)
    name = f"server-part-{target.name}"
    if not stamp.is_current(name, key, folder / runtime_manifest.NAME):
        stamp.forget(name)
        with step(f"Server part ({target.name})") as progress, disk.replacing(folder) as fresh:
            disk.require_free(folder, _NEEDED_MEGABYTES, "the server part")
            _stage(target, fresh, progress)
        stamp.finish(name, key)
    return folder


def install(target: Target, project: Path) -> Path:
    """Copy the part into a project that has the addon; return its folder there."""
    return disk.install_part(prepare(target), project / "addons" / "rag_memory" / FOLDER)


def _stage(target: Target, fresh: Path, progress: Progress) -> None:
    progress.update("installing packages")
    files: dict[str, Path] = {}
    for pins in _PINS:
        files |= wheels.fetch(pins, progress, platforms=target.wheel_platforms)
    log = f"server-packages-{target.name}"
    wheels.install(list(files.values()), fresh, log=log, platforms=target.wheel_platforms)
    runtime.prune(fresh)
    cpython.copy_tree(_SOURCE, fresh / _SOURCE.name, lambda path: path.name == "__pycache__")
    shutil.copy(_TABLE, fresh)
    with tempfile.TemporaryDirectory(prefix=".new", dir=BUILD) as work:
        target.stage_python(Path(work), progress)
        standard_library.copy_left_out(Path(work, "stdlib"), fresh, standard_library.OF_SERVERS)
    target.finish_part(fresh, progress)
    progress.update("compiling")
    runtime.compile_tree(fresh, FOLDER)
    licenses = fresh / "licenses"
    licenses.mkdir(exist_ok=True)
    runtime.collect_licenses_of_packages(fresh, licenses)
    _collect_licenses_of_libraries(target, licenses, progress)
    shutil.copy(ROOT / "LICENSE", fresh / _SOURCE.name)
    (fresh / package.VERSION_FILE).write_text(f"{package.version()}\n", encoding="utf-8", newline="\n")
    runtime_manifest.write(fresh)


def _collect_licenses_of_libraries(target: Target, folder: Path, progress: Progress) -> None:
    progress.update("collecting licences")
    wanted = (*_LIBPQ_LICENSES, *(() if target is WINDOWS_X86_64 else _LINUX_LICENSES))
    archives = debian.fetch(_SUITE, wanted, progress, without=_WITHOUT)
    with tempfile.TemporaryDirectory(prefix=".new", dir=BUILD) as work:
        debian.unpack([archive for archive in archives if _package(archive) in wanted], Path(work), progress)
        for name in wanted:
            text = Path(work, "usr", "share", "doc", name, "copyright")
            shutil.copyfile(text, folder / f"{name}.txt")


def _package(archive: Path) -> str:
    return archive.name.partition("_")[0]
