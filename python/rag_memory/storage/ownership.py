"""What every storage backend tells of who has an NPC: the process that may write what she remembers."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Ownership(NamedTuple):
    """Whether this process has an NPC."""

    is_owned: bool
    state: tuple[int, ...] = ()
    """It is another one when what was read of her before may hold no longer."""


class Owning(Protocol):
    """Who has which NPC. What the world itself remembers belongs to nobody: anybody may write it."""

    def own(self, npc_id: str) -> Ownership:
        """Take an NPC, if she is free and was not released; whether this process has her now."""

    def owns(self, npc_id: str) -> bool:
        """Whether this process may write for an NPC. Asks nobody."""

    def check_owned(self, npc_id: str) -> None:
        """
        Raises:
            NpcLockedError: this process may not write for this NPC.
        """

    def acquire(self, npc_id: str) -> None:
        """Take an NPC, also one that was released.

        Raises:
            NpcLockedError: another process has her, or the save is open to be read only.
        """

    def release(self, npc_id: str) -> None:
        """Let go of an NPC. own() does not take her again, until acquire() does."""

    def owner_of(self, npc_id: str) -> str:
        """The name of the process that has an NPC; "" for nobody."""

    def alone(self, what: str) -> AbstractContextManager[None]:
        """Inside, no other process has the save open; `what` names the call in the error.

        Raises:
            SaveLockedError: others have it open.
        """

    def has_news(self) -> bool:
        """Whether other processes have written of the world since this was asked last."""

    def world_lock(self) -> None:
        """From now on no other process writes of the world, until this transaction ends. Inside a
        transaction, before anything is read that the write depends on.
        """


class OnlyOwner:
    """Who has a save to himself has every NPC. See Owning."""

    def own(self, npc_id: str) -> Ownership:
        return Ownership(True)

    def owns(self, npc_id: str) -> bool:
        return True

    def check_owned(self, npc_id: str) -> None:
        pass

    def acquire(self, npc_id: str) -> None:
        pass

    def release(self, npc_id: str) -> None:
        pass

    def owner_of(self, npc_id: str) -> str:
        return this_process()

    @contextlib.contextmanager
    def alone(self, what: str) -> Iterator[None]:
        yield

    def has_news(self) -> bool:
        return False

    def world_lock(self) -> None:
        pass


def this_process() -> str:
    """What messages call this process."""
    return f"process {os.getpid()} on {platform.node() or 'this machine'}"
