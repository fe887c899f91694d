"""Descriptions of the machine for results."""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np

_REPETITIONS = 50
_VECTORS = (10_000, 384)
_COUNTED = 100_000


def described() -> str:
    """Processor, cores, memory and system in one line."""
    return (
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {_memory_gigabytes():.0f} GB, "
        f"{platform.system()} {platform.release()}"
    )


def load() -> float:
    """The load average of the last minute."""
    return os.getloadavg()[0]


def conditions(load_at_start: float) -> list[str]:
    """The list above a result: date, machine, load and speed."""
    return [
        f"* Measured on {date.today().isoformat()}: {described()}; load average {load_at_start:.1f} at the "
        f"start, {load():.1f} at the end",
        f"* This machine's speed: {speed()}",
    ]


def resident_megabytes(process: str = "self") -> float:
    """Resident memory of this process, or of another one by its ID."""
    match = re.search(r"^VmRSS:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return int(match.group(1)) * 1.024e-3 if match else 0.0


def speed() -> str:
    """Two simple measurements for comparing machines."""
    vectors = np.full(_VECTORS, 0.05, dtype=np.float32)
    question = vectors[0].copy()
    compared = _median_ms(lambda: vectors @ question)
    counted = _median_ms(lambda: sum(range(_COUNTED)))
    return (
        f"numpy compares {_VECTORS[0]:,} vectors in {compared:.2f} ms, "
        f"Python adds {_COUNTED:,} numbers in {counted:.2f} ms"
    )


def _median_ms(work: Callable[[], object]) -> float:
    samples: list[float] = []
    for _ in range(_REPETITIONS):
        started = time.perf_counter()
        work()
        samples.append(1000 * (time.perf_counter() - started))
    return statistics.median(samples)


def _processor() -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match.group(1).strip() if match else platform.machine()


def _memory_gigabytes() -> float:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
