"""The scene in which an NPC is asked something, as the game tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.event_templates import PLAYER
from rag_memory.validation import (
    validate_metadata,
    validate_text,
    validate_texts,
    warn_of_slips,
    wrong_type,
)

_TOLD_APART = frozenset({"faction", "personality", "player", "listeners"})
"""Keys that say nothing by themselves."""
_TOLD_FIRST = ("description", "location", "time", "nearby", "recent_changes")


class Scene:
    """Where the NPC is, who is near, and what the game tells besides."""

    def __init__(self, where: str, npc_id: str, told: Any) -> None:
        if not isinstance(told, Mapping):
            raise wrong_type(where, "scene", told, "a Dictionary")
        personality = told.get("personality", {})
        if not isinstance(personality, Mapping):
            raise wrong_type(where, "scene.personality", personality, "a Dictionary")
        self._told: dict[str, Any] = validate_metadata(where, "scene", told)
        warn_of_slips(where, "scene", self._told, (*_TOLD_FIRST, *_TOLD_APART))
        self.personality: Mapping[str, Any] = self._told.get("personality", {})
        self.location = validate_text(where, "scene.location", told.get("location", ""))
        self.faction = validate_text(where, "scene.faction", told.get("faction", ""))
        self.player = validate_text(where, "scene.player", told.get("player", PLAYER))
        near = self._told.get("nearby", [])
        near = validate_texts(where, "scene.nearby", [near] if isinstance(near, str) else near)
        self.nearby = [each for each in near if each.strip() and each != npc_id]
        self.listeners = validate_texts(where, "scene.listeners", self._told.get("listeners", []))

    @property
    def present(self) -> list[str]:
        """Who hears what the NPC says: the player and those who are near."""
        return list(dict.fromkeys([self.player, *self.listeners, *self.nearby]))

    @property
    def question(self) -> str:
        """What it is about, when nobody has said anything."""
        told = (self._told.get("description", ""), self.location)
        return " ".join(each for each in told if isinstance(each, str) and each.strip())

    def sentences(self, wording: Wording, name_of: Callable[[str], str]) -> list[str]:
        """The scene in sentences."""
        told: list[str] = []
        for key in dict.fromkeys([*_TOLD_FIRST, *self._told]):
            value = self._told.get(key)
            if key in _TOLD_APART or (key == "nearby" and not self.nearby) or value in (None, "", [], {}):
                continue
            match key:
                case "description":
                    told.append(_text(wording, value))
                case "location":
                    told.append(wording.sentence("scene_at", location=value))
                case "time":
                    told.append(wording.sentence("scene_time", time=_text(wording, value)))
                case "nearby":
                    told.append(wording.sentence("scene_near", names=", ".join(map(name_of, self.nearby))))
                case "recent_changes":
                    changes = value if isinstance(value, list) else [value]
                    told += [
                        wording.sentence("scene_changed", change=_text(wording, each)) for each in changes
                    ]
                case _:
                    told.append(_ended(f"{_spoken(key).capitalize()}: {_text(wording, value)}"))
        return told


def _text(wording: Wording, value: Any) -> str:
    """A value in words; never JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return wording.sentence("scene_yes" if value else "scene_no")
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return ", ".join(f"{_spoken(key)} {_text(wording, each)}".strip() for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_text(wording, each) for each in value)
    return str(value)


def _spoken(key: str) -> str:
    return " ".join(key.replace("_", " ").split())


def _ended(sentence: str) -> str:
    return sentence if sentence.rstrip().endswith((".", "!", "?", "…", "。")) else f"{sentence}."
