"""Durations of calls on the worker, for health()."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.godot.declare import GodotClass, Method


@dataclass
class _Timing:
    """The calls of one method; durations in seconds."""

    calls: int = 0
    total: float = 0.0
    longest: float = 0.0


class CallTimings:
    """The timings of all methods that were called."""

    def __init__(self) -> None:
        self._timings: dict[str, _Timing] = {}

    def note(self, target: tuple[GodotClass, Method], seconds: float) -> None:
        """Record the duration of a call."""
        cls, method = target
        timing = self._timings.setdefault(f"{cls.name}.{method.name}", _Timing())
        timing.calls += 1
        timing.total += seconds
        timing.longest = max(timing.longest, seconds)

    def report(self) -> dict[str, dict[str, float]]:
        """Return the number of calls and their durations, by method."""
        return {
            name: {
                "calls": timing.calls,
                "mean_ms": 1000 * timing.total / timing.calls,
                "longest_ms": 1000 * timing.longest,
            }
            for name, timing in sorted(self._timings.items())
        }
