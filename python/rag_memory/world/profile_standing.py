"""What a stored profile says of the player, kept in step with how the NPC stands to the player now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rag_memory.config.relationship_scales import DIMENSIONS, RELATION_TO_PLAYER
from rag_memory.config.wording import Wording
from rag_memory.mind.relationship import status_label, usual_relationship
from rag_memory.world.profile import initial_relationship
from rag_memory.world.profile_draft import LIKED

RELATIONSHIP, OUTDATED, WRITTEN_WITH = "relationship_to_player", "is_outdated", "written_with"

_LARGE_CHANGE = 25.0
_WEIGHED = ("trust", "affection")
_LONGEST_NAME = 100


def relation_of(relationship: Mapping[str, Any]) -> float:
    """The relationship as one number, -100 to 100, as `relation_to_player` of a game."""
    change = sum(relationship[name] - DIMENSIONS[name].usual for name in _WEIGHED)
    return RELATION_TO_PLAYER.limited(change)


def with_standing(
    wording: Wording, name: str, content: Mapping[str, Any], current: Mapping[str, Any]
) -> dict[str, Any]:
    """A stored profile with the relationship of now, in its backstory, too.

    Args:
        current: the relationship to the player; {} while it is what it was at first.
    """
    profile = {key: value for key, value in content.items() if key != WRITTEN_WITH}
    if not current:
        return {**profile, RELATIONSHIP: {}, OUTDATED: False}
    before = {**usual_relationship(), **initial_relationship(content), **content.get(WRITTEN_WITH, {})}
    is_outdated = status_label(before) != current["status"] or any(
        abs(current[dimension] - before[dimension]) >= _LARGE_CHANGE for dimension in DIMENSIONS
    )
    if is_outdated:
        profile["backstory"] = _backstory(wording, name, profile.get("backstory", ""), relation_of(current))
    return {**profile, RELATIONSHIP: dict(current), OUTDATED: is_outdated}


def _backstory(wording: Wording, name: str, backstory: str, relation: float) -> str:
    """A backstory that says of the player what is true now, in place of what it said."""
    for key in ("profile_liked", "profile_disliked"):
        before, _, after = wording.sentence(key, name="\0").partition("\0")
        somebody = rf"[^.!?。！？]{{0,{_LONGEST_NAME}}}?"
        backstory = re.sub(rf"\s*{re.escape(before)}{somebody}{re.escape(after)}", "", backstory)
    sentence = ""
    if abs(relation) >= LIKED:
        key = "profile_liked" if relation > 0 else "profile_disliked"
        sentence = wording.sentence(key, name=name)
    return " ".join(filter(None, (backstory.strip(), sentence)))
