"""The world of a save: everything that WorldMemory offers to a game."""

from __future__ import annotations

from rag_memory.world.characters import Characters
from rag_memory.world.turns import Turns


class World(Characters, Turns):
    """What is true in the world of one save, beside what its NPCs remember."""
