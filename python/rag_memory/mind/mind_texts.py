"""Feelings and interactions of an NPC as lines of text, for debug displays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def mood_text(emotion: Mapping[str, Any]) -> str:
    """Return a mood as NPCMind.get_emotion() returns it."""
    intensity = emotion["intensity"]
    strength = f" {intensity:.0f} of 100" if intensity > 0.0 else ""
    return f"{emotion['mood']}{strength}{_because(emotion['reason'])}"


def feeling_text(disposition: Mapping[str, Any]) -> str:
    """Return a feeling as NPCMind.get_disposition() returns it."""
    felt = f"{disposition['name']}: {disposition['feeling']} {disposition['strength']:.0f} of 100"
    return felt + _because(disposition["reason"])


def interaction_text(interaction: Mapping[str, Any]) -> str:
    """Return an interaction as NPCMind.get_interactions() returns it."""
    text = str(interaction.get("description", ""))
    if not text:
        source = interaction["source_name"] or interaction["source_id"] or "somebody"
        content = f' "{interaction["content"]}"' if interaction["content"] else ""
        text = f"{source}: {interaction['action']}{content}"
    sentiment, kind = interaction["sentiment"], interaction["kind"]
    outcome = [f"{sentiment:+.0f}"] if sentiment else []
    return text + _because(", ".join([*outcome, f"kept as {kind}"] if kind else outcome))


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""
