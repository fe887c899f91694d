"""What a backend does with the files of saves that are not open."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Protocol

from rag_memory.step import Step

CopyFunction = Callable[[Path], Generator[Step, None, None]]
"""Writes what the file of an open save holds into a new file, in slices."""

NOTHING_READ: Mapping[str, Any] = {
    "schema_version": 0,
    "npcs": -1,
    "memories": -1,
    "oldest": 0.0,
    "newest": 0.0,
    "documents": {},
    "campaign": {},
}
"""The contents of a save that cannot be read."""


class SaveFiles(Protocol):
    """The files of saves that are not open."""

    suffix: str
    """How the name of a save's file ends."""

    def engine_versions(self) -> Mapping[str, str]:
        """The version of what reads and writes them, by its name."""

    def introduce(self, role: str, is_debug: bool = False) -> None:
        """Say what this process is, `"game"` or `"editor"`, to others that want a save it has open.
        `is_debug`: it may be a game that the editor plays.
        """

    def is_unread(self, path: Path) -> bool:
        """Whether a former save left something of this name that has to be looked at before a new one."""

    def contents_of(self, path: Path) -> dict[str, Any]:
        """What Storage.contents() tells of a save, which is left as it is; besides `snapshots`, and `state`:
        "closed", "in_use", "too_new", "too_old" or "damaged". What cannot be read is as in NOTHING_READ.

        Raises:
            SaveError: the file is no save.
            OSError: it cannot be read.
        """

    def size_of(self, path: Path) -> int:
        """How many bytes everything takes that belongs to a save."""

    def copy_steps(
        self, source: Path, path: Path, copy_open: CopyFunction | None
    ) -> Generator[Step, None, None]:
        """Make the save `path`, of which there is nothing, a copy of another one with its snapshots, whole or
        not at all, in slices. `copy_open` writes the file of a source that this process has open.

        Raises:
            SaveExistsError: there is something of a save `path` already.
            SaveLockedError: another program has one of them open.
            SaveError: the source is no save.
            OSError: a file cannot be read or written.
        """

    def copy_closed(self, source: Path, path: Path) -> None:
        """Make the save `path`, of which there is nothing, a copy of another one that is closed; whole or not
        at all.

        Raises:
            SaveError: the source is no save, or was not closed.
            OSError: a file cannot be read or written.
        """

    def delete(self, path: Path) -> None:
        """Delete a save with its indexes and snapshots, while nobody can open it.

        Raises:
            SaveLockedError: it is open.
            OSError: something cannot be deleted; the save is still listed then.
        """
