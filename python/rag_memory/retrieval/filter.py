"""Typed filters on metadata: every value is bound, nothing a caller passes ever becomes SQL.

{"event_type": "betrayal", "importance": {">=": 4}, "location": {"in": ["mill", "inn"]}, "topics":
{"contains": "war"}}

All conditions have to hold. Fields that the columns hold in memory are compared there, the others in the
database.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_memory.errors import InvalidArgumentError
from rag_memory.index.columns import Columns
from rag_memory.storage.sqlite.store import Store
from rag_memory.validation import (
    clean_text,
    to_json,
    validate_flag,
    validate_number,
    validate_text,
    wrong_type,
)
from rag_memory.vectors import Mask

_NUMBERS = frozenset(
    {"importance", "timestamp", "memory_tier", "superseded_at", "repeat_count", "first_timestamp"}
)
_FLAGS = frozenset({"is_milestone"})
_TEXTS = frozenset(
    {
        "id",
        "event_type",
        "milestone_type",
        "emotion",
        "info_type",
        "slot_type",
        "location",
        "interaction_type",
        "superseded_by",
    }
)
_LISTS = frozenset({"participants", "topics", "entities"})
_IN_MEMORY = frozenset({"importance", "timestamp", "memory_tier", "event_type"})

_EQUALITY = {"=": "=", "!=": "!="}
_ORDER = {">": ">", ">=": ">=", "<": "<", "<=": "<="}
_MEMBERSHIP = {"in": "in", "nin": "not_in", "not_in": "not_in"}
_FLAG_OPERATORS = tuple(_EQUALITY)
_VALUE_OPERATORS = (*_EQUALITY, *_ORDER, "in", "not_in")
_FREE_OPERATORS = (*_VALUE_OPERATORS, "contains")
_OPERATORS = {**_EQUALITY, **_ORDER, **_MEMBERSHIP, "contains": "contains"}

_LARGEST_BYTE = 255
_BEYOND_INTEGERS = 2**63

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
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
    if not isinstance(filter, Mapping):
        raise wrong_type(where, "filter", filter, "a Dictionary")
    conditions: list[Condition] = []
    for field, wanted in filter.items():
        if not isinstance(field, str):
            raise wrong_type(where, "a key of filter", field, "a String")
        comparisons = wanted if isinstance(wanted, Mapping) else {"=": wanted}
        for name, value in comparisons.items():
            if name not in _OPERATORS:
                raise InvalidArgumentError(
                    f"{where}: filter on {field!r} has the operator {name!r}",
                    "there is no such operator",
                    f"Use one of {', '.join(_OPERATORS)}",
                )
            conditions.append(_checked(where, clean_text(field), _OPERATORS[name], value))
    return conditions


def matching(conditions: list[Condition], columns: Columns, store: Store, npc: int, npc_id: str) -> Mask:
    """Which memories of an NPC meet every condition, in the order of its columns."""
    masks: list[Mask] = []
    for condition in conditions:
        if condition.field == "npc_id":
            if not _meets(condition, npc_id):
                return np.zeros(len(columns), dtype=np.bool_)
        elif condition.field in _IN_MEMORY:
            masks.append(_column_mask(condition, columns))
        else:
            sql, values = _sql(condition)
            masks.append(columns.contains(store.keys_where(npc, sql, values)))
    if not masks:
        return np.ones(len(columns), dtype=np.bool_)
    return functools.reduce(np.logical_and, masks)


def sql_of(conditions: list[Condition], npc_id: str) -> tuple[list[str], list[Any]]:
    """The conditions as SQL on the table `memories`, all of which have to hold, and the values to bind."""
    clauses: list[str] = []
    values: list[Any] = []
    for condition in conditions:
        if condition.field == "npc_id":
            clauses.append("1" if _meets(condition, npc_id) else "0")
        else:
            sql, bound = _sql(condition)
            clauses.append(f"({sql})")
            values += bound
    return clauses, values


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
    if field in _LISTS:
        return ("contains",)
    if field in _FLAGS:
        return _FLAG_OPERATORS
    if field in _TEXTS or field in _NUMBERS or field == "npc_id":
        return _VALUE_OPERATORS
    return _FREE_OPERATORS


def _validate_value(where: str, name: str, field: str, value: Any) -> Any:
    if field in _TEXTS or field in _LISTS or field == "npc_id":
        return validate_text(where, name, value)
    if field in _NUMBERS:
        return _validate_number(where, name, value)
    if field in _FLAGS:
        return validate_flag(where, name, value)
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _validate_number(where, name, value)
    raise wrong_type(where, name, value, "null, a bool, a number or a String")


def _validate_number(where: str, name: str, value: Any) -> int | float:
    """The number; an int that SQLite cannot hold, and no memory has, as a float."""
    number = validate_number(where, name, value)
    return value if isinstance(value, int) and abs(value) < _BEYOND_INTEGERS else number


def _meets(condition: Condition, value: str) -> bool:
    if condition.operator == "in":
        return value in condition.value
    if condition.operator == "not_in":
        return value not in condition.value
    return bool(_COMPARE[condition.operator](value, condition.value))


def _column_mask(condition: Condition, columns: Columns) -> Mask:
    if condition.field == "event_type":
        return columns.is_event([name for name in columns.event_types if _meets(condition, name)])
    numbers: dict[str, NDArray[Any]] = {
        "importance": columns.importances,
        "timestamp": columns.timestamps,
        "memory_tier": columns.tiers,
    }
    values = numbers[condition.field]
    wanted = condition.value
    if condition.operator in ("in", "not_in"):
        among = np.isin(values.astype(np.float64), np.array(wanted, dtype=np.float64))
        return among if condition.operator == "in" else ~among
    compare = _COMPARE[condition.operator]
    # A whole number that the column's type holds needs no copy of the column.
    mask: Mask = (
        compare(values, int(wanted))
        if values.dtype == np.uint8 and 0 <= wanted <= _LARGEST_BYTE and wanted == int(wanted)
        else compare(values.astype(np.float64, copy=False), float(wanted))
    )
    return mask


def _sql(condition: Condition) -> tuple[str, list[Any]]:
    field, name, value = condition
    if field in _LISTS:
        return f"EXISTS (SELECT 1 FROM json_each(memories.{field}) WHERE value = ?)", [value]
    if field in _TEXTS or field in _NUMBERS or field in _FLAGS:
        if name in ("in", "not_in"):
            negation = "NOT " if name == "not_in" else ""
            return f"{field} {negation}IN (SELECT value FROM json_each(?))", [to_json(value)]
        return f"{field} {name} ?", [value]
    return _free_sql(field, name, value)


def _free_sql(field: str, name: str, value: Any) -> tuple[str, list[Any]]:
    """A condition on a key of the caller's own. A memory without the key meets only != and not_in."""
    if name == "contains":
        equal, values = _equal("item", value)
        return (
            "EXISTS (SELECT 1 FROM json_each(memories.extra) AS entry, json_each(entry.value) AS item "
            f"WHERE entry.key = ? AND entry.type = 'array' AND {equal})",
            [field, *values],
        )
    if name in ("in", "not_in"):
        parts = [_equal("entry", item) for item in value]
        equal = " OR ".join(sql for sql, _ in parts) or "0"
        found = f"EXISTS (SELECT 1 FROM json_each(memories.extra) AS entry WHERE entry.key = ? AND ({equal}))"
        values = [field, *(bound for _, each in parts for bound in each)]
        return (f"NOT {found}" if name == "not_in" else found), values
    if name in _EQUALITY:
        equal, values = _equal("entry", value)
        found = f"EXISTS (SELECT 1 FROM json_each(memories.extra) AS entry WHERE entry.key = ? AND {equal})"
        return (f"NOT {found}" if name == "!=" else found), [field, *values]
    types = "'text'" if isinstance(value, str) else "'integer', 'real'"
    return (
        "EXISTS (SELECT 1 FROM json_each(memories.extra) AS entry "
        f"WHERE entry.key = ? AND entry.type IN ({types}) AND entry.value {name} ?)",
        [field, value],
    )


def _equal(entry: str, value: Any) -> tuple[str, list[Any]]:
    if value is None:
        return f"{entry}.type = 'null'", []
    if isinstance(value, bool):
        return f"{entry}.type = '{'true' if value else 'false'}'", []
    types = "'text'" if isinstance(value, str) else "'integer', 'real'"
    return f"({entry}.type IN ({types}) AND {entry}.value = ?)", [value]
