"""The moods that follow from events: the table of NPCMindConfig.mood_rules."""

from __future__ import annotations

from typing import Any

from rag_memory.config.rule_condition import validate_rule
from rag_memory.errors import ConfigError

NEUTRAL = "neutral"

DEFAULT_MOOD_RULES: list[dict[str, Any]] = [
    {"action": "*", "condition": "health < 0.3 and health_lost > 0", "mood": "afraid"},
    {"action": "threatened", "condition": "", "mood": "afraid"},
    {"action": "attacked, was_attacked", "condition": "", "mood": "angry"},
    {"action": "insulted, robbed, stole, betrayed, hurt", "condition": "", "mood": "angry"},
    {"action": "died, lost, mourned", "condition": "", "mood": "sad"},
    {"action": "gifted, gave, helped, healed, saved, rescued", "condition": "", "mood": "grateful"},
    {"action": "reflected, confided, told_story", "condition": "sentiment == 0", "mood": "contemplative"},
    {"action": "*", "condition": "sentiment > 0", "mood": "happy"},
    {"action": "*", "condition": "sentiment <= -10", "mood": "angry"},
    {"action": "*", "condition": "sentiment < 0", "mood": "sad"},
]

_KEYS = {"action": "", "condition": "", "mood": ""}


def validate_mood_rules(rules: list[Any]) -> list[dict[str, Any]]:
    """The rules with every key.

    Raises:
        ConfigError: names the rule, and what is wrong with it.
    """
    checked = [
        validate_rule(f"NPCMindConfig.mood_rules[{number}]", rule, _KEYS) for number, rule in enumerate(rules)
    ]
    for number, rule in enumerate(checked):
        if not rule["mood"].strip():
            raise ConfigError(
                f"NPCMindConfig.mood_rules[{number}] has no mood", "", 'Name one, such as "happy"'
            )
    return checked
