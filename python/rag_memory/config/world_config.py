"""Every value that steers the world: the table of the Godot class WorldConfig."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field, fields_of, validate_field


@dataclass(frozen=True, kw_only=True)
class WorldConfig:
    """How the world of a save is kept. Immutable: `dataclasses.replace(config, rumor_decay=0.5)` makes a
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
    lore_boost: float = config_field(
        0.08,
        group="Lore",
        range=(0.0, 1.0, 0.01),
        doc="How much more relevant a chunk of lore is for each name it says of those that search_lore() is "
        "told: entities, culture, faction and location.",
    )

    def validated(self) -> WorldConfig:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        return WorldConfig(
            **{each.name: validate_field(each, getattr(self, each.name)) for each in fields_of(WorldConfig)}
        )
