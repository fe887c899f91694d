"""The table of classes that the native host reads."""

from __future__ import annotations

import struct
import zlib

from rag_memory.godot.classes import declared_classes
from rag_memory_build.class_table import FORMAT, class_table


def test_a_table_begins_with_its_format_and_ends_with_a_checksum() -> None:
    table = class_table(declared_classes())
    assert struct.unpack_from("<q", table) == (FORMAT,)
    content, (checksum,) = table[:-8], struct.unpack("<Q", table[-8:])
    assert checksum == zlib.crc32(content)
