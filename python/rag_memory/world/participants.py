"""The characters who take part in a task or a debate: what they are called, and what they remember of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.kind import EPISODE
from rag_memory.memory.owners import validate_npc_id
from rag_memory.world.characters import CHARACTER, is_player
from rag_memory.world.profile import cut
from rag_memory.world.world_context import WorldContext


class Participants:
    """Names, factions and memories of the characters who take part in tasks and debates."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    def npcs(self, ids: Iterable[str]) -> list[str]:
        """Return the ids of the NPCs among these ids, without repetitions: all but the players'.

        Raises:
            InvalidArgumentError: one cannot be the id of an NPC.
        """
        ids = (id for id in dict.fromkeys(ids) if id and not is_player(self._context, id))
        return [validate_npc_id(id) for id in ids]

    def remember(self, npc_id: str, text: str, importance: int, data: Mapping[str, Any]) -> None:
        """Store a memory of an NPC."""
        npc = self._context.npc(npc_id)
        text = cut(text[:1].upper() + text[1:], npc.config.max_text_chars)
        # Whom the game names here exists.
        npc.memories.store(text, max(1, min(10, importance)), {**data, "kind": EPISODE, "check_names": False})

    def wording(self, ids: Iterable[str]) -> MemoryConfig:
        """The config whose sentences describe what nobody in particular tells: the first with own ones."""
        configs = [self._context.config_of(id) for id in self.npcs(ids)]
        return next((config for config in configs if config.wording), self._context.save.default_config)

    def name_of(self, wording: MemoryConfig, id: str) -> str:
        """The name of a character in a sentence."""
        if id.casefold() == PLAYER:
            return wording.sentence("the_player")
        character = self._context.all(CHARACTER).get(id)
        return str(character.content.get("name") or id) if character is not None else id

    def faction_of(self, id: str) -> str:
        """The faction that a character is registered with; "" for none."""
        character = self._context.all(CHARACTER).get(id)
        return str(character.content.get("faction", "")) if character is not None else ""
