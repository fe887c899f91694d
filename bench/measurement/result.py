"""One measured value beside its target, and how results are shown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from measurement import markdown


@dataclass(frozen=True)
class Result:
    """A value with its unit; the target, when there is one, is the most it should be."""

    name: str
    value: float
    unit: str
    target: float | None = None
    p95: float | None = None

    @property
    def verdict(self) -> str:
        """Describes if the target is met; empty without a target."""
        if self.target is None:
            return ""
        return "ok" if self.value <= self.target else "over"


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least this share of all samples does not exceed.

    Raises:
        ValueError: there are no samples.
    """
    if not samples:
        raise ValueError("there are no samples")
    ordered = sorted(samples)
    return float(ordered[max(0, math.ceil(share * len(ordered)) - 1)])


def measured(
    name: str,
    samples: Sequence[float],
    unit: str,
    *,
    scale: float = 1.0,
    less: float = 0.0,
    target: float | None = None,
) -> Result:
    """The median and the 95th percentile of samples, after subtracting `less` and scaling."""
    return Result(
        name,
        (statistics.median(samples) - less) * scale,
        unit,
        target,
        (percentile(samples, 0.95) - less) * scale,
    )


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table whose columns line up."""
    rows = [("what", "median", "p95", "target", "")]
    for result in results:
        rows.append(
            (
                result.name,
                f"{_number(result.value)} {result.unit}",
                "" if result.p95 is None else f"{_number(result.p95)} {result.unit}",
                "" if result.target is None else f"<= {result.target:g} {result.unit}",
                result.verdict,
            )
        )
    return markdown.table(rows)


def _number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"
