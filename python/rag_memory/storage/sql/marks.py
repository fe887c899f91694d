"""Marks, and going back to one of them or to a moment of the game."""

from __future__ import annotations

import math
from typing import Protocol

from rag_memory.storage.mark import Mark, Rollback
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.exchanges import Exchanges
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sql.rollback import roll_back

_BY_CODE = "SELECT mark, code, timestamp FROM $marks WHERE is_reachable AND code = :code"
_AT = "SELECT mark, code, timestamp FROM $marks WHERE is_reachable AND timestamp = :timestamp ORDER BY mark"
_NO_ORDER = 1 << 62
"""Greater than any order number."""
_WRITES_AT = (
    "SELECT count(*) FROM (SELECT write_order FROM $memories WHERE stored_at = :timestamp "
    "UNION SELECT write_order FROM $archived_memories WHERE archived_at = :timestamp "
    "UNION SELECT write_order FROM $interactions WHERE stored_at = :timestamp "
    "UNION SELECT write_order FROM $documents WHERE stored_at = :timestamp) AS writes"
)


class EarlierRows(Protocol):
    """The marks of a database, and its rows as they were at each of them."""

    def add_mark(self, code: str, timestamp: float) -> None:
        """Keep all rows as they are now, whatever is written later; see Marks.add()."""

    def return_to(self, mark: Mark) -> Rollback:
        """Make all rows what they were at a mark; see Marks.return_to()."""

    def end_marks_after(self, moment: float) -> None:
        """End the marks of later moments, and delete what only they need. Inside a transaction."""

    def purge(self) -> None:
        """See Marks.purge()."""


class Marks:
    """The marks of a save, and what goes back to one or to a moment."""

    def __init__(
        self,
        database: Database,
        records: Records,
        archive: Archive,
        rows: EarlierRows,
        exchanges: Exchanges,
    ) -> None:
        self._database = database
        self._records = records
        self._archive = archive
        self._rows = rows
        self._exchanges = exchanges

    def add(self, code: str, timestamp: float) -> None:
        """Mark the save as it is now. It survives a power cut, where there is a file or a server. Marks
        before the last CERTAIN_MARKS may end. Outside a transaction.
        """
        self._rows.add_mark(code, timestamp)

    def get(self, code: str) -> Mark | None:
        """The mark with this code; None when there is none, or no rollback can reach it any more."""
        row = self._database.row(_BY_CODE, code=code)
        return None if row is None else Mark._make(row)

    def at(self, timestamp: float) -> list[Mark]:
        """The marks of one moment of the game's time that can be reached, in their order."""
        return [Mark._make(row) for row in self._database.rows(_AT, timestamp=timestamp)]

    def count_writes_at(self, timestamp: float) -> int:
        """The number of transactions that stored something at this moment of the game's time."""
        return self._database.number(_WRITES_AT, timestamp=timestamp)

    def forget_all(self) -> None:
        """End all marks, and delete what only they need. Inside a transaction."""
        self._rows.end_marks_after(-math.inf)

    def purge(self) -> None:
        """See that nothing of what was deleted can be read from the file; a server does so by itself, some
        time. Outside a transaction.
        """
        self._rows.purge()

    def return_to(self, mark: Mark) -> Rollback:
        """Make the save exactly what it was at a mark; later marks are gone. Only what has no time, such as
        lore, stays as it is. Inside a transaction.
        """
        self._records.forget_cached()
        self._exchanges.forget_after(mark.number, math.inf)
        self._exchanges.forget_before(mark.number)
        return self._rows.return_to(mark)

    def roll_back(self, moment: float) -> Rollback:
        """Forget everything that was stored, or is dated, later than `moment`, of all NPCs. Memories archived
        later come back, supersessions of later are undone, what was accessed later was accessed at `moment`,
        and later marks cannot be reached. Feelings are again what they were. Inside a transaction.
        """
        self._records.forget_cached()
        done = roll_back(self._database, self._archive, moment)
        self._rows.end_marks_after(moment)
        self._exchanges.forget_after(_NO_ORDER, moment)
        return done
