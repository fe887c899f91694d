"""Changes of a relationship."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag_memory.config.config_field import config_field
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.validation import shown

_LOG = logging.getLogger("rag_memory")


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class DeltaClamping:
    """Relationship changes by event type, and the limits of one interaction."""

    event_trust_changes: dict[str, int] = config_field(
        {"gift_given": 2, "betrayal": -15, "life_saved": 15},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What each event type adds to trust. Read by get_deterministic_deltas().",
    )
    event_affection_changes: dict[str, int] = config_field(
        {"gift_given": 5, "betrayal": -10, "life_saved": 10},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What each event type adds to affection. Read by get_deterministic_deltas().",
    )
    event_fear_changes: dict[str, int] = config_field(
        {"life_saved": -5},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What each event type adds to fear. Read by get_deterministic_deltas().",
    )
    event_respect_changes: dict[str, int] = config_field(
        {},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What each event type adds to respect. Read by get_deterministic_deltas().",
    )
    event_familiarity_changes: dict[str, int] = config_field(
        {},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What each event type adds to familiarity. Read by get_deterministic_deltas().",
    )
    max_trust_change: int = config_field(
        15,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may change trust, up or down.",
    )
    max_affection_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may change affection, up or down.",
    )
    max_fear_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may change fear, up or down.",
    )
    max_respect_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may change respect, up or down.",
    )
    max_familiarity_change: int = config_field(
        5,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may change familiarity, up or down.",
    )

    def clamp_relationship_deltas(self, analysis: Mapping[str, Any]) -> dict[str, int | float]:
        """The five proposed changes of a relationship, each within its limit.

        A missing one is 0, and so is one that is no number, with a logged warning: a language model proposes
        them.
        """
        clamped: dict[str, int | float] = {}
        for dimension in DIMENSIONS:
            name, limit = f"{dimension}_change", getattr(self, f"max_{dimension}_change")
            change = analysis.get(name, 0)
            if isinstance(change, bool) or not isinstance(change, int | float) or math.isnan(change):
                _LOG.warning(
                    "clamp_relationship_deltas(): %s is %s, which is no number, so 0 is used. Correct the "
                    "prompt, or leave it out.",
                    name,
                    shown(change),
                )
                change = 0
            clamped[name] = max(-limit, min(limit, change))
        return clamped
