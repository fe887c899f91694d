"""The write-ahead log of an open save, and when it is put into the save's file."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from rag_memory.storage.sqlite.log_reading import has_frame
from rag_memory.storage.sqlite.log_record import WRITE_RECORD, next_record
from rag_memory.storage.sqlite.save_paths import holds_anything, log_of

_MOST_FRAMES = 1000
"""With so many SQLite, too, would put a log into its file."""
_CHANGES_BETWEEN_LOOKS = 50


@contextlib.contextmanager
def synced_commits(connection: sqlite3.Connection) -> Iterator[None]:
    """Inside, a commit that writes anything brings everything before it to the disk, too."""
    connection.execute("PRAGMA synchronous = FULL")
    try:
        yield
    finally:
        connection.execute("PRAGMA synchronous = NORMAL")


class WriteAheadLog:
    """The log of an open save, with the records that tie it to the save's file; see log_record.py.

    All checkpoints are made here, because SQLite's own would leave out the record. A transaction is
    `prepare()`, BEGIN, `tie()`, its statements, COMMIT, `committed()`.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path, state: str) -> None:
        """`state`: of the save, as put_foreign_aside() returned it."""
        self._connection = connection
        self._path = log_of(file)
        self._stream: FileIO | None = None
        self._state = state
        self._tied_state = ""
        """The state after the transaction that is under way."""
        self._is_tied = False
        self._holds_frames = holds_anything(self._path)
        self._is_first = True
        self._most_frames = _MOST_FRAMES
        self._looked_after = 0
        """How many rows were changed when the length of the log was looked at."""
        self._holds = 0
        """How many copies of the save's file are being made; it stays as it is meanwhile."""
        self.change_count = 0
        """How many rows records have changed."""

    def prepare(self) -> None:
        """Get ready for a transaction. Before the first one the file gets a state of its own, so that no
        earlier copy of it is taken for the file of this log. A log that is long enough goes into the file.

        What fails is tried again later: the log is as safe.
        """
        if self._holds or not (self._is_first or self._is_long()):
            return
        self._most_frames += _MOST_FRAMES
        with contextlib.suppress(sqlite3.Error):
            # What is overwritten is written faster than what makes the log longer.
            self.checkpoint("TRUNCATE" if self._is_first else "RESTART")
        self._is_first = False

    def tie(self) -> None:
        """Write the record of a new log; the first statement of a transaction."""
        if not self._is_tied:
            self._tied_state = self._write_record()

    def committed(self) -> None:
        """Note that the transaction was committed."""
        if not self._is_tied:
            self._state, self._is_tied, self._holds_frames = self._tied_state, True, True

    def begin(self) -> None:
        """Tie the log before somebody else's transaction.

        Raises:
            sqlite3.Error: it cannot be written.
        """
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            state = self._write_record()
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._state, self._is_tied, self._holds_frames = state, True, True

    def sync(self) -> None:
        """Bring the log to the disk; what is not in it is there already. Outside a transaction.

        Raises:
            sqlite3.Error: it cannot be written.
        """
        if self._holds_frames:
            with synced_commits(self._connection):
                self.begin()

    @property
    def is_behind(self) -> bool:
        """Whether the save's file lacks what is in the log, and cannot get it now."""
        return self._holds > 0 and self._holds_frames

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep the save's file as it is: nothing is put into it from the log."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1

    def checkpoint(self, mode: str = "TRUNCATE") -> None:
        """Put the log into the save's file, with a new state, and begin a new log. Does nothing while the
        file is held: the log is as safe.

        Raises:
            sqlite3.Error: it cannot be written, or a statement is still reading.
        """
        if not self._holds:
            self._checkpoint(mode)

    def _checkpoint(self, mode: str) -> None:
        self.begin()
        self._is_tied = False
        (is_busy, *_) = self._connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        self._holds_frames = bool(is_busy)
        self._most_frames = _MOST_FRAMES

    def empty(self) -> None:
        """Make a checkpoint, unless everything is in the save's file.

        Raises:
            sqlite3.Error: as checkpoint().
        """
        if self._holds_frames:
            self.checkpoint()

    def close(self) -> None:
        """Put the log into the save's file, and release its own, which SQLite deletes when the save is
        closed. Copies that are being made fail.
        """
        # SQLite does the same without a record, should this fail.
        with contextlib.suppress(sqlite3.Error):
            if self._holds_frames:
                self._checkpoint("TRUNCATE")
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _write_record(self) -> str:
        record = next_record(self._state)
        self._connection.execute(WRITE_RECORD, (record.value(),))
        self.change_count += 1
        return record.state

    def _is_long(self) -> bool:
        changes = self._connection.total_changes
        if changes - self._looked_after < _CHANGES_BETWEEN_LOOKS:
            return False
        self._looked_after = changes
        try:
            if self._stream is None:
                self._stream = open(self._path, "rb", buffering=0)  # noqa: SIM115
            return has_frame(self._stream, self._most_frames)
        except OSError:
            return False
