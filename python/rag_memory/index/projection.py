"""Fewer numbers per vector, for the graph only: a rotation that keeps what vectors of one NPC are made of.

The axes are about the principal ones of the NPC's own vectors, not centred (Jolliffe, "Principal Component
Analysis", 2002). They are found some at a time by orthogonal iteration (Golub and Van Loan, "Matrix
Computations", 8.2.4), because finding all of them at once takes 40 ms in one piece. What is left of a vector
is brought back to length 1: in a graph over vectors of different lengths no way leads to the short ones.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable

import numpy as np

from rag_memory.vectors import FloatMatrix, FloatVector

SAMPLE = 4_000
"""So many vectors tell the axes."""
_KEPT_SHARE = 0.8
"""Of the vectors' squared length."""
_LEAST_KEPT = 96
_MOST_KEPT_SHARE = 0.75
"""Of the numbers of a vector; leaving out fewer gains nothing."""
_STEP = 16
"""So many axes are found at a time; hnswlib is quick with whole multiples of it."""
_ITERATIONS = 8
"""With so many the axes keep as much as the principal ones, to a thousandth or two of all."""
_LEAST_ENERGY = 1e-9
"""Of all, added to every direction: where there is nothing, rounding would choose the axes."""


class Projection:
    """Turns a vector of length 1 into one of length 1 with fewer numbers.

    Args:
        axes: float32, shape [numbers of a vector, numbers kept], of length 1 and at right angles.
    """

    def __init__(self, axes: FloatMatrix) -> None:
        self.axes = axes

    @classmethod
    def fitting_steps(
        cls, dimension: int, parts: Iterable[FloatMatrix]
    ) -> Generator[None, None, Projection | None]:
        """The projection for vectors like these, in slices of about a millisecond; None when nearly every
        number counts.

        Args:
            dimension: numbers per vector.
            parts: some thousands of vectors, about a hundred at a time.
        """
        if dimension <= _LEAST_KEPT:
            return None
        energies = np.zeros((dimension, dimension))
        for vectors in parts:
            energies += vectors.T @ vectors
            yield
        wanted = _KEPT_SHARE * np.trace(energies)
        energies[np.diag_indices(dimension)] += _LEAST_ENERGY * np.trace(energies)
        phases = np.pi / dimension * (np.arange(dimension) + 0.5)
        axes = np.empty((dimension, 0))
        kept = 0.0
        while axes.shape[1] < _LEAST_KEPT or kept < wanted:
            if axes.shape[1] + _STEP > _MOST_KEPT_SHARE * dimension:
                return None
            # Waves: any start will do that is always the same, and importing numpy.random takes 12 ms.
            found = np.cos(np.outer(phases, np.arange(axes.shape[1], axes.shape[1] + _STEP)))
            for _ in range(_ITERATIONS):
                found = energies @ found
                found, _ = np.linalg.qr(found - axes @ (axes.T @ found))
                yield
            axes = np.hstack((axes, found))
            kept += float(np.vdot(found, energies @ found))
        return cls(np.ascontiguousarray(axes, dtype=np.float32))

    @property
    def dimension(self) -> int:
        """How many numbers are kept."""
        return int(self.axes.shape[1])

    def of(self, vector: FloatVector) -> FloatVector:
        """What is left of a vector; zeros when nothing is."""
        kept: FloatVector = vector @ self.axes
        length = math.sqrt(float(np.vdot(kept, kept)))
        return kept / np.float32(length) if length else kept
