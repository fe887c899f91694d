"""What a backend does with the files of saves that are not open."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class SaveFiles(Protocol):
    """The files of saves that are not open."""

    suffix: str
    """How the name of a save's file ends."""

    def engine_versions(self) -> Mapping[str, str]:
        """The version of what reads and writes them, by its name."""

    def introduce(self, role: str) -> None:
        """Say what this process is, `"game"` or `"editor"`, to others that want a save it has open."""

    def is_unread(self, path: Path) -> bool:
        """Whether a former save left something of this name that has to be looked at before a new one."""

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
