"""Vectors as one byte per number, and as half a byte: a quarter or an eighth of the memory a scan has to
read, and how far off it can be.

Each row is `code x scale + rest`. With q the question, and q' and e its own rounding and rest,

    |row . q  -  (code x scale) . q'|  <=  |rest| |q| + |code x scale| |e|

(Cauchy-Schwarz), so the rows that can be among the best are known without looking at the others. Half a byte
says of some hundred rows that they can be, a byte of a few dozen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask, NDArray

try:
    import vector_scan
except ImportError:  # a copy of the package that was not built by build.py: everything works, slower
    vector_scan = None

_INT32_MAX = 2**31 - 1
_LARGEST_CODE = 127
_LARGEST_QUERY_CODE = 32767
_ARRAYS = ("_codes", "_scales", "_halves", "_half_scales")
"""In the order in which vector_scan.encode() takes them."""


def is_available() -> bool:
    """Return True if the extension module that compares the codes is available."""
    return vector_scan is not None


class CoarseVectors:
    """Codes and scales of vectors, aligned with the rows of the owner's matrix."""

    def __init__(self, dimension: int, capacity: int = 0) -> None:
        self._codes: NDArray[np.int8] = np.empty((capacity, dimension), dtype=np.int8)
        self._scales: NDArray[np.float32] = np.empty(capacity, dtype=np.float32)
        self._halves: NDArray[np.uint8] = np.empty((capacity, _width(dimension)), dtype=np.uint8)
        self._half_scales: NDArray[np.float32] = np.empty((capacity, 2), dtype=np.float32)
        self._error = 0.0
        self._length = 0.0
        # The sum of all products has to fit into 32 bits.
        self._query_code = min(_LARGEST_QUERY_CODE, _INT32_MAX // (_LARGEST_CODE * dimension))

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return sum(getattr(self, name).nbytes for name in _ARRAYS)

    def reallocate(self, capacity: int, used: int) -> None:
        """Make room for `capacity` rows, keeping the first `used`."""
        for name in _ARRAYS:
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            new[:used] = old[:used]
            setattr(self, name, new)

    def put(self, start: int, vectors: FloatMatrix) -> None:
        """Set the rows from `start` on."""
        end = start + len(vectors)
        error, length = vector_scan.encode(
            np.ascontiguousarray(vectors),
            *vectors.shape,
            self._halves.shape[1],
            *(getattr(self, name)[start:end] for name in _ARRAYS),
        )
        self._error, self._length = max(self._error, error), max(self._length, length)

    def replace(self, places: Keys, vectors: FloatMatrix) -> None:
        """Set these rows."""
        fresh = CoarseVectors(vectors.shape[1], len(vectors))
        fresh.put(0, vectors)
        for name in _ARRAYS:
            getattr(self, name)[places] = getattr(fresh, name)
        self._error, self._length = max(self._error, fresh._error), max(self._length, fresh._length)

    def reorder(self, places: Keys | NDArray[Any]) -> None:
        """Keep these rows, in this order, as the first ones."""
        for name in _ARRAYS:
            values = getattr(self, name)
            values[: len(places)] = values[places]

    def scores(self, query: FloatVector, used: int, rows: Keys | None) -> tuple[FloatVector, float]:
        """About the product of the query with each of the first `used` rows, or of those in `rows`; and how
        far off one of them is at most.
        """
        products: FloatVector = np.empty(used if rows is None else len(rows), dtype=np.float32)
        length, lost = vector_scan.scan(
            self._codes, self._scales, used, rows, len(products), query, self._query_code, products
        )
        return products, self._error * length + self._length * lost

    def nearest(
        self, query: FloatVector, used: int, k: int, allowed: Mask | Keys | None, rounding: float
    ) -> Keys:
        """Return those of the first `used` rows, or of the allowed ones (a mask, or rows), that can be among
        the `k` most similar to the query, or within `rounding` of these.
        """
        count = len(allowed) if allowed is not None and allowed.dtype != np.bool_ else -1
        rows = vector_scan.nearest(
            self._codes,
            self._scales,
            self._halves,
            self._half_scales,
            self._halves.shape[1],
            used,
            self._error,
            self._length,
            allowed,
            count,
            query,
            self._query_code,
            k,
            rounding,
        )
        return np.frombuffer(rows, dtype=np.int64)


def _width(dimension: int) -> int:
    """The bytes of one vector with half a byte per number: as many at a time as a processor multiplies."""
    return -(-dimension // 64) * 32
