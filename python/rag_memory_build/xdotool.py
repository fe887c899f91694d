"""xdotool, which presses keys and moves the mouse, for the test that plays the village."""

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
    """The command of the system's xdotool, or of a private one, which is fetched if missing.

    Raises SetupError if it can't be fetched.
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
