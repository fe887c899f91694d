"""Confidence intervals for differences of percentiles, for samples that are correlated in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_RESAMPLES = 1_000
_CONFIDENCE = 0.95

_Samples = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """A difference and the ends of its 95 % interval, in the samples' unit."""

    value: float
    low: float
    high: float


def percentile_difference(
    these: Sequence[Sequence[float]],
    those: Sequence[Sequence[float]],
    share: float,
    *,
    block: int,
    seed: int,
) -> Difference:
    """Estimate how much greater the percentile of `these` samples is than that of `those`.

    The interval comes from a bootstrap of blocks that do not overlap: Carlstein, "The use of subseries
    values for estimating the variance of a general statistic from a stationary sequence", 1986. What makes
    one frame late makes its neighbours late, too, so single frames drawn anew would tell a narrower one.

    Args:
        these: samples in the order they were taken, one sequence for each run; no block reaches over its end.
        those: as these.
        share: above 0, at most 1; 0.999 for the 99.9th percentile.
        block: about how many samples are drawn together, at least 1.

    Raises:
        ValueError: there are no samples on one side.
    """
    random = np.random.default_rng(seed)
    both = _blocks(these, block), _blocks(those, block)
    drawn = [
        _percentile(_drawn(both[0], random), share) - _percentile(_drawn(both[1], random), share)
        for _resample in range(_RESAMPLES)
    ]
    low, high = np.quantile(drawn, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    value = _percentile(np.concatenate(both[0]), share) - _percentile(np.concatenate(both[1]), share)
    return Difference(value, float(low), float(high))


def _blocks(runs: Sequence[Sequence[float]], block: int) -> list[_Samples]:
    samples = [
        part
        for run in runs
        if len(run)
        for part in np.array_split(np.asarray(run, dtype=np.float64), max(1, round(len(run) / block)))
    ]
    if not samples:
        raise ValueError("there are no samples")
    return samples


def _drawn(blocks: Sequence[_Samples], random: np.random.Generator) -> _Samples:
    return np.concatenate([blocks[place] for place in random.integers(len(blocks), size=len(blocks))])


def _percentile(samples: _Samples, share: float) -> float:
    # The smallest sample that at least this share does not exceed, as result.percentile() has it.
    return float(np.quantile(samples, share, method="inverted_cdf"))
