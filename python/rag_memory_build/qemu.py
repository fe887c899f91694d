"""A private qemu from Debian's package, which runs programs for Linux on arm64."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from . import debian, disk, stamp
from .console import step
from .lock import exclusive
from .paths import CACHE

_SUITE = "trixie"
"""The qemu of Debian 12 can't run the engine."""
_PACKAGE = "qemu-user"
_PROGRAM = "qemu-aarch64"
_PROCESSOR = "cortex-a72"
"""The processor of a Raspberry Pi 4."""
_UNPACKED_MEGABYTES = 600


def command(root: Path, program: Path) -> list[str]:
    """The command that runs a program for arm64.

    `root`: absolute paths are looked up in this folder first. Raises DebianUnavailable if qemu can't be
    fetched.
    """
    return [str(_prepare()), "-cpu", _PROCESSOR, "-L", str(root), str(program)]


def _prepare() -> Path:
    program = CACHE / "qemu" / stamp.key_of(_SUITE, _PACKAGE, _PROGRAM)[:12] / _PROGRAM
    with exclusive(CACHE / "qemu.lock", "the private qemu"):
        if not program.is_file():
            disk.require_free(CACHE, _UNPACKED_MEGABYTES, "the private qemu")
            with (
                step("Private qemu (71 MB to fetch, once)") as progress,
                tempfile.TemporaryDirectory(dir=CACHE) as work,
                disk.replacing(program.parent) as fresh,
            ):
                archives = debian.fetch(_SUITE, [_PACKAGE], progress)
                # The package has programs for two dozen processors.
                debian.unpack(archives, Path(work), progress)
                shutil.move(Path(work, "usr", "bin", _PROGRAM), fresh)
    return program
