"""What the runtime consists of: the native host tells a whole one from an interrupted copy."""

from __future__ import annotations

import zlib
from pathlib import Path

from . import macho

NAME = "manifest.txt"


def write(runtime: Path) -> None:
    """List every file of the runtime but hidden ones, which an export leaves out.

    The number of files, then a line for each: CRC-32 (hexadecimal), size in bytes, name. Both numbers are 0
    for libraries of macOS: those who export a game sign them, and a signature lies in the file.
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
