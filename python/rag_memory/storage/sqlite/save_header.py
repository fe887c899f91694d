"""Whose file is it? What its first bytes, its name and what lies beside it tell, before it is touched."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rag_memory import files
from rag_memory.storage.sqlite.schema import APPLICATION_ID

SAVE_SUFFIX = ".sqlite3"

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_HIGHEST_VERSION = 0xFF
"""No newer version will write a higher one."""
_WRITTEN = {
    (journal, b"\x00\x40\x20\x20", b"\x00\x00\x00\x04", b"\x00\x00\x00\x01")
    for journal in (b"\x01\x01", b"\x02\x02")
}
"""What a save's header has besides: the journal, the layout of pages, the format of the schema, UTF-8."""
_OTHER_FORMATS = {
    b"\x89PNG\r\n\x1a\n": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"OggS": "an Ogg sound or video",
    b"RIFF": "a WAV sound or a WebP picture",
    b"PK\x03\x04": "a ZIP archive",
    b"GDPC": "a Godot package",
    b"RSRC": "a binary Godot resource",
    b"RSCC": "a compressed Godot resource",
    b"[gd_resource": "a Godot resource",
    b"[gd_scene": "a Godot scene",
}
"""What else a game keeps in files, by the published signatures of these formats."""


class Header(NamedTuple):
    """What the first bytes of a file tell."""

    is_empty: bool
    is_sqlite: bool
    application_id: int
    version: int
    is_damaged: bool
    """Whether something is not as in every save, although the file is meant to be one."""
    other_format: str
    """"" or what the file is instead, to be read in a sentence."""


def read_header(file: Path) -> Header:
    """The head of a file; one that does not exist is like an empty one. Raises OSError."""
    head = b""
    files.check_regular(file)
    if file.exists():
        with file.open("rb") as stream:
            head = stream.read(_HEADER_BYTES)
    application_id = int.from_bytes(head[68:72], "big")
    version = int.from_bytes(head[60:64], "big") if len(head) == _HEADER_BYTES else 0
    is_sqlite = len(head) == _HEADER_BYTES and head.startswith(_MAGIC)
    is_as_written = (
        application_id == APPLICATION_ID
        and version <= _HIGHEST_VERSION
        and (head[18:20], head[20:24], head[44:48], head[56:60]) in _WRITTEN
    )
    formats = (what for signature, what in _OTHER_FORMATS.items() if head.startswith(signature))
    return Header(
        is_empty=not head,
        is_sqlite=is_sqlite,
        application_id=application_id,
        version=version,
        is_damaged=is_sqlite and is_nearly_ours(application_id) and not is_as_written,
        other_format=next(formats, ""),
    )


def is_nearly_ours(application_id: int) -> bool:
    """Whether it is our id, or was it before a single bit of it changed."""
    return (application_id ^ APPLICATION_ID).bit_count() <= 1


def was_save(file: Path, header: Header) -> bool:
    """Whether a file that is no SQLite database is what became of a save: our id is still in its head, a save
    left something beside it, or it is named like one and is nothing else that is known.
    """
    stem = str(file).removesuffix(SAVE_SUFFIX)
    beside = (f"{file}-wal", f"{stem}.index", f"{stem}.snapshots")
    return (
        header.application_id == APPLICATION_ID
        or any(Path(path).exists() for path in beside)
        or (file.suffix == SAVE_SUFFIX and not header.other_format)
    )
