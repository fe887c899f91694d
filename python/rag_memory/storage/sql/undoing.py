"""Undoing one exchange: what it added is deleted, and what it changed is again what it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rag_memory.config.relationship_scales import DISPOSITION
from rag_memory.memory.occurrences import taken_back
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.recorded_rows import KEYS, PLACES, RecordedRows, Values, after, before
from rag_memory.storage.sql.records import Records

_MEMORIES_OF = {"vectors": "memories", "accesses": "memories"}
_ADDED_UP = ("repeat_count", "occurrences")
_WITH_TIMES = "extra"
"""Columns whose changes add up: one can be taken back although others came after it."""
_BY_ITSELF = ("last_accessed",)
"""Columns of memories that change apart from them."""
_DERIVED = ("keywords", "terms", "digest")
"""Columns of memories that follow from others."""

_ADDED = {
    table: f"SELECT {key} FROM ${table} WHERE exchange_id = :exchange_id AND exchange_id <> ''"
    for table, key in KEYS.items()
}
_ADDED_TO_ARCHIVE = "SELECT archive FROM $archived_memories WHERE write_order $in(orders)"
_DELETE = {table: f"DELETE FROM {table} WHERE $own AND {key} $in(keys)" for table, key in KEYS.items()}
_HAS_ID = "SELECT memory FROM $memories WHERE npc = :npc AND id = :id"
# A later mark needs its NPCs.
_NEW_NPCS = (
    "SELECT npc FROM $npcs WHERE write_order $in(orders) "
    "AND NOT EXISTS (SELECT 1 FROM $marks AS later WHERE later.mark >= npcs.write_order)"
)
_HAS_ROWS = (
    "SELECT 1 FROM $memories WHERE npc = :npc UNION ALL SELECT 1 FROM $archived_memories WHERE npc = :npc "
    "UNION ALL SELECT 1 FROM $interactions WHERE npc = :npc"
)
_STRENGTHS = (
    "SELECT interaction, sentiment, strength FROM $interactions "
    "WHERE npc = :npc AND source_id = :source_id ORDER BY interaction"
)
_SET_STRENGTH = "UPDATE interactions SET strength = :strength WHERE $own AND interaction = :key"
_EMOTION_BEFORE = (
    "SELECT emotion FROM $interactions WHERE npc = :npc AND interaction < :key "
    "ORDER BY interaction DESC LIMIT 1"
)
_CALM = (
    "UPDATE interactions SET emotion = :emotion "
    "WHERE $own AND npc = :npc AND interaction > :key AND emotion = :felt"
)
_DELETE_NPC = "DELETE FROM npcs WHERE $own AND npc = :npc"


class Undone(NamedTuple):
    """What undoing an exchange has changed."""

    removed: dict[str, dict[int, Values]]
    """The rows that it had added, by table and key."""
    restored: dict[str, dict[int, Values]]
    """The rows that it had changed or deleted, as they are again, by table and key."""
    npcs: frozenset[int]
    """The NPCs concerned."""


class Undoing:
    """One exchange that is being undone."""

    def __init__(
        self,
        database: Database,
        records: Records,
        rows: RecordedRows,
        exchange_id: str,
        orders: Sequence[int],
    ) -> None:
        self._database = database
        self._records = records
        self._rows = rows
        self._exchange_id = exchange_id
        self._orders = orders
        """Of its transactions, the last one first."""
        self._removed: dict[str, dict[int, Values]] = {table: {} for table in KEYS}
        self._passed_on: dict[int, int] = {}
        """Memories that a later transaction has replaced instead, and its order number."""
        self._restored: dict[str, dict[int, Values]] = {place: {} for place in PLACES}
        self._passing: set[int] = set()
        """Memories that the exchange added and deleted again, of which vectors were copied."""

    def run(self, forget: Callable[[Sequence[int]], None]) -> Undone:
        existing = {table: self._existing(table) for table in KEYS}
        self._remove(existing)
        for order in self._orders:
            for table in KEYS:
                for key, values in self._rows.copies(table, before(order)).items():
                    if key in existing[table]:
                        self._restore(table, key, values, order)
            self._restore_vectors(order)
            self._restore_accesses(order)
            # Earlier transactions of the exchange must not take them for the changes of somebody else.
            self._rows.delete_copies([before(order), after(order)])
        forget(self._orders)
        for key, entry in sorted(self._removed["interactions"].items()):
            self._take_emotion_back(key, entry)
        self._take_strengths_back()
        for place in PLACES:
            # What is kept of vectors and accesses may come from a change of the memory alone.
            for key in {*self._restored[place], *self._restored.get(_MEMORIES_OF.get(place, place), ())}:
                self._tidy(place, key)
        for key in {*self._removed["memories"], *self._passing}:
            if self._rows.copy_at_last_mark("memories", key) is None:
                # Nor was it there at the mark.
                for place in _MEMORIES_OF:
                    self._rows.delete_copy_at_last_mark(place, key)
        npcs = frozenset(self._npcs())
        for npc in npcs:
            self._database.touch(npc)
        self._delete_new_npcs()
        return Undone(self._removed, self._restored, npcs)

    def _existing(self, table: str) -> set[int]:
        """The keys of rows that the exchange has changed, and not added."""
        return {
            key
            for order in self._orders
            for key, values in self._rows.copies(table, before(order)).items()
            if values["exchange_id"] != self._exchange_id and values["write_order"] not in self._orders
        }

    def _remove(self, existing: Mapping[str, set[int]]) -> None:
        """Delete the rows that the exchange added, and what others hold of them to bring back."""
        own = [label(order) for order in self._orders for label in (before, after)]
        for table in KEYS:
            rows = self._database.rows(_ADDED[table], exchange_id=self._exchange_id)
            if table == "archived_memories":
                rows += self._database.rows(_ADDED_TO_ARCHIVE, orders=list(self._orders))
            keys = {int(key) for (key,) in rows} - existing[table]
            for key in keys:
                self._removed[table][key] = self._rows.current(table, key) or {}
            if table == "archived_memories":
                keys -= self._pass_on_archived()
            if keys:
                self._database.write(_DELETE[table], keys=sorted(keys))
            for key in {*self._rows.keys_copied_of(table, self._exchange_id, self._orders)} - existing[table]:
                self._rows.delete_copies_of(table, key, own)

    def _pass_on_archived(self) -> set[int]:
        """Keep versions in the archive that the exchange replaced by memories which were replaced again: the
        later memory has replaced them now. Returns their keys.
        """
        removed = self._removed["archived_memories"]
        replaced = {row["id"]: row for row in removed.values() if row["write_order"] not in self._orders}
        passed_on: set[int] = set()
        for key, row in [*removed.items()]:
            later = replaced.get(row["archived_by"])
            if later is None or row["write_order"] not in self._orders or row["id"] == later["id"]:
                continue
            names = ("archived_at", "archived_by", "archived_reason", "write_order")
            self._rows.put("archived_memories", key, {**row, **{name: later[name] for name in names}})
            self._passed_on[row["memory"]] = later["write_order"]
            del removed[key]
            passed_on.add(key)
        return passed_on

    def _restore(self, table: str, key: int, was: Values, order: int) -> None:
        """Give a row what it held before a transaction, as far as nobody has changed it since."""
        became = self._rows.copies(table, after(order)).get(key)
        current = self._rows.current(table, key)
        if table == "memories" and key in self._passed_on and became is None:
            for place in ("memories", "vectors"):
                self._rows.relabel(place, key, before(order), before(self._passed_on[key]))
            return
        if became is None:
            if current is None and self._is_free(table, was):
                self._put(table, key, was)
            return
        changed = {name for name in was if was[name] != became[name]} - {*_BY_ITSELF}
        merged: Values = {}
        is_same = True
        for label, values in self._states(table, key, order, current):
            merged = _taken_back(values, was, became, changed)
            # Whoever has set something else later has done so for good.
            changed = {
                name
                for name in changed
                if name in _ADDED_UP or name == _WITH_TIMES or values[name] == became[name]
            }
            if label and merged != values:
                self._rows.put_copy(table, key, label, merged)
            is_same = merged == values
        if current is not None and not is_same:
            self._put(table, key, merged)

    def _states(
        self, table: str, key: int, order: int, current: Values | None
    ) -> Iterator[tuple[int, Values]]:
        """The states of a row since a transaction, with the labels of their copies; the current one has 0."""
        yield from self._rows.later_copies(table, key, after(order))
        if current is not None:
            yield 0, current

    def _is_free(self, table: str, row: Values) -> bool:
        """Return True if no other memory has the id of this one now."""
        return table != "memories" or not self._database.row(_HAS_ID, npc=row["npc"], id=row["id"])

    def _put(self, table: str, key: int, row: Values) -> None:
        self._rows.put(table, key, row)
        self._restored[table][key] = row

    def _take_strengths_back(self) -> None:
        """Give later entries of the log the strengths that they would have without the removed ones."""
        removed = {key: entry for key, entry in self._removed["interactions"].items() if entry}
        for npc, source_id in {(entry["npc"], entry["source_id"]) for entry in removed.values()}:
            if not source_id:
                continue
            entries = {
                int(key): (sentiment, strength)
                for key, sentiment, strength in self._database.rows(_STRENGTHS, npc=npc, source_id=source_id)
            }
            for key, entry in removed.items():
                if (entry["npc"], entry["source_id"]) == (npc, source_id):
                    entries[key] = (entry["sentiment"], entry["strength"])
            for key, strength in _strengths_without(removed, entries).items():
                self._database.write(_SET_STRENGTH, strength=strength, key=key)

    def _take_emotion_back(self, key: int, entry: Values) -> None:
        """Give later entries of the log the emotion that they would have without a removed one."""
        if not entry:
            return
        values = {"npc": entry["npc"], "key": key}
        former = self._database.row(_EMOTION_BEFORE, **values)
        emotion = "" if former is None else former[0]
        if emotion != entry["emotion"]:
            self._database.write(_CALM, emotion=emotion, felt=entry["emotion"], **values)

    def _restore_vectors(self, order: int) -> None:
        """Give back the vectors of memories whose text is again what it was."""
        for key, vector in self._rows.copies("vectors", before(order)).items():
            memory = self._restored["memories"].get(key)
            copy = self._rows.copies("memories", before(order)).get(key)
            if memory and copy and memory["document_full"] == copy["document_full"]:
                self._rows.put("vectors", key, vector)
                self._restored["vectors"][key] = vector
            elif copy is None and self._rows.current("memories", key) is None:
                self._passing.add(key)

    def _restore_accesses(self, order: int) -> None:
        """Give back the last accesses of memories that were not accessed since."""
        copies = self._rows.copies("accesses", after(order))
        for key, was in self._rows.copies("accesses", before(order)).items():
            current, became = self._rows.current("accesses", key), copies.get(key)
            for label, values in self._rows.later_copies("accesses", key, after(order)):
                if values == became:
                    self._rows.put_copy("accesses", key, label, was)
            if current is not None and became in (None, current):
                self._records.access({key: was["last_accessed"]})
                self._restored["accesses"][key] = was

    def _tidy(self, place: str, key: int) -> None:
        """Delete the copy for the last mark of a row that is again what it was then."""
        copy, current = self._rows.copy_at_last_mark(place, key), self._rows.current(place, key)
        if copy is None or current is None:
            return
        if place == "accesses" and self._rows.copy_at_last_mark("memories", key) is not None:
            return  # It came with the copy of the memory.
        ignored = {*_DERIVED, *(_BY_ITSELF if place in ("memories", "archived_memories") else ())}
        if all(copy[name] == current[name] for name in copy if name not in ignored):
            self._rows.delete_copy_at_last_mark(place, key)

    def _npcs(self) -> Iterator[int]:
        """The NPCs of the rows concerned."""
        for rows in (self._removed, self._restored):
            for table in ("memories", "archived_memories", "interactions"):
                yield from (int(row["npc"]) for row in rows[table].values() if row)
        for key in self._restored["accesses"]:
            memory = self._rows.current("memories", key)
            if memory is not None:
                yield int(memory["npc"])

    def _delete_new_npcs(self) -> None:
        """Delete the NPCs that had nothing before the exchange and have nothing again."""
        for (npc,) in self._database.rows(_NEW_NPCS, orders=list(self._orders)):
            if not self._database.row(_HAS_ROWS, npc=npc):
                self._database.write(_DELETE_NPC, npc=npc)


def _strengths_without(
    removed: Iterable[int], entries: Mapping[int, tuple[float, float]]
) -> dict[int, float]:
    """The strengths that differ without the removed entries, by key. `entries`: the sentiment and the
    strength of each entry about one character, the removed ones among them.

    A strength follows from the one before, faded towards that of a stranger, and the sentiment. How far it
    has faded shows where the sum was within the range; elsewhere it counts as not faded.
    """
    strengths: dict[int, float] = {}
    usual = DISPOSITION.usual
    was = now = usual
    for key, (sentiment, strength) in sorted(entries.items()):
        if key not in removed:
            rest = 1.0
            if was != usual and DISPOSITION.least < strength < DISPOSITION.most:
                rest = min(max((strength - sentiment - usual) / (was - usual), 0.0), 1.0)
            if now == was:
                now = strength
            else:
                now = DISPOSITION.limited(usual + (now - usual) * rest + sentiment)
                strengths[key] = now
        was = strength
    return strengths


def _taken_back(values: Values, was: Values, became: Values, changed: Iterable[str]) -> Values:
    """A later state of a row without what a transaction has changed of it."""
    merged = dict(values)
    for name in changed:
        if values[name] == became[name]:
            merged[name] = was[name]
        elif name in _ADDED_UP:
            merged[name] = values[name] - became[name] + was[name]
        elif name == _WITH_TIMES:
            count = became["repeat_count"] - was["repeat_count"]
            merged[name] = (
                taken_back(values[name], was[name], became[name], count) if count > 0 else values[name]
            )
    return merged
