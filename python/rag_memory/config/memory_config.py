"""Every value that steers the memory of an NPC, declared once for Python and for Godot's inspector.

Each concern has a table of its own in this package. A field carries its group, range and documentation as
metadata (`config_fields()` lists them): the Godot property, its inspector hint and its F1 help are generated
from there, so a new value is added to its table and nowhere else.
Defaults are those of the reference design. This package imports nothing but the standard library:
whoever reads the settings needs nothing installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rag_memory.config.bounded_collection import BoundedCollection
from rag_memory.config.budgets import ContextBudget
from rag_memory.config.config_field import ConfigField, fields_of, validate_field
from rag_memory.config.conflicts import ConflictResolution
from rag_memory.config.consolidation import MemoryConsolidation
from rag_memory.config.emotions import ActionEmotions
from rag_memory.config.importance import ImportanceSignals
from rag_memory.config.interaction_type import DEFAULT as DEFAULT_INTERACTION_TYPE
from rag_memory.config.interaction_type import MEANINGS, warn_of_invalid_types
from rag_memory.config.relationship_changes import DeltaClamping
from rag_memory.config.relevance import Relevance, RelevanceMode
from rag_memory.config.schema_constraints import SchemaConstraints
from rag_memory.config.scoring import ScoreBasedSelection, ScoreMode
from rag_memory.config.search import Search
from rag_memory.config.short_forms import DualRepresentation
from rag_memory.config.size_limits import SizeLimits
from rag_memory.config.tiers import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, TierRules
from rag_memory.config.wording import Wording, usable

__all__ = [
    "TIER_IMPORTANT",
    "TIER_PINNED",
    "TIER_REGULAR",
    "MemoryConfig",
    "RelevanceMode",
    "ScoreMode",
    "config_fields",
]


# The last one comes first in the inspector: a dataclass takes the fields of its bases from the last on.
@dataclass(frozen=True, kw_only=True)
class MemoryConfig(
    Wording,
    Search,
    Relevance,
    SizeLimits,
    ConflictResolution,
    DeltaClamping,
    SchemaConstraints,
    MemoryConsolidation,
    ActionEmotions,
    ImportanceSignals,
    TierRules,
    BoundedCollection,
    DualRepresentation,
    ScoreBasedSelection,
    ContextBudget,
):
    """The tuning of one NPC's memory. Immutable: `dataclasses.replace(config, semantic_top_k=30)` makes a
    variant.
    """

    ESSENTIALS: ClassVar[tuple[str, ...]] = (
        "memory_token_budget",
        "score_mode",
        "semantic_top_k",
        "min_semantic_importance",
        "recency_half_life_days",
        "recency_floor",
        "high_signal_limit",
        "pinned_event_types",
        "event_type_importance",
        "auto_consolidate",
        "max_memories_before_consolidate",
        "check_names",
    )
    """The settings that a game changes first. The inspector and the documentation show them first."""

    def validated(self) -> MemoryConfig:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        values = {field.name: validate_field(field, getattr(self, field.name)) for field in config_fields()}
        values["wording"] = usable("MemoryConfig.wording", values["wording"])
        config = MemoryConfig(**values)
        config._validate_tier_weights()
        config._validate_stream_weights()
        for name in ("pinned_interactions", "important_interactions"):
            warn_of_invalid_types(name, tuple(getattr(config, name)), tuple(config.valid_interaction_types))
        return config

    def get_interaction_type_constraint_prompt(self) -> str:
        """Instructions for a language model that list the interaction types it may report."""
        lines = [self.sentence("one_type")]
        for name in self.valid_interaction_types:
            lines.append(
                f'- "{name}": {self.sentence(f"type_{name}")}' if name in MEANINGS else f'- "{name}"'
            )
        lines.append(self.sentence("no_other_type", type=DEFAULT_INTERACTION_TYPE))
        return "\n".join(lines)


def config_fields() -> tuple[ConfigField, ...]:
    """Every field of MemoryConfig in inspector order, with its type, default, group, range and
    documentation.
    """
    return _FIELDS


_FIELDS = fields_of(MemoryConfig)
