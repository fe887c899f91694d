"""Queries as values: conditions, an order and a greatest number, and the statements for them."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from rag_memory.storage.filter import Condition


class Query(NamedTuple):
    """A selection of an NPC's rows: conditions that all have to hold, an order by columns ("" for the order
    in which they were stored), and a greatest number.
    """

    conditions: tuple[Condition, ...] = ()
    order: str = ""
    limit: int | None = None


def where(*conditions: Condition, order: str = "", limit: int | None = None, **equal: Any) -> Query:
    """A query for the rows whose columns have these values, and that meet the conditions."""
    by_value = tuple(Condition(field, "=", value) for field, value in equal.items())
    return Query((*by_value, *conditions), order, limit)


class Selection(NamedTuple):
    """The rows of a table that queries select. No query finds "" in a `sparse` column."""

    table: str
    columns: str
    key: str
    sparse: tuple[str, ...] = ()

    def statement(self, query: Query) -> tuple[str, dict[str, Any]]:
        """The statement of a query, and its values but `npc`."""
        shape = tuple((field, operator) for field, operator, _ in query.conditions)
        values = {f"value_{place}": condition.value for place, condition in enumerate(query.conditions)}
        if query.limit is not None:
            values["count"] = query.limit
        return _statement(self, shape, query.order or self.key, query.limit is not None), values


@functools.cache
def _statement(selection: Selection, shape: tuple[tuple[str, str], ...], order: str, has_limit: bool) -> str:
    clauses = ["npc = :npc"]
    clauses += [f"{field} {operator} :value_{place}" for place, (field, operator) in enumerate(shape)]
    clauses += [f"{field} <> ''" for field, _ in shape if field in selection.sparse]
    limit = " LIMIT :count" if has_limit else ""
    return (
        f"SELECT {selection.columns} FROM ${selection.table} WHERE {' AND '.join(clauses)} "
        f"ORDER BY {order}{limit}"
    )
