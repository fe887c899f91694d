"""Which numbers go into a model's matrix products, and how they best become bytes.

Some of BERT's channels are ten times as large as the rest; one scale for all would leave the others few of
the 256 steps. Each channel is divided by a number of its own first, and the weights that meet it are
multiplied by it: SmoothQuant (Xiao et al. 2022, equation 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_STRENGTH = 0.8
"""SmoothQuant's alpha, 0 (all difficulty stays with the activations) to 1 (all goes to the weights). Of 0.5
to 1.0, 0.75 and 0.8 keep all-MiniLM-L6-v2 nearest to fp32 (mean cosine 0.996; without divisors 0.991)."""
_STEPS = 255

Channels = NDArray[np.float32]


@dataclass(frozen=True)
class ActivationRange:
    """How the input of a matrix product becomes bytes: value / its channel's divisor / scale + zero_point."""

    divisors: Channels
    means: Channels
    """Of each channel, before the division."""
    scale: float
    zero_point: int


class Observed:
    """The least, the largest and the mean value of every channel so far."""

    def __init__(self, values: NDArray[np.float32]) -> None:
        rows = values.reshape(-1, values.shape[-1])
        self.least, self.largest = rows.min(axis=0), rows.max(axis=0)
        self._sum, self._count = rows.sum(axis=0, dtype=np.float64), len(rows)

    def include(self, values: NDArray[np.float32]) -> None:
        """Widen the ranges by `values`, [..., channels]."""
        other = Observed(values)
        self.least = np.minimum(self.least, other.least)
        self.largest = np.maximum(self.largest, other.largest)
        self._sum += other._sum
        self._count += other._count

    def range_for(self, weights: NDArray[np.float32]) -> ActivationRange:
        """The range of these values before a product with `weights`, [out, channels]."""
        values = np.maximum(np.maximum(np.abs(self.least), np.abs(self.largest)), 1e-3)
        partners = np.maximum(np.abs(weights).max(axis=0), 1e-5)
        divisors = values**_STRENGTH / partners ** (1 - _STRENGTH)
        divisors = (divisors / np.exp(np.log(divisors).mean())).astype(np.float32)
        least = min(float((self.least / divisors).min()), 0.0)
        largest = max(float((self.largest / divisors).max()), 0.0)
        scale = max(largest - least, 1e-6) / _STEPS
        means = (self._sum / self._count).astype(np.float32)
        return ActivationRange(divisors, means, scale, round(-least / scale))
