"""Fewer numbers per vector, for the graph only: a rotation that keeps what vectors of one NPC are made of.

The axes are the principal ones of the NPC's own vectors, not centred (Jolliffe, "Principal Component
Analysis", 2002). What is left is brought back to length 1: in a graph over vectors of different lengths no
way leads to the short ones.
"""

from __future__ import annotations

import math

import numpy as np

from .vector import FloatMatrix, FloatVector

SAMPLE = 4_000
"""So many vectors tell the axes."""
_KEPT_SHARE = 0.8
"""Of the vectors' squared length."""
_LEAST_KEPT = 96
_MOST_KEPT_SHARE = 0.75
"""Of the numbers of a vector; leaving out fewer gains nothing."""
_STEP = 16
"""hnswlib is quick with whole multiples of it."""


class Projection:
    """Turns a vector of length 1 into one of length 1 with fewer numbers.

    Args:
        axes: float32, shape [numbers of a vector, numbers kept], of length 1 and at right angles.
    """

    def __init__(self, axes: FloatMatrix) -> None:
        self.axes = axes

    @classmethod
    def fitted(cls, vectors: FloatMatrix) -> Projection | None:
        """The projection for vectors like these, some thousands; None when nearly every number counts."""
        dimension = vectors.shape[1]
        if dimension <= _LEAST_KEPT:
            return None
        energies, axes = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
        shares = np.cumsum(energies[::-1]) / energies.sum()
        enough = max(_LEAST_KEPT, int(np.searchsorted(shares, _KEPT_SHARE)) + 1)
        kept = -(-enough // _STEP) * _STEP
        if kept > _MOST_KEPT_SHARE * dimension:
            return None
        return cls(np.ascontiguousarray(axes[:, ::-1][:, :kept], dtype=np.float32))

    @property
    def dimension(self) -> int:
        """How many numbers are kept."""
        return int(self.axes.shape[1])

    def of(self, vector: FloatVector) -> FloatVector:
        """What is left of a vector; zeros when nothing is."""
        kept: FloatVector = vector @ self.axes
        length = math.sqrt(float(np.vdot(kept, kept)))
        return kept / np.float32(length) if length else kept
