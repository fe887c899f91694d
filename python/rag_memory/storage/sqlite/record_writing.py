"""Statements that write memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag_memory.memory.record import Record
from rag_memory.storage.sql.statements import DELETE, DELETE_ALL, SUPERSEDE, UNSUPERSEDE
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.storage.sqlite.vector_table import SET_VECTOR, blob_of
from rag_memory.vectors import FloatVector

_INSERTED = tuple(name for name in Record._fields if name != "key")
_INSERT = (
    f"INSERT INTO memories (write_order, npc, keywords, digest, {', '.join(_INSERTED)}) "
    f"VALUES (?, ?, ?, ?, {', '.join('?' for _ in _INSERTED)})"
)
_UPDATE = (
    f"UPDATE memories SET keywords = ?, digest = ?, {', '.join(f'{name} = ?' for name in _INSERTED)} "
    "WHERE rowid = ?"
)


class RecordWriting(Connected):
    """See storage.protocol.RecordsWritten."""

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        """Add a memory with its vector; its rowid. Inside a transaction."""
        values = (self._orders.current, npc, *record.derived(npc), *record[1:])
        rowid = int(self._write(_INSERT, values).lastrowid or 0)
        self._write(SET_VECTOR, (rowid, model, blob_of(vector)))
        return rowid

    def replace(self, npc: int, record: Record, vector: FloatVector, model: int) -> None:
        """Give the memory with `record.key` new content and a new vector. Inside a transaction."""
        self.revise(npc, record)
        self._write(SET_VECTOR, (record.key, model, blob_of(vector)))

    def revise(self, npc: int, record: Record) -> None:
        """Give the memory with `record.key` new metadata; its text, and so its vector, stays. Inside a
        transaction.
        """
        self._read.pop(record.key, None)
        self._write(_UPDATE, (*record.derived(npc), *record[1:], record.key))

    def access(self, accesses: Mapping[int, float]) -> None:
        """Give memories, by rowid, the time at which they last entered an answer. Inside a transaction."""
        self._connection.executemany(
            "UPDATE memories SET last_accessed = ? WHERE rowid = ?",
            [(at, rowid) for rowid, at in accesses.items()],
        )
        # They are asked for often: reading them again would cost the next question more.
        for rowid in accesses.keys() & self._read.keys():
            self._read[rowid] = self._read[rowid]._replace(last_accessed=accesses[rowid])

    def supersede(self, keys: Sequence[int], by: str, at: float) -> None:
        """Mark memories as superseded by the one with the id `by`. Inside a transaction."""
        for key in keys:
            self._read.pop(key, None)
        self._statements.write(SUPERSEDE, keys=list(keys), by=by, at=at)

    def unsupersede(self, npc: int, by: str) -> None:
        """Take the mark from what the memory with the id `by` has superseded. Inside a transaction."""
        self._read.clear()
        self._statements.write(UNSUPERSEDE, npc=npc, by=by)

    def delete(self, key: int) -> None:
        """Delete a memory and its vector. Inside a transaction."""
        self._read.pop(key, None)
        self._statements.write(DELETE, memory=key)

    def delete_all(self, npc: int) -> int:
        """Delete every memory of the NPC; how many there were. Inside a transaction."""
        self._read.clear()
        return self._statements.count_written(DELETE_ALL, npc=npc)
