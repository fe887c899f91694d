"""The world of one save: a facade that holds its parts."""

from __future__ import annotations

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.retrieval.shelf import Shelf
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.save_context import QueryText, SaveContext
from rag_memory.step import Steps
from rag_memory.world.characters import Characters
from rag_memory.world.debates import Debates
from rag_memory.world.event import EVENT
from rag_memory.world.events import Events
from rag_memory.world.facts import FACT, Facts
from rag_memory.world.file_imports import FileImports
from rag_memory.world.knowledge import Knowledge
from rag_memory.world.lore import Lore
from rag_memory.world.lore_sources import SOURCE
from rag_memory.world.maintenance import Maintenance
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.open_matters import OpenMatters
from rag_memory.world.participants import Participants
from rag_memory.world.people import People
from rag_memory.world.profiles import Profiles
from rag_memory.world.rumors import Rumors
from rag_memory.world.searched import Searched
from rag_memory.world.tasks import Tasks
from rag_memory.world.world_context import WorldContext
from rag_memory.world.world_json import WorldJson


class World:
    """The state of one save's world, and who knows what of it."""

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        context = self.context = WorldContext(save, npc)
        knowledge = self.knowledge = Knowledge(context)
        participants = Participants(context)
        self.characters = Characters(context)
        self.people = People(context)
        self.events = Events(context, knowledge)
        self.rumors = Rumors(context, knowledge)
        self.facts = Facts(context)
        self.facts.on_written = knowledge.note_fact
        self.lore = Lore(context, knowledge)
        self.imports = FileImports(context, self.lore.sources)
        self.profiles = Profiles(context, self.events, self.lore)
        self.tasks = Tasks(context, participants, self.events)
        self.open_matters = OpenMatters(context, participants, self.tasks)
        self.debates = Debates(context, participants, self.events, knowledge)
        self.json = WorldJson(context)
        save.names.aliased = lambda: [*self.characters.aliased(), self.facts.names_of_player()]
        self.maintenance = Maintenance(context, self.events, self.facts, self.tasks, self.debates, self.lore)

    @property
    def config(self) -> MemoryWorldConfig:
        """The settings of the world."""
        return self.context.config

    @config.setter
    def config(self, config: MemoryWorldConfig) -> None:
        self.context.config = config

    @property
    def on_event(self) -> EventFunction | None:
        """Called with the name and arguments of each signal of MemoryWorld."""
        return self.context.on_event

    @on_event.setter
    def on_event(self, on_event: EventFunction | None) -> None:
        self.context.on_event = on_event

    def searched(self, owner: str) -> Searched:
        """The searched texts of the world (`owners.WORLD`) or of the lore (`owners.LORE`)."""
        return self.context.searched(owner)

    def shelves(self, npc_id: str, config: MemoryConfig, query: QueryText, is_of_player: bool) -> list[Shelf]:
        """What an NPC knows without a memory of its own: events and facts of the world, and lore."""
        if not self.has_shared():
            return []
        keys = {WORLD: self.knowledge.shared_keys(npc_id), LORE: self.lore.known_keys(npc_id)}
        return [
            self.context.searched(owner).shelf(config, query, is_of_player, among)
            for owner, among in keys.items()
            if len(among)
        ]

    def has_shared(self) -> bool:
        """Return True if there is something that NPCs may know without a memory of their own."""
        return any(self.context.all(kind) for kind in (EVENT, FACT, SOURCE))

    def forget(self, npc_id: str, id: str) -> bool:
        """Let an NPC no longer know an event, a fact or a chunk of lore; False when it does not know it."""
        shared = {WORLD: self.knowledge.shared_keys, LORE: self.lore.known_keys}
        is_known = self.knowledge.knows(npc_id, id) or any(
            np.isin(self.context.searched(owner).keys_of("forget()", [id]), keys(npc_id)).any()
            for owner, keys in shared.items()
        )
        if is_known:
            self.knowledge.forget(npc_id, id)
        return is_known

    @property
    def searched_in_use(self) -> list[Searched]:
        """The searched texts that were asked for so far."""
        return self.context.searched_in_use

    def load_steps(self) -> Steps[None]:
        """Load the search indexes of the world and of the lore, in slices."""
        for owner in (WORLD, LORE):
            yield from self.context.searched(owner).load_steps()

    def idle_steps(self) -> Steps[None]:
        """Work that nobody waits for, in slices."""
        yield from self.open_matters.overdue_steps()
        yield from self.maintenance.idle_steps()

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self.context.reload()
