"""The packages with which `build.py pictures` writes what moves. Nothing else has them."""

from __future__ import annotations

from pathlib import Path

from . import disk, stamp, wheels
from .console import step
from .paths import BUILD, REQUIREMENTS

FOLDER = BUILD / "picture_packages"
_PINS = REQUIREMENTS / "pictures.txt"
_INSTALLED_MEGABYTES = 25


def prepare() -> Path:
    """Install them if they are missing; return the folder for sys.path."""
    key = stamp.key_of(_PINS)
    if not stamp.is_current("picture_packages", key, FOLDER / "PIL"):
        stamp.forget("picture_packages")
        with step("Packages for pictures (7 MB to download, once)") as progress:
            disk.require_free(BUILD, _INSTALLED_MEGABYTES, "the packages for pictures")
            files = list(wheels.fetch(_PINS, progress).values())
            with disk.replacing(FOLDER) as fresh:
                wheels.install(files, fresh, log="picture-packages")
        stamp.finish("picture_packages", key)
    return FOLDER
