"""The archive as a part of the store; its statements are in archive.py, capture.py and rollback.py."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.memory.archived import Archived
from rag_memory.memory.record import Record
from rag_memory.storage.captured import Captured
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sqlite import archive, capture, rollback
from rag_memory.storage.sqlite.record_writing import RecordWriting
from rag_memory.storage.sqlite.vector_table import blob_of
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
        archive.forget(self._connection, npc, id)

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
        return rollback.roll_back(
            self._connection, self._orders.current, moment, self.interactions, self.documents
        )
