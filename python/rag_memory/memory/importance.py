"""The importance of an event, from its type and what it changed, and the changes of a relationship by event
type.

Only changes that the game can observe count: never how much emotion a language model claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_rules import GAME_RULES
from rag_memory.validation import (
    validate_number,
    validate_text,
    warn_of_slips,
    wrong_type,
)

LEAST_IMPORTANCE = 1
MOST_IMPORTANCE = 10

_DEFAULT_IMPORTANCE = 5
_PLAYER_NAME_BOOST = 2
_PROMISE_BOOST = 2
_MAGNITUDES = ("trust_change", "affection_change", "fear_change")
_CHANGES = tuple(f"{dimension}_change" for dimension in DIMENSIONS)
_FLAGS = (
    *("secret_revealed", "player_name_learned", "obligation_created", "promise_made", "promise_broken"),
    *("quest_started", "quest_completed", "quest_failed", "npc_injured", "npc_died"),
)


def calculate_importance(config: MemoryConfig, event_type: Any, analysis: Any, state_deltas: Any) -> int:
    """The base of the event type plus the boosts of the Importance Signals group, clamped to 1..10.

    Args:
        analysis: what a language model reported; of it only a learned name counts
            (`learned_about_player.name`).
        state_deltas: what changed: trust_change, affection_change, fear_change as numbers; secret_revealed,
            player_name_learned, obligation_created, promise_made, promise_broken, quest_started,
            quest_completed, quest_failed, npc_injured, npc_died as flags.

    Raises:
        InvalidArgumentError: an argument or one of these changes has the wrong type.
    """
    call = "calculate_importance()"
    event_type = validate_text(call, "event_type", event_type)
    analysis = _validate_dictionary(call, "analysis", analysis)
    deltas = _validate_dictionary(call, "state_deltas", state_deltas)
    warn_of_slips(call, "state_deltas", deltas, (*_CHANGES, *_FLAGS))
    ruled = GAME_RULES.ask("importance", event_type, dict(analysis), dict(deltas))
    if ruled is not None:
        return int(ruled)
    magnitude = sum(abs(validate_number(call, name, deltas.get(name, 0))) for name in _MAGNITUDES)

    def happened(*names: str) -> bool:
        return any(deltas.get(name, False) for name in names)

    boosts = (
        (magnitude >= config.relationship_delta_threshold, config.importance_boost_relationship),
        (happened("secret_revealed"), config.importance_boost_secret),
        (
            happened("player_name_learned") or bool(_learned_name(analysis)),
            _PLAYER_NAME_BOOST,
        ),
        (happened("obligation_created"), config.importance_boost_obligation),
        (happened("promise_made", "promise_broken"), _PROMISE_BOOST),
        (happened("quest_started", "quest_completed", "quest_failed"), config.importance_boost_quest),
        (happened("npc_injured"), config.importance_boost_injury),
        (happened("npc_died"), config.importance_boost_death),
    )
    importance = base_importance(config, event_type) + sum(boost for applies, boost in boosts if applies)
    return max(LEAST_IMPORTANCE, min(MOST_IMPORTANCE, importance))


def base_importance(config: MemoryConfig, event_type: str) -> int:
    """The importance of an event of this type before its changes are counted."""
    return config.event_type_importance.get(event_type, _DEFAULT_IMPORTANCE)


def get_deterministic_deltas(config: MemoryConfig, event_type: Any, context: Any) -> dict[str, int]:
    """Return the changes of the relationship for this event type by the Delta Clamping group; {} without a
    rule.

    Args:
        context: what the game knows of the event; the rules of this version look at the type alone.
    """
    call = "get_deterministic_deltas()"
    event_type = validate_text(call, "event_type", event_type)
    _validate_dictionary(call, "context", context)
    deltas = {}
    for dimension in DIMENSIONS:
        changes = getattr(config, f"event_{dimension}_changes")
        if event_type in changes:
            deltas[f"{dimension}_change"] = changes[event_type]
    return deltas


def _learned_name(analysis: Mapping[str, Any]) -> str:
    learned = analysis.get("learned_about_player", {})
    name = learned.get("name", "") if isinstance(learned, Mapping) else ""
    return name.strip() if isinstance(name, str) else ""


def _validate_dictionary(call: str, name: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong_type(call, name, value, "a Dictionary")
    if any(not isinstance(key, str) for key in value):
        raise InvalidArgumentError(f"{call}: a key of {name} is no String", "", 'Use keys like "npc_died"')
    return value
