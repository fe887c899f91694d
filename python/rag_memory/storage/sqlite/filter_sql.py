"""The conditions of a filter as SQL; every value is bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rag_memory.storage.filter import EQUALITY, FLAGS, LISTS, NUMBERS, TEXTS, Condition, meets
from rag_memory.validation import to_json


def sql_of(conditions: Iterable[Condition], npc_id: str) -> tuple[list[str], list[Any]]:
    """The conditions as SQL on the table `memories`, all of which have to hold, and the values to bind."""
    clauses: list[str] = []
    values: list[Any] = []
    for condition in conditions:
        if condition.field == "npc_id":
            clauses.append("1" if meets(condition, npc_id) else "0")
        else:
            sql, bound = condition_sql(condition)
            clauses.append(f"({sql})")
            values += bound
    return clauses, values


def condition_sql(condition: Condition) -> tuple[str, list[Any]]:
    """One condition on a field of the table `memories`, and the values to bind."""
    field, name, value = condition
    if field in LISTS:
        return f"EXISTS (SELECT 1 FROM json_each(memories.{field}) WHERE value = ?)", [value]
    if field in TEXTS or field in NUMBERS or field in FLAGS:
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
    if name in EQUALITY:
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
