"""Statements that read memories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.memory.record import PLAYER_INFO, Record, digest_of
from rag_memory.storage.sqlite.connected import COLUMNS, Connected

_ROWIDS_AT_ONCE = 1000

_READ_LIMIT = 4096
"""Records kept after they were read: the same few memories answer most questions."""


class RecordReading(Connected):
    """See storage.protocol.RecordsRead."""

    def by_id(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""
        return self._record(f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND id = ?", (npc, id))

    def id_exists(self, npc: int, id: str) -> bool:
        """Whether the NPC has, or has archived, a memory with this id."""
        row = self._row(
            "SELECT 1 FROM memories WHERE npc = :npc AND id = :id "
            "UNION ALL SELECT 1 FROM archived_memories WHERE npc = :npc AND id = :id",
            {"npc": npc, "id": id},
        )
        return row is not None

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        """The memories with these rowids, in ascending order of rowid; unknown ones are left out."""
        read = self._read
        missing = [rowid for rowid in keys if rowid not in read]
        if len(read) + len(missing) > _READ_LIMIT:
            read.clear()
            missing = list(keys)
        found = [] if len(missing) == len(keys) else [read[rowid] for rowid in keys if rowid in read]
        records = self.read_once(missing)
        found += records
        if len(missing) <= _READ_LIMIT:
            read.update((record.key, record) for record in records)
        found.sort(key=_key_of)
        return found

    def read_once(self, keys: Sequence[int]) -> list[Record]:
        """by_keys() of memories that are not asked for again soon: they are not kept."""
        rows = self._rows_in(f"SELECT {COLUMNS} FROM memories WHERE rowid", keys)
        return sorted((Record._make(row) for row in rows), key=_key_of)

    def all(self, npc: int) -> list[Record]:
        """Every memory of the NPC, in the order in which they were stored first."""
        return self._records(f"SELECT {COLUMNS} FROM memories WHERE npc = ? ORDER BY rowid", (npc,))

    def key_pages(self, npc: int) -> Iterator[list[int]]:
        """The rowids of all(), in the order of the memories' times, a millisecond or two at a time."""
        last: tuple[float, int] = (-math.inf, -1)
        while rows := self._rows(
            "SELECT timestamp, rowid FROM memories WHERE npc = ? AND (timestamp, rowid) > (?, ?) "
            "ORDER BY timestamp, rowid LIMIT ?",
            (npc, *last, _ROWIDS_AT_ONCE),
        ):
            yield [row[1] for row in rows]
            last = rows[-1]

    def newest_in_slot(self, npc: int, slot_type: str) -> Record | None:
        """The current value of a slot."""
        return self._record(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND slot_type = ? AND slot_type <> '' "
            "ORDER BY timestamp DESC, rowid DESC LIMIT 1",
            (npc, slot_type),
        )

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND slot_type = ? AND slot_type <> '' "
            "ORDER BY rowid",
            (npc, slot_type),
        )

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The NPC's memories of an event type that nothing has superseded, dated `until` or earlier."""
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND event_type = ? AND timestamp <= ? "
            "AND superseded_by = '' ORDER BY rowid",
            (npc, event_type, until),
        )

    def player_info(self, npc: int, info_type: str) -> Record | None:
        """The memory that holds this piece of information about the player."""
        return self._record(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND info_type = ? AND info_type <> '' "
            f"AND event_type = '{PLAYER_INFO}' ORDER BY rowid DESC LIMIT 1",
            (npc, info_type),
        )

    def newest(self, npc: int, count: int, min_importance: int) -> list[Record]:
        """The newest memories of at least this importance, newest first."""
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND importance >= ? "
            "ORDER BY timestamp DESC, rowid DESC LIMIT ?",
            (npc, min_importance, count),
        )

    def repeatable(self, npc: int, event_type: str, text: str) -> list[Record]:
        """The NPC's memories of this event type and text that nothing has superseded, by rowid."""
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE npc = ? AND digest = ? AND event_type = ? "
            "AND document_full = ? AND superseded_by = '' ORDER BY rowid",
            (npc, digest_of(event_type, text), event_type, text),
        )

    def last_key(self, npc: int) -> int:
        """The highest key of the NPC's memories; 0 without any."""
        row = self._row("SELECT coalesce(max(rowid), 0) FROM memories WHERE npc = ?", [npc])
        return 0 if row is None else int(row[0])

    def importance_after(self, npc: int, key: int) -> int:
        """The sum of the importances of the memories with later keys, without reflections and facts."""
        # The "+" keeps SQLite from reading what other NPCs have stored since.
        row = self._row(
            "SELECT coalesce(sum(importance), 0) FROM memories WHERE npc = ? AND +rowid > ? "
            "AND kind NOT IN (?, ?)",
            [npc, key, REFLECTION, FACT],
        )
        return 0 if row is None else int(row[0])

    def texts(self, keys: Sequence[int]) -> list[str]:
        """The full texts of these memories, in the order asked for."""
        by_rowid = {record.key: record.document_full for record in self.by_keys(keys)}
        return [by_rowid[rowid] for rowid in keys]


def _key_of(record: Record) -> int:
    return record.key
