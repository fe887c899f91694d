"""Secrets: memories and events that only their source and those in `known_to` may hear of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any


def may_be_told(metadata: Mapping[str, Any], source_id: str, listening: Collection[str]) -> bool:
    """Return whether everybody who listens may know a memory or an event."""
    return not metadata.get("secret") or set(listening) <= _confidants(metadata, source_id)


def of_all(sources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the secrecy of a conclusion: only who may know every secret among its sources may know it."""
    secrets = [
        _confidants(source, str(source.get("source_id", ""))) for source in sources if source.get("secret")
    ]
    return {"secret": True, "known_to": sorted(set.intersection(*secrets))} if secrets else {}


def _confidants(metadata: Mapping[str, Any], source_id: str) -> set[str]:
    known_to = metadata.get("known_to")
    named = known_to if isinstance(known_to, list) else []
    return {id for id in (source_id, *named) if isinstance(id, str) and id}
