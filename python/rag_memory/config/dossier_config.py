"""The settings of a dossier, which are the properties of the Godot class NPCDossierConfig.

Budgets and counts are those of the design "retrieval dossier".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from rag_memory.config.config_field import config_field, fields_of, validate_field
from rag_memory.errors import ConfigError
from rag_memory.validation import shown

SECTIONS = (
    *("profile", "backstory", "turns", "summary", "memories", "events", "tasks", "lore", "debates"),
    "scene",
)
"""The sections of a dossier, in their order."""

_MAX_ITEMS = ("turns", "memories", "events", "tasks", "lore", "debates")
"""The sections whose items are counted."""
_MIN_ITEMS = ("memories", "events", "lore")
_TOKENS = (0.0, 100000.0, 1.0)
_COUNT = (0.0, 100.0, 1.0)


class DossierPreset(IntEnum):
    """Sizes of a dossier for the language model that reads it."""

    CUSTOM = 0
    """The same as `MEDIUM_8B`."""
    SMALL_4B = 1
    """For models of 3 to 7 billion parameters, which answer better with less to read: 1,400 tokens."""
    MEDIUM_8B = 2
    """For models of about 8 billion parameters and a context of 8,192 tokens: 3,200 tokens."""
    LARGE_32B = 3
    """For models of about 32 billion parameters and a context of 16,384 tokens or more: 5,600 tokens."""


class _Size(NamedTuple):
    """The limits of a preset: tokens and items by section."""

    total_tokens: int
    tokens: Mapping[str, int]
    max_items: Mapping[str, int]


_MEDIUM = _Size(
    3200,
    {
        "profile": 250,
        "backstory": 150,
        "turns": 500,
        "summary": 150,
        "memories": 500,
        "events": 400,
        "tasks": 150,
        "lore": 500,
        "debates": 100,
        "scene": 500,
    },
    {"turns": 6, "memories": 8, "events": 5, "tasks": 5, "lore": 5, "debates": 2},
)
_SIZES: Mapping[DossierPreset, _Size] = {
    DossierPreset.CUSTOM: _MEDIUM,
    DossierPreset.SMALL_4B: _Size(
        1400,
        {
            "profile": 150,
            "backstory": 100,
            "turns": 250,
            "summary": 100,
            "memories": 300,
            "events": 200,
            "tasks": 100,
            "lore": 250,
            "debates": 80,
            "scene": 250,
        },
        {"turns": 4, "memories": 5, "events": 3, "tasks": 3, "lore": 2, "debates": 1},
    ),
    DossierPreset.MEDIUM_8B: _MEDIUM,
    DossierPreset.LARGE_32B: _Size(
        5600,
        {
            "profile": 400,
            "backstory": 400,
            "turns": 1000,
            "summary": 400,
            "memories": 1000,
            "events": 800,
            "tasks": 300,
            "lore": 1000,
            "debates": 300,
            "scene": 800,
        },
        {"turns": 6, "memories": 8, "events": 5, "tasks": 8, "lore": 5, "debates": 3},
    ),
}
_LEAST_ITEMS: Mapping[str, int] = {"memories": 3, "events": 2, "lore": 2}


@dataclass(frozen=True, kw_only=True)
class NPCDossierConfig:
    """The size of a dossier and the ranking of its items. Immutable:
    `dataclasses.replace(config, total_tokens=900)` makes a variant.
    """

    preset: DossierPreset = config_field(
        DossierPreset.CUSTOM,
        group="Size",
        enum=DossierPreset,
        doc="The size of the language model that reads the dossier. It sets the limits that the other "
        "settings of this group do not set.",
    )
    total_tokens: int = config_field(
        _MEDIUM.total_tokens,
        group="Size",
        range=_TOKENS,
        hint="suffix:tokens",
        doc="Most tokens of the whole dossier. If all sections together may have more, each gets its share, "
        "and others get what one does not use (`flow_order`).",
    )
    section_tokens: dict[str, int] = config_field(
        {},
        group="Size",
        range=_TOKENS,
        doc='Most tokens of a section, its heading included, in place of the preset\'s: `{"lore": 300}`. 0 '
        "leaves the section out.",
    )
    max_items: dict[str, int] = config_field(
        {},
        group="Size",
        range=_COUNT,
        doc="Most items of a section, in place of the preset's. The keys are `turns`, `memories`, `events`, "
        "`tasks`, `lore` and `debates`.",
    )
    min_items: dict[str, int] = config_field(
        {},
        group="Size",
        range=_COUNT,
        doc="Items of a section that are included even when they are not relevant, in place of 3 "
        "`memories`, 2 `events` and 2 `lore`.",
    )
    flow_order: list[str] = config_field(
        [
            *("memories", "events", "lore", "turns", "scene", "tasks", "summary", "profile", "backstory"),
            "debates",
        ],
        group="Size",
        doc="The order in which sections get the tokens that others have left of their share of "
        "`total_tokens`. No section gets more than its own budget. A section that is not in the list keeps "
        "to its share.",
    )
    min_relevance: float = config_field(
        0.15,
        group="Ranking",
        range=(0.0, 1.0, 0.01),
        doc="Least relevance, bonuses included, of an item. Less relevant items only fill a section up to "
        "its `min_items`. Tasks and debates always need it. Events of importance 8 or more from the last "
        "seven days always have it.",
    )
    bonus_weight: float = config_field(
        0.2,
        group="Ranking",
        range=(0.0, 1.0, 0.01),
        doc="Relevance, which is 0 to 1, that 100 points of bonus are worth. 0 ranks by relevance alone.",
    )

    def validated(self) -> NPCDossierConfig:
        """This config with every value in its declared type, and the preset's total in place of the default.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        values = {
            field.name: validate_field(field, getattr(self, field.name))
            for field in fields_of(NPCDossierConfig)
        }
        if values["total_tokens"] == _MEDIUM.total_tokens:
            values["total_tokens"] = _SIZES[values["preset"]].total_tokens
        config = NPCDossierConfig(**values)
        for name, sections in (
            ("section_tokens", SECTIONS),
            ("max_items", _MAX_ITEMS),
            ("min_items", _MIN_ITEMS),
            ("flow_order", SECTIONS),
        ):
            for section in values[name]:
                if section not in sections:
                    raise ConfigError(
                        f"NPCDossierConfig.{name} has {shown(section)}",
                        "there is no such section",
                        f"The sections are {', '.join(sections)}",
                    )
        return config

    def budget(self, section: str) -> int:
        """Return the most tokens of a section."""
        return self.section_tokens.get(section, _SIZES[self.preset].tokens[section])

    def most(self, section: str) -> int:
        """Return the most items of a section whose items are counted."""
        return self.max_items.get(section, _SIZES[self.preset].max_items[section])

    def least(self, section: str) -> int:
        """Return how many items of a section are included even when they are not relevant."""
        return self.min_items.get(section, _LEAST_ITEMS.get(section, 0))
