"""The file of an open save: it may disappear, and another program may put another file in its place."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

from rag_memory import files
from rag_memory.errors import StoreError
from rag_memory.storage.sqlite.copying import copy_part
from rag_memory.storage.sqlite.log_reading import pages_in
from rag_memory.storage.sqlite.page_reading import PAGE_BYTES
from rag_memory.storage.sqlite.page_sums import forget_sums
from rag_memory.storage.sqlite.save_paths import RESCUED, conflict_of, log_of, unused

_LOG = logging.getLogger("rag_memory")
_HEAD_BYTES = 2 * PAGE_BYTES
"""The pages with the header and the log record, which differ between two versions of a save."""
_MOST_COPIED_BYTES = 64 << 20


def put_beside(path: Path) -> Path:
    """Give what another program has put in the place of a save a second name, which says so.

    Raises:
        OSError: it cannot have one.
    """
    aside = conflict_of(path)
    try:
        # Whoever still writes the file writes on under the new name.
        os.link(path, aside)
    except OSError:
        shutil.copyfile(path, aside)
        files.sync_file(aside)
    files.sync_folder(path.parent)
    return aside


class OpenFile:
    """The file of an open save, as the last checkpoint left it.

    Between two checkpoints nobody may change the file. An unnamed copy of it is kept, because a program that
    writes into the file, instead of replacing it, leaves nothing of it but the log.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.stream = open(path, "rb", buffering=0)  # noqa: SIM115
        """Reads the file. Open until the database is closed: POSIX drops all of a process's locks on a file
        with the first handle to it that is closed.
        """
        self._copy: FileIO | None = None
        self._lost = ""
        try:
            self._written = os.fstat(self.stream.fileno())
            self._head = self._read_head()
        except BaseException:
            self.stream.close()
            raise

    @contextlib.contextmanager
    def checkpoint(self) -> Iterator[None]:
        """Inside, the save itself writes the file: the log into it, if it does not fail."""
        try:
            pages = pages_in(log_of(Path(self._path)))
        except OSError:
            pages = None
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            with contextlib.suppress(OSError):
                self._written = os.fstat(self.stream.fileno())
                self._head = self._read_head()
            self._renew_copy(pages if is_whole else None)

    def is_ours(self) -> bool:
        """Whether the file has its name and is as it was written. Takes a microsecond or two."""
        if self._lost or self.stream.closed:
            return not self._lost
        try:
            now = os.stat(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            # A drive that does not answer has not lost it.
            return True
        if not os.path.samestat(now, self._written):
            return False
        if (now.st_mtime_ns, now.st_size) == (self._written.st_mtime_ns, self._written.st_size):
            return True
        # A time alone may be set by any program, and by some file systems when they like.
        if now.st_size != self._written.st_size or self._read_head() != self._head:
            return False
        self._written = now
        return True

    def check_there(self, connection: sqlite3.Connection) -> None:
        """See that a file has the name of the save; otherwise write all of it to another one, once.

        Raises:
            StoreError: it is gone.
        """
        if not self._lost and not os.path.exists(self._path):
            rescued = self.rescued(connection)
            outcome = (
                f"everything in it is in {rescued} now"
                if rescued
                else "what is in it could not be written to another file"
            )
            self._lost = f"it was deleted or moved; {outcome}"
        if self._lost:
            raise StoreError(
                f"The file of the save {self._path} has gone while it was open",
                self._lost,
                "Close the save, give the file that you want the name of the save, and open it again",
            )

    def rescued(self, connection: sqlite3.Connection) -> Path | None:
        """A new file beside the save with everything in it; None when it cannot be written."""
        target = unused(f"{self._path}{RESCUED}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if os.path.exists(self._path) and os.path.samestat(os.stat(self._path), self._written):
                return self._from_copy(target) if self._copy is not None else None
            with contextlib.closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
                forget_sums(copy)
            files.sync_file(target)
        except (OSError, sqlite3.Error) as error:
            _LOG.error("The save %s could not be written to %s: %s", self._path, target, error)
            return None
        return target

    def lose(self, why: str) -> None:
        """Note that the save cannot be written any more, as every later check says."""
        self._lost = why

    def close(self) -> None:
        """Release the file; after the database."""
        self.stream.close()
        if self._copy is not None:
            self._copy.close()
            self._copy = None

    def _read_head(self) -> bytes:
        self.stream.seek(0)
        return self.stream.read(_HEAD_BYTES)

    def _renew_copy(self, pages: list[int] | None) -> None:
        """Make the copy what the file is after these pages were written; None where that is not known."""
        size = self._written.st_size
        try:
            if pages is None or size > _MOST_COPIED_BYTES:
                raise OSError("there is no copy of this")
            parts = [((page - 1) * PAGE_BYTES, PAGE_BYTES) for page in pages if page * PAGE_BYTES <= size]
            if self._copy is None:
                self._copy = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
                parts = [(0, size)]
            for offset, count in parts:
                done = 0
                while done < count:
                    done += copy_part(self.stream, self._copy, offset + done, count - done)
            self._copy.truncate(size)
        except OSError:
            if self._copy is not None:
                self._copy.close()
            self._copy = None

    def _from_copy(self, target: Path) -> Path:
        assert self._copy is not None
        self._copy.seek(0)
        with open(target, "wb") as file:
            shutil.copyfileobj(self._copy, file)
        if log_of(Path(self._path)).exists():
            shutil.copyfile(log_of(Path(self._path)), log_of(target))
        # Closing it puts the log into the file.
        with contextlib.closing(sqlite3.connect(target)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        files.sync_file(target)
        return target
