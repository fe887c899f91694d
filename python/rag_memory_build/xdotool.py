"""xdotool, which presses keys and moves the mouse of an X server: for the test that plays the village."""

from __future__ import annotations

import shutil

from . import debian, disk
from .console import SetupError, step
from .lock import exclusive
from .paths import CACHE

_SUITE = "forky"
_NAME = "xdotool"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_INSTALLED_MEGABYTES = 40
_FOLDER = CACHE / _NAME / _SUITE


def prepare() -> list[str]:
    """The words that begin a command of xdotool: the system's own, or a private one, fetched when missing.

    Raises SetupError when it cannot be had.
    """
    own = shutil.which(_NAME)
    if own is not None:
        return [own]
    program = _FOLDER / "usr" / "bin" / _NAME
    if not program.is_file():
        with exclusive(CACHE / "xdotool.lock", _NAME):
            if not program.is_file():
                _build()
    libraries = _FOLDER / _LIBRARIES
    loader = libraries / "ld-linux-x86-64.so.2"
    return [str(loader), "--library-path", str(libraries), str(program)]


def _build() -> None:
    with step("xdotool (6 MB to fetch, once)") as progress:
        disk.require_free(CACHE, _INSTALLED_MEGABYTES, _NAME)
        try:
            archives = debian.fetch(_SUITE, [_NAME], progress)
        except debian.DebianUnavailable as error:
            raise SetupError("xdotool cannot be fetched", error.why, "install the package xdotool") from error
        with disk.replacing(_FOLDER) as fresh:
            debian.unpack(archives, fresh, progress)
