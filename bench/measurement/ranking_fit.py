"""Fits the weights of a sum of numbers by which memories are ranked: a softmax over an NPC's memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
RIDGE = 3.0
_STEPS = 25
_HALVINGS = 20
_ENOUGH = 1e-3
_MOST_MEMORIES = 80


class Example(NamedTuple):
    """One question."""

    numbers: Numbers
    """A row per memory."""
    is_wanted: NDArray[np.bool_]
    """True for memories that answer the question."""


def thinned(example: Example, rough: Numbers) -> Example:
    """Drop memories that are neither wanted nor among the best by rough weights."""
    if len(example.numbers) <= _MOST_MEMORIES:
        return example
    sums = example.numbers @ rough
    stays = example.is_wanted | (sums >= np.partition(sums, -_MOST_MEMORIES)[-_MOST_MEMORIES])
    return Example(example.numbers[stays], example.is_wanted[stays])


def fit(examples: Sequence[Example], ridge: float = RIDGE) -> Numbers:
    """Fit the weights that make wanted memories most likely, by Newton's method.

    The probability of a memory is e^sum / the total of e^sum of all; what is maximised is the log of the
    probability that some wanted memory is the one, less `ridge` / 2 x the squares of the weights of
    standardised columns.
    """
    scale = np.concatenate([example.numbers for example in examples]).std(axis=0) + 1e-6
    count, most, width = len(examples), max(len(example.numbers) for example in examples), len(scale)
    numbers = np.zeros((count, most, width))
    is_wanted = np.zeros((count, most), dtype=np.bool_)
    is_there = np.zeros((count, most), dtype=np.bool_)
    for place, example in enumerate(examples):
        rows = len(example.numbers)
        numbers[place, :rows] = example.numbers / scale
        is_wanted[place, :rows] = example.is_wanted
        is_there[place, :rows] = True

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        sums = np.where(is_there, numbers @ weights, -np.inf)
        shares = np.exp(sums - sums.max(axis=1, keepdims=True))
        of_wanted = np.log((shares * is_wanted).sum(axis=1) + 1e-300)
        return float((np.log(shares.sum(axis=1)) - of_wanted).sum() + ridge / 2 * weights @ weights), shares

    weights = np.zeros(width)
    now, shares = loss(weights)
    for _ in range(_STEPS):
        every = shares / shares.sum(axis=1, keepdims=True)
        wanted = shares * is_wanted
        wanted /= wanted.sum(axis=1, keepdims=True) + 1e-300
        gradient = np.einsum("in,ind->d", every - wanted, numbers) + ridge * weights
        means = np.einsum("in,ind->id", every, numbers)
        rooted = (np.sqrt(every)[..., None] * numbers).reshape(-1, width)
        curvature = rooted.T @ rooted - means.T @ means + ridge * np.eye(width)
        step = np.linalg.solve(curvature, gradient)
        for _ in range(_HALVINGS):
            new, new_shares = loss(weights - step)
            if new <= now:
                break
            step /= 2
        weights -= step
        gain, now, shares = now - new, new, new_shares
        if gain < _ENOUGH:
            break
    return np.asarray(weights / scale)


def rank_of_best(sums: Numbers, is_wanted: NDArray[np.bool_]) -> int:
    """Count the memories before the best wanted one."""
    return int((sums > sums[is_wanted].max()).sum()) if is_wanted.any() else len(sums)
