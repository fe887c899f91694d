"""How often and how long the main thread of a game slept on a lock, as the system call trace shows it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import NamedTuple

_WAIT = re.compile(r"(\d+\.\d+) futex\(\w+, FUTEX_(?:WAIT|LOCK_PI)\w*.*<(\d+\.\d+)>$")


class Waits(NamedTuple):
    """Of one run."""

    number: int
    longest_ms: float
    total_ms: float


def tracer(output: Path) -> list[str]:
    """The command to start a game with, so that its main thread (only that) is traced; empty when strace is
    not there.
    """
    program = shutil.which("strace")
    if program is None:
        return []
    return [program, "-qq", "-T", "-ttt", "-e", "trace=futex", "-e", "signal=none", "-o", str(output)]


def read(output: Path, begun: float, ended: float) -> Waits:
    """What a traced run has written between two moments (seconds since 1970)."""
    found = [
        1000 * float(match.group(2))
        for line in output.read_text(encoding="utf-8", errors="replace").splitlines()
        if (match := _WAIT.search(line)) and begun <= float(match.group(1)) <= ended
    ]
    return Waits(len(found), max(found, default=0.0), sum(found))
