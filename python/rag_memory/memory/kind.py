"""What kind of thing an NPC remembers."""

from __future__ import annotations

OBSERVATION = "observation"
"""Something she perceived."""
EPISODE = "episode"
"""Something she took part in."""
REFLECTION = "reflection"
"""What she concluded from other memories."""
FACT = "fact"
"""Something she knows about the world."""

KINDS = ("", OBSERVATION, EPISODE, REFLECTION, FACT)
"""A memory of no kind first; a kind's place is its code."""
