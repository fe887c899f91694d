"""Statements that read memories."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.memory.record import Record
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.storage.sqlite.connected import Connected

_READ_LIMIT = 4096
"""Records kept after they were read: the same few memories answer most questions."""


class RecordReading(Connected):
    """See storage.protocol.RecordsRead."""

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


def _key_of(record: Record) -> int:
    return record.key
