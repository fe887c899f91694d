"""The array types of embeddings, and the checks every vector passes on its way in.

numpy must load with OPENBLAS_NUM_THREADS=1 (the package's __init__ sets it): a BLAS thread that is
alive when the engine unloads the interpreter can hang the game's exit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from rag_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray
else:
    NDArray = np.ndarray  # numpy.typing takes 10 ms to import

_IntegerT = TypeVar("_IntegerT", bound="np.integer[Any]")
FloatVector: TypeAlias = NDArray[np.float32]
"""One embedding, shape [dimension]; or one similarity per row, shape [n]."""

FloatMatrix: TypeAlias = NDArray[np.float32]
"""Embeddings, shape [n, dimension], one per row."""

Keys: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Positions: TypeAlias = NDArray[np.intp]
"""Places in an index or in columns, which have the same order: that of the keys."""


def positions_in(keys: Keys, wanted: Keys) -> Positions:
    """Return the positions of the wanted keys in `keys`, which are ascending and contain all of them; in
    their order.
    """
    if len(keys) and keys[-1] - keys[0] == len(keys) - 1:
        # Nothing was left out and there is no other NPC: twenty times as quick.
        positions: Positions = wanted - keys[0]
    else:
        positions = np.searchsorted(keys, wanted)
    return positions


def distinct(values: NDArray[_IntegerT]) -> NDArray[_IntegerT]:
    """Return the values in ascending order, each once. numpy.unique would import numpy.ma, which takes 10 ms
    and 2 MB.
    """
    ordered = np.sort(values)
    once: NDArray[_IntegerT] = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return once


def unit_rows(matrix: NDArray[np.floating]) -> FloatMatrix:
    """The rows scaled to length 1. A row without a direction becomes the first axis, never zero.

    A zero or non-finite row would make every similarity with it 0 or NaN, and NaN breaks the order.
    """
    rows = np.array(matrix, dtype=np.float64)
    lengths = np.sqrt(np.vecdot(rows, rows))
    usable = np.isfinite(lengths) & (lengths > 1e-12)
    rows[~usable] = 0.0
    rows[~usable, :1] = 1.0
    lengths[~usable] = 1.0
    units: FloatMatrix = (rows / lengths[:, None]).astype(np.float32)
    return units


def validate_keys(keys: Sequence[int] | Keys) -> Keys:
    """`keys` as a one-dimensional int64 array of numbers >= 0."""
    ids = np.asarray(keys)
    if ids.size == 0:
        return np.empty(0, dtype=np.int64)
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or int(ids.min()) < 0:
        raise InvalidArgumentError(
            "The keys of a vector index are not usable",
            f"expected a flat list of integers >= 0, got {ids.dtype} of shape {ids.shape}",
            "Pass the keys of the memories as the store gave them",
        )
    return ids.astype(np.int64, copy=False)


def validate_matrix(vectors: FloatMatrix, rows: int, dimension: int) -> FloatMatrix:
    """`vectors` as finite float32 of shape [rows, dimension]."""
    matrix = np.asarray(vectors, dtype=np.float32)
    if matrix.shape != (rows, dimension):
        raise InvalidArgumentError(
            "The vectors do not fit the index",
            f"expected the shape {(rows, dimension)}, got {matrix.shape}",
            "Embed the texts with the embedder this index was made for",
        )
    if not bool(np.isfinite(matrix).all()):
        raise InvalidArgumentError(
            "A vector holds infinity or NaN",
            "such a vector cannot be compared",
            "Embed its text again",
        )
    return matrix


def validate_query(query: FloatVector, dimension: int) -> FloatVector:
    """`query` as a finite, contiguous float32 vector of `dimension` numbers."""
    vector = np.ascontiguousarray(query, dtype=np.float32)
    # A whole sum of squares, which is quick, says that every number is finite.
    if vector.shape == (dimension,) and math.isfinite(np.vdot(vector, vector)):
        return vector
    return np.ascontiguousarray(validate_matrix(np.asarray(query)[None], 1, dimension)[0])
