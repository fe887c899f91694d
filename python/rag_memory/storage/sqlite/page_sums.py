"""A checksum of every page of a save's file, so that nothing changes it unnoticed.

SQLite checks what it reads from a write-ahead log, but a changed bit in the file may as well be a changed
word. So the table `page_sums` has a checksum of each page as the last checkpoint left it. It is written in
the first transaction of the log that follows: what a power cut takes of it is only this knowledge. The row
`sums` of `meta` names the state of the file (log_record.py) that the checksums are of. For any other state
they say nothing.

Two kinds of pages have none, because they change when checksums are written: page 2, which is the table
`meta` and has a checksum of its rows, and those of `page_sums`, whose rows have their own.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rag_memory.storage.sqlite.log_reading import pages_in_log
from rag_memory.storage.sqlite.log_record import RECORD_PAGE, STATE_LENGTH, is_nearly, record_on
from rag_memory.storage.sqlite.page_reading import PAGE_BYTES, children
from rag_memory.storage.sqlite.save_paths import holds_anything, log_of
from rag_memory.vectors import NDArray

_GROUP = 1000
"""The number of pages in a row: so many checksums fit into one page."""
_PAGES_AT_ONCE = 256
_SUM = np.dtype("<u4")
_NONE = 0
"""In place of a checksum, for the few pages that have none."""
_LEAST_BELOW = 100
"""A page of the tree of `page_sums` has more pages below it."""
_KEY = "sums"
_UNKNOWN = "-" * STATE_LENGTH
_ROOT = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = 'page_sums'"
_META = "SELECT key, value FROM meta WHERE key NOT IN ('log', 'sums') ORDER BY key"
_PUT_STATE = (
    f"INSERT INTO meta (key, value) VALUES ('{_KEY}', ?) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)

Sums = NDArray[np.uint32]


class FilePages(NamedTuple):
    """The pages of a file, read before SQLite has it open: on POSIX a handle that is closed later would take
    SQLite's locks along.
    """

    state: str
    """The name of the file's state, see log_record.py; "" when it has none that can be read."""
    sums: Sums
    """The checksum of each page, or of none."""


def read_pages(file: Path, is_whole: bool = True) -> FilePages:
    """Read a file that nobody writes to. Unless `is_whole`, only its state is read.

    Raises:
        OSError: it cannot be read.
    """
    if not holds_anything(file):
        return FilePages("", np.zeros(0, _SUM))
    with open(file, "rb", buffering=0) as stream:
        stream.seek((RECORD_PAGE - 1) * PAGE_BYTES)
        record = record_on(stream.read(PAGE_BYTES))
        count = file.stat().st_size // PAGE_BYTES if is_whole else 0
        return FilePages(record.state if record else "", _sums_of_all(stream, count))


class PageSums:
    """The checksums of an open save."""

    def __init__(self, connection: sqlite3.Connection, file: Path, pages: FilePages) -> None:
        self._connection = connection
        self._file = file
        self._pages = pages
        self._stream: FileIO | None = None
        self._changed: set[int] | None = None
        """The pages that were put into the file since their checksums were written; None for all."""
        self.change_count = 0
        """The number of rows that were changed."""
        self.were_right = False
        """Whether every page was what was written, when damaged() looked."""

    @property
    def are_there(self) -> bool:
        """Whether the save has the table; one of an older version has not."""
        return self._connection.execute(_ROOT).fetchone() is not None

    def damaged(self) -> list[int] | None:
        """Return the pages of the file that are not what was written; None when that is unknown. Pages that
        are in the log, too, are not looked at: SQLite reads them there.
        """
        log = log_of(self._file)
        in_log: set[int] = set()
        if log.is_file():
            with open(log, "rb", buffering=0) as stream:
                in_log = pages_in_log(stream)
        pages = damaged_pages(self._connection, self._pages, in_log)
        self._changed = None if pages is None else set(pages)
        self.were_right = pages == [] and len(self._pages.sums) > 0
        return pages if len(self._pages.sums) else None

    def open_file(self) -> FileIO:
        """Return the file, to be read; it stays open until the save is closed."""
        if self._stream is None:
            self._stream = open(self._file, "rb", buffering=0)  # noqa: SIM115
        return self._stream

    def make_room(self) -> None:
        """See that write() needs no more pages. Inside a transaction, before a checkpoint."""
        if self._connection.execute(f"SELECT 1 FROM meta WHERE key = '{_KEY}'").fetchone() is None:
            self._connection.execute(_PUT_STATE, (_UNKNOWN + "0" * 8,))
            self.change_count += 1
        count, most, odd = self._connection.execute(
            "SELECT count(*), coalesce(max(first), ?), coalesce(sum(first % ? <> 0 OR first < 0), 0) "
            "FROM page_sums",
            (-_GROUP, _GROUP),
        ).fetchone()
        first = most + _GROUP
        if odd or count * _GROUP != first:  # Somebody has changed them.
            self._connection.execute("DELETE FROM page_sums")
            self.change_count += count
            self._changed, first = None, 0
        while first <= self._page_count() + 1:
            self._connection.execute(
                "INSERT INTO page_sums (first, sums) VALUES (?, ?)", (first, _row(np.zeros(_GROUP, _SUM)))
            )
            self.change_count += 1
            first += _GROUP

    def note(self, pages: Iterable[int]) -> None:
        """Note that a checkpoint has put these pages into the file."""
        if self._changed is not None:
            self._changed.update(pages)

    def write(self, state: str) -> None:
        """Write the checksums of what the last checkpoint has put into the file, which has, or will have,
        this state. Inside a transaction.
        """
        stream, own = self.open_file(), self._own_pages()
        count = self._page_count()
        if self._changed is None:
            everything = _sums_of_all(stream, count)
            sums = dict(enumerate(everything.tolist(), 1))
        else:
            sums = {page: _sum_of(stream, page) for page in sorted(self._changed) if page <= count}
        sums.update(dict.fromkeys(own & sums.keys(), _NONE))
        groups: dict[int, dict[int, int]] = {}
        for page, value in sums.items():
            groups.setdefault(page // _GROUP * _GROUP, {})[page % _GROUP] = value
        for first, values in groups.items():
            (row,) = self._connection.execute(
                "SELECT sums FROM page_sums WHERE first = ?", (first,)
            ).fetchone()
            array = _read_row(row)
            array = np.zeros(_GROUP, _SUM) if array is None else array.copy()
            array[list(values)] = list(values.values())
            self._connection.execute("UPDATE page_sums SET sums = ? WHERE first = ?", (_row(array), first))
        self._connection.execute(_PUT_STATE, (state + _sum_of_meta(self._connection),))
        self.change_count += len(groups) + 1

    def forget(self) -> None:
        """Note that the checksums are not those of the file any more."""
        self._changed = None

    def written(self) -> None:
        """Note that write() was committed."""
        self._changed = set()

    def close(self) -> None:
        """Close the file, after the database."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _page_count(self) -> int:
        return int(self._connection.execute("PRAGMA page_count").fetchone()[0])

    def _own_pages(self) -> set[int]:
        """The pages without checksums."""
        stream = self.open_file()
        (root,) = self._connection.execute(_ROOT).fetchone()
        own, level = {RECORD_PAGE}, [int(root)]
        while level:
            own.update(level)
            level = [child for page in level for child in children(_page(stream, page)) if child not in own]
        return own


def forget_sums(connection: sqlite3.Connection) -> None:
    """Note in a copy of a save, which SQLite has written in its own way, that its checksums are not known."""
    if connection.execute(_ROOT).fetchone() is not None:
        with connection:
            connection.execute(f"DELETE FROM meta WHERE key = '{_KEY}'")


def damaged_pages(connection: sqlite3.Connection, pages: FilePages, in_log: set[int]) -> list[int] | None:
    """Return the pages of a file that differ from their checksums, but for those `in_log`; None when the
    checksums are of another state of the file, or damaged.
    """
    row = connection.execute(f"SELECT value FROM meta WHERE key = '{_KEY}'").fetchone()
    if row is None or not isinstance(row[0], str) or not pages.state:
        return None
    state, sum_of_meta = row[0][:STATE_LENGTH], row[0][STATE_LENGTH:]
    if not is_nearly(state, pages.state):
        return None
    stored = np.zeros(len(pages.sums) + 1, _SUM)
    row_count = 0
    for first, row_of_sums in connection.execute("SELECT first, sums FROM page_sums"):
        values = _read_row(row_of_sums)
        if values is None or not isinstance(first, int) or first < 0:
            return None
        row_count += 1
        part = stored[first : first + _GROUP]
        part[:] = values[: len(part)]
    if np.count_nonzero(stored[1:] == _NONE) > row_count + row_count // _LEAST_BELOW + 3:
        return None
    differs = (stored[1:] != pages.sums) & (stored[1:] != _NONE)
    damaged = [int(place) + 1 for place in np.flatnonzero(differs) if int(place) + 1 not in in_log]
    if len(pages.sums) and RECORD_PAGE not in in_log and sum_of_meta != _sum_of_meta(connection):
        damaged.append(RECORD_PAGE)
    return damaged


def _sum_of_meta(connection: sqlite3.Connection) -> str:
    return f"{zlib.crc32(repr(connection.execute(_META).fetchall()).encode()):08x}"


def _row(sums: Sums) -> bytes:
    content = sums.astype(_SUM).tobytes()
    return content + zlib.crc32(content).to_bytes(4, "little")


def _read_row(row: object) -> Sums | None:
    if not isinstance(row, bytes) or len(row) != 4 * (_GROUP + 1):
        return None
    if zlib.crc32(row[:-4]) != int.from_bytes(row[-4:], "little"):
        return None
    return np.frombuffer(row[:-4], _SUM)


def _page(stream: FileIO, number: int) -> bytes:
    stream.seek((number - 1) * PAGE_BYTES)
    return stream.read(PAGE_BYTES)


def _sum_of(stream: FileIO, number: int) -> int:
    return zlib.crc32(_page(stream, number)) or 1


def _sums_of_all(stream: FileIO, count: int) -> Sums:
    return np.fromiter(_all_sums(stream, count), _SUM)


def _all_sums(stream: FileIO, count: int) -> Iterator[int]:
    stream.seek(0)
    for start in range(0, count, _PAGES_AT_ONCE):
        block = memoryview(stream.read(min(_PAGES_AT_ONCE, count - start) * PAGE_BYTES))
        for place in range(0, len(block), PAGE_BYTES):
            yield zlib.crc32(block[place : place + PAGE_BYTES]) or 1
