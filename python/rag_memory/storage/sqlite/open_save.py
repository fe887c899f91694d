"""One open database file: its transactions, its errors and what happens when the file goes away."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from rag_memory import files
from rag_memory.errors import SaveError, StoreError, in_words
from rag_memory.memory.record import Record
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.sqlite.database import open_database, reopen_database
from rag_memory.storage.sqlite.open_file import OpenFile, put_beside
from rag_memory.storage.sqlite.save_paths import aside_of, holds_anything, log_of, suspicion_of
from rag_memory.storage.sqlite.sqlite_failure import cause, remedy, tells_damage
from rag_memory.storage.sqlite.statements import Statements
from rag_memory.storage.sqlite.write_ahead_log import WriteAheadLog
from rag_memory.storage.sqlite.write_orders import WriteOrders

_LOG = logging.getLogger("rag_memory")


class OpenSave:
    """An open database, for the parts of the store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = open_database(path)
        self._former_changes = 0
        """The change count of the connections that are closed."""
        self.cache: dict[int, Record] = {}
        """Records that were read, by key."""
        is_file = path not in (MEMORY_PATH, TEMPORARY_PATH)
        self.file: OpenFile | None = None
        """None for a save in memory."""
        try:
            with self._opening():
                self.file = OpenFile(path) if is_file else None
                self.orders = WriteOrders(self.connection)
        except BaseException:
            # Also its lock, which would keep the next one out.
            self._database.close()
            if self.file is not None:
                self.file.close()
            raise
        self._note_checkpoints()
        self.statements = Statements(self.connection, self.orders, self.failure, self.suspect)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to the database. check_file() may replace it."""
        return self._database.connection

    @property
    def log(self) -> WriteAheadLog | None:
        """The write-ahead log; None for a save in memory."""
        return self._database.log

    @property
    def was_as_written(self) -> bool:
        """Whether the file, when it was opened, had nothing but what was written through it."""
        return self.log is not None and self.log.sums.were_right

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""
        own = 0 if self.log is None else self.log.change_count
        return self._former_changes + self.connection.total_changes - own

    def _note_checkpoints(self) -> None:
        if self.log is not None and self.file is not None:
            self.log.writes_file = self.file.checkpoint

    @contextlib.contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            why = cause(error) if isinstance(error, sqlite3.Error) else in_words(error)
            raise SaveError(
                f"The save {self.name} cannot be opened", why, "Check its drive, then open the save again"
            ) from error

    @property
    def name(self) -> str:
        """What messages call it."""
        return "in a temporary file" if self.path == TEMPORARY_PATH else self.path

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self.errors("write"):
            is_part = self.connection.in_transaction
            if is_part:
                yield
                return
            self.check_file()
            if self.log is not None:
                self.log.prepare()
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                if self.log is not None:
                    self.log.tie()
                self.orders.begin()
                yield
                self.connection.execute("COMMIT")
                if self.log is not None:
                    self.log.committed()
            except BaseException:
                self.cache.clear()
                self.orders.undo()
                # On a full disk SQLite has rolled back by itself.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Inside, errors of SQLite become a StoreError that says what the save could not do."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.failure(doing, error) from error

    def sync(self) -> None:
        """Bring what was committed to the disk. Outside a transaction."""
        with self.errors("write"):
            self.check_file()
            if self.log is not None:
                self.log.sync()

    def close(self) -> None:
        """Put everything into the main file and release it."""
        with self.errors("close"):
            try:
                self.check_file()
            except StoreError:
                with contextlib.suppress(OSError):
                    self._abandon_log()
                raise
            finally:
                self._database.close()
                if self.file is not None:
                    self.file.close()

    def check_file(self) -> None:
        """See that the file is as the save has written it. What another program, such as a cloud, has put in
        its place is put beside it, with a warning, and the save gets its own file again.

        Raises:
            StoreError: the file is gone, or the save could not get its own again.
        """
        if self.file is None or self.file.is_ours():
            return
        self.file.check_there(self.connection)
        if not self.connection.in_transaction:
            self._regain_file(self.file)

    def _regain_file(self, file: OpenFile) -> None:
        path, log = Path(self.path), self.log
        assert log is not None
        own = file.rescued(self.connection)
        if own is None:
            raise StoreError(
                f"Another program has changed the file of the save {path} while it was open",
                "what the save had could not be written to another file",
                "Close the save: the file stays as it is now, and what was stored last is put beside it",
            )
        try:
            aside = put_beside(path)
            self._former_changes = self.change_count
            log.abandon()
            file.close()
            files.replace(own, path)
            files.sync_folder(path.parent)
            self._database = reopen_database(self._database, path)
            self.file = OpenFile(self.path)
        except (OSError, sqlite3.Error, SaveError) as error:
            file.lose(f"another program has replaced it; everything that the save had is in {own}: {error}")
            file.check_there(self.connection)
            raise
        self._note_checkpoints()
        self.cache.clear()
        self.statements.use(self.connection)
        self.orders.use(self.connection)
        _LOG.warning(
            "Another program has replaced the file of the save %s while it was open, such as a cloud that "
            "brought it from another computer. The game goes on with its own memories, and they are in the "
            "save. The other version is now %s. get_save_info() says what is in it, so that the player can "
            "choose one; docs/cloud_saves.md shows how.",
            path,
            aside,
        )

    def _abandon_log(self) -> None:
        """Keep the log of a save whose file is another one now, and see that nothing of it gets into that."""
        log = log_of(Path(self.path))
        if self.log is not None and Path(self.path).exists() and holds_anything(log):
            shutil.copyfile(log, aside_of(log))
            self.log.abandon()

    def suspect(self) -> None:
        """Note that the file is damaged, for whoever opens it next."""
        if self.file is not None:
            with contextlib.suppress(OSError):
                suspicion_of(Path(self.path)).touch()

    def failure(self, doing: str, error: sqlite3.Error) -> StoreError:
        """The error to raise of what the save could not do; a damaged file is suspected from now on."""
        if tells_damage(error):
            if self.file is not None and not self.file.is_ours():
                self.check_file()
                return StoreError(
                    f"The save {self.name} could not {doing}",
                    "another program has changed its file",
                    "Make the call again",
                )
            self.suspect()
        what_next = remedy(error, is_temporary=self.path == TEMPORARY_PATH)
        return StoreError(f"The save {self.name} could not {doing}", cause(error), what_next)
