"""What a dossier asks of the world: the only place that knows which calls answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.world.event import has_expired
from rag_memory.world.world import World

_MOST = 100


class KnownWorld:
    """The world as one NPC knows it."""

    def __init__(self, world: World, wording: Wording, npc_id: str, player: str, today: float) -> None:
        self._world = world
        self._wording = wording
        self._npc_id = npc_id
        self._player = player
        self._today = today

    def character(self, id: str) -> dict[str, Any]:
        """What the game has told of a character; empty when it has told nothing."""
        return self._world.characters.get_character(id) if id.strip() else {}

    def name(self, id: str) -> str:
        """What a character is called."""
        otherwise = self._wording.sentence("the_player") if id == self._player else id
        return str(self.character(id).get("name") or otherwise)

    def names(self) -> list[str]:
        """Whom and what the world knows: characters with their ids, clans, factions and places."""
        return [
            each[key]
            for each in self._world.characters.list_characters()
            for key in ("id", "name", "clan", "faction", "location")
            if each.get(key)
        ]

    def profile(self) -> dict[str, Any]:
        """Her profile; empty when there is none."""
        return self._world.profiles.get_profile(self._npc_id)

    def events(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Events that she knows of, those that fit a question best first."""
        return self._world.events.search_events(self._npc_id, question, _at_most(limit)) if limit else []

    def hidden_events(self, question: str, limit: int) -> list[tuple[str, str]]:
        """Of the events that fit a question best the ids of those that she does not know of, and why."""
        found = self._world.events.best_matches("build_dossier()", question, 2 * limit)
        hidden = [each for each in found if not self._world.events.knows(self._npc_id, each["id"])]
        return [
            (each["id"], "expired" if has_expired(each, self._today) else "unknown_to_npc") for each in hidden
        ]

    def tasks(self) -> list[dict[str, Any]]:
        """Every task that is active."""
        return self._world.tasks.get_tasks({"status": "active"})

    def lore(self, question: str, limit: int) -> list[dict[str, Any]]:
        """The lore that fits a question, best first."""
        return self._world.lore.search_lore(question, _at_most(limit)) if limit else []

    def debates(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Debates that she knows of, those that fit a question best first."""
        options = {**_at_most(limit), "npc_id": self._npc_id}
        return self._world.debates.search_debates(question, options) if limit else []


def _at_most(limit: int) -> dict[str, Any]:
    return {"limit": min(limit, _MOST)}


def texts(told: Mapping[str, Any], key: str) -> list[str]:
    """The texts under a key, which may be one text or a list."""
    value = told.get(key) or []
    items = [value] if isinstance(value, str) else value
    return (
        [each for each in items if isinstance(each, str) and each.strip()] if isinstance(items, list) else []
    )
