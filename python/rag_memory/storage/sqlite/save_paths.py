"""The files that lie beside a save, and names that no file has yet."""

from __future__ import annotations

import glob
import os
import time
from pathlib import Path

from rag_memory import files
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX

SNAPSHOTS = ".snapshots"
INDEX = ".index"
COPYING = ".copying"
COPIED = ".copied"
FOLDERS = (SNAPSHOTS, INDEX, COPYING, COPIED)
"""The endings of the folders beside a save."""
_ASIDE = ".of-another-save"
_CONFLICT = ".of-another-computer"
RESCUED = ".rescued"


def beside(path: Path, ending: str) -> Path:
    """The folder with this ending that belongs to a save."""
    return Path(f"{str(path).removesuffix(SAVE_SUFFIX)}{ending}")


def log_of(file: Path) -> Path:
    """The write-ahead log of a save that is open, or was killed."""
    return Path(f"{file}-wal")


def journal_of(file: Path) -> Path:
    """The rollback journal, which SQLite writes beside a save that has no write-ahead log yet."""
    return Path(f"{file}-journal")


def shared_memory_of(file: Path) -> Path:
    """The index of the write-ahead log, which other SQLite programs write beside a save. Holds no data."""
    return Path(f"{file}-shm")


def lock_of(file: Path) -> Path:
    """The lock file of a save that is open; see save_lock.py."""
    return Path(f"{file}.lock")


def suspicion_of(file: Path) -> Path:
    """The note beside a save that was found to be damaged while it was open."""
    return Path(f"{file}.suspect")


def check_beside(file: Path) -> None:
    """See that what is read and written beside a save is what it says: no link leads elsewhere.

    Raises:
        OSError: something is a link, or no file.
    """
    for path in (log_of(file), journal_of(file), shared_memory_of(file), suspicion_of(file)):
        files.check_regular(path)
    for ending in FOLDERS:
        files.check_no_link(beside(file, ending))


def aside_of(log: Path) -> Path:
    """A name for a log that lies beside a save and belongs to another history of it."""
    return unused(f"{log}{_ASIDE}")


def conflict_of(file: Path) -> Path:
    """A name for the version of a save that another program put in its place while it was open."""
    return unused(f"{file}{_CONFLICT}")


def conflicts_of(file: Path) -> list[Path]:
    """The versions of a save that were put beside it, oldest first: those of other programs, see
    conflict_of(), and those of a game whose file was deleted or moved while it was open.
    """
    names = (glob.escape(f"{file.name}{ending}") for ending in (_CONFLICT, RESCUED))
    versions = (path for name in names for path in file.parent.glob(f"{name}-*[0-9]"))
    return sorted(versions, key=lambda path: path.name.rpartition(f"{file.name}.")[2].partition("-")[2])


def asides_of(file: Path) -> list[Path]:
    """The logs beside a save that were put aside; see aside_of()."""
    names = (f"{log.name}{_ASIDE}-" for log in (log_of(file), journal_of(file)))
    return sorted(path for name in names for path in file.parent.glob(f"{glob.escape(name)}*"))


def holds_anything(file: Path) -> bool:
    """Whether a file is there and not empty."""
    return file.exists() and file.stat().st_size > 0


def unused(path: str) -> Path:
    """A name that no file has: the path with the time of this moment."""
    moment = time.strftime("%Y%m%d-%H%M%S")
    name, number = Path(f"{path}-{moment}"), 2
    while os.path.lexists(name):
        name, number = Path(f"{path}-{moment}-{number}"), number + 1
    return name
