"""One process per save: a lock file that the operating system releases, also when the process is killed.

SQLite's own lock is not enough. POSIX takes a process's locks on a file away as soon as it closes any handle
to that file, so reading or copying the open save would free it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

_ENDS_WITH_HANDLE = sys.platform == "win32"
"""Whether a file can only be removed once it is closed."""


class SaveLock:
    """The lock on a save's file, held until `release()`.

    Raises:
        BlockingIOError: somebody holds it already, in this process or another.
        OSError: the lock file cannot be written.
    """

    def __init__(self, save_path: str) -> None:
        self._path = Path(f"{save_path}.lock")
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                _lock(handle)
                if _is_same_file(handle, self._path):
                    break
            except BaseException:
                os.close(handle)
                raise
            # Its holder removed the file between our opening and our locking it: lock the new one.
            os.close(handle)
        self._handle = handle

    def release(self) -> None:
        """Give the lock back and remove its file, unless another one has taken its place. A file that cannot
        be removed locks nothing.
        """
        if self._handle < 0:
            return
        is_ours = False
        try:
            with contextlib.suppress(OSError):
                is_ours = _is_same_file(self._handle, self._path)
                if is_ours and not _ENDS_WITH_HANDLE:
                    self._path.unlink(missing_ok=True)
        finally:
            os.close(self._handle)
            self._handle = -1
        if is_ours and _ENDS_WITH_HANDLE:
            # Whoever has opened it meanwhile keeps it: an open file cannot be removed there.
            with contextlib.suppress(OSError):
                self._path.unlink()


def _is_same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
