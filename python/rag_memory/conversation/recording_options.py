"""How an exchange is recorded, and what the NPC knew before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.company import Company
from rag_memory.world.personality import Personality
from rag_memory.world.world_knowledge import WorldKnowledge


class RecordingOptions(NamedTuple):
    """How an exchange is recorded."""

    config: MemoryConfig
    """Its sentences name the speaker."""
    npc_names: Sequence[str]
    """The NPC's id, and the name by which the player knows it."""
    personality: Personality | None
    world: WorldKnowledge | None
    relationship: Mapping[str, Any] | None
    """The relationship before the exchange, if the game keeps it."""
    location: str
    data: Mapping[str, Any]
    """The location, the time and the topics, as every memory has them."""
    listeners: Sequence[str]
    """The ids of those who hear what is said."""
    check_names: bool
    people: Sequence[str] | None
    """The names of everybody who exists; None if the game has not said who does."""
    deterministic_deltas: bool
    company: Company = Company()
    speaker_name: str = ""
    """The name of a speaker who is not the player."""
    proposals: Mapping[str, Any] | None = None
    """The actions and tasks that the model may propose."""


class Before(NamedTuple):
    """What the NPC knew before the exchange."""

    relationship: Mapping[str, Any]
    """The dimensions and `met`, as the relationship header has them."""
    has_gifts: bool
    names_of_player: frozenset[str]
    """The words of the player's name, in lower case."""
    secrets: Sequence[str] = ()
    """The texts of the NPC's secrets."""
    secret_ids: frozenset[str] = frozenset()
    """The ids of the memories that are secrets."""
