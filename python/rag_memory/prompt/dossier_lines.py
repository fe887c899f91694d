"""The lines of a dossier in the sections of a prompt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag_memory.prompt.text_section import TextSection
from rag_memory.text.harmless import harmless
from rag_memory.world.personality import Personality

_PARTS: Mapping[str, Sequence[str]] = {
    "identity": ("profile", "backstory"),
    "world_state": ("scene",),
    "world_facts": ("events", "tasks", "lore", "debates"),
    "memories": ("summary", "memories"),
}
"""The sections of the dossier by those of the prompt, which has the turns of a conversation by itself."""
_HEADED = ("world_facts", "memories")
"""Sections whose parts keep their headings."""
_PERSONALITY = (
    *("display_name", "role", "background", "speech_style"),
    *("traits", "values", "fears", "goals"),
)
_BULLET = "- "
_ENOUGH = 1 << 20
"""Tokens."""
SECTIONS = tuple(_PARTS)


def scene_of(
    personality: Personality | None, state: Mapping[str, Any], location: str, speaker: str, hearing: list[str]
) -> dict[str, Any]:
    """Returns the scene of a dossier that the options of a prompt describe."""
    scene = {**{str(key): value for key, value in state.items()}, "player": speaker, "listeners": hearing}
    if location:
        scene["location"] = location
    if personality is not None:
        scene["personality"] = {
            name: value if isinstance(value := getattr(personality, name), str) else list(value)
            for name in _PERSONALITY
        }
    return scene


def dossier_lines(dossier: Mapping[str, Any], section: str, shown: Collection[str] = ()) -> list[str]:
    """Returns the harmless lines of a section of the prompt, without those that are `shown` already."""
    lines: list[str] = []
    for part in _PARTS[section]:
        texts = [text for text in str(_section(dossier, part).get("text", "")).split("\n") if text]
        for text in texts[0 if section in _HEADED else 1 :]:
            bullet = _BULLET if text.startswith(_BULLET) else ""
            line = bullet + harmless(text.removeprefix(bullet))
            if line not in shown and line not in lines:
                lines.append(line)
    return lines


def dossier_tokens(dossier: Mapping[str, Any], section: str, title: str) -> int:
    """Returns the tokens that the lines of a section need, with its tags."""
    enough = TextSection(title, _ENOUGH)
    for line in dossier_lines(dossier, section):
        enough.add(line)
    return enough.tokens


def _section(dossier: Mapping[str, Any], part: str) -> Mapping[str, Any]:
    section = dossier["sections"].get(part)
    return section if isinstance(section, Mapping) else {}
