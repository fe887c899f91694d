"""Measures the processor time of processes, also of those that end meanwhile."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class ProcessorTime:
    """Processor time by kind of process, without the time between the last note() and its end."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, int], float] = {}
        self._last: dict[tuple[str, int], float] = {}

    def note(self, processes: Iterable[tuple[str, int]]) -> None:
        """Add the times of these processes (their kind and ID)."""
        for what, pid in processes:
            used = _used_seconds(pid)
            if used is not None:
                self._last[what, pid] = used

    def begin(self) -> None:
        """Start counting from now on."""
        self._first = dict(self._last)

    def seconds(self) -> dict[str, float]:
        """Time used since begin()."""
        total: dict[str, float] = defaultdict(float)
        for (what, pid), used in self._last.items():
            total[what] += used - self._first.get((what, pid), 0.0)
        return dict(total)


def _used_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
    except OSError:
        return None
    user, system = fields.split()[11:13]
    return (int(user) + int(system)) / _TICKS
