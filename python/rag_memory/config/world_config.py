"""Every value that steers the world: the table of the Godot class MemoryWorldConfig."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field, fields_of, validate_field


@dataclass(frozen=True, kw_only=True)
class MemoryWorldConfig:
    """The settings of a save's world. Immutable: `dataclasses.replace(config, rumor_decay=0.5)` makes a
    variant.
    """

    rumor_decay: float = config_field(
        0.8,
        group="Rumors",
        range=(0.0, 1.0, 0.01),
        doc="What the confidence of a rumor is multiplied by each time that it is told on.",
    )
    rumor_min_confidence: float = config_field(
        0.2,
        group="Rumors",
        range=(0.0, 1.0, 0.01),
        doc="A rumor that would be believed less than this is not told on.",
    )
    relationship_event_threshold: float = config_field(
        0.0,
        group="Events",
        range=(0.0, 100.0, 1.0),
        doc="How much the disposition of an NPC to somebody has to change at once, on its scale from 0 to "
        "100, for a private event of the world to tell of it; 0: none does.",
    )
    lore_boost: float = config_field(
        0.08,
        group="Lore",
        range=(0.0, 1.0, 0.01),
        doc="How much more relevant a chunk of lore is for each name it says of those that search_lore() is "
        "told: entities, culture, faction and location.",
    )
    extract_memories: bool = config_field(
        True,
        group="Conversations",
        doc="Let RAGMemory.store_turn() store as memories the promises, names, gifts, debts, plans and "
        "places that a turn tells of.",
    )
    turns_kept_raw: int = config_field(
        6,
        group="Conversations",
        range=(0, 1000, 1),
        doc="How many of the last turns a conversation summary leaves out, because a prompt has them word "
        "for word.",
    )
    turns_before_summary: int = config_field(
        10,
        group="Conversations",
        range=(1, 1000, 1),
        doc="How many older turns have to gather before the conversation summary takes them in.",
    )
    max_summary_chars: int = config_field(
        1200,
        group="Conversations",
        range=(100, 20000, 1),
        hint="suffix:characters",
        doc="Most characters of a conversation summary. A longer one is cut at the end of a sentence.",
    )

    auto_maintenance: bool = config_field(
        True,
        group="Maintenance",
        doc="Run MemoryWorld.run_maintenance() by itself, once per day of the game, while the game has "
        "nothing else for the worker to do.",
    )
    importance_decay_days: float = config_field(
        30.0,
        group="Maintenance",
        range=(0.0, 100000.0, 0.1),
        hint="suffix:days",
        doc="A memory of little importance loses a point when it was not asked for in so many days of the "
        "game. It never falls below MemoryConfig.min_semantic_importance or "
        "MemoryConfig.min_tiered_importance: it is still found, only behind others. 0 switches this off.",
    )
    importance_decay_most: int = config_field(
        6,
        group="Maintenance",
        range=(1, 10, 1),
        doc="Memories of this importance or less lose points after importance_decay_days. Pinned and "
        "important memories, milestones, what is in a slot, facts, reflections, secrets and promises never "
        "do.",
    )
    kept_versions: int = config_field(
        100,
        group="Maintenance",
        range=(1, 1000000, 1),
        doc="How many versions of a character, task, flag and the like are kept, the newest and the first, "
        "so that rollback_to() finds them.",
    )

    def validated(self) -> MemoryWorldConfig:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        return MemoryWorldConfig(
            **{
                field.name: validate_field(field, getattr(self, field.name))
                for field in fields_of(MemoryWorldConfig)
            }
        )
