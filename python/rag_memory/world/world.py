"""The world of a save: everything that MemoryWorld offers to a game."""

from __future__ import annotations

from rag_memory.world.characters import Characters
from rag_memory.world.debates import Debates
from rag_memory.world.facts import Facts
from rag_memory.world.lore import Lore
from rag_memory.world.maintenance import Maintenance
from rag_memory.world.profiles import Profiles
from rag_memory.world.rumors import Rumors
from rag_memory.world.tasks import Tasks
from rag_memory.world.turns import Turns
from rag_memory.world.world_json import WorldJson


class World(Maintenance, Characters, Profiles, Tasks, Debates, Rumors, Facts, Lore, Turns, WorldJson):
    """What is true in the world of one save, beside what its NPCs remember."""
