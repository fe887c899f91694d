"""Builds the library part: the modules of Python's standard library that games are shipped without.

In a project it is in `addons/rag_memory/python_library/<platform>/`. The plugin adds it to every export,
unless the preset's option says otherwise.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from . import disk, package, runtime, runtime_manifest, stamp, standard_library
from .console import step
from .paths import ADDON, BUILD
from .target import Target

FOLDER = "python_library"
"""The folder below the addon's."""
_LAYOUT = "1"
_NEEDED_MEGABYTES = 50


def prepare(target: Target) -> Path:
    """Build the part if something changed. The runtime has to exist."""
    folder = BUILD / "library_part" / target.name
    sources = [Path(__file__), Path(runtime.__file__), Path(standard_library.__file__), ADDON / "plugin.cfg"]
    key = stamp.key_of(_LAYOUT, *sources, *target.sources())
    name = f"library-part-{target.name}"
    if not stamp.is_current(name, key, folder / runtime_manifest.NAME):
        stamp.forget(name)
        with step(f"Library part ({target.name})") as progress, disk.replacing(folder) as fresh:
            disk.require_free(folder, _NEEDED_MEGABYTES, "the library part")
            with tempfile.TemporaryDirectory(prefix=".new", dir=BUILD) as work:
                target.stage_python(Path(work), progress)
                standard_library.copy_left_out(Path(work, "stdlib"), fresh)
            target.finish_part(fresh, progress)
            runtime.compile_without_sources(fresh, FOLDER)
            (fresh / package.VERSION_FILE).write_text(
                f"{package.version()}\n", encoding="utf-8", newline="\n"
            )
            runtime_manifest.write(fresh)
        stamp.finish(name, key)
    return folder


def install(target: Target, project: Path) -> Path:
    """Copy the part into a project that has the addon; return its folder there."""
    return disk.install_part(prepare(target), project / "addons" / "rag_memory" / FOLDER)
