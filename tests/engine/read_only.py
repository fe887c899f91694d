"""Folders nobody can write to."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

_MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[list[str]]:
    """Take the right to write from a folder; the words to put before a command for which it holds even when
    it is root's. Where such a mount is not possible they are none, and root can still write.
    """
    modes = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")] if not path.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        rootless = () if os.geteuid() == 0 else ("-r",)
        words = ["unshare", "-m", *rootless, "sh", "-c", _MOUNT, str(folder)]
        possible = subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
        yield words if possible else []
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
