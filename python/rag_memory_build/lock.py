"""A lock between processes, so that a second set-up waits for the first one."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from .console import SetupError, say


@contextlib.contextmanager
def exclusive(file: Path, what: str) -> Iterator[None]:
    """Hold the lock `file` while the block runs. If another process holds it, say so and wait.

    The kernel releases the lock when the process ends, so a killed run leaves nothing to clean up. Not
    reentrant: the holder must not lock the same file again.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = file.open("a+", encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"The lock {file} cannot be opened",
            str(error),
            "make the folder writable (or set XDG_CACHE_HOME to a folder that is), then run this again",
        ) from error
    with handle:
        try:
            _lock(handle.fileno(), waits=False)
        except BlockingIOError:
            say(f"Waiting: another run ({_holder(file)}) is using {what} ...")
            _lock(handle.fileno(), waits=True)
        handle.truncate(0)
        handle.write(str(os.getpid()))
        handle.flush()
        yield


def _holder(file: Path) -> str:
    pid = file.read_text(encoding="utf-8").strip()
    return f"process {pid}" if pid else "just started"


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(handle: int, *, waits: bool) -> None:
        while True:
            try:
                # Far behind the holder's id, because locked bytes can't be read.
                os.lseek(handle, 1_000_000, os.SEEK_SET)
                return msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                if not waits:
                    raise BlockingIOError(error.errno, error.strerror) from error
                time.sleep(0.2)

else:
    import fcntl

    def _lock(handle: int, *, waits: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
