"""The manifest of a runtime, by which the native host detects incomplete copies."""

from __future__ import annotations

import zlib
from pathlib import Path

from . import macho

NAME = "manifest.txt"


def write(runtime: Path) -> None:
    """List all files of the runtime except hidden ones, which exports leave out.

    First the number of files, then a line per file: CRC-32 (hexadecimal), size in bytes, name. Both numbers
    are 0 for libraries of macOS, because signing a game changes them.
    """
    manifest = runtime / NAME
    lines = []
    for file in sorted(runtime.rglob("*")):
        name = file.relative_to(runtime).as_posix()
        if file.is_file() and not file.name.startswith(".") and file != manifest:
            content = file.read_bytes()
            if macho.images(content):
                content = b""
            lines.append(f"{zlib.crc32(content):08x} {len(content)} {name}\n")
    unfinished = manifest.with_suffix(".new")
    unfinished.write_text("".join([f"{len(lines)}\n", *lines]), encoding="utf-8", newline="\n")
    unfinished.replace(manifest)
