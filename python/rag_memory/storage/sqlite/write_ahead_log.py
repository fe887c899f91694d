"""The write-ahead log of an open save, and when it is put into the save's file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from io import FileIO
from pathlib import Path

from rag_memory import files
from rag_memory.storage.sqlite.log_reading import has_frame, pages_in_log
from rag_memory.storage.sqlite.log_record import WRITE_RECORD, next_record
from rag_memory.storage.sqlite.page_sums import FilePages, PageSums
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

    def __init__(self, connection: sqlite3.Connection, file: Path, state: str, pages: FilePages) -> None:
        """
        Args:
            state: of the save, as put_foreign_aside() returned it.
            pages: of the file, before it was opened.
        """
        self._connection = connection
        self.sums = PageSums(connection, file, pages)
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
        self.writes_file: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
        """Inside what it returns, the save's file is written."""
        self._record_count = 0

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
            self.checkpoint(is_emptied=False)
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
        self._commit_record(lambda state: None)

    def _commit_record(self, write_more: Callable[[str], None]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            state = self._write_record()
            write_more(state)
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._state, self._is_tied, self._holds_frames = state, True, True

    @property
    def change_count(self) -> int:
        """The number of rows that were changed here."""
        return self._record_count + self.sums.change_count

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

    def checkpoint(self, is_emptied: bool = True) -> None:
        """Put the log into the save's file, with a new state, and begin a new log. Does nothing while the
        file is held: the log is as safe.

        Args:
            is_emptied: whether the checksums of the file's pages are put into it, too. They are in the new
                log otherwise.

        Raises:
            sqlite3.Error: it cannot be written, or a statement is still reading.
        """
        if not self._holds:
            self._checkpoint(is_emptied)

    def _checkpoint(self, is_emptied: bool) -> None:
        # An older save gets checksums when it becomes a current one.
        if not self.sums.are_there:
            self.begin()
            self._put_into_file("TRUNCATE" if is_emptied else "RESTART")
            return
        self._commit_record(lambda state: self.sums.make_room())
        frame_count = self._put_into_file("PASSIVE")
        if self._holds_frames:
            return
        before = self._state
        try:
            self.sums.note(pages_in_log(self._open_log(), frame_count))
            self._commit_record(lambda state: self.sums.write(state if is_emptied else before))
            self.sums.written()
        except OSError:
            # The save is as safe without them.
            self.sums.forget()
        if is_emptied:
            self._put_into_file("TRUNCATE")

    def _put_into_file(self, mode: str) -> int:
        """Let SQLite make a checkpoint, and return the number of frames in the log."""
        self._is_tied = False
        with self.writes_file():
            row = self._connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
        (is_busy, frames, done) = row
        self._holds_frames = bool(is_busy) or done < frames
        self._most_frames = _MOST_FRAMES
        return int(frames)

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
        self.writes_file = contextlib.nullcontext
        # SQLite does the same without a record, should this fail.
        with contextlib.suppress(sqlite3.Error):
            if self._holds_frames:
                self._checkpoint(is_emptied=True)
        self.release()

    def release(self) -> None:
        """Close the log's file, which holds up nobody then."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def abandon(self) -> None:
        """Close the connection and delete the log, and put nothing of it into the save's file.

        Raises:
            OSError: the log cannot be emptied or deleted.
        """
        self.release()
        # SQLite reads the log when the connection is closed, and writes nothing when that fails.
        with contextlib.suppress(FileNotFoundError):
            os.truncate(self._path, 0)
        self._holds_frames = False
        self._connection.close()
        self.sums.close()
        files.delete(self._path)

    def _write_record(self) -> str:
        record = next_record(self._state)
        self._connection.execute(WRITE_RECORD, (record.value(),))
        self._record_count += 1
        return record.state

    def _is_long(self) -> bool:
        changes = self._connection.total_changes
        if changes - self._looked_after < _CHANGES_BETWEEN_LOOKS:
            return False
        self._looked_after = changes
        try:
            return has_frame(self._open_log(), self._most_frames)
        except OSError:
            return False

    def _open_log(self) -> FileIO:
        if self._stream is None:
            self._stream = open(self._path, "rb", buffering=0)  # noqa: SIM115
        return self._stream
