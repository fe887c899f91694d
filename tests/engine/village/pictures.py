"""The pictures of the village for the documents, as PNG files with 256 colours."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from tests.engine.game import Game, Home
from tests.engine.screen import virtual_screen
from tests.engine.village.village_project import WINDOW, make_village

SCENE = "res://tests/engine/village/pictures.tscn"
NAME = "village"
LANGUAGES = ("", "de", "zh")
"""English is "": it has all pictures, the others have one each."""
LIMIT_SECONDS = 240.0
_COLOURS = 256


def take(target: Path, scratch: Path) -> list[Path]:
    """Take all of them into `target`; their files."""
    raw = scratch / "raw"
    raw.mkdir()
    for language in LANGUAGES:
        folder = scratch / f"village_{language}"
        project = make_village(folder, language_pack=True)
        words = [str(raw), *([f"--language={language}"] if language else [])]
        home = Home(scratch / f"home_{language}")
        with virtual_screen(1280, 720) as screen:
            game = Game(project, home, "", *words, options=[*WINDOW, SCENE], screen=screen)
            code = game.end(LIMIT_SECONDS)
        if code != 0:
            raise SystemExit(f"the village ended with exit code {code}\n" + game.tail())
    target.mkdir(parents=True, exist_ok=True)
    return [_write(file, target / f"{file.name}.png") for file in sorted(raw.iterdir())]


def _write(raw: Path, target: Path) -> Path:
    """Text on plain ground needs few colours: the most frequent ones stand for those like them."""
    data = raw.read_bytes()
    width, height = struct.unpack("<ii", data[:8])
    pixels = np.frombuffer(data, np.uint8, offset=8).reshape(-1, 3)
    seen, which, counts = np.unique(pixels, axis=0, return_inverse=True, return_counts=True)
    palette = seen[np.argsort(-counts)[:_COLOURS]].astype(np.int32)
    nearest = [int(((palette - colour) ** 2).sum(axis=1).argmin()) for colour in seen.astype(np.int32)]
    rows = np.array(nearest, np.uint8)[which.reshape(-1)].reshape(height, width)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    head = struct.pack(">iiBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [
        (b"IHDR", head),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    ]
    target.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    return target
