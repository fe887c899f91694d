"""Decides whether a name that a model gives is the player's."""

from __future__ import annotations

from collections.abc import Collection

from rag_memory.text.terms import is_spaceless, words


def objection(name: str, said: str, npc_names: Collection[str], roles: Collection[str]) -> str:
    """Return why a name is not the one that the player said, or "". A model also gives the NPC's name, or
    what it calls the player itself.

    Args:
        name: in any script; where there are no spaces between words, it may be a part of one.
        said: the player's words in this exchange.
        npc_names: the NPC's id and name.
        roles: what prompts call those who speak.
    """
    parts, spoken = words(name), words(said)
    text = " ".join(spoken)
    if parts and any(set(parts) <= set(words(own)) for own in npc_names):
        return "It is the NPC's own name."
    if any(set(words(role)) <= set(parts) for role in roles if words(role)):
        return "It is what prompts call a speaker, and no name."
    if all(part in spoken or (is_spaceless(part[0]) and part in text) for part in parts):
        return ""
    return "The player did not say this name."
