"""Going back to an earlier moment of the game; see storage/sql/rollback.py."""

from __future__ import annotations

from rag_memory.memory.record import Record
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sql.rollback import roll_back
from rag_memory_server.postgres.capture import Capture
from rag_memory_server.postgres.marks import MarkEnding
from rag_memory_server.postgres.postgres_types import vector_in


class RollingBack(MarkEnding, Capture):
    """See roll_back() of storage.protocol.Archive."""

    def roll_back(self, moment: float) -> Rollback:
        return roll_back(self, self.interactions, self.documents, self, moment)

    def add_content(self, number: int, npc: int, record: Record, model: int, embedding: bytes | None) -> None:
        """See Shelf."""
        self._add_content(number, record, model, None if embedding is None else vector_in(embedding))

    def end_later_marks(self, moment: float) -> None:
        """See Shelf."""
        self._end_marks("timestamp > %(moment)s", moment=moment)
