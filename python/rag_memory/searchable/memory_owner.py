"""The interface of owners of memories in a save: NPCs, the world and the lore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag_memory.step import Steps
from rag_memory.vectors import FloatMatrix


class MemoryOwner(Protocol):
    """An owner of memories, which are loaded when they are first searched."""

    @property
    def npc_id(self) -> str:
        """The owner's id in the store."""

    def idle_steps(self) -> Steps[None]:
        """Work that nobody waits for, in slices."""

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Replace the vectors of these memories where they are loaded."""

    def forget_accesses(self, moment: float) -> None:
        """Treat memories that were accessed after `moment` as accessed then."""

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is loaded, because the store has changed without this object."""

    def unload(self) -> None:
        """Write the search index and forget what is loaded."""
