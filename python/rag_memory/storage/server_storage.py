"""Saves on a server, as the core sees them. The package rag_memory_server brings such a server."""

from __future__ import annotations

from collections.abc import Generator, Hashable
from typing import Any, ClassVar, Protocol, runtime_checkable

from rag_memory.step import Step
from rag_memory.storage.protocol import Storage


class ServerSaves(Protocol):
    """The saves on a server, whether they are open or not. Everything raises SaveUnreachableError."""

    def names(self) -> list[str]:
        """Of all saves, in alphabetical order."""

    def contents_of(self, name: str) -> dict[str, Any]:
        """What Storage.contents() tells of a save, besides `snapshots`, and `state`: "closed" or "in_use".

        Raises:
            SaveNotFoundError: there is none.
        """

    def delete(self, name: str) -> None:
        """Delete a save with its snapshots.

        Raises:
            SaveNotFoundError: there is none.
            SaveLockedError: it is open.
        """

    def copy_steps(self, name: str, to: str, replaces: bool = False) -> Generator[Step, None, None]:
        """Make the save `to` a copy of another one as it is now, with its snapshots, in slices; whole or not
        at all. A save `to` is replaced with its snapshots if it `replaces` one.

        Raises:
            SaveNotFoundError: there is no save `name`.
            SaveExistsError: there is a save `to`, and it is not to be replaced.
            SaveLockedError: the save that is to be replaced is open.
        """


@runtime_checkable
class ServerStorage(Protocol):
    """The address of a server that has saves."""

    title: ClassVar[str]
    """The name of the Godot class."""

    @property
    def place(self) -> Hashable:
        """Equal for two addresses that have the same saves."""

    def open(self, name: str, is_read_only: bool = False) -> Storage:
        """Open a save, or create it. When it is read only nothing is written, and no NPC taken.

        Raises:
            SaveError: it cannot be opened.
        """

    def saves(self) -> ServerSaves:
        """The saves there.

        Raises:
            SaveError: there is no client for the server.
        """
