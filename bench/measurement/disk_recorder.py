"""Records what a process does to the files of a folder, and makes chosen calls fail (Linux only).

The library native/disk_recorder is preloaded into the process. This module builds it, talks to it from
within, and reads its records.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rag_memory_build import compiler
from rag_memory_build.paths import ROOT

CREATE, WRITE, TRUNCATE, SYNC = "C", "W", "T", "S"
SYNC_FOLDER, RENAME, REMOVE, MAKE_FOLDER, NOTE = "D", "R", "U", "M", "N"
"""The kinds of records."""

_SOURCE = ROOT / "native" / "disk_recorder" / "disk_recorder.cpp"
_FLAGS = ("-std=c++17", "-O1", "-shared", "-fPIC")
_HEADER = struct.Struct("=cIQI")


class Operation(NamedTuple):
    """One record."""

    kind: str
    file: int
    """The number of a file, which stays the same when it is renamed."""
    offset: int
    """Where was written, or the new length."""
    data: bytes

    @property
    def name(self) -> str:
        """The path within the folder, the two paths of a renaming, or the text of a note."""
        return self.data.decode()


def build(folder: Path) -> Path:
    """Compile the library into a folder, and return its path.

    Raises:
        SetupError: there is no compiler.
    """
    library = folder / "disk_recorder.so"
    subprocess.run([*compiler.find(), *_FLAGS, "-o", str(library), str(_SOURCE), "-ldl"], check=True)
    return library


def environment(library: Path, folder: Path, log: Path | None = None) -> dict[str, str]:
    """Return the environment of a process whose files in `folder` are watched, and recorded with a log."""
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "DISK_RECORDER_FOLDER": str(folder),
        "DISK_RECORDER_LOG": str(log or ""),
    }


class Preloaded:
    """The library in this process, which was started with environment()."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.disk_recorder_calls.restype = ctypes.c_long

    def note(self, text: str) -> None:
        """Write a note between the records."""
        self._library.disk_recorder_note(text.encode())

    def fail(self, at: int, is_lasting: bool = False) -> None:
        """Make the call with this number from now on fail: a write, sync, open, renaming or deletion.

        Args:
            at: 0 for none.
            is_lasting: all later calls that need room on the disk fail, too.
        """
        self._library.disk_recorder_fail(ctypes.c_long(at), int(is_lasting))

    @property
    def calls(self) -> int:
        """The number of calls since fail()."""
        return int(self._library.disk_recorder_calls())


def read(log: Path) -> Iterator[Operation]:
    """Read the records of a process."""
    with log.open("rb") as stream:
        while header := stream.read(_HEADER.size):
            kind, file, offset, length = _HEADER.unpack(header)
            yield Operation(kind.decode(), file, offset, stream.read(length))
