"""The people of a save: who of them is an NPC with memories, and what they are called in a sentence."""

from __future__ import annotations

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.company import ELSEWHERE
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.owners import is_npc
from rag_memory.text.spoken_ids import spoken_name
from rag_memory.text.terms import NAMED, SPEAKER, WORD, terms_of, words
from rag_memory.world.characters import CHARACTER, is_player
from rag_memory.world.facts import PLAYER_INFO
from rag_memory.world.world_context import WorldContext


class People:
    """Tells NPCs from players, and names both."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    def remembers(self, id: str) -> bool:
        """Return whether somebody is an NPC with memories in this save."""
        if is_player(self._context, id) or self._context.save.senses_of(id) == ELSEWHERE:
            return False
        return self.exists(id)

    def exists(self, id: str) -> bool:
        """Return whether somebody has memories or a node, was used, or is registered."""
        return is_npc(id) and (
            self._context.store.npcs.number(id) is not None
            or self._context.save.names.is_npc_in_use(id)
            or id in self._context.all(CHARACTER)
            or self._context.save.senses_of(id) is not None
        )

    def are_acquainted(self, npc_id: str, id: str) -> bool:
        """Return whether two NPCs know of each other: a memory of one names the other, or both belong to one
        clan, faction or group.
        """
        if not self.remembers(id):
            return False
        if self._groups_of(npc_id) & self._groups_of(id):
            return True
        return self._remembers_of(npc_id, id) or self._remembers_of(id, npc_id)

    def _groups_of(self, id: str) -> set[tuple[str, str]]:
        character = self._context.all(CHARACTER).get(id)
        fields = {} if character is None else character.content
        groups = [("groups", group) for group in fields.get("groups", ())]
        groups += [(name, fields.get(name)) for name in ("clan", "faction")]
        return {(kind, str(group).casefold()) for kind, group in groups if group}

    def _remembers_of(self, npc_id: str, id: str) -> bool:
        """Return whether a memory of an NPC has all words of another one's id or name."""
        npc, terms = self._context.store.npcs.number(npc_id), self._context.store.terms
        if npc is None:
            return False
        for name in {id, self.name_of(self._context.config_of(npc_id), id)}:
            keys = [
                {key for kind, term in _terms_of(word) for key in terms.keys_with(npc, kind, term).tolist()}
                for word in words(name)
            ]
            if keys and set.intersection(*keys):
                return True
        return False

    def perceives(self, id: str, sense: int) -> bool:
        """Return whether an NPC has a sense, such as HEARING."""
        senses = self._context.save.senses_of(id)
        return senses is None or bool(senses & sense)

    def name_of(self, config: MemoryConfig, id: str) -> str:
        """Return the name of a character in a sentence; an id stands for itself in words."""
        if id == PLAYER:
            return config.sentence("the_player")
        return self.registered_name(id) or spoken_name(id)

    def registered_name(self, id: str) -> str:
        """Return the name that the game has registered for a character, or ""."""
        character = self._context.all(CHARACTER).get(id)
        return "" if character is None else str(character.content.get("name") or "")

    def player_name(self) -> str:
        """Return the name by which everybody knows the player, or "" if the game has set none."""
        name = (self._context.content(PLAYER_INFO, PLAYER_INFO) or {}).get("name")
        return name if isinstance(name, str) else ""

    def towards(self, config: MemoryConfig, speaker: str) -> MemoryConfig:
        """Return a config whose sentences name who speaks to the NPC, in the place of the player."""
        return config.towards("" if speaker == PLAYER else self.name_of(config, speaker))


def _terms_of(word: str) -> list[tuple[str, str]]:
    """The terms under which memories have a word of a name, each with its kind."""
    return [(SPEAKER, word), (NAMED, word), *((WORD, term) for term in terms_of(word))]
