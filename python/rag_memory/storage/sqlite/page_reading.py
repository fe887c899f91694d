"""The rows of a damaged database file, read from its pages without SQLite, which gives up a tree for one bit.

No schema is looked at, so none can do harm: a row is told by the number and the types of its values. See
https://sqlite.org/fileformat2.html for the format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Set
from pathlib import Path
from typing import BinaryIO, NamedTuple

Value = None | int | float | str | bytes

PAGE_BYTES = 4096
"""Of every save: SQLite's default."""

_LEAF_HEADER_BYTES, _INNER_HEADER_BYTES = 8, 12
_INNER_TABLE = 5
_INDEX_LEAF = 10
_OTHER_PAGES = (0, 2, 10)
"""First bytes of overflow pages and of indexes' pages. Inner pages of tables hold nothing that looks like a
row.
"""
_MOST_IN_PAGE = PAGE_BYTES - 35
_LEAST_IN_PAGE = (PAGE_BYTES - 12) * 32 // 255 - 23
_INTEGER_BYTES = (0, 1, 2, 3, 4, 6, 8)
_FLOAT, _ZERO, _ONE, _FIRST_BLOB = 7, 8, 9, 12


class Row(NamedTuple):
    """One row of some table."""

    rowid: int
    values: tuple[Value, ...]


def rows(file: Path) -> Iterator[Row]:
    """Every row of every table that can be read, in the order of the pages. Text that is no UTF-8 has
    replacement characters.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as stream:
        for row, _ in _rows(_Pages(stream, -(-file.stat().st_size // PAGE_BYTES))):
            yield row


def rows_on(stream: BinaryIO, page_count: int, numbers: Set[int]) -> Iterator[Row]:
    """The rows of which a part lies on one of these pages.

    Raises:
        OSError: the file cannot be read.
    """
    for row, used in _rows(_Pages(stream, page_count)):
        if not numbers.isdisjoint(used):
            yield row


def children(page: bytes) -> list[int]:
    """The pages below a page of a table's tree; none below a leaf."""
    if len(page) != PAGE_BYTES or page[0] != _INNER_TABLE:
        return []
    end = min(PAGE_BYTES, _INNER_HEADER_BYTES + 2 * int.from_bytes(page[3:5], "big"))
    places = (int.from_bytes(page[place : place + 2], "big") for place in range(_INNER_HEADER_BYTES, end, 2))
    return [int.from_bytes(page[place : place + 4], "big") for place in (*places, 8)]


def entries(page: bytes) -> list[tuple[Value, ...]] | None:
    """The entries on a page that is the leaf of an index, or of a table WITHOUT ROWID; None when it is none,
    or damaged.
    """
    if len(page) != PAGE_BYTES or page[0] != _INDEX_LEAF:
        return None
    results = []
    try:
        for place in range(_LEAF_HEADER_BYTES, _end_of_places(page), 2):
            size, start = _varint(page, int.from_bytes(page[place : place + 2], "big"))
            results.append(_values(page[start : start + size], size))
    except (ValueError, IndexError, struct.error):
        return None
    return results


class _Pages:
    """The pages of a file, numbered from 1."""

    def __init__(self, stream: BinaryIO, count: int) -> None:
        self._stream = stream
        self.count = count
        self.used: set[int] = set()
        """The pages of the row that is being read."""
        self._overflow_left = 2 * count
        """Each belongs to one row. Chains that share pages, made with intent, would take for ever."""

    def read(self, number: int) -> bytes:
        if not 1 <= number <= self.count:
            raise ValueError("there is no such page")
        self._stream.seek((number - 1) * PAGE_BYTES)
        return self._stream.read(PAGE_BYTES).ljust(PAGE_BYTES, b"\0")

    def read_overflow(self, number: int) -> tuple[int, bytes]:
        """The number of the page that follows, 0 for none, and what this one holds."""
        self._overflow_left -= 1
        if self._overflow_left < 0:
            raise ValueError("there are more references to pages than pages")
        self.used.add(number)
        content = self.read(number)
        return int.from_bytes(content[:4], "big"), content[4:]


def _rows(pages: _Pages) -> Iterator[tuple[Row, set[int]]]:
    """Every row, and the pages that it lies on."""
    free = set(_free_pages(pages)) if pages.count else set()
    for number in range(2, pages.count + 1):
        content = pages.read(number)
        # A leaf is known by what it is not: its first byte may be the damaged one.
        if number in free or content[0] in _OTHER_PAGES:
            continue
        for place in range(_LEAF_HEADER_BYTES, _end_of_places(content), 2):
            pages.used = {number}
            try:
                row = _row(pages, content, int.from_bytes(content[place : place + 2], "big"))
            except (ValueError, IndexError, struct.error):
                continue
            yield row, pages.used


def _end_of_places(content: bytes) -> int:
    return min(PAGE_BYTES, _LEAF_HEADER_BYTES + 2 * int.from_bytes(content[3:5], "big"))


def _free_pages(pages: _Pages) -> Iterator[int]:
    """What was deleted lies in these."""
    trunk, seen = int.from_bytes(pages.read(1)[32:36], "big"), set[int]()
    while 1 <= trunk <= pages.count and trunk not in seen:
        seen.add(trunk)
        following, count, *leaves = struct.unpack(f">{PAGE_BYTES // 4}I", pages.read(trunk))
        yield trunk
        yield from leaves[:count]
        trunk = following


def _row(pages: _Pages, content: bytes, start: int) -> Row:
    size, start = _varint(content, start)
    rowid, start = _varint(content, start)
    if size <= _MOST_IN_PAGE:
        return Row(rowid, _values(content[start : start + size], size))
    inside = _LEAST_IN_PAGE + (size - _LEAST_IN_PAGE) % (PAGE_BYTES - 4)
    inside = inside if inside <= _MOST_IN_PAGE else _LEAST_IN_PAGE
    end = start + inside
    parts, missing = [content[start:end]], size - inside
    following = int.from_bytes(content[end : end + 4], "big")
    while missing > 0:
        following, part = pages.read_overflow(following)
        parts.append(part[:missing])
        missing -= len(parts[-1])
    return Row(rowid, _values(b"".join(parts), size))


def _values(payload: bytes, size: int) -> tuple[Value, ...]:
    end, place = _varint(payload, 0)
    types = []
    while place < end:
        kind, place = _varint(payload, place)
        types.append(kind)
    if place != end or end + sum(map(_bytes_of, types)) != size or len(payload) != size:
        raise ValueError("the lengths do not add up")
    values: list[Value] = []
    for kind in types:
        following = place + _bytes_of(kind)
        values.append(_value(kind, payload[place:following]))
        place = following
    return tuple(values)


def _bytes_of(kind: int) -> int:
    if kind < len(_INTEGER_BYTES):
        return _INTEGER_BYTES[kind]
    if kind >= _FIRST_BLOB:
        return (kind - _FIRST_BLOB) // 2
    if kind > _ONE:
        raise ValueError("no value has this type")
    return 8 if kind == _FLOAT else 0


def _value(kind: int, content: bytes) -> Value:
    if kind == 0:
        return None
    if kind == _FLOAT:
        return float(struct.unpack(">d", content)[0])
    if kind in (_ZERO, _ONE):
        return kind - _ZERO
    if kind < _FIRST_BLOB:
        return int.from_bytes(content, "big", signed=True)
    return content.decode("utf-8", "replace") if kind % 2 else content


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A number of one to nine bytes, and the place behind it."""
    value = 0
    for length in range(1, 9):
        byte = content[place + length - 1]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + length
    value = value << 8 | content[place + 8]
    return value - (1 << 64 if value >> 63 else 0), place + 9
