"""The portrait of an NPC in sentences, from its personality, its profile or the character's data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.prompt.known_world import texts
from rag_memory.text.spoken_ids import spoken_id


def portrait(
    wording: Wording,
    npc_id: str,
    character: Mapping[str, Any],
    profile: Mapping[str, Any],
    personality: Mapping[str, Any],
) -> list[str]:
    """The sentences of the section. `personality`: the properties of an NPCPersonality that say something."""
    name = _first(personality, "display_name") or _first(character, "name") or npc_id
    role = _first(personality, "role").rstrip(".")
    sentences = [wording.sentence("you_are_with_role" if role else "you_are", name=name, role=role)]
    if not role and _first(character, "occupation"):
        sentences.append(wording.sentence("you_are_by_trade", occupation=_first(character, "occupation")))
    groups = [_first(character, key) for key in ("clan", "faction") if _first(character, key)]
    if groups:
        sentences.append(
            wording.sentence("you_belong_to", groups=", ".join(map(spoken_id, dict.fromkeys(groups))))
        )
    if culture := _first(character, "culture"):
        sentences.append(wording.sentence("your_culture", culture=spoken_id(culture)))
    style = _first(personality, "speech_style") or _first(profile, "speech_style")
    if style:
        sentences.append(wording.sentence("speech_style", style=style))
    lists = {
        "traits": texts(personality, "traits") or texts(profile, "personality") or texts(character, "traits"),
        "values": texts(personality, "values"),
        "fears": texts(personality, "fears") or texts(profile, "fears"),
        "goals": texts(personality, "goals") or texts(profile, "goals"),
        "loyalties": texts(personality, "loyalties") or texts(profile, "loyalties"),
    }
    sentences += [wording.sentence(key, **{key: "; ".join(items)}) for key, items in lists.items() if items]
    return sentences


def background(profile: Mapping[str, Any], personality: Mapping[str, Any]) -> str:
    """Her past in sentences; "" when nobody has sentences it."""
    return _first(personality, "background") or _first(profile, "backstory")


def _first(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    return value.strip() if isinstance(value, str) else ""
