"""Reading write-ahead logs and rollback journals without SQLite, which would apply them.

See https://sqlite.org/fileformat2.html for both formats.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from rag_memory.storage.sqlite.page_reading import PAGE_BYTES
from rag_memory.vectors import NDArray

_LOG_MAGIC = 0x377F0682
"""The lowest bit says in which byte order checksums are made."""
_LOG_VERSION = 3007000
_LOG_HEADER_BYTES, _FRAME_HEADER_BYTES = 32, 24
_PAGE_SIZES = {512 << power for power in range(8)}
_FRAMES_AT_ONCE = 64
_MASK = 0xFFFFFFFF

_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_JOURNAL_HEADER = struct.Struct(">8s5I")
_MOST_RECORDS = 0xFFFFFFFF
"""In place of a count: as many as there are."""
_CHECKED_BYTES = 200
"""A journal's checksum has one byte of so many."""

Words = NDArray[np.uint32]


class LogContents(NamedTuple):
    """The committed transactions in a write-ahead log."""

    images: list[bytes]
    """Of one page, oldest first."""
    page_count: int
    """The size of the file after the last transaction."""


def is_cut(log: Path) -> bool:
    """Return True if a write-ahead log of a save has a transaction that SQLite leaves out, because a frame
    before its end, or the head of the log, is damaged.

    Raises:
        OSError: the log cannot be read.
    """
    frame_bytes = _FRAME_HEADER_BYTES + PAGE_BYTES
    with log.open("rb") as stream:
        readable = sum(1 for _ in _frames(stream))
        stream.seek(0)
        header = stream.read(_LOG_HEADER_BYTES)
        stream.seek(_LOG_HEADER_BYTES + readable * frame_bytes)
        while len(frame := stream.read(frame_bytes)) == frame_bytes:
            if _was_commit(frame, header if _is_header(header) else None):
                return True
    return False


def _was_commit(frame: bytes, header: bytes | None) -> bool:
    """Whether a frame that is not valid was the last one of a transaction of this log; without a header, of
    any. Behind the last one may be zeros, and frames of a former log, whose salts are others.
    """
    page, count, salts = frame[:4], frame[4:8], (frame[8:12], frame[12:16])
    if any(frame) and not all(any(salt) for salt in salts):
        return True  # A sector of it was wiped.
    if header is not None and salts[0] != header[16:20] and salts[1] != header[20:24]:
        return False
    return any(count) or not any(page)


def read_log(log: Path, page: int) -> LogContents | None:
    """Read a write-ahead log, with the images of one page; None when SQLite would apply nothing of it.

    Raises:
        OSError: the log cannot be read.
    """
    images: list[bytes] = []
    pending: list[bytes] = []
    page_count = 0
    with log.open("rb") as stream:
        for header, content in _frames(stream):
            number, count_after_commit = struct.unpack_from(">2I", header)
            if number == page and len(content) == PAGE_BYTES:
                pending.append(content)
            if count_after_commit:
                images, pending, page_count = images + pending, [], count_after_commit
    return LogContents(images, page_count) if page_count else None


def pages_in(log: Path) -> list[int]:
    """The numbers of the pages that a write-ahead log of a save holds, and perhaps of others, ascending.

    Raises:
        OSError: the log cannot be read.
    """
    words = np.fromfile(log, ">u4")
    frame_words = (_FRAME_HEADER_BYTES + PAGE_BYTES) // words.itemsize
    return sorted(set(words[_LOG_HEADER_BYTES // words.itemsize :: frame_words].tolist()) - {0})


def has_frame(log: FileIO, number: int) -> bool:
    """Whether a write-ahead log of a save has so many frames. Behind its last one there may be those of a
    former log, which have other salts.

    Raises:
        OSError: the log cannot be read.
    """
    log.seek(_LOG_HEADER_BYTES + (number - 1) * (_FRAME_HEADER_BYTES + PAGE_BYTES) + 8)
    salts = log.read(8)
    if len(salts) < 8:
        return False
    log.seek(16)
    return log.read(8) == salts


def pages_in_log(log: FileIO, frame_count: int | None = None) -> set[int]:
    """Return the numbers of the pages in the first frames of a write-ahead log of a save; without a count, in
    all of its own.

    Raises:
        OSError: the log cannot be read.
    """
    log.seek(0)
    salts = np.frombuffer(log.read(_LOG_HEADER_BYTES).ljust(_LOG_HEADER_BYTES, b"\0"), ">u4")[4:6]
    frame_bytes = _FRAME_HEADER_BYTES + PAGE_BYTES
    pages: set[int] = set()
    missing = frame_count
    while missing is None or missing > 0:
        count = _FRAMES_AT_ONCE if missing is None else min(_FRAMES_AT_ONCE, missing)
        block = log.read(count * frame_bytes)
        words = np.frombuffer(block, ">u4", len(block) // frame_bytes * frame_bytes // 4)
        frames = words.reshape(-1, frame_bytes // 4)
        are_own = (frames[:, 2:4] == salts).all(axis=1)
        pages.update(frames[are_own, 0].tolist())
        if len(frames) < count or not are_own.all():
            break
        missing = None if missing is None else missing - count
    return pages


def _frames(stream: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """The headers and pages of the frames that SQLite takes for valid."""
    header = stream.read(_LOG_HEADER_BYTES)
    if not _is_header(header):
        return
    page_bytes, order = struct.unpack_from(">I", header, 8)[0], _order_in(header)
    checksum = struct.unpack_from(">2I", header, 24)
    frame_bytes = _FRAME_HEADER_BYTES + page_bytes
    of_frames = _Checksum(8 + page_bytes)
    while block := stream.read(_FRAMES_AT_ONCE * frame_bytes):
        count = len(block) // frame_bytes
        frames = np.frombuffer(block, np.uint8, count * frame_bytes).reshape(count, frame_bytes)
        summed = np.ascontiguousarray(np.delete(frames, slice(8, _FRAME_HEADER_BYTES), axis=1)).view(order)
        for frame, expected in zip(frames, of_frames.after(checksum, summed), strict=True):
            content = frame.tobytes()
            page, stored = struct.unpack_from(">I", content)[0], struct.unpack_from(">2I", content, 16)
            if not page or content[8:16] != header[16:24] or stored != expected:
                return
            checksum = expected
            yield content[:_FRAME_HEADER_BYTES], content[_FRAME_HEADER_BYTES:]
        if count < _FRAMES_AT_ONCE:
            return


def _order_in(header: bytes) -> np.dtype[np.uint32]:
    """The byte order in which the checksums of a log are made."""
    return np.dtype(">u4" if header[3] & 1 else "<u4")


def _is_header(header: bytes) -> bool:
    """Whether it is the undamaged head of a log."""
    if len(header) < _LOG_HEADER_BYTES:
        return False
    magic, version, page_bytes = struct.unpack_from(">3I", header)
    if magic & ~1 != _LOG_MAGIC or version != _LOG_VERSION or page_bytes not in _PAGE_SIZES:
        return False
    words = np.frombuffer(header[:24], _order_in(header))[None, :]
    return _Checksum(_LOG_HEADER_BYTES - 8).after((0, 0), words)[0] == struct.unpack_from(">2I", header, 24)


class _Checksum:
    """The checksum of a log, for pieces of one size.

    For each pair of words x, y it is (a, b) -> (a + b + x, a + 2b + x + y): a linear function. So the part of
    the words is made for many pieces at once.
    """

    def __init__(self, size: int) -> None:
        self._weights, self._step = _weights_for(size)

    def after(self, checksum: tuple[int, int], pieces: NDArray[np.uint32]) -> list[tuple[int, int]]:
        """The checksums after each piece, which are the rows."""
        (a_of_a, a_of_b), (b_of_a, b_of_b) = self._step
        a, b = checksum
        results = []
        for of_a, of_b in (pieces.astype(np.uint32) @ self._weights).tolist():
            a, b = (a * a_of_a + b * a_of_b + of_a) & _MASK, (a * b_of_a + b * b_of_b + of_b) & _MASK
            results.append((a, b))
        return results


@functools.lru_cache(maxsize=4)
def _weights_for(size: int) -> tuple[Words, tuple[tuple[int, int], tuple[int, int]]]:
    """How often each word of a piece is in its checksum, and each half of the checksum before it."""
    weights = np.zeros((size // 4, 2), np.uint32)
    rows = (1, 0), (0, 1)
    for place in range(size // 4 - 2, -1, -2):
        # The words of this step are added, then all later steps are done.
        weights[place] = [sum(row) & _MASK for row in rows]
        weights[place + 1] = [row[1] for row in rows]
        first, second = (
            ((one + two) & _MASK for one, two in rows),
            ((one + 2 * two) & _MASK for one, two in rows),
        )
        rows = tuple(zip(first, second, strict=True))  # type: ignore[assignment]
    return weights, rows


class Journal(NamedTuple):
    """The effect of a rollback journal on its file."""

    page_count: int
    """The size of the file when the transaction began, which it gets again."""
    has_pages: bool
    first_page: bytes | None
    """Page 1 as it was then; None when the journal does not have it."""


def read_journal(journal: Path) -> Journal | None:
    """Read a rollback journal; None when SQLite would do nothing with it.

    Raises:
        OSError: it cannot be read.
    """
    result: Journal | None = None
    with journal.open("rb") as stream:
        while True:
            header = stream.read(_JOURNAL_HEADER.size)
            if len(header) < _JOURNAL_HEADER.size:
                return result
            magic, count, nonce, page_count, sector, page_bytes = _JOURNAL_HEADER.unpack(header)
            if magic != _JOURNAL_MAGIC or (result is None and page_bytes not in _PAGE_SIZES):
                return result
            result = result or Journal(page_count, False, None)
            stream.seek(max(sector, _JOURNAL_HEADER.size) - _JOURNAL_HEADER.size, 1)
            for number, page in _originals(stream, count, nonce, page_bytes):
                first_page = page if number == 1 else result.first_page
                result = result._replace(has_pages=True, first_page=first_page)
            if count == _MOST_RECORDS or not 32 <= sector <= 1 << 16:
                return result
            stream.seek(-(-stream.tell() // sector) * sector)


def _originals(stream: BinaryIO, count: int, nonce: int, page_bytes: int) -> Iterator[tuple[int, bytes]]:
    for _ in range(count):
        record = stream.read(page_bytes + 8)
        if len(record) < page_bytes + 8:
            return
        page = record[4:-4]
        summed = sum(page[place] for place in range(page_bytes - _CHECKED_BYTES, 0, -_CHECKED_BYTES))
        if int.from_bytes(record[-4:], "big") != nonce + summed & _MASK:
            return
        yield int.from_bytes(record[:4], "big"), page
