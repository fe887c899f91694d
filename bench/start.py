"""What a start costs: `python3 build.py bench start [--other FOLDER]`.

Games run headless in the engine and in its release template, in turns with games without the addon and,
with `--other`, with another checkout's addon. Measured are the processor time that the addon adds to a start
without any call, the processor time to the first answer, and the memory that it adds once an NPC with 10,000
memories was asked 40 questions.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# One thread, as in the addon. Has to be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine, markdown, quick_save
from measurement.game import Game

from rag_memory_build import engine
from rag_memory_build.console import Progress, SetupError, step
from rag_memory_build.paths import ADDON

_NPC, _NOW = "mira", 1_750_000_000.0
_FEW, _MANY = "few", "many"
_FEW_MEMORIES = 200
_QUESTIONS = 40
_BARE = "no addon"
_BUILDS = ("debug", "release")
_START = "a start without any call, CPU"
_OPEN = "save of 200 memories open, CPU"
_ANSWER = "first answer, CPU"
_MEMORY = "memory, 10,000 loaded, 40 asked"
_ANSWER_OF_MANY = "first answer of 10,000, CPU"
_TARGETS = {(_START, "debug"): 5.0, (_START, "release"): 5.0, (_ANSWER, "release"): 200.0}
_MOST_MEGABYTES = 105.0
_MEBIBYTE_KB = 1024.0


@dataclass
class _Side:
    """One addon, or none, in one build of the engine."""

    empty: Game
    asking: Game


class _Samples:
    """Values by measure, build and side."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str, str], list[float]] = defaultdict(list)

    def add(self, measure: str, build: str, side: str, value: float) -> None:
        self._values[measure, build, side].append(value)

    def added(self, measure: str, build: str, side: str) -> tuple[float, float, float]:
        """The median, and the middle half of the values, above the bare engine's median."""
        values = self._values[measure, build, side]
        bare = self._values.get((measure, build, _BARE))
        low, median, high = statistics.quantiles(values, n=4, method="inclusive")
        less = statistics.median(bare) if bare else 0.0
        return median - less, low - less, high - less

    def bare(self, measure: str, build: str) -> float | None:
        values = self._values.get((measure, build, _BARE))
        return statistics.median(values) if values else None


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its table."""
    options = command.parser("start", __doc__, seed_of="memories and questions")
    options.add_argument("--other", type=Path, help="another checkout, after its `build.py setup`")
    options.add_argument("--starts", type=int, default=21, help="starts without a call (default 21)")
    options.add_argument("--answers", type=int, default=9, help="starts to a first answer (default 9)")
    options.add_argument("--loads", type=int, default=3, help="starts that load 10,000 memories (default 3)")
    options.add_argument("--builds", nargs="+", choices=_BUILDS, default=_BUILDS, help="default: both")
    return command.end(lambda: _report(options.parse_args(arguments)))


def _report(options: Any) -> str:
    load = machine.load()
    addons = {"here": ADDON}
    if options.other is not None:
        addons = {"other": options.other.resolve() / "addons" / "rag_memory", **addons}
    samples = _Samples()
    with (
        tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as temporary,
        step("Starting games") as progress,
    ):
        folder = Path(temporary)
        sides = _sides(folder, addons, options.builds)
        _fill_saves(list(sides.values()), options.seed, folder, progress)
        questions = game_text.questions(_QUESTIONS, options.seed)
        version = _measure(sides, questions, options, samples, progress)
    lines = [
        *machine.conditions(load),
        f"* Godot {version}, headless; seed {options.seed}; medians, in brackets the middle half; "
        f"{options.starts} starts, {options.answers} first answers, {options.loads} loads of each, in turns",
        "* `added` is above a game without the addon in the same build of the engine",
        "",
        markdown.table(_rows(samples, list(addons), options.builds)),
    ]
    return "\n".join(lines)


def _sides(folder: Path, addons: dict[str, Path], builds: Sequence[str]) -> dict[tuple[str, str], _Side]:
    program = engine.find()
    template = program.release_template
    if "release" in builds and template is None:
        raise SetupError(
            "There is no release template", f"{program.path} was installed by hand", "add `--builds debug`"
        )
    sides = {}
    for build, (side, addon) in itertools.product(builds, {_BARE: None, **addons}.items()):
        released = template if build == "release" else None
        place = folder / f"{build}_{side}".replace(" ", "_")
        common: dict[str, Any] = {
            "with_addon": addon is not None,
            "addon": addon or ADDON,
            "release_template": released,
        }
        sides[build, side] = _Side(
            Game.empty(program.path, place / "empty", **common),
            Game(program.path, place / "asking", **common),
        )
    return sides


def _fill_saves(sides: list[_Side], seed: int, folder: Path, progress: Progress) -> None:
    for name, count in ((_FEW, _FEW_MEMORIES), (_MANY, 10_000)):
        made = folder / f"{name}.sqlite3"
        quick_save.fill(made, [_NPC], count, seed, _NOW, progress)
        for side in sides:
            save = side.asking.save_path(name)
            save.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, save)


def _measure(
    sides: dict[tuple[str, str], _Side],
    questions: list[str],
    options: Any,
    samples: _Samples,
    progress: Progress,
) -> str:
    version = ""
    common = {"npc": _NPC, "now": _NOW, "questions": questions}
    # One more than is counted: the first start of an installation checks every file.
    for number in range(options.answers + 1):
        for (build, side), games in sides.items():
            progress.update(f"first answer {number} of {options.answers}, {build}, {side}")
            if side == _BARE:
                continue
            taken = games.asking.measure("starting", {**common, "save": _FEW}, progress)
            version = taken["engine"]
            if number > 0:
                samples.add(_OPEN, build, side, taken["opened_usec"] / 1000)
                samples.add(_ANSWER, build, side, taken["answered_usec"] / 1000)
    for number in range(options.starts + 1):
        for (build, side), games in sides.items():
            progress.update(f"start {number} of {options.starts}, {build}, {side}")
            seconds = games.empty.processor_seconds_of_a_start()
            if number > 0:
                samples.add(_START, build, side, 1000 * seconds)
    for number in range(options.loads):
        for (build, side), games in sides.items():
            progress.update(f"load {number + 1} of {options.loads}, {build}, {side}")
            if side == _BARE:
                taken = games.asking.measure("bare_engine", {"idle_rounds": 1, "idle_frames": 50}, progress)
            else:
                taken = games.asking.measure("starting", {**common, "save": _MANY}, progress)
                samples.add(_ANSWER_OF_MANY, build, side, taken["answered_usec"] / 1000)
            samples.add(_MEMORY, build, side, taken["resident_kb"] / _MEBIBYTE_KB)
    return version


def _rows(samples: _Samples, sides: list[str], builds: Sequence[str]) -> list[tuple[str, ...]]:
    measures = {_START: "ms", _OPEN: "ms", _ANSWER: "ms", _ANSWER_OF_MANY: "ms", _MEMORY: "MiB"}
    rows: list[tuple[str, ...]] = [("", "engine", _BARE, *(f"{side}, added" for side in sides), "target")]
    for (measure, unit), build in itertools.product(measures.items(), builds):
        target = _MOST_MEGABYTES if measure == _MEMORY else _TARGETS.get((measure, build))
        bare = samples.bare(measure, build)
        cells = []
        for side in sides:
            median, low, high = samples.added(measure, build, side)
            cells.append(f"{median:.1f} {unit} ({low:.1f} to {high:.1f})")
        rows.append(
            (
                measure,
                build,
                "" if bare is None else f"{bare:.1f} {unit}",
                *cells,
                "" if target is None else f"<= {target:g} {unit}",
            )
        )
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
