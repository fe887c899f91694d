"""The relationship of an NPC to somebody, in the dimensions of DIMENSIONS."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import shown, validate_flag, validate_number, warn_of_slips, wrong_type

KEYS = (*DIMENSIONS, "met")
"""The keys of a relationship that have a meaning."""
YIELDS_TO_PROFILE = "yields_to_profile"
"""The key of an initial relationship that counts only where the NPC's profile says nothing."""

_TERRIFIED_FEAR = 75
_CAUTIOUS_FEAR = 40
_WARM_AFFECTION = 50
_DEVOTED_AFFECTION = 80
_ACQUAINTED_FAMILIARITY = 40
_CLOSE_FAMILIARITY = 60

_LOG = logging.getLogger("rag_memory")


def usual_relationship() -> dict[str, Any]:
    """Return the dimensions that nothing has set."""
    return {name: scale.usual for name, scale in DIMENSIONS.items()}


def validate_dimension(call: str, name: str, value: Any) -> float:
    """A dimension within its range: one outside is clamped, with a logged warning.

    Raises:
        InvalidArgumentError: it is no finite number.
    """
    validate_number(call, name, value)
    scale = DIMENSIONS[name]
    limited = scale.limited(value)
    if limited != value:
        _LOG.warning(
            "%s: %s is %s, outside %d to %d, so %s is kept",
            call,
            name,
            value,
            scale.least,
            scale.most,
            limited,
        )
    return limited


def validate_relationship(call: str, state: Any) -> dict[str, Any]:
    """Return a relationship with its dimensions clamped to their ranges, with a warning. Other keys are kept,
    with a warning when one looks like a slip, or when none has a meaning.

    Raises:
        InvalidArgumentError: it is no dictionary, or one of these values has the wrong type.
    """
    if not isinstance(state, Mapping):
        raise wrong_type(call, "state", state, "a Dictionary")
    if any(not isinstance(key, str) for key in state):
        raise InvalidArgumentError(f"{call}: a key of state is no String", "", 'Use keys like "trust"')
    checked = dict(state)
    has_slips = warn_of_slips(call, "state", checked, KEYS)
    if checked and not has_slips and not any(name in checked for name in KEYS):
        _LOG.warning(
            "%s: the relationship header does not show %s; it shows %s", call, _list(checked), _list(KEYS)
        )
    for name in DIMENSIONS:
        if name in checked:
            checked[name] = validate_dimension(call, name, checked[name])
    for name in ("met", YIELDS_TO_PROFILE):
        if name in checked:
            validate_flag(call, name, checked[name])
    return checked


def status_label(relationship: Mapping[str, Any]) -> str:
    """The relationship in a word, from "hostile" to "trusted_ally".

    Trust and affection decide as in the reference design; great fear, and how well the two know each other,
    refine it.
    """
    numbers = {name: int(relationship.get(name, scale.usual)) for name, scale in DIMENSIONS.items()}
    trust, affection, familiarity = numbers["trust"], numbers["affection"], numbers["familiarity"]
    if numbers["fear"] >= _TERRIFIED_FEAR:
        return "terrified"
    if trust < 20:
        return "hostile" if affection < 0 else "distrustful"
    if trust < 40:
        return "wary"
    if trust < 60:
        if numbers["fear"] >= _CAUTIOUS_FEAR:
            return "cautious"
        return "acquaintance" if familiarity >= _ACQUAINTED_FAMILIARITY else "neutral"
    close = familiarity >= _CLOSE_FAMILIARITY
    if trust < 80:
        return "close_friend" if affection > _WARM_AFFECTION and close else "friendly"
    if affection > _WARM_AFFECTION:
        return "devoted" if affection > _DEVOTED_AFFECTION and close else "trusted_ally"
    return "respected"


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(shown, names))
