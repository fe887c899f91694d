"""Every value that steers what an NPC makes of what happens: the table of the Godot class NPCMindConfig.

Defaults are those of the designs "memory stream" and "NPC memory".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from rag_memory.config.config_field import ConfigField, config_field, fields_of, validate_field
from rag_memory.config.encoding_rules import DEFAULT_ENCODING_RULES, validate_encoding_rules
from rag_memory.config.inheritance import with_inherited
from rag_memory.config.mood_rules import DEFAULT_MOOD_RULES, validate_mood_rules


class SentimentMode(IntEnum):
    """Ways to tell whether something was meant well."""

    RULES = 0
    """The exact table: first the action, then a few words, wherever they stand."""
    LEXICON = 1
    """The table for its actions, and an English lexicon for words. It knows negation ("I do not hate you"),
    intensity, and whether the words are meant for the NPC ("He hates me" is not).
    """
    MODEL = 2
    """The answer of `MemoryServer.sentiment_analyzer`, or `LEXICON` where it has none."""


class EmotionFading(IntEnum):
    """Ways in which an emotion ends."""

    LINEAR = 0
    """Its intensity falls evenly until it is over. An event that is neither good nor bad leaves it."""
    EXACT = 1
    """It holds in full until it is over. Every event replaces it, a neutral one by `neutral`."""


@dataclass(frozen=True, kw_only=True)
class NPCMindConfig:
    """The weights of events, the duration of feelings and the rules for conclusions of one NPC. Immutable:
    `dataclasses.replace(config, emotion_seconds=60)` makes a variant.
    """

    encoding_rules: list[dict[str, Any]] = config_field(
        DEFAULT_ENCODING_RULES,
        group="Memory Stream",
        doc="Which events become memories. Each rule is a Dictionary: `action` (names with commas between "
        'them, or `"*"` for any), `kind` (`"observation"` or `"episode"`), `importance` (1 to 10, or 0 for '
        'the importance that the event came with) and `condition` (for example `"health < 0.3"`, empty for '
        "none). Of the rules that match, the one with the highest importance applies. An event that matches "
        "none is not stored as a memory, but it counts as an interaction and changes feelings.",
    )
    kept_interactions: int = config_field(
        500,
        group="Interactions",
        range=(1, 100000, 1),
        doc="How many of the last interactions are kept in the save. Feelings and memories that came of "
        "older ones stay.",
    )
    sentiment_mode: SentimentMode = config_field(
        SentimentMode.LEXICON,
        group="Sentiment",
        enum=SentimentMode,
        doc="How the NPC tells whether something was meant well: from -30 (an attack) to 20 (a gift). In "
        "`LEXICON` mode words alone count from -15 to 15.",
    )
    action_sentiments: dict[str, float] = config_field(
        {"attacked": -30.0, "gifted": 20.0, "gave": 20.0, "helped": 15.0},
        group="Sentiment",
        range=(-100.0, 100.0, 1.0),
        doc="What actions mean to the NPC, whatever is said with them. Where another action comes with no "
        'words, or with neutral ones, `LEXICON` weighs its name: `"insulted"` is -8.',
    )
    sentiment_words: dict[str, float] = config_field(
        {},
        group="Sentiment",
        range=(-100.0, 100.0, 1.0),
        doc="Words and phrases of your game and what they mean to the NPC, beside the built-in ones, for "
        'example `{"frak": -7, "moon child": 9}`. In `LEXICON` mode they are whole words and may be negated '
        '("not a moon child"). In `RULES` mode the first one that is found anywhere decides.',
    )
    friendly_from: float = config_field(
        70.0,
        group="Dispositions",
        range=(50.0, 100.0, 1.0),
        doc="The strength of feeling from which on somebody is a friend.",
    )
    hostile_to: float = config_field(
        30.0,
        group="Dispositions",
        range=(0.0, 50.0, 1.0),
        doc="The strength of feeling up to which somebody is an enemy.",
    )
    disposition_half_life_days: float = config_field(
        0.0,
        group="Dispositions",
        range=(0.0, 36500.0, 0.1),
        hint="suffix:days",
        doc="Days of the game's clock after which half of a feeling is gone, back to 50. 0: never.",
    )
    emotion_seconds: float = config_field(
        300.0,
        group="Emotions",
        range=(0.0, 31536000.0, 1.0),
        hint="suffix:s",
        doc="How long an emotion lasts, in seconds of the game's clock.",
    )
    emotion_intensity: float = config_field(
        75.0,
        group="Emotions",
        range=(0.0, 100.0, 1.0),
        doc="How strong an emotion is when an event has just caused it.",
    )
    emotion_fading: EmotionFading = config_field(
        EmotionFading.LINEAR,
        group="Emotions",
        enum=EmotionFading,
        doc="How an emotion ends.",
    )
    mood_rules: list[dict[str, Any]] = config_field(
        DEFAULT_MOOD_RULES,
        group="Emotions",
        doc="Which mood follows from what. Each rule is a Dictionary: `action` (names with commas between "
        'them, or `"*"` for any), `condition` (for example `"sentiment <= -10"`, empty for none) and `mood`. '
        "The first rule that matches applies; if none does, the mood stays as it is.",
    )
    auto_reflect: bool = config_field(
        True,
        group="Reflection",
        doc="Reflect by itself, in the background, when `reflection_threshold` is exceeded.",
    )
    reflection_threshold: float = config_field(
        3.0,
        group="Reflection",
        range=(0.0, 1000.0, 0.1),
        doc="How much importance has to gather since the last reflection. A memory of importance 10 "
        "counts 1.",
    )
    reflection_memories: int = config_field(
        10,
        group="Reflection",
        range=(2, 200, 1),
        doc="How many of the most recent memories are reflected upon.",
    )
    reflection_insights: int = config_field(
        2,
        group="Reflection",
        range=(1, 20, 1),
        doc="How many insights a reflection draws at most.",
    )
    reflection_importance: int = config_field(
        8,
        group="Reflection",
        range=(1, 10, 1),
        doc="The importance of an insight.",
    )
    listener_interactions: int = config_field(
        5,
        group="Listeners",
        range=(0, 100, 1),
        doc="How many of the last interactions with each listener are part of `build_listener_context()`.",
    )
    listener_token_budget: int = config_field(
        800,
        group="Listeners",
        range=(50, 100000, 1),
        hint="suffix:tokens",
        doc="How many tokens `build_listener_context()` may use when it is not told.",
    )

    def validated(self) -> NPCMindConfig:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        values = {
            field.name: validate_field(field, getattr(self, field.name)) for field in mind_config_fields()
        }
        values["encoding_rules"] = validate_encoding_rules(values["encoding_rules"])
        values["mood_rules"] = validate_mood_rules(values["mood_rules"])
        for name in ("action_sentiments", "sentiment_words"):
            # A new line of the table in the inspector begins without a name.
            values[name] = {
                key.strip().casefold(): value for key, value in values[name].items() if key.strip()
            }
        return NPCMindConfig(**values)


def mind_config_fields() -> tuple[ConfigField, ...]:
    """Every field of NPCMindConfig in inspector order."""
    return _FIELDS


def mind_config_from(values: Mapping[str, Any] | None) -> NPCMindConfig:
    """The config with the property values of a Godot NPCMindConfig; the defaults for None.

    Raises:
        ConfigError: as NPCMindConfig.validated().
    """
    return NPCMindConfig(**with_inherited(NPCMindConfig, values or {})).validated()


_FIELDS = fields_of(NPCMindConfig)
