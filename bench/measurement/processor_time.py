"""How much processor time processes use, also those that end on the way."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class ProcessorTime:
    """Of processes by what they are. What one used between its last note and its end is missing."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, int], float] = {}
        self._last: dict[tuple[str, int], float] = {}

    def note(self, processes: Iterable[tuple[str, int]]) -> None:
        """Look at these processes: what each is, and its number."""
        for what, pid in processes:
            used = _used_seconds(pid)
            if used is not None:
                self._last[what, pid] = used

    def begin(self) -> None:
        """What was used so far does not count."""
        self._first = dict(self._last)

    def seconds(self) -> dict[str, float]:
        """What was used since then."""
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
