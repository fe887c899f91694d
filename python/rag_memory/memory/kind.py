"""The kinds of memories."""

from __future__ import annotations

from rag_memory.errors import InvalidArgumentError

OBSERVATION = "observation"
"""Something she perceived."""
EPISODE = "episode"
"""Something she took part in."""
REFLECTION = "reflection"
"""A conclusion from other memories."""
FACT = "fact"
"""Something she knows about the world."""

SUMMARY = "summary"
"""The event type, which is no kind, of a memory that stands for others."""

KINDS = ("", OBSERVATION, EPISODE, REFLECTION, FACT)
"""A memory of no kind first; a kind's place is its code."""


def validate_kind(call: str, kind: str) -> str:
    """The kind itself.

    Raises:
        InvalidArgumentError: there is no such kind.
    """
    if kind not in KINDS:
        raise InvalidArgumentError(
            f"{call}: kind is {kind!r}",
            f"a memory is of the kind {', '.join(KINDS[1:])}, or of none",
            "Leave it out, or take one of these",
        )
    return kind
