"""The archive as a part of the store; its statements are in archive.py, capture.py and rollback.py."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from rag_memory.memory.archived import Archived
from rag_memory.memory.record import Record
from rag_memory.storage.captured import Captured
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sql.rollback import roll_back
from rag_memory.storage.sql.statements import FORGET_ARCHIVED, FORGET_ARCHIVED_ID
from rag_memory.storage.sqlite import archive, capture
from rag_memory.storage.sqlite.marks import end_marks
from rag_memory.storage.sqlite.record_writing import RecordWriting
from rag_memory.storage.sqlite.vector_table import blob_of
from rag_memory.storage.sqlite.write_orders import WriteOrders
from rag_memory.vectors import FloatVector


class Archiving(RecordWriting):
    """See storage.protocol.Archive."""

    def archive(self, keys: Sequence[int], archived: Archived) -> None:
        """Move memories and their vectors into the archive. Inside a transaction."""
        self.archive_copy(keys, archived)
        for rowid in keys:
            self.delete(rowid)

    def archive_copy(self, keys: Sequence[int], archived: Archived) -> None:
        """Keep in the archive what memories say now, before they are replaced. Inside a transaction."""
        archive.copy(self._connection, self._orders.current, keys, archived)

    def archive_repeated(self, npc: int, record: Record, at: float, model: int) -> None:
        """Keep in the archive when and with what weight a memory was told before it is told again. Inside a
        transaction.
        """
        archive.keep_repeated(self._connection, self._orders.current, npc, record, at, model)

    def archive_new(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int
    ) -> None:
        """Add a memory to the archive that was never in force in this save. Inside a transaction."""
        order = self._orders.current
        archive.insert(self._connection, order, npc, archived, record, model, blob_of(vector))

    def forget_archived(self, npc: int, id: str | None = None) -> None:
        """Delete what the archive holds of the NPC, or of one of its memories. Inside a transaction."""
        if id is None:
            self._statements.write(FORGET_ARCHIVED, npc=npc)
        else:
            self._statements.write(FORGET_ARCHIVED_ID, npc=npc, id=id)

    def capture(self, npc: int | None, id: str) -> Captured:
        """Everything there is under an id, to be put back."""
        with self._reading() as connection:
            return capture.capture(connection, npc, id)

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them.
        Inside a transaction.

        Raises:
            InvalidArgumentError: they were captured from a save with other embedding models.
        """
        self._read.clear()
        return capture.put_back(self._connection, self._orders.current, npc, captured)

    def roll_back(self, moment: float) -> Rollback:
        """Go back to a moment, all NPCs together. Inside a transaction."""
        self._read.clear()
        shelf = _Shelf(self._connection, self._orders)
        return roll_back(self._statements, self.interactions, self.documents, shelf, moment)


class _Shelf:
    """See storage.sql.rollback.Shelf."""

    def __init__(self, connection: sqlite3.Connection, orders: WriteOrders) -> None:
        self._connection = connection
        self._orders = orders

    def bring_back(self, number: int) -> None:
        """See Shelf."""
        archive.bring_back(self._connection, self._orders.current, [number])

    def add_content(self, number: int, npc: int, record: Record, model: int, embedding: bytes) -> None:
        """See Shelf."""
        archive.add_content(self._connection, number, npc, record, model, embedding)

    def end_later_marks(self, moment: float) -> None:
        """See Shelf."""
        end_marks(self._connection, "timestamp > ?", (moment,))
