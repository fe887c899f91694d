"""What every storage backend tells of who has an NPC: the process that may write what she remembers."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Ownership(NamedTuple):
    """The answer to an attempt to own an NPC."""

    is_owned: bool
    state: tuple[int, ...] = ()
    """Changes when what was read of the NPC before may have become outdated."""


class Owners(Protocol):
    """The processes that own the NPCs of a save. What the world itself remembers has no owner: every
    process may write it.
    """

    def own(self, npc_id: str) -> Ownership:
        """Take an NPC if it is free and was not released; whether this process owns it now."""

    def owns(self, npc_id: str) -> bool:
        """Return True if this process may write for an NPC. Costs no query."""

    def check(self, npc_id: str) -> None:
        """Refuse to write for an NPC of another process.

        Raises:
            NpcLockedError: this process may not write for this NPC.
        """

    def acquire(self, npc_id: str) -> None:
        """Take an NPC, even one that was released.

        Raises:
            NpcLockedError: another process owns it, or the save is open to be read only.
        """

    def release(self, npc_id: str) -> None:
        """Release an NPC. own() does not take it again until acquire() has."""

    def owner_of(self, npc_id: str) -> str:
        """The name of the process that owns an NPC; "" for none."""

    def alone(self, what: str) -> AbstractContextManager[None]:
        """Inside, no other process has the save open; `what` names the call in the error.

        Raises:
            SaveLockedError: others have it open.
        """

    def has_news(self) -> bool:
        """Return True if other processes have written of the world since the last call."""

    def lock_world(self) -> None:
        """From now on no other process writes of the world, until this transaction ends. Inside a
        transaction, before anything is read that the write depends on.
        """


class OnlyOwner:
    """The owner of a save that no other process has open: it owns every NPC."""

    def own(self, npc_id: str) -> Ownership:
        return Ownership(True)

    def owns(self, npc_id: str) -> bool:
        return True

    def check(self, npc_id: str) -> None:
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

    def lock_world(self) -> None:
        pass


def this_process() -> str:
    """The name of this process in messages."""
    return f"process {os.getpid()} on {platform.node() or 'this machine'}"
