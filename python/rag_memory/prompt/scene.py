"""The scene in which an NPC is asked something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.event_templates import PLAYER
from rag_memory.text.spoken_ids import spoken_id
from rag_memory.validation import (
    validate_metadata,
    validate_text,
    validate_texts,
    warn_of_slips,
    wrong_type,
)

_NOT_SHOWN = frozenset({"faction", "personality", "player", "listeners"})
"""Keys that make no sentence of their own."""
_SHOWN_FIRST = ("description", "location", "time", "nearby", "recent_changes")


class Scene:
    """The place of the NPC, everybody near, and other keys from the game."""

    def __init__(self, call: str, npc_id: str, fields: Any) -> None:
        if not isinstance(fields, Mapping):
            raise wrong_type(call, "scene", fields, "a Dictionary")
        personality = fields.get("personality", {})
        if not isinstance(personality, Mapping):
            raise wrong_type(call, "scene.personality", personality, "a Dictionary")
        self._fields: dict[str, Any] = validate_metadata(call, "scene", fields)
        warn_of_slips(call, "scene", self._fields, (*_SHOWN_FIRST, *_NOT_SHOWN))
        self.personality: Mapping[str, Any] = self._fields.get("personality", {})
        self.location = validate_text(call, "scene.location", fields.get("location", ""))
        self.faction = validate_text(call, "scene.faction", fields.get("faction", ""))
        self.player = validate_text(call, "scene.player", fields.get("player", PLAYER))
        near = self._fields.get("nearby", [])
        near = validate_texts(call, "scene.nearby", [near] if isinstance(near, str) else near)
        self.nearby = [id for id in near if id.strip() and id != npc_id]
        self.listeners = validate_texts(call, "scene.listeners", self._fields.get("listeners", []))

    @property
    def present(self) -> list[str]:
        """Everybody who hears the NPC: the player and those who are near."""
        return list(dict.fromkeys([self.player, *self.listeners, *self.nearby]))

    @property
    def question(self) -> str:
        """The text to search by when nobody has said anything."""
        texts = (self._fields.get("description", ""), self.location)
        return " ".join(text for text in texts if isinstance(text, str) and text.strip())

    def sentences(self, wording: Wording, name_of: Callable[[str], str]) -> list[str]:
        """Return the scene in sentences."""
        sentences: list[str] = []
        for key in dict.fromkeys([*_SHOWN_FIRST, *self._fields]):
            value = self._fields.get(key)
            if key in _NOT_SHOWN or (key == "nearby" and not self.nearby) or value in (None, "", [], {}):
                continue
            match key:
                case "description":
                    sentences.append(spoken_value(wording, value))
                case "location":
                    sentences.append(wording.sentence("scene_at", location=spoken_id(value)))
                case "time":
                    sentences.append(wording.sentence("scene_time", time=spoken_value(wording, value)))
                case "nearby":
                    sentences.append(
                        wording.sentence("scene_near", names=", ".join(map(name_of, self.nearby)))
                    )
                case "recent_changes":
                    changes = value if isinstance(value, list) else [value]
                    sentences += [
                        wording.sentence("scene_changed", change=spoken_value(wording, change))
                        for change in changes
                    ]
                case _:
                    sentences.append(_ended(f"{spoken_id(key).capitalize()}: {spoken_value(wording, value)}"))
        return sentences


def spoken_value(wording: Wording, value: Any) -> str:
    """Return a value in words; never JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return wording.sentence("scene_yes" if value else "scene_no")
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, Mapping):
        return ", ".join(
            f"{spoken_id(key)} {spoken_value(wording, item)}".strip() for key, item in value.items()
        )
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(spoken_value(wording, item) for item in value)
    return str(value)


def _ended(sentence: str) -> str:
    return sentence if sentence.rstrip().endswith((".", "!", "?", "…", "。")) else f"{sentence}."
