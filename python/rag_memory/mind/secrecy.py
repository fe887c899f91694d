"""What was told in confidence, and who may hear of it: the one who told it, and those in its `known_to`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def may_be_told(told: Mapping[str, Any], source_id: str, listening: Collection[str]) -> bool:
    """Whether everybody who listens may know it."""
    return not told.get("secret") or set(listening) <= _confidants(told, source_id)


def of_all(told: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The secrecy of what follows from all of these: only who may know every secret of them may know it."""
    secrets = [_confidants(each, str(each.get("source_id", ""))) for each in told if each.get("secret")]
    return {"secret": True, "known_to": sorted(set.intersection(*secrets))} if secrets else {}


def _confidants(told: Mapping[str, Any], source_id: str) -> set[str]:
    known_to = told.get("known_to")
    named = known_to if isinstance(known_to, list) else []
    return {each for each in (source_id, *named) if isinstance(each, str) and each}
