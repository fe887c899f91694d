"""Every value that steers a dossier: the table of the Godot class NPCDossierConfig.

Budgets, counts and bonuses are those of the design "retrieval dossier".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from rag_memory.config.config_field import config_field, fields_of, validate_field
from rag_memory.errors import ConfigError
from rag_memory.validation import shown

SECTIONS = (
    "profile",
    "backstory",
    "turns",
    "summary",
    "memories",
    "events",
    "tasks",
    "lore",
    "debates",
    "scene",
)
"""The sections of a dossier, in their order."""

_BUDGET = (0.0, 100000.0, 1.0)
_COUNT = (0.0, 100.0, 1.0)
_POINTS = (-200.0, 200.0, 1.0)


class DossierPreset(IntEnum):
    """Sizes of a dossier for the language model that reads it."""

    CUSTOM = 0
    """The values of the resource, which without a change are those of `MEDIUM_8B`."""
    SMALL_4B = 1
    """For models of 3 to 7 billion parameters, which answer better with less to read: 1,400 tokens."""
    MEDIUM_8B = 2
    """For models of about 8 billion parameters and a context of 8,192 tokens: 3,200 tokens."""
    LARGE_32B = 3
    """For models of about 32 billion parameters and a context of 16,384 tokens or more: 5,600 tokens."""


_PRESETS: Mapping[DossierPreset, Mapping[str, int]] = {
    DossierPreset.CUSTOM: {},
    DossierPreset.SMALL_4B: {
        "total_tokens": 1400,
        "profile_tokens": 150,
        "backstory_tokens": 100,
        "turns_tokens": 250,
        "summary_tokens": 100,
        "memories_tokens": 300,
        "events_tokens": 200,
        "tasks_tokens": 100,
        "lore_tokens": 250,
        "debates_tokens": 80,
        "scene_tokens": 250,
        "max_turns": 4,
        "max_memories": 5,
        "max_events": 3,
        "max_lore": 2,
        "max_tasks": 3,
        "max_debates": 1,
    },
    DossierPreset.MEDIUM_8B: {},
    DossierPreset.LARGE_32B: {
        "total_tokens": 5600,
        "profile_tokens": 400,
        "backstory_tokens": 400,
        "turns_tokens": 1000,
        "summary_tokens": 400,
        "memories_tokens": 1000,
        "events_tokens": 800,
        "tasks_tokens": 300,
        "lore_tokens": 1000,
        "debates_tokens": 300,
        "scene_tokens": 800,
        "max_tasks": 8,
        "max_debates": 3,
    },
}


@dataclass(frozen=True, kw_only=True)
class NPCDossierConfig:
    """How big a dossier may be, and what comes into it. Immutable: `dataclasses.replace(config,
    lore_tokens=300)` makes a variant.
    """

    preset: DossierPreset = config_field(
        DossierPreset.CUSTOM,
        group="Budgets",
        enum=DossierPreset,
        doc="The size of the language model that reads the dossier. Budgets and counts that are at their "
        "defaults are then those of the preset; what you change holds beside it.",
    )
    total_tokens: int = config_field(
        3200,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The whole dossier never has more tokens. Where it is less than all sections may have together, "
        "each gets its share, and what one does not use goes to others (`flow_order`).",
    )
    profile_tokens: int = config_field(
        250,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for who the NPC is, its heading included; 0 leaves the section out.",
    )
    backstory_tokens: int = config_field(
        150,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for her past, which is told at the first meeting only.",
    )
    turns_tokens: int = config_field(
        500,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for the last lines of the conversation.",
    )
    summary_tokens: int = config_field(
        150,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for the summary of earlier conversations with the player.",
    )
    memories_tokens: int = config_field(
        500,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for what she remembers.",
    )
    events_tokens: int = config_field(
        400,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for events that she knows of.",
    )
    tasks_tokens: int = config_field(
        150,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for tasks that concern her, the player or the place.",
    )
    lore_tokens: int = config_field(
        500,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for lore.",
    )
    debates_tokens: int = config_field(
        100,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for debates that she knows of.",
    )
    scene_tokens: int = config_field(
        500,
        group="Budgets",
        range=_BUDGET,
        hint="suffix:tokens",
        doc="The most tokens for the scene that the game passes.",
    )
    flow_order: list[str] = config_field(
        [
            "memories",
            "events",
            "lore",
            "turns",
            "scene",
            "tasks",
            "summary",
            "profile",
            "backstory",
            "debates",
        ],
        group="Budgets",
        doc="Which sections get first what others have left of their share of `total_tokens`. None gets more "
        "than its own budget; one that is not in the list keeps to its share.",
    )
    max_turns: int = config_field(
        6,
        group="Counts",
        range=_COUNT,
        doc="How many of the last turns there are at most.",
    )
    min_memories: int = config_field(
        3,
        group="Counts",
        range=_COUNT,
        doc="So many memories come also when they have little to do with what was said.",
    )
    max_memories: int = config_field(
        8, group="Counts", range=_COUNT, doc="How many memories there are at most."
    )
    min_events: int = config_field(
        2,
        group="Counts",
        range=_COUNT,
        doc="So many events come also when they have little to do with what was said.",
    )
    max_events: int = config_field(5, group="Counts", range=_COUNT, doc="How many events there are at most.")
    min_lore: int = config_field(
        2,
        group="Counts",
        range=_COUNT,
        doc="So many pieces of lore come also when they have little to do with what was said.",
    )
    max_lore: int = config_field(
        5, group="Counts", range=_COUNT, doc="How many pieces of lore there are at most."
    )
    max_tasks: int = config_field(5, group="Counts", range=_COUNT, doc="How many tasks there are at most.")
    max_debates: int = config_field(
        2, group="Counts", range=_COUNT, doc="How many debates there are at most."
    )
    min_relevance: float = config_field(
        0.15,
        group="Ranking",
        range=(0.0, 1.0, 0.01),
        doc="What has less, with its bonuses, comes only to fill up the smallest count of its section. Tasks "
        "and debates have to reach it. Great news, which is an event of importance 8 or more from the last "
        "recent_days, counts as having it.",
    )
    bonus_weight: float = config_field(
        0.2,
        group="Ranking",
        range=(0.0, 1.0, 0.01),
        doc="What 100 points of bonus are worth beside relevance, which is 0 to 1.",
    )
    same_npc_bonus: float = config_field(
        50.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what the NPC herself did, suffered or said.",
    )
    related_npc_bonus: float = config_field(
        35.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what concerns the player, or somebody who is near in the scene.",
    )
    same_faction_bonus: float = config_field(
        30.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what concerns the NPC's faction.",
    )
    same_location_bonus: float = config_field(
        25.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what happened at the place of the scene.",
    )
    entity_bonus: float = config_field(
        25.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for somebody or something that the player's message names.",
    )
    active_task_bonus: float = config_field(
        20.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for who or what an active task of the NPC is about.",
    )
    importance_bonus: float = config_field(
        20.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for an importance of 8 or more.",
    )
    recent_bonus: float = config_field(
        15.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what is not older than `recent_days`.",
    )
    stale_bonus: float = config_field(
        -20.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what no longer holds, such as a promise that was broken.",
    )
    hearsay_bonus: float = config_field(
        -30.0,
        group="Ranking",
        range=_POINTS,
        doc="Points for what the NPC knows as a rumor only. What she cannot know is never in a dossier.",
    )
    recent_days: float = config_field(
        7.0,
        group="Ranking",
        range=(0.0, 36500.0, 0.1),
        hint="suffix:days",
        doc="How many days of the game's clock something counts as recent.",
    )

    def validated(self) -> NPCDossierConfig:
        """This config with every value in its declared type, and the preset's values in place of those
        that are at their defaults.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        fields = fields_of(NPCDossierConfig)
        values = {field.name: validate_field(field, getattr(self, field.name)) for field in fields}
        preset = _PRESETS[values["preset"]]
        defaults = {field.name: field.default for field in fields}
        values |= {name: value for name, value in preset.items() if values[name] == defaults[name]}
        config = NPCDossierConfig(**values)
        for name in config.flow_order:
            if name not in SECTIONS:
                raise ConfigError(
                    f"NPCDossierConfig.flow_order has {shown(name)}",
                    "a dossier has no such section",
                    f"Its sections are {', '.join(SECTIONS)}",
                )
        return config

    def budget(self, section: str) -> int:
        """The most tokens that a section may have."""
        return int(getattr(self, f"{section}_tokens"))
