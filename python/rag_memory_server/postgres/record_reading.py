"""Statements that read memories."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.memory.record import Record
from rag_memory.storage.sql.records import COLUMNS
from rag_memory_server.postgres.connected import Connected


class RecordReading(Connected):
    """See storage.protocol.RecordsRead."""

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        return self._records(
            f"SELECT {COLUMNS} FROM memories WHERE save = %(save)s AND memory = ANY(%(keys)s::bigint[]) "
            "ORDER BY memory",
            keys=list(keys),
        )

    def read_once(self, keys: Sequence[int]) -> list[Record]:
        return self.by_keys(keys)
