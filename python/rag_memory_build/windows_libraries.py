"""Reads and changes the names of the DLLs that a Windows DLL is linked to."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from .console import SetupError

_PE32_PLUS = 0x20B
_IMPORTS, _SIGNATURE, _DELAYED_IMPORTS = 1, 4, 13


def needed(file: Path) -> list[str]:
    """The names of the DLLs that `file` is linked to, in lower case."""
    content = file.read_bytes()
    return [_text(content, place).lower() for place in _name_places(content)]


def rename_needed(file: Path, names: Mapping[str, str]) -> None:
    """Link `file` to other DLLs.

    `names`: new names by the old ones in lower case; a new name must not be longer. The file's signature is
    removed, because it is invalid then.
    """
    content = bytearray(file.read_bytes())
    renamed = False
    for place in _name_places(content):
        old = _text(content, place)
        new = names.get(old.lower(), old)
        if len(new) > len(old):
            raise SetupError(
                f"{file.name} cannot be linked to {new}",
                f"that is longer than {old}",
                "choose a shorter name",
            )
        content[place : place + len(old)] = new.encode().ljust(len(old), b"\0")
        renamed |= new != old
    if renamed:
        _remove_signature(content)
        file.write_bytes(content)


def is_signed(file: Path) -> bool:
    content = file.read_bytes()
    return bool(struct.unpack_from("<I", content, _directory(content, _SIGNATURE))[0])


def replace_text(file: Path, old: str, new: str) -> None:
    """Replace a text of 16-bit characters, whole and as long as the new one, in `file`."""
    content = bytearray(file.read_bytes())
    before, after = (f"{text}\0".encode("utf-16-le") for text in (old, new))
    if len(before) != len(after) or before not in content:
        raise SetupError(
            f"{file.name} is not the expected file", f"it has no text {old!r}", "check its version"
        )
    content = content.replace(before, after)
    _remove_signature(content)
    file.write_bytes(content)


def _name_places(content: bytes | bytearray) -> Iterator[int]:
    """Yield the positions of the names of needed DLLs."""
    for kind, size, name in ((_IMPORTS, 20, 12), (_DELAYED_IMPORTS, 32, 4)):
        table = struct.unpack_from("<I", content, _directory(content, kind))[0]
        while table:
            entry = _place(content, table)
            address = struct.unpack_from("<I", content, entry + name)[0]
            if not address:
                break
            yield _place(content, address)
            table += size


def _directory(content: bytes | bytearray, kind: int) -> int:
    """The position of a table's address and size in the header."""
    header = _header(content)
    if struct.unpack_from("<H", content, header + 24)[0] != _PE32_PLUS:
        raise SetupError(
            "A DLL cannot be read", "it is not one for 64-bit Windows", "check where it comes from"
        )
    return header + 24 + 112 + 8 * kind


def _header(content: bytes | bytearray) -> int:
    return int(struct.unpack_from("<I", content, 0x3C)[0])


def _place(content: bytes | bytearray, address: int) -> int:
    """Convert an address in memory to a position in the file."""
    header = _header(content)
    sections, options = struct.unpack_from("<6xH12xH", content, header)
    for number in range(sections):
        _, begin, size, place = struct.unpack_from("<4I", content, header + 24 + options + 40 * number + 8)
        if begin <= address < begin + size:
            return int(place + address - begin)
    raise SetupError("A DLL cannot be read", "its tables lead out of it", "fetch it again")


def _text(content: bytes | bytearray, place: int) -> str:
    return content[place : content.index(0, place)].decode("ascii")


def _remove_signature(content: bytearray) -> None:
    directory = _directory(content, _SIGNATURE)
    place = struct.unpack_from("<I", content, directory)[0]  # of this table alone in the file, at its end
    if place:
        struct.pack_into("<2I", content, directory, 0, 0)
        del content[place:]
