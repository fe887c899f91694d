"""One process per save: a lock file that the operating system releases, also when the process is killed.

SQLite's own lock is not enough. POSIX takes a process's locks on a file away as soon as it closes any handle
to that file, so reading or copying the open save would free it.

The lock file says who holds it. The editor lets go of a save that a game wants: the game asks for it with a
file beside the save, which the editor's panels look for.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import ClassVar, NamedTuple

from rag_memory.errors import SaveLockedError

EDITOR = "editor"
GAME = "game"
PROGRAM = "program"
"""Neither of them: a tool or a test."""

_ENDS_WITH_HANDLE = sys.platform == "win32"
"""Whether a file can only be removed once it is closed."""

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A link with the name of the lock file would have what it leads to overwritten."""

_MOST_ASKING_SECONDS = 5.0
_LOOK_SECONDS = 0.02
_LONGEST_NOTE = 64


class Holder(NamedTuple):
    """Who has a save open: the role and the number of a process, 0 where the lock file does not say it."""

    role: str
    process: int


class ThisProcess:
    """What lock files tell others of this process."""

    role: ClassVar[str] = PROGRAM
    is_debug: ClassVar[bool] = False
    """Whether it may be a game that the editor plays."""


def take(save_path: str) -> SaveLock:
    """The lock on a save's file; a game waits a moment for the editor to let go of it.

    Raises:
        BlockingIOError: somebody holds it.
        OSError: the lock file cannot be written.
    """
    try:
        return SaveLock(save_path)
    except BlockingIOError:
        if ThisProcess.role != GAME or holder_of(save_path).role != EDITOR:
            raise
    wanted = Path(f"{save_path}.wanted")
    until = time.monotonic() + _MOST_ASKING_SECONDS
    try:
        while True:
            wanted.touch()
            time.sleep(_LOOK_SECONDS)
            try:
                return SaveLock(save_path)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
    finally:
        wanted.unlink(missing_ok=True)


def holder_of(save_path: str) -> Holder:
    """Who holds the lock on a save's file, as the lock file says it."""
    try:
        with open(f"{save_path}.lock", "rb") as file:
            role, process = file.read(_LONGEST_NOTE).decode().split()
            return Holder(role, int(process))
    except (OSError, ValueError):
        return Holder(PROGRAM, 0)


def locked_error(file: Path) -> SaveLockedError:
    """The error of a save that somebody else has open: who, and what to do."""
    role, process = holder_of(str(file))
    if role == EDITOR:
        cause = f"the Godot editor (process {process}) has it open"
        what_to_do = "Press Close in its panel Memories, then try again"
    elif role == GAME:
        cause = f"another process, a running game (process {process}), has it open"
        what_to_do = "Stop that game, or have it call MemoryServer.close_save(), then try again"
        if ThisProcess.role == GAME and ThisProcess.is_debug:
            what_to_do += (
                ". When the editor runs several instances (Debug > Customize Run Instances... > Enable "
                "Multiple Instances), open another save in each, for example one that a launch argument names"
            )
    else:
        cause = "another process, or another open_save() of this one, has it open"
        what_to_do = "Close it there, then try again"
    return SaveLockedError(f"The save {file} is locked", cause, what_to_do)


class SaveLock:
    """The lock on a save's file, held until `release()`.

    Raises:
        BlockingIOError: somebody holds it already, in this process or another.
        OSError: the lock file cannot be written.
    """

    def __init__(self, save_path: str) -> None:
        self._path = Path(f"{save_path}.lock")
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o644)
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
        # On a full disk it locks all the same.
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, f"{ThisProcess.role} {os.getpid()}\n".encode())

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

    _LOCKED_BYTE = 1 << 30
    """What is locked cannot be read by others: a place far behind what the file says."""

    def _lock(handle: int) -> None:
        try:
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
