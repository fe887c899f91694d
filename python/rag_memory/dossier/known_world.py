"""What a dossier asks of the world: the only place that knows which calls answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.world.world import World


class KnownWorld:
    """The world as one NPC knows it."""

    def __init__(self, world: World, npc_id: str) -> None:
        self._world = world
        self._npc_id = npc_id

    def character(self, id: str) -> dict[str, Any]:
        """What the game has told of a character; empty when it has told nothing."""
        return self._world.get_character(id) if id.strip() else {}

    def name(self, id: str) -> str:
        """What a character is called."""
        return str(self.character(id).get("name") or id)

    def names(self) -> list[str]:
        """Whom and what the world knows: characters with their ids, clans, factions and places."""
        return [
            each[key]
            for each in self._world.list_characters()
            for key in ("id", "name", "clan", "faction", "location")
            if each.get(key)
        ]

    def profile(self) -> dict[str, Any]:
        """Her profile; empty when there is none."""
        found: dict[str, Any] = self._call("get_profile", {}, self._npc_id)
        return found

    def events(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Events that she knows of, those that fit a question best first."""
        return self._found("search_events", self._npc_id, question, {"limit": limit})

    def tasks(self) -> list[dict[str, Any]]:
        """Every task that is active."""
        return self._found("get_tasks", {"status": "active"})

    def lore(self, question: str, limit: int) -> list[dict[str, Any]]:
        """The lore that fits a question, best first."""
        return self._found("search_lore", question, {"limit": limit})

    def debates(self, question: str, limit: int) -> list[dict[str, Any]]:
        """Debates that she took part in, those that fit a question best first."""
        found = self._found("search_debates", question, {"limit": limit, "participant": self._npc_id})
        return [each for each in found if self._npc_id in each.get("participants", ())]

    def _found(self, name: str, *arguments: Any) -> list[dict[str, Any]]:
        found: Sequence[dict[str, Any]] = self._call(name, [], *arguments)
        return list(found)

    def _call(self, name: str, otherwise: Any, *arguments: Any) -> Any:
        call: Callable[..., Any] | None = getattr(self._world, name, None)
        return otherwise if call is None else call(*arguments)


def texts(told: Mapping[str, Any], key: str) -> list[str]:
    """The texts under a key, which may be one text or a list."""
    value = told.get(key) or []
    items = [value] if isinstance(value, str) else value
    return (
        [each for each in items if isinstance(each, str) and each.strip()] if isinstance(items, list) else []
    )
