"""Removes the symbol table of an ELF library that only debuggers read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_SYMBOLS, _NO_CONTENT = 2, 8
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_ALIGNMENT = 8


@dataclass(frozen=True)
class _Section:
    kind: int
    place: int
    size: int
    link: int
    header: bytes


def remove(file: Path) -> bool:
    """Remove the table if nothing that is loaded comes after it; return True if it was removed."""
    content = bytearray(file.read_bytes())
    sections, names = _sections(content)
    symbols = next((number for number, section in enumerate(sections) if section.kind == _SYMBOLS), 0)
    if not symbols:
        return False
    dropped = {symbols, sections[symbols].link}
    end = min(sections[number].place for number in (*dropped, names))
    rest = [number for number in range(len(sections)) if number not in dropped and number != names]
    is_last = all(
        sections[number].kind == _NO_CONTENT or sections[number].place + sections[number].size <= end
        for number in rest
    )
    if not is_last or max(rest) > min(*dropped, names) or _end_of_segments(content) > end:
        return False
    texts = bytes(content[sections[names].place :][: sections[names].size])
    headers = [sections[number].header for number in rest]
    fields = list(_SECTION.unpack(sections[names].header))
    fields[4] = end
    headers.append(_SECTION.pack(*fields))
    table = end + len(texts) + -(end + len(texts)) % _ALIGNMENT
    struct.pack_into("<Q", content, 0x28, table)
    struct.pack_into("<HH", content, 0x3C, len(headers), len(headers) - 1)
    stripped = bytes(content[:end]) + texts.ljust(table - end, b"\0") + b"".join(headers)
    file.write_bytes(stripped)
    return True


def _sections(content: bytearray) -> tuple[list[_Section], int]:
    """The sections, and which of them has their names."""
    table = struct.unpack_from("<Q", content, 0x28)[0]
    count, names = struct.unpack_from("<HH", content, 0x3C)
    sections = []
    for number in range(count):
        header = bytes(content[table + number * _SECTION.size :][: _SECTION.size])
        _, kind, _, _, place, size, link, *_ = _SECTION.unpack(header)
        sections.append(_Section(kind, place, size, link, header))
    return sections, names


def _end_of_segments(content: bytearray) -> int:
    """Where in the file the last byte is that is loaded."""
    table = struct.unpack_from("<Q", content, 0x20)[0]
    count = struct.unpack_from("<H", content, 0x38)[0]
    ends = [0]
    for number in range(count):
        _, _, place, _, _, size, _, _ = _SEGMENT.unpack_from(content, table + number * _SEGMENT.size)
        ends.append(place + size)
    return max(ends)
