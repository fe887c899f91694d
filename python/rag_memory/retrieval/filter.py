"""Filters of memories. Fields in the columns are compared in memory, others in the store."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.memory.kind import KINDS
from rag_memory.storage.filter import COMPARE, Condition, meets
from rag_memory.storage.protocol import Storage
from rag_memory.vectors import Mask, NDArray

_IN_MEMORY = frozenset({"importance", "timestamp", "memory_tier", "last_accessed", "event_type", "kind"})
_LARGEST_BYTE = 255


def matching(conditions: list[Condition], columns: Columns, store: Storage, npc: int, npc_id: str) -> Mask:
    """Return a mask of the memories of an NPC that meet every condition, in the order of its columns."""
    masks: list[Mask] = []
    for condition in conditions:
        if condition.field == "npc_id":
            if not meets(condition, npc_id):
                return np.zeros(len(columns), dtype=np.bool_)
        elif condition.field in _IN_MEMORY:
            masks.append(_column_mask(condition, columns))
        else:
            masks.append(columns.contains(store.lists.keys_where(npc, condition)))
    if not masks:
        return np.ones(len(columns), dtype=np.bool_)
    return functools.reduce(np.logical_and, masks)


def _column_mask(condition: Condition, columns: Columns) -> Mask:
    if condition.field == "event_type":
        return columns.is_event([name for name in columns.event_types if meets(condition, name)])
    if condition.field == "kind":
        wanted_kinds = np.array([meets(condition, kind) for kind in KINDS], dtype=np.bool_)
        of_kind: Mask = wanted_kinds[columns.kinds]
        return of_kind
    numbers: dict[str, NDArray[Any]] = {
        "importance": columns.importances,
        "timestamp": columns.timestamps,
        "memory_tier": columns.tiers,
        "last_accessed": columns.last_accessed,
    }
    values = numbers[condition.field]
    wanted = condition.value
    if condition.operator in ("in", "not_in"):
        among = np.isin(values.astype(np.float64), np.array(wanted, dtype=np.float64))
        return among if condition.operator == "in" else ~among
    compare = COMPARE[condition.operator]
    # A whole number that the column's type holds needs no copy of the column.
    mask: Mask = (
        compare(values, int(wanted))
        if values.dtype == np.uint8 and 0 <= wanted <= _LARGEST_BYTE and wanted == int(wanted)
        else compare(values.astype(np.float64, copy=False), float(wanted))
    )
    return mask
