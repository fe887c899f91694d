"""What two states of a save differ in: memories that came, went, or say something else, by NPC."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Protocol

from rag_memory.memory.record import Record
from rag_memory.step import Step

_ADDED, _REMOVED, _CHANGED = "added", "removed", "changed"
_SLICE_ROWS = 2000

COMPARED = tuple(name for name in Record._fields if name not in ("key", "stored_at", "last_accessed"))
"""Where a memory lies, when it was written and when it was asked for is no difference."""

ComparedRow = tuple[Any, ...]
"""An npc_id and the COMPARED fields of one of its memories."""


class Comparable(Protocol):
    """A state of a save: the save itself, or a snapshot."""

    def count(self) -> int:
        """How many memories there are."""

    def compared_rows(self) -> Iterator[ComparedRow]:
        """Every memory, in the order of the NPCs' ids and of its own."""


def compare_steps(before: Comparable, after: Comparable, limit: int) -> Generator[Step, None, dict[str, Any]]:
    """{npcs: {npc_id: {added, removed, changed: lists of at most `limit`, and added_count, ...}}, added,
    removed, changed: how many in all}, in slices. NPCs without a difference are left out.
    """
    npcs: dict[str, dict[str, Any]] = {}
    totals = dict.fromkeys((_ADDED, _REMOVED, _CHANGED), 0)
    total = before.count()
    for done, (old, new) in enumerate(_paired(before.compared_rows(), after.compared_rows())):
        if done % _SLICE_ROWS == _SLICE_ROWS - 1:
            yield Step(min(done, total), total, "comparing snapshots")
        if old == new:
            continue
        kind = _ADDED if old is None else _REMOVED if new is None else _CHANGED
        row = old or new
        assert row is not None
        found = npcs.setdefault(row[0], _nothing())
        found[f"{kind}_count"] += 1
        totals[kind] += 1
        if found[f"{kind}_count"] <= limit:
            found[kind].append(_described(old, new))
    return {"npcs": npcs, **totals}


def _paired(
    before: Iterator[ComparedRow], after: Iterator[ComparedRow]
) -> Iterator[tuple[ComparedRow | None, ComparedRow | None]]:
    """Rows with the same NPC and id beside each other; None where one side has none."""
    old, new = next(before, None), next(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old[:2] < new[:2]):
            yield old, None
            old = next(before, None)
        elif old is None or new[:2] < old[:2]:
            yield None, new
            new = next(after, None)
        else:
            yield old, new
            old, new = next(before, None), next(after, None)


def _described(old: ComparedRow | None, new: ComparedRow | None) -> dict[str, Any]:
    if old is None or new is None:
        values = _values(old or new or ())
        return {name: values[name] for name in ("id", "event_type", "importance", "timestamp")} | {
            "text": values["document_full"]
        }
    before, after = _values(old), _values(new)
    names = [name for name in COMPARED if before[name] != after[name]]
    return {
        "id": after["id"],
        "text": after["document_full"],
        "before": {name: before[name] for name in names},
        "after": {name: after[name] for name in names},
    }


def _values(row: ComparedRow) -> dict[str, Any]:
    return dict(zip(COMPARED, row[1:], strict=True))


def _nothing() -> dict[str, Any]:
    return {kind: [] for kind in (_ADDED, _REMOVED, _CHANGED)} | {
        f"{kind}_count": 0 for kind in (_ADDED, _REMOVED, _CHANGED)
    }
