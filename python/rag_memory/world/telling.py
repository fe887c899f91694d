"""What happened in the world, told to those who took part: memories of theirs, and an event."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.kind import EPISODE
from rag_memory.npc.npc_id import validate_npc_id
from rag_memory.world.characters import CHARACTER
from rag_memory.world.events import Events
from rag_memory.world.profile import cut


def is_player(id: str) -> bool:
    """Whether an id is that of the player, who has no memory of ours."""
    return id.casefold() == PLAYER


class Telling(Events):
    """What tasks and debates share."""

    @contextlib.contextmanager
    def _together(self, ids: Iterable[str]) -> Iterator[None]:
        """Everything that is written inside, also into the memories of these NPCs, or nothing of it."""
        with self._transaction():
            self._involved.update(ids)
            yield

    def _rememberers(self, ids: Iterable[str]) -> list[str]:
        """Those who can remember something, each once. Any id will do, whether or not it is registered.

        Raises:
            InvalidArgumentError: one cannot be the id of an NPC.
        """
        return [validate_npc_id(id) for id in dict.fromkeys(ids) if id and not is_player(id)]

    def _remember(self, npc_id: str, text: str, importance: int, data: Mapping[str, Any]) -> None:
        npc = self._npc(npc_id)
        told = cut(text[:1].upper() + text[1:], npc.config.max_text_chars)
        # Whom the game names here exists.
        npc.memories.store(told, max(1, min(10, importance)), {**data, "kind": EPISODE, "check_names": False})

    def _wording(self, ids: Sequence[str]) -> MemoryConfig:
        """In whose words something is told that nobody in particular tells: the first who has some."""
        configs = [self._npc(id).config for id in ids]
        return next((each for each in configs if each.wording), self._save.default_config)

    def _called(self, wording: MemoryConfig, id: str) -> str:
        """What somebody is called in a sentence."""
        if is_player(id):
            return wording.sentence("the_player")
        character = self._all(CHARACTER).get(id)
        return str(character.content.get("name") or id) if character is not None else id

    def _faction(self, id: str) -> str:
        character = self._all(CHARACTER).get(id)
        return str(character.content.get("faction", "")) if character is not None else ""
