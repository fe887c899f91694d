"""Vectors as one byte per number: a quarter of the memory a scan has to read, and how far off it can be.

Each row is `code x scale + rest`. With q the question, and q' and e its own rounding and rest,

    |row . q  -  (code x scale) . q'|  <=  |rest| |q| + |code x scale| |e|

(Cauchy-Schwarz), so the rows that can be among the best are known without looking at the others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .vector import FloatMatrix, FloatVector, RowIds

try:
    import vector_scan
except ImportError:  # a copy of the package that was not built by build.py: everything works, slower
    vector_scan = None

_INT32_MAX = 2**31 - 1
_LARGEST_CODE = 127
_LARGEST_QUERY_CODE = 32767


def is_available() -> bool:
    """Whether the extension module that compares the codes is there."""
    return vector_scan is not None


class CoarseVectors:
    """Codes and scales of vectors, aligned with the rows of a matrix somebody else keeps."""

    def __init__(self, dimension: int, capacity: int = 0) -> None:
        self._codes: NDArray[np.int8] = np.empty((capacity, dimension), dtype=np.int8)
        self._scales: NDArray[np.float32] = np.empty(capacity, dtype=np.float32)
        self._error = 0.0
        self._length = 0.0
        # The sum of all products has to fit into 32 bits.
        self._query_code = min(_LARGEST_QUERY_CODE, _INT32_MAX // (_LARGEST_CODE * dimension))

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self._codes.nbytes + self._scales.nbytes

    def reallocate(self, capacity: int, used: int) -> None:
        """Make room for `capacity` rows, keeping the first `used`."""
        codes, scales = self._codes, self._scales
        self._codes = np.empty((capacity, codes.shape[1]), dtype=np.int8)
        self._scales = np.empty(capacity, dtype=np.float32)
        self._codes[:used], self._scales[:used] = codes[:used], scales[:used]

    def put(self, start: int, vectors: FloatMatrix) -> None:
        """Set the rows from `start` on."""
        end = start + len(vectors)
        error, length = vector_scan.encode(
            np.ascontiguousarray(vectors),
            *vectors.shape,
            self._codes[start:end],
            self._scales[start:end],
        )
        self._error, self._length = max(self._error, error), max(self._length, length)

    def replace(self, places: RowIds, vectors: FloatMatrix) -> None:
        """Set these rows."""
        fresh = CoarseVectors(vectors.shape[1], len(vectors))
        fresh.put(0, vectors)
        self._codes[places], self._scales[places] = fresh._codes, fresh._scales
        self._error, self._length = max(self._error, fresh._error), max(self._length, fresh._length)

    def reorder(self, places: RowIds | NDArray[Any]) -> None:
        """Keep these rows, in this order, as the first ones."""
        self._codes[: len(places)] = self._codes[places]
        self._scales[: len(places)] = self._scales[places]

    def scores(self, query: FloatVector, used: int, rows: RowIds | None) -> tuple[FloatVector, float]:
        """About the product of the query with each of the first `used` rows, or of those in `rows`; and how
        far off one of them is at most.
        """
        largest = float(np.abs(query).max())
        step = largest / self._query_code if largest else 1.0
        codes = np.rint(query * np.float32(1.0 / step)).astype(np.int16)
        found: FloatVector = np.empty(used if rows is None else len(rows), dtype=np.float32)
        vector_scan.scan(self._codes, self._scales, used, rows, len(found), codes, step, found)
        rest = query - codes * np.float32(step)
        return found, self._error * _length(query) + self._length * _length(rest)


def _length(vector: FloatVector) -> float:
    # A third of the time of np.linalg.norm.
    return math.sqrt(float(np.vdot(vector, vector)))
