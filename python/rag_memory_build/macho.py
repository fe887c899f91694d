"""Reads Mach-O files, the libraries of macOS, and joins the files of several processors.

A file has one image, or several of them (a universal file), each with its own signature. Joining or splitting
images does not change their bytes, so the signatures stay valid.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

PROCESSORS = {0x01000007: "x86_64", 0x0100000C: "arm64"}
FLAT = -2
"""The ordinal of a symbol that may come from any library with global symbols."""

_MAGIC = b"\xcf\xfa\xed\xfe"
_UNIVERSAL_MAGIC = b"\xca\xfe\xba\xbe"
_MOST_IMAGES = 8
"""Java class files begin with the same bytes; there this number is a version, which is larger."""
_ALIGNMENT = 14
"""Images begin at multiples of 2 to this power, the page size of arm64."""

_LIBRARY_COMMANDS = (0xC, 0x80000018, 0x8000001F)
_SYMBOLS, _RPATH, _SIGNATURE = 0x2, 0x8000001C, 0x1D
_OLDEST_SYSTEM, _BUILD_VERSION = 0x24, 0x32
_BINDINGS = (0x22, 0x80000022)
_CHAINED_FIXUPS = 0x80000034
_EXTERNAL, _TYPE, _DEBUG = 0x01, 0x0E, 0xE0


@dataclass(frozen=True)
class Image:
    """The code for one processor."""

    content: bytes

    @property
    def processor(self) -> str:
        return PROCESSORS[struct.unpack_from("<I", self.content, 4)[0]]

    @cached_property
    def libraries(self) -> list[str]:
        """The libraries it is linked to. Imports count them from 1."""
        return [self._text(at, 8) for command, at in self._commands() if command in _LIBRARY_COMMANDS]

    @cached_property
    def rpaths(self) -> list[str]:
        return [self._text(at, 8) for command, at in self._commands() if command == _RPATH]

    @cached_property
    def is_signed(self) -> bool:
        return any(command == _SIGNATURE for command, _ in self._commands())

    @cached_property
    def oldest_system(self) -> tuple[int, int]:
        """The oldest macOS it is made for, such as (14, 0)."""
        for command, at in self._commands():
            if command in (_OLDEST_SYSTEM, _BUILD_VERSION):
                packed = self._number(at + (8 if command == _OLDEST_SYSTEM else 12))
                return packed >> 16, packed >> 8 & 0xFF
        return 0, 0

    @cached_property
    def exports(self) -> set[str]:
        """The symbols it exports."""
        return {name for name, kind in self._symbols() if kind & _EXTERNAL and kind & _TYPE}

    @cached_property
    def imports(self) -> dict[str, int]:
        """The symbols it imports, with the number of the library (from 1) or FLAT."""
        symbols: dict[str, int] = {}
        for command, at in self._commands():
            if command in _BINDINGS:
                for field in (16, 32):
                    start, size = self._number(at + field), self._number(at + field + 4)
                    symbols.update(_bound(self.content[start : start + size]))
            elif command == _CHAINED_FIXUPS:
                symbols.update(self._chained_imports(self._number(at + 8)))
        return symbols

    def _commands(self) -> Iterator[tuple[int, int]]:
        at = 32
        for _ in range(self._number(16)):
            yield self._number(at), at
            at += self._number(at + 4)

    def _symbols(self) -> Iterator[tuple[str, int]]:
        for command, at in self._commands():
            if command == _SYMBOLS:
                start, count, texts = struct.unpack_from("<3I", self.content, at + 8)
                for number in range(count):
                    name, kind = struct.unpack_from("<IB", self.content, start + 16 * number)
                    if not kind & _DEBUG:
                        yield _text_at(self.content, texts + name), kind

    def _chained_imports(self, start: int) -> Iterator[tuple[str, int]]:
        entries, texts, count, form = struct.unpack_from("<4I", self.content, start + 8)
        for number in range(count):
            if form == 3:
                (entry,) = struct.unpack_from("<Q", self.content, start + entries + 16 * number)
                ordinal, name = entry & 0xFFFF, entry >> 32
                ordinal = ordinal - 0x10000 if ordinal > 0xFFF0 else ordinal
            else:
                size = 4 if form == 1 else 8
                entry = self._number(start + entries + size * number)
                ordinal, name = entry & 0xFF, entry >> 9
                ordinal = ordinal - 0x100 if ordinal > 0xF0 else ordinal
            yield _text_at(self.content, start + texts + name), ordinal

    def _number(self, at: int) -> int:
        number: int = struct.unpack_from("<I", self.content, at)[0]
        return number

    def _text(self, command: int, field: int) -> str:
        return _text_at(self.content, command + self._number(command + field))


def images(content: bytes) -> list[Image]:
    """Read the images of a file; an empty list if it isn't a Mach-O file."""
    if content[:4] == _MAGIC:
        return [Image(content)]
    if content[:4] != _UNIVERSAL_MAGIC:
        return []
    (count,) = struct.unpack_from(">I", content, 4)
    if count > _MOST_IMAGES:
        return []
    entries = [struct.unpack_from(">5I", content, 8 + 20 * number) for number in range(count)]
    return [Image(content[start : start + size]) for _, _, start, size, _ in entries]


def universal(parts: Sequence[Image]) -> bytes:
    """Join images to the content of a universal file."""
    step = 1 << _ALIGNMENT
    header = struct.pack(">4sI", _UNIVERSAL_MAGIC, len(parts))
    body = b""
    for part in parts:
        kind, variant = struct.unpack_from("<2I", part.content, 4)
        header += struct.pack(">5I", kind, variant, step + len(body), len(part.content), _ALIGNMENT)
        body += part.content + bytes(-len(part.content) % step)
    return header.ljust(step, b"\0") + body[: len(body) - (-len(parts[-1].content) % step)]


def _bound(code: bytes) -> Iterator[tuple[str, int]]:
    """Read symbols and ordinals from dyld's binding instructions."""
    at, ordinal, name = 0, 0, ""
    while at < len(code):
        operation, operand = code[at] & 0xF0, code[at] & 0x0F
        at += 1
        if operation == 0x10:
            ordinal = operand
        elif operation == 0x20:
            ordinal, at = _number_at(code, at)
        elif operation == 0x30:
            ordinal = operand - 16 if operand else 0
        elif operation == 0x40:
            name = _text_at(code, at)
            at += len(name.encode()) + 1
        elif operation in (0x60, 0x70, 0x80):
            _, at = _number_at(code, at)
        if operation in (0x90, 0xA0, 0xB0, 0xC0):
            for _ in range({0xA0: 1, 0xC0: 2}.get(operation, 0)):
                _, at = _number_at(code, at)
            yield name, ordinal


def _number_at(code: bytes, at: int) -> tuple[int, int]:
    """Read a number of variable length (ULEB128); return it and its end."""
    number = shift = 0
    while True:
        number |= (code[at] & 0x7F) << shift
        shift += 7
        at += 1
        if code[at - 1] < 0x80:
            return number, at


def _text_at(content: bytes, at: int) -> str:
    return content[at : content.index(b"\0", at)].decode()
