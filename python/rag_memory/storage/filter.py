"""Typed filters on metadata, as conditions that each backend translates; nothing a caller passes is ever
run as a statement.

{"event_type": "betrayal", "importance": {">=": 4}, "location": {"in": ["mill", "inn"]}, "topics":
{"contains": "war"}}

All conditions have to hold.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from rag_memory.errors import InvalidArgumentError
from rag_memory.key_slips import OTHER_NAMES
from rag_memory.validation import (
    EngineValue,
    clean_text,
    validate_flag,
    validate_number,
    validate_text,
    warn_of_slips,
    wrong_type,
)

NUMBERS = frozenset(
    {
        *("importance", "timestamp", "memory_tier", "superseded_at", "repeat_count", "first_timestamp"),
        "last_accessed",
    }
)
FLAGS = frozenset({"is_milestone"})
TEXTS = frozenset(
    {
        *("id", "event_type", "kind", "milestone_type", "emotion", "info_type", "slot_type", "location"),
        *("interaction_type", "superseded_by"),
    }
)
LISTS = frozenset({"participants", "topics", "entities"})
"""Fields by their type; any other name is a key of the caller's own."""
_FIELDS = tuple(sorted(NUMBERS | FLAGS | TEXTS | LISTS))

EQUALITY = {"=": "=", "!=": "!="}
_ORDER = {">": ">", ">=": ">=", "<": "<", "<=": "<="}
_MEMBERSHIP = {"in": "in", "nin": "not_in", "not_in": "not_in"}
_FLAG_OPERATORS = tuple(EQUALITY)
_VALUE_OPERATORS = (*EQUALITY, *_ORDER, "in", "not_in")
_FREE_OPERATORS = (*_VALUE_OPERATORS, "contains")
_OPERATORS = {**EQUALITY, **_ORDER, **_MEMBERSHIP, "contains": "contains"}

_BEYOND_INTEGERS = 2**63

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Condition(NamedTuple):
    """One comparison: a field of the metadata, an operator, and the value to compare with."""

    field: str
    operator: str
    value: Any


def parse_filter(where: str, filter: Any) -> list[Condition]:
    """The conditions of a filter dictionary; a bare value means "=".

    Raises:
        InvalidArgumentError: an unknown operator, one that the field's type does not have, or a value of a
            wrong type.
    """
    if not _is_dictionary(filter):
        raise wrong_type(where, "filter", filter, "a Dictionary")
    # What a game may well call a key of its own is no slip here.
    warn_of_slips(where, "filter", {key: filter[key] for key in filter if key not in OTHER_NAMES}, _FIELDS)
    conditions: list[Condition] = []
    for field, wanted in filter.items():
        if not isinstance(field, str):
            raise wrong_type(where, "a key of filter", field, "a String")
        comparisons = wanted if _is_dictionary(wanted) else {"=": wanted}
        for name, value in comparisons.items():
            if name not in _OPERATORS:
                raise InvalidArgumentError(
                    f"{where}: filter on {field!r} has the operator {name!r}",
                    "there is no such operator",
                    f"Use one of {', '.join(_OPERATORS)}",
                )
            conditions.append(_checked(where, clean_text(field), _OPERATORS[name], value))
    return conditions


def with_other_names(
    conditions: Sequence[Condition], names_of: Callable[[str], Sequence[str]]
) -> list[Condition]:
    """Return conditions that mean a participant by every name of that person.

    Args:
        names_of: returns the names of the person with this name.
    """
    return [
        condition._replace(value=tuple(names_of(condition.value)))
        if condition.field == "participants"
        else condition
        for condition in conditions
    ]


def _is_dictionary(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping) and not isinstance(value, EngineValue)


def meets(condition: Condition, value: Any) -> bool:
    """Whether a value of the type of the condition's field meets it."""
    if condition.operator == "in":
        return value in condition.value
    if condition.operator == "not_in":
        return value not in condition.value
    return bool(COMPARE[condition.operator](value, condition.value))


def _checked(where: str, field: str, operator: str, value: Any) -> Condition:
    name = f"filter on {field!r}"
    allowed = _allowed(field)
    if operator not in allowed:
        raise InvalidArgumentError(
            f"{where}: {name} uses {operator!r}",
            f"that field can be compared with {', '.join(allowed)}",
            "Use one of these operators",
        )
    if operator in ("in", "not_in"):
        if not isinstance(value, list | tuple):
            raise wrong_type(where, name, value, f"an Array for the operator {operator!r}")
        return Condition(field, operator, [_validate_value(where, name, field, item) for item in value])
    checked = _validate_value(where, name, field, value)
    if operator in _ORDER and (checked is None or isinstance(checked, bool)):
        raise wrong_type(where, name, value, f"a number or a String for the operator {operator!r}")
    return Condition(field, operator, checked)


def _allowed(field: str) -> tuple[str, ...]:
    if field in LISTS:
        return ("contains",)
    if field in FLAGS:
        return _FLAG_OPERATORS
    if field in TEXTS or field in NUMBERS or field == "npc_id":
        return _VALUE_OPERATORS
    return _FREE_OPERATORS


def _validate_value(where: str, name: str, field: str, value: Any) -> Any:
    if field in TEXTS or field in LISTS or field == "npc_id":
        return validate_text(where, name, value)
    if field in NUMBERS:
        return _validate_number(where, name, value)
    if field in FLAGS:
        return validate_flag(where, name, value)
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _validate_number(where, name, value)
    raise wrong_type(where, name, value, "null, a bool, a number or a String")


def _validate_number(where: str, name: str, value: Any) -> int | float:
    """The number; an int beyond 64 bits, which no memory has, as a float."""
    number = validate_number(where, name, value)
    return value if isinstance(value, int) and abs(value) < _BEYOND_INTEGERS else number
