"""How values cross to PostgreSQL: vectors in pgvector's own form, and every whole number with 64 bits."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_HEADER = struct.Struct(">HH")
_NUMBERS = np.dtype(">f4")
_KEYS = np.dtype(">i8")


class _VectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: FloatVector) -> Buffer:
        return _HEADER.pack(len(obj), 0) + obj.astype(_NUMBERS).tobytes()


class _VectorLoader(Loader):
    """Leaves a vector as bytes, for vectors_in()."""

    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return bytes(data)[_HEADER.size :]


def vectors_in(parts: list[bytes], dimension: int) -> FloatMatrix:
    """Vectors of one dimension as they were read."""
    numbers = np.frombuffer(b"".join(parts), dtype=_NUMBERS).astype(np.float32)
    return numbers.reshape(len(parts), dimension)


def vector_in(part: bytes) -> FloatVector:
    """A vector as it was read."""
    return np.frombuffer(part, dtype=_NUMBERS).astype(np.float32)


def keys_and_numbers_in(keys: bytes, numbers: bytes) -> tuple[Keys, FloatVector]:
    """Keys, ascending, and the number of each, as the server has joined them in any order."""
    unordered, values = np.frombuffer(keys, dtype=_KEYS).astype(np.int64), vector_in(numbers)
    order = np.argsort(unordered, kind="stable")
    return unordered[order], values[order]


def adapt(connection: psycopg.Connection[tuple[Any, ...]], vector: TypeInfo) -> None:
    """Teach a connection these forms."""
    dumper = type("_VectorDumper", (_VectorDumper,), {"oid": vector.oid})
    connection.adapters.register_dumper(np.ndarray, dumper)
    connection.adapters.register_loader(vector.oid, _VectorLoader)
    # Else each number has a type by its size, and each size a prepared statement of its own.
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(int, Int8BinaryDumper)
