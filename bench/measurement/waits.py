"""Counts how often and how long a game's main thread sleeps on a lock, by a trace of its system calls.

`perf trace` reads the kernel's trace points and hardly slows the game down. `strace`, taken where there is no
`perf`, stops the thread at every system call: what it holds meanwhile is held longer, and others run into it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

_STRACE_WAIT = re.compile(r"^(\d+\.\d+) futex\(\w+, FUTEX_(?:WAIT|LOCK_PI)\w*.*<(\d+\.\d+)>$")
_PERF_WAIT = re.compile(r"^\s*(\d+\.\d+) \( *(\d+\.\d+) ms\): (?:.*)futex\(.*op: (?:WAIT|LOCK_PI)")
_MARGIN_SECONDS = 0.1
"""The clock of the kernel's trace points differs by some milliseconds."""


class Waits(NamedTuple):
    """The waits of a run."""

    number: int
    longest_ms: float
    total_ms: float


class Tracer(NamedTuple):
    """A program that starts a game and traces its main thread only."""

    name: str
    words: tuple[str, ...]

    def command(self, output: Path) -> list[str]:
        """The words before the game's command."""
        return [*self.words, "-o", str(output)]


_PERF = Tracer("perf trace", ("perf", "trace", "-e", "futex", "--no-inherit", "-T"))
_STRACE = Tracer("strace", ("strace", "-qq", "-T", "-ttt", "-e", "trace=futex", "-e", "signal=none"))


def tracer() -> Tracer | None:
    """The available tracer that disturbs least, or None."""
    return next((program for program in (_PERF, _STRACE) if _works(program)), None)


def _works(candidate: Tracer) -> bool:
    if shutil.which(candidate.words[0]) is None:
        return False
    tried = subprocess.run([*candidate.words, "true"], capture_output=True, check=False)
    return tried.returncode == 0


def read(output: Path, begun: float, ended: float) -> Waits:
    """Read a trace between two moments (seconds since 1970)."""
    since_boot = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)
    durations: list[float] = []
    for line in output.read_text(encoding="utf-8", errors="replace").splitlines():
        if match := _STRACE_WAIT.match(line):
            at, milliseconds = float(match[1]), 1000 * float(match[2])
        elif match := _PERF_WAIT.match(line):
            at, milliseconds = since_boot + float(match[1]) / 1000, float(match[2])
        else:
            continue
        if begun + _MARGIN_SECONDS <= at <= ended - _MARGIN_SECONDS:
            durations.append(milliseconds)
    return Waits(len(durations), max(durations, default=0.0), sum(durations))
