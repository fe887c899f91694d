"""The NPCs of a save, as the world needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.step import Steps


class _Memories(Protocol):
    def store(self, text: str, importance: int, data: Mapping[str, Any]) -> str:
        """Store a memory and return its id."""


class _Archive(Protocol):
    def fade_steps(self, most_importance: int, seconds: float) -> Steps[int]:
        """Let memories fade that nobody asked for."""


class _Feelings(Protocol):
    def get_dispositions(self) -> dict[str, dict[str, Any]]:
        """Return the dispositions towards others, by id."""


class _Mind(Protocol):
    @property
    def feelings(self) -> _Feelings:
        """Its feelings."""


class _Player(Protocol):
    def current(self) -> dict[str, Any]:
        """Return the dimensions and the status of the relationship; {} while nothing was stored or set."""


class _Imports(Protocol):
    def prepared_steps(
        self, call: str, turns: Sequence[Mapping[str, Any]], memories: Sequence[Mapping[str, Any]]
    ) -> Steps[Callable[[], None]]:
        """Prepare turns and memories of a file; the result writes them."""


class WorldNpc(Protocol):
    """One NPC, as the world uses it; implemented by `npc.npc.Npc`."""

    @property
    def config(self) -> MemoryConfig:
        """The settings by which its memories are stored and worded."""

    @property
    def memories(self) -> _Memories:
        """Its memories."""

    @property
    def archive(self) -> _Archive:
        """Its archive, which lets memories fade."""

    @property
    def mind(self) -> _Mind:
        """Its mind."""

    @property
    def player(self) -> _Player:
        """Its relationship to the player."""

    @property
    def imports(self) -> _Imports:
        """What files of other programs bring it."""

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""


NpcFunction = Callable[[str], WorldNpc]
"""Returns an NPC by its id."""
