"""What two states of a save differ in: memories that came, went, or say something else, by NPC."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Protocol

from rag_memory.memory.document import CAMPAIGN, PLAYED
from rag_memory.memory.owners import is_npc
from rag_memory.step import Step
from rag_memory.storage.sql.browsing import COMPARED, Browsing, ComparedRow
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.records import Records
from rag_memory.validation import mapping_in

_ADDED, _REMOVED, _CHANGED = "added", "removed", "changed"
_SLICE_ROWS = 2000


class Comparable(Protocol):
    """A state of a save: the save itself, or a snapshot."""

    @property
    def records(self) -> Records:
        """The memories."""

    @property
    def browsing(self) -> Browsing:
        """The memories as they are compared."""

    @property
    def documents(self) -> Documents:
        """The documents of the world."""


def compare_steps(before: Comparable, after: Comparable, limit: int) -> Generator[Step, None, dict[str, Any]]:
    """{npcs: {npc_id: {added, removed, changed: lists of at most `limit`, and added_count, ...}}, added,
    removed, changed: how many in all, world: {kind: {added, removed, changed: how many documents}}}, in
    slices. NPCs and kinds without a difference are left out.
    """
    npcs: dict[str, dict[str, Any]] = {}
    totals = _none()
    total = before.records.count()
    for done, (old, new) in enumerate(_paired(before.browsing.compared(), after.browsing.compared())):
        if done % _SLICE_ROWS == _SLICE_ROWS - 1:
            yield Step(min(done, total), total, "comparing snapshots")
        if old == new:
            continue
        row = old or new
        assert row is not None
        if not is_npc(row[0]):
            continue
        kind = _difference(old, new)
        changes = npcs.setdefault(row[0], _nothing())
        changes[f"{kind}_count"] += 1
        totals[kind] += 1
        if changes[f"{kind}_count"] <= limit:
            changes[kind].append(_described(old, new))
    world = yield from _compare_world_steps(before, after)
    return {"npcs": npcs, **totals, "world": world}


def _compare_world_steps(
    before: Comparable, after: Comparable
) -> Generator[Step, None, dict[str, dict[str, int]]]:
    world: dict[str, dict[str, int]] = {}
    for done, (old, new) in enumerate(_paired(before.documents.compared(), after.documents.compared())):
        if done % _SLICE_ROWS == _SLICE_ROWS - 1:
            yield Step(done, done, "comparing snapshots")
        if old == new or (old and new and _said(old) == _said(new)):
            continue
        row = old or new
        assert row is not None
        world.setdefault(row[0], _none())[_difference(old, new)] += 1
    return world


def _said(row: ComparedRow) -> dict[str, Any]:
    """The content of a document without when the save was played, which says nothing of the world."""
    content = mapping_in(row[2])
    return {key: value for key, value in content.items() if row[0] != CAMPAIGN or key not in PLAYED}


def _paired(
    before: Iterator[ComparedRow], after: Iterator[ComparedRow]
) -> Iterator[tuple[ComparedRow | None, ComparedRow | None]]:
    """Rows that begin with the same two values beside each other; None where one side has none."""
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


def _difference(old: ComparedRow | None, new: ComparedRow | None) -> str:
    return _ADDED if old is None else _REMOVED if new is None else _CHANGED


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


def _none() -> dict[str, int]:
    return dict.fromkeys((_ADDED, _REMOVED, _CHANGED), 0)


def _nothing() -> dict[str, Any]:
    return {kind: [] for kind in (_ADDED, _REMOVED, _CHANGED)} | {
        f"{kind}_count": 0 for kind in (_ADDED, _REMOVED, _CHANGED)
    }
