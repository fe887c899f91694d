"""The rules by which events become memories: the table of NPCMindConfig.encoding_rules."""

from __future__ import annotations

from typing import Any

from rag_memory.config.rule_condition import validate_rule
from rag_memory.errors import ConfigError

ENCODED_KINDS = ("observation", "episode")
"""The kinds of memory an event can become: one that the NPC perceived, or one of its own experience."""

ATTACKS = "attacked, was_attacked"
TALK = "spoke, said, talked, chatted, asked, answered"
HELP = "helped, healed, saved, rescued, gifted, gave"
HURT = "hurt, insulted, threatened, robbed, stole, betrayed"
SEEN = "killed, murdered, died, destroyed, broke, lied, cheated"
TRADES = "traded, bought, sold, repaid, returned_favour"

DEFAULT_ENCODING_RULES: list[dict[str, Any]] = [
    {"action": ATTACKS, "kind": "observation", "importance": 8, "condition": ""},
    {"action": "*", "kind": "observation", "importance": 6, "condition": "health_lost > 0"},
    {
        "action": "*",
        "kind": "observation",
        "importance": 9,
        "condition": "health < 0.3 and health_before >= 0.3",
    },
    {"action": HELP, "kind": "episode", "importance": 7, "condition": ""},
    {"action": HURT, "kind": "episode", "importance": 7, "condition": ""},
    {"action": SEEN, "kind": "observation", "importance": 7, "condition": ""},
    {"action": TRADES, "kind": "episode", "importance": 4, "condition": ""},
    {"action": TALK, "kind": "episode", "importance": 4, "condition": ""},
    {"action": "*", "kind": "observation", "importance": 0, "condition": "importance >= 5"},
]
"""The importances are our choice; the rest is the specified table. The last row is for other event types that
a game marks as important.
"""

_KEYS = {"action": "", "kind": "observation", "importance": 0, "condition": ""}


def validate_encoding_rules(rules: list[Any]) -> list[dict[str, Any]]:
    """The rules with every key.

    Raises:
        ConfigError: names the rule, and what is wrong with it.
    """
    return [_validated(number, rule) for number, rule in enumerate(rules)]


def _validated(number: int, rule: Any) -> dict[str, Any]:
    call = f"NPCMindConfig.encoding_rules[{number}]"
    rule = validate_rule(call, rule, _KEYS)
    if rule["kind"] not in ENCODED_KINDS:
        raise ConfigError(
            f"{call}: kind is {rule['kind']!r}",
            "reflections and facts come of memories, not of events",
            f"Use {' or '.join(ENCODED_KINDS)}",
        )
    if not 0 <= rule["importance"] <= 10:
        raise ConfigError(f"{call}: importance is {rule['importance']}", "", "Use 1 to 10, or 0")
    return {**rule, "importance": int(rule["importance"])}
