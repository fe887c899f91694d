"""Vectors that are compared where they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag_memory.vectors import FloatVector, Keys


class Comparing(Protocol):
    """A database that compares vectors itself."""

    def similarities(self, npc: int, model: int, question: FloatVector) -> tuple[Keys, FloatVector]:
        """The product of a question with every vector of the NPC that is of this model, computed where they
        are kept; and the memories' keys, ascending.
        """

    def vectors_of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by key."""


class MayCompare(Protocol):
    """A storage, of which the database may be such a one."""

    @property
    def comparing(self) -> Comparing | None:
        """What compares vectors where they are kept; None where a process has to load them."""
