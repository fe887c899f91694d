"""Conditions in the rules of an NPCMindConfig: `"health < 0.3 and health_before >= 0.3"`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.errors import ConfigError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.validation import did_you_mean

NUMBERS = ("health", "health_before", "health_lost", "importance", "sentiment")
"""Names that a condition may compare; `health` is `health_after` of the event."""

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_COMPARISON = lazy_pattern(r"\s*([a-z_]+)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*")


def holds(condition: str, numbers: Mapping[str, float]) -> bool:
    """Return True if a condition holds for an event's numbers. A number that the event does not have meets no
    condition.
    """
    for name, comparison, limit in _comparisons(condition):
        if name not in numbers or not _COMPARISONS[comparison](numbers[name], limit):
            return False
    return True


def validate_rule(call: str, rule: Any, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with every key that it may have; `call` is the name for messages.

    Raises:
        ConfigError: it is no Dictionary, has an unknown key, a value of another type, or a condition that
            cannot be read.
    """
    if not isinstance(rule, Mapping):
        raise ConfigError(f"{call} is no Dictionary", "", f"Give it the keys {', '.join(defaults)}")
    for key, value in rule.items():
        if key not in defaults:
            raise ConfigError(
                f"{call} has the key {key!r}",
                "rules have no such key",
                f"{did_you_mean(key, tuple(defaults))}Use {', '.join(defaults)}",
            )
        wanted = type(defaults[key])
        if isinstance(value, float) and wanted is int and value.is_integer():
            continue
        if not isinstance(value, wanted) or isinstance(value, bool):
            name = "a String" if wanted is str else "an int"
            raise ConfigError(f"{call}: {key} is {value!r}", f"it has to be {name}", "Change it")
    whole = {**defaults, **rule}
    if not str(whole["action"]).strip():
        raise ConfigError(f"{call} has no action", "it would fit nothing", 'Name one, or "*" for any')
    try:
        _comparisons(whole["condition"])
    except ValueError as error:
        raise ConfigError(
            f"{call}: the condition {whole['condition']!r} cannot be read",
            str(error),
            'Write for example "health < 0.3" or "sentiment <= -10 and importance >= 7"; it may compare '
            + ", ".join(NUMBERS),
        ) from error
    return whole


def actions_of(rule: Mapping[str, Any]) -> frozenset[str]:
    """The actions a rule is for; "*" stands for any."""
    return frozenset(name.strip().casefold() for name in rule["action"].split(","))


def fitting(rules: Sequence[Mapping[str, Any]], action: str, numbers: Mapping[str, float]) -> list[int]:
    """Return the places of the rules that are for this action (in lower case) and whose condition holds."""
    return [
        place
        for place, rule in enumerate(rules)
        if not actions_of(rule).isdisjoint((action, "*")) and holds(rule["condition"], numbers)
    ]


def _comparisons(condition: str) -> list[tuple[str, str, float]]:
    """Raises ValueError, which says what is wrong, when the condition cannot be read."""
    if not condition.strip():
        return []
    comparisons = []
    for part in re.split(r"\band\b", condition):
        match = _COMPARISON.fullmatch(part)
        if match is None:
            raise ValueError(f'"{part.strip()}" is no comparison of a name with a number')
        name, comparison, limit = match.groups()
        if name not in NUMBERS:
            raise ValueError(f'there is no "{name}"')
        comparisons.append((name, comparison, float(limit)))
    return comparisons
