"""The calls of the world that a dossier needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.event_templates import PLAYER
from rag_memory.text.other_names import folded
from rag_memory.world.event import has_expired
from rag_memory.world.world import World

_MOST = 100


class KnownWorld:
    """The world as one NPC knows it."""

    def __init__(self, world: World, wording: MemoryConfig, npc_id: str, player: str, today: float) -> None:
        self._world = world
        self._wording = wording
        self._npc_id = npc_id
        self._player = player
        self._today = today

    def character(self, id: str) -> dict[str, Any]:
        """Return the data of a character by its id, its name or an alias; empty when it isn't registered."""
        if not id.strip():
            return {}
        called = self._characters.get(folded(id), [])
        return self._world.characters.get_character(id) or (called[0] if len(called) == 1 else {})

    @cached_property
    def _characters(self) -> dict[str, list[dict[str, Any]]]:
        """The characters by each name and alias."""
        by_name: dict[str, list[dict[str, Any]]] = {}
        for character in self._world.characters.list_characters():
            for name in {folded(name) for key in ("name", "aliases") for name in texts(character, key)}:
                by_name.setdefault(name, []).append(character)
        return by_name

    def name(self, id: str) -> str:
        """Return the name of a character."""
        is_speaker = id in (PLAYER, self._player)
        otherwise = self._world.people.name_of(self._wording, id) if is_speaker else id
        return str(self.character(id).get("name") or otherwise)

    def names(self) -> list[str]:
        """Return all ids, names, aliases, clans, factions and places of characters."""
        return [
            name
            for character in self._world.characters.list_characters()
            for key in ("id", "name", "aliases", "clan", "faction", "location")
            for name in texts(character, key)
        ]

    def profile(self) -> dict[str, Any]:
        """Return the NPC's profile; empty when there is none."""
        return self._world.profiles.get_profile(self._npc_id)

    def events(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Return events that the NPC knows of, the most relevant to a question first."""
        return self._world.events.search_events(self._npc_id, question, _at_most(limit)) if limit else []

    def hidden_events(self, question: str, limit: int) -> list[tuple[str, str]]:
        """Return the ids of relevant events that the NPC does not know of, with the reasons."""
        events = self._world.events.best_matches("build_dossier()", question, 2 * limit)
        hidden = [event for event in events if not self._world.events.knows(self._npc_id, event["id"])]
        return [
            (event["id"], "expired" if has_expired(event, self._today) else "unknown_to_npc")
            for event in hidden
        ]

    def tasks(self) -> list[dict[str, Any]]:
        """Return every active task."""
        return self._world.tasks.get_tasks({"status": "active"})

    def lore(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Return the lore and the facts that the NPC knows and that are most relevant to a question."""
        own = self.character(self._npc_id)
        names = {key: own[key] for key in ("culture", "faction", "location") if own.get(key)}
        if not limit:
            return []
        facts = self._world.knowledge.search_facts("build_dossier()", self._npc_id, question, limit)
        options = {**_at_most(limit), **names, "known_to": self._npc_id}
        return [
            *self._world.lore.search_lore(question, options),
            *(
                {"title": "", "entities": [], "heading_path": [], "known_by": [], "tags": [], **fact}
                for fact in facts
            ),
        ]

    def debates(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Return debates that the NPC knows of, the most relevant to a question first."""
        options = {**_at_most(limit), "npc_id": self._npc_id}
        return self._world.debates.search_debates(question, options) if limit else []


def _at_most(limit: int) -> dict[str, Any]:
    return {"limit": min(limit, _MOST)}


def texts(document: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts under a key, which may hold one text or a list."""
    value = document.get(key) or []
    items = [value] if isinstance(value, str) else value
    return (
        [text for text in items if isinstance(text, str) and text.strip()] if isinstance(items, list) else []
    )
