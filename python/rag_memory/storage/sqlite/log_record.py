"""The record that ties a save's file to its write-ahead log.

SQLite applies any log that lies beside a file, also one that was written for another state of that file. So
the table `meta`, which is page 2 of every save, holds a record: a random name of the state that the file is
in, and the name of the state before it. Two rules make that enough to recognize a log:

* The first transaction in a log writes a record. Its `previous` is the state of the file that the log began
  with.
* The last transaction before a checkpoint writes one, too. A file with this state therefore needs the whole
  log, or none of it; a part of the log, such as an older copy, lacks the record.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.storage.sqlite.page_reading import PAGE_BYTES, entries

RECORD_PAGE = 2
"""The page of the table `meta`: the first table of every version of the schema."""

_KEY = "log"
_NAME_BYTES = 8
_VALUE = lazy_pattern(f"([0-9a-f]{{{2 * _NAME_BYTES}}}|-{{{2 * _NAME_BYTES}}})([0-9a-f]+|-+)")
_NONE = "-" * 2 * _NAME_BYTES
"""In a value, in place of no name, so that all values have the same length."""
_TRACE = lazy_pattern(f"[0-9a-f-]{{{2 * _NAME_BYTES}}}".encode())
"""Of a record that one changed bit hides: its value is twice as long, so half of it is as it was."""

WRITE_RECORD = (
    f"INSERT INTO meta (key, value) VALUES ('{_KEY}', ?) "
    "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)


class LogRecord(NamedTuple):
    """The names of a save's state and of the state before it; "" for none."""

    state: str
    previous: str

    def value(self) -> str:
        """The text that is written for WRITE_RECORD."""
        return (self.state or _NONE) + (self.previous or _NONE)


NO_RECORD = LogRecord("", "")
"""Of a save that an older version wrote last."""


def next_record(state: str) -> LogRecord:
    """A record with a new state that follows another one."""
    return LogRecord(secrets.token_hex(_NAME_BYTES), state)


def record_on(page: bytes) -> LogRecord | None:
    """The record on an image of RECORD_PAGE; None when that page cannot be read.

    NO_RECORD is sure: a page without a record whose bytes look as if they were one's cannot be read, either.
    """
    rows = entries(page)
    if rows is None or not all(len(row) == 2 and isinstance(row[0], str) for row in rows):
        return None
    values = [row[1] for row in rows if row[0] == _KEY]
    if not values:
        return None if _TRACE.search(page) else NO_RECORD
    match = _VALUE.fullmatch(str(values[0]))
    if match is None or len(match[1]) != len(match[2]):
        return None
    return LogRecord(match[1].strip("-"), match[2].strip("-"))


def record_in(file: Path) -> LogRecord | None:
    """The record in a save's file, read without SQLite, which would apply a log first; None when it cannot be
    read.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as stream:
        stream.seek((RECORD_PAGE - 1) * PAGE_BYTES)
        return record_on(stream.read(PAGE_BYTES))


def states_of(records: Sequence[LogRecord]) -> list[str]:
    """The states of the file that a log with these records belongs to, oldest first.

    A record that does not follow the one before it came with the pages of a snapshot that was restored.
    """
    states = [record.previous for record in records[:1]]
    for record in records:
        if record.previous == states[-1]:
            states.append(record.state)
    return states


def is_nearly(state: str, other: str) -> bool:
    """Whether two names are the same, or were before one character was damaged."""
    return len(state) == len(other) and sum(a != b for a, b in zip(state, other, strict=True)) <= 1


def renew_record(copy: Path) -> None:
    """Give the copy of a save that is open a state of its own: the log of the save is not the copy's.

    Raises:
        OSError: the copy cannot be read or written.
    """
    with copy.open("r+b", buffering=0) as stream:
        stream.seek((RECORD_PAGE - 1) * PAGE_BYTES)
        page = stream.read(PAGE_BYTES)
        record = record_on(page)
        if record is None or record == NO_RECORD:
            return
        own = LogRecord(next_record("").state, "")
        stream.seek((RECORD_PAGE - 1) * PAGE_BYTES)
        stream.write(page.replace(record.value().encode(), own.value().encode()))
