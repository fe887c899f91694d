"""Measures of a ranking of IDs, of which some are wanted."""

from __future__ import annotations

import math
from collections.abc import Sequence


def recall(ranked: Sequence[str], wanted: Sequence[str], k: int) -> float:
    """The share of the wanted ids among the first k; 1 when nothing is wanted."""
    if not wanted:
        return 1.0
    first = set(ranked[:k])
    return sum(id in first for id in wanted) / len(wanted)


def ndcg(ranked: Sequence[str], wanted: Sequence[str], k: int) -> float:
    """Normalised discounted cumulative gain at k with binary gains; 1 when nothing is wanted.

    Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques", 2002.
    """
    gains = set(wanted)
    if not gains:
        return 1.0
    gain = sum(1.0 / math.log2(place + 2) for place, id in enumerate(ranked[:k]) if id in gains)
    return gain / sum(1.0 / math.log2(place + 2) for place in range(min(k, len(gains))))
