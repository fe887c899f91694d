"""A private qemu, which runs programs for Linux on arm64: from Debian's package, without an installation."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from . import debian, disk, stamp
from .console import Progress
from .lock import exclusive
from .paths import CACHE

_SUITE = "trixie"
"""That of Debian 12 fails in the engine."""
_PACKAGE = "qemu-user"
_PROGRAM = "qemu-aarch64"
_PROCESSOR = "cortex-a72"
"""Of a Raspberry Pi 4, as an example of what players have."""
_UNPACKED_MEGABYTES = 600


def command(root: Path, program: str, progress: Progress) -> list[str]:
    """The words that run a program for arm64. `root`: the folder in which it, and every file it opens by an
    absolute path, is looked for first. Raises DebianUnavailable where qemu cannot be had.
    """
    return [str(_prepare(progress)), "-cpu", _PROCESSOR, "-L", str(root), f"{root}{program}"]


def _prepare(progress: Progress) -> Path:
    found = CACHE / "qemu" / stamp.key_of(_SUITE, _PACKAGE, _PROGRAM)[:12] / _PROGRAM
    with exclusive(CACHE / "qemu.lock", "the private qemu"):
        if not found.is_file():
            disk.require_free(CACHE, _UNPACKED_MEGABYTES, "the private qemu")
            progress.update("fetching qemu (71 MB, once)")
            archives = debian.fetch(_SUITE, [_PACKAGE], progress)
            # The package has programs for two dozen processors.
            with tempfile.TemporaryDirectory(dir=CACHE) as work, disk.replacing(found.parent) as fresh:
                debian.unpack(archives, Path(work), progress)
                shutil.move(Path(work, "usr", "bin", _PROGRAM), fresh)
    return found
