"""Power cuts, failing disks and changed bits: `python3 build.py bench crash [--images N] [--flips N]`.

A busy game stores, marks, copies, restores and goes back while all it writes is recorded. From the records,
disks are rebuilt as a power cut would leave them, and each is opened. Then the n-th write, sync, open,
renaming or deletion fails, for every n. Then bits are changed and sectors wiped in a closed save. It fails
when a promise of docs/saves.md is broken. It runs on Linux only; tests/unit/bench/test_crash.py is a short
form.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from measurement import (
    checksum_costs,
    command,
    damaged_disk,
    disk_recorder,
    failing_disk,
    machine,
    power_cuts,
)

from rag_memory_build.console import step

_RECORDED_CALLS = 120
_IMAGES_OF_RECORD = 250
_FILLED_CALLS = 150
_FLIPS_AT_ONCE = 50
_MOST_SHOWN = 20
_MEMORY_DISK = Path("/dev/shm")
"""Syncs cost nothing there, and nothing here is about a real disk."""


class Part(NamedTuple):
    """The result of one part of the benchmark."""

    line: str
    faults: list[str]


def power(folder: Path, images: int, seed: int, workers: int) -> Part:
    """Record games, rebuild so many disks and open them."""
    library = disk_recorder.build(folder)
    seeds = range(seed, seed + -(-images // _IMAGES_OF_RECORD))
    jobs = [(library, folder, number, min(_IMAGES_OF_RECORD, images)) for number in seeds]
    results: list[power_cuts.Result] = []
    with step("Power cuts") as progress, ProcessPoolExecutor(workers) as pool:
        for result in pool.map(_power_of, *zip(*jobs, strict=True)):
            results.append(result)
            progress.update(f"{sum(done.opened for done in results):,} of {images:,} disks")
    kinds = sum((Counter(result.by_kind) for result in results), Counter())
    opened = sum(result.opened for result in results)
    faults = [fault for result in results for fault in result.faults]
    return Part(
        f"{opened:,} disks after a power cut or a kill ({_counted(kinds)}), rebuilt from {len(seeds)} "
        f"recorded games of {_RECORDED_CALLS} calls: {len(faults)} broke a promise",
        faults,
    )


def _power_of(library: Path, folder: Path, seed: int, images: int) -> power_cuts.Result:
    own = folder / f"power_{seed}"
    own.mkdir()
    log = power_cuts.record(library, own, seed, _RECORDED_CALLS)
    result = power_cuts.open_images(log, own, images, seed)
    log.unlink()
    return result


def failing(folder: Path, numbers: Sequence[int], seed: int, workers: int) -> Part:
    """Play games in which the n-th call of the system fails, for each of these numbers."""
    library = disk_recorder.build(folder)
    with step(f"{len(numbers):,} failing calls"), ProcessPoolExecutor(workers) as pool:
        parts = [numbers[place::workers] for place in range(workers)]
        rows = range(workers)
        printed = list(
            pool.map(_failing_of, [library] * workers, [folder] * workers, [seed] * workers, rows, parts)
        )
    lines = [line for output in printed for line in output.splitlines()]
    failed = Counter(line.removeprefix("failed: ") for line in lines if line.startswith("failed: "))
    faults = [line for line in lines if not line.startswith("failed: ")]
    return Part(
        f"{failed.total():,} games in which a write, sync, open, renaming or deletion failed, up to the "
        f"{numbers[-1]:,}th call of the system (failed: {_counted(failed)}): {len(faults)} broke a promise",
        faults,
    )


def _failing_of(library: Path, folder: Path, seed: int, row: int, numbers: Sequence[int]) -> str:
    own = folder / f"failing_{row}"
    own.mkdir()
    environment = {
        **disk_recorder.environment(library, own),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    words = [sys.executable, str(Path(failing_disk.__file__)), str(own), str(seed), *map(str, numbers)]
    done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    ended = "" if done.returncode == 0 else f"the process ended with {done.returncode}\n"
    return done.stdout + ended


def flips(folder: Path, count: int, seed: int, workers: int) -> Part:
    """Change bits and wipe sectors of a save, and open it."""
    (folder / "game").mkdir()
    killed = damaged_disk.fill(folder / "game", seed, _FILLED_CALLS)
    saves = (damaged_disk.closed(killed, folder), killed)
    parts = range(-(-count // _FLIPS_AT_ONCE))
    outcomes: Counter[str] = Counter()
    unnoticed: list[str] = []
    with step("Changed bits and wiped sectors") as progress, ProcessPoolExecutor(workers) as pool:
        jobs = [
            (saves[part % 2], folder / f"flips_{part}", min(_FLIPS_AT_ONCE, count), seed + part)
            for part in parts
        ]
        for result in pool.map(_flips_of, *zip(*jobs, strict=True)):
            outcomes.update(result.by_outcome)
            unnoticed += result.unnoticed
            progress.update(f"{outcomes.total():,} of {count:,}")
    return Part(
        f"{outcomes.total():,} changed bits and wiped sectors of a closed and a "
        f"killed save of {len(killed['']) / 1e3:.0f} kB ({_counted(outcomes)}): "
        f"{len(unnoticed)} changed a memory unnoticed",
        unnoticed,
    )


def _flips_of(save: damaged_disk.Contents, folder: Path, count: int, seed: int) -> damaged_disk.Result:
    folder.mkdir()
    return damaged_disk.damage_copies(save, folder, count, seed)


def costs(folder: Path, memories: int, seed: int) -> Part:
    """Measure the time that checksums take, of storing and of opening."""
    with step("Costs of checksums"):
        of_storing, opened_ms, unchecked_ms = checksum_costs.measure(folder, memories, seed)
    return Part(
        f"checksums take {of_storing:.1%} of the time of storing {memories:,} memories one by one; the save "
        f"opens in {opened_ms:.0f} ms, and in {unchecked_ms:.0f} ms without them, because all of it is "
        "checked then",
        [],
    )


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def scratch_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a new folder, in memory where there is such a disk."""
    parent = _MEMORY_DISK if os.access(_MEMORY_DISK, os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="rag_memory_crash_", dir=parent)


def _report(part: Part) -> Part:
    print("\n".join([f"* {part.line}", *(f"  * {fault}" for fault in part.faults[:_MOST_SHOWN])]), flush=True)
    return part


def main() -> int:
    """Run the benchmark and print what it counted."""
    parser = command.parser("crash", __doc__, seed_of="the games and the damage")
    parser.add_argument("--images", type=int, default=10_000, help="disks after a power cut (default 10000)")
    parser.add_argument("--failing", type=int, default=2_000, help="the last call that fails (default 2000)")
    parser.add_argument("--flips", type=int, default=1_000, help="bits and sectors (default 1000)")
    parser.add_argument(
        "--memories", type=int, default=5_000, help="stored to measure the costs (default 5000)"
    )
    options = parser.parse_args()
    workers = os.cpu_count() or 1
    load = machine.load()
    with scratch_folder() as name:
        folder = Path(name)
        print("\n".join([*machine.conditions(load), f"* Seed {options.seed}, embedder without a model"]))
        parts = [
            _report(power(folder, options.images, options.seed, workers)),
            _report(failing(folder, range(1, options.failing + 1), options.seed, workers)),
            _report(flips(folder, options.flips, options.seed, workers)),
            _report(costs(folder, options.memories, options.seed)),
        ]
    return 1 if any(part.faults for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main())
