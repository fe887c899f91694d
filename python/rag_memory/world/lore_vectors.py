"""Vectors of lore in files of their own, so that the same lore is embedded once for all saves of a game.

A file belongs to one source and one embedding model: a line that names the format, a line of JSON, then for
each text a hash of 16 bytes, then for each its vector. It is only a copy: a damaged file or one of
another model is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from rag_memory import files
from rag_memory.embedding.embedder import Embedder
from rag_memory.vectors import FloatVector

ENDING = ".vectors"
_FORMAT = b"RAG Memory lore vectors 1\n"
_HASH_BYTES = 16


def hash_of(text: str) -> bytes:
    """The key of a text in the file."""
    return hashlib.blake2b(text.encode(), digest_size=_HASH_BYTES).digest()


def read(folders: Sequence[Path], names: Sequence[str], embedder: Embedder) -> dict[bytes, FloatVector]:
    """The vectors of this embedder, by hash_of(), from the files of these names in all folders."""
    vectors: dict[bytes, FloatVector] = {}
    for folder in folders:
        for name in dict.fromkeys(names):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                vectors |= _read(path_of(folder, name), embedder)
    return vectors


def path_of(folder: Path, name: str) -> Path:
    """The file with the vectors of a source."""
    return files.usable(folder / f"{name}{ENDING}")


def _read(path: Path, embedder: Embedder) -> dict[bytes, FloatVector]:
    content = path.read_bytes()
    if not content.startswith(_FORMAT):
        return {}
    end = content.index(b"\n", len(_FORMAT))
    about = json.loads(content[len(_FORMAT) : end])
    body = content[end + 1 :]
    if about["fingerprint"] != embedder.fingerprint or about["checksum"] != zlib.crc32(body):
        return {}
    count, hashes_end = int(about["count"]), int(about["count"]) * _HASH_BYTES
    vectors = np.frombuffer(body[hashes_end:], dtype="<f4").reshape(count, embedder.dimension)
    if not bool(np.isfinite(vectors).all()):
        return {}
    return {
        body[number * _HASH_BYTES : (number + 1) * _HASH_BYTES]: vectors[number].astype(np.float32)
        for number in range(count)
    }


def write(folder: Path, name: str, embedder: Embedder, vectors: Mapping[bytes, FloatVector]) -> None:
    """Write the file with the vectors of a source.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    body = b"".join(vectors) + b"".join(
        vector.astype("<f4", copy=False).tobytes() for vector in vectors.values()
    )
    about = {"fingerprint": embedder.fingerprint, "count": len(vectors), "checksum": zlib.crc32(body)}
    path = path_of(folder, name)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            file.write(_FORMAT + json.dumps(about).encode() + b"\n" + body)
            file.flush()
            os.fsync(file.fileno())
        files.replace(new, path)
    finally:
        with contextlib.suppress(OSError):
            files.delete(new)
