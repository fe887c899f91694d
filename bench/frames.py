"""Frame times of a game with memories: `python3 build.py bench frames [--window] [--long] [--write]`.

The real main loop runs at 60 frames a second. Fifty NPCs ask, store and talk all the time. For comparison
the same game runs without the addon, and without it beside an empty loop of the priority of our threads, in
turns, so that other programs disturb all of them alike. The loop shows the cost of any computation. Then
10,000 memories are stored at once. `--square` measures a talk that all fifty hear instead.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, empty_loop, game_text, heard_line, machine, quick_save, screen, waits
from measurement.bootstrap import Difference, percentile_difference
from measurement.game import Game
from measurement.result import percentile

from rag_memory_build import engine
from rag_memory_build.console import step

_SAVE = "bench"
_NOW = 1_750_000_000.0
_NPCS = 50
_NPC_MEMORIES = 200
_TURNS = 4
_FRAMES_PER_SECOND = 60
_LONG_SECONDS = 600
_STORING_SECONDS = 10
"""Ten times the interval at which the run checks if everything is stored."""
_TRACED_SECONDS = 15
_IDLE_ROUNDS = 20
_IDLE_FRAMES = 1000
_MS_PER_USEC = 0.001
_BARE = "nothing"
_BESIDE_LOOP = "nothing, beside a loop"
_ASKING = "asking"
_SQUARE = "square"
_HEARERS = 10
_MOST_TIMES = 3.0
"""How many times as much as a line that one NPC hears one may cost that ten hear."""


class Frames:
    """Runs on the same save, which is reset before every run."""

    def __init__(self, program: engine.Engine, folder: Path, seed: int) -> None:
        self._folder = folder
        self._game = Game(program.path, folder / "game", with_addon=True)
        self._bare = Game(program.path, folder / "bare", with_addon=False)
        self._input: dict[str, Any] = {
            "save": _SAVE,
            "now": _NOW,
            "npcs": [f"npc_{number}" for number in range(_NPCS)],
            "questions": game_text.questions(500, seed),
            "texts": [memory["text"] for memory in game_text.memories(1_000, seed + 1, _NOW)],
            "idle_rounds": _IDLE_ROUNDS,
            "idle_frames": _IDLE_FRAMES,
            "npc": "npc_0",
        }
        with step(f"A save with {_NPCS} NPCs") as progress:
            path = self._game.save_path(_SAVE)
            quick_save.fill(path, self._input["npcs"], _NPC_MEMORIES, seed, _NOW, progress)

    def run(self, kind: str, seconds: float, display: dict[str, str] | None, **more: Any) -> dict[str, Any]:
        """Run the game; "nothing" and "nothing, beside a loop" are runs without the addon."""
        game = self._bare if kind in (_BARE, _BESIDE_LOOP) else self._game
        values = {**self._input, "load": _BARE if kind == _BESIDE_LOOP else kind, "seconds": seconds, **more}
        with contextlib.ExitStack() as stack:
            if kind == _BESIDE_LOOP:
                stack.enter_context(empty_loop.beside())
            place = "" if display is None else ", in a window"
            progress = stack.enter_context(step(f"{seconds:.0f} s: {kind}{place}"))
            return game.measure("busy_frames", values, progress, display=display)

    def in_turn(
        self, seconds: float, display: dict[str, str] | None, busy: str = _ASKING
    ) -> dict[str, list[dict[str, Any]]]:
        """Run all three in turns: without the addon, the same beside a loop, and 50 busy NPCs."""
        runs: dict[str, list[dict[str, Any]]] = {_BARE: [], _BESIDE_LOOP: [], busy: []}
        for _turn in range(_TURNS):
            for kind, done in runs.items():
                done.append(self.run(kind, seconds / _TURNS, display))
        return runs

    def heard_line(self, seed: int) -> heard_line.HeardLine:
        """Measure a line that ten NPCs hear."""
        path = self._game.save_path("heard")
        npcs = self._input["npcs"][:_HEARERS]
        with step(f"A line that {_HEARERS} NPCs hear") as progress:
            quick_save.fill(path, npcs, _NPC_MEMORIES, seed, _NOW, progress)
            return heard_line.measured(path, npcs, seed, _NOW)

    def traced(self, kind: str, tracer: waits.Tracer) -> waits.Waits:
        """Trace how often the main thread sleeps on a lock in a short run."""
        output = self._folder / f"{kind}.trace"
        game = self._bare if kind == _BARE else self._game
        values = {**self._input, "load": kind, "seconds": _TRACED_SECONDS}
        with step(f"{_TRACED_SECONDS} s: {kind}, main thread traced") as progress:
            run = game.measure("busy_frames", values, progress, tracer=tracer.command(output))
        return waits.read(output, run["begun_unix"], run["ended_unix"])

    def idle_usec(self) -> tuple[float, float]:
        """Medians of a frame of the bare engine, and of the time added by the idle addon."""
        bare: list[float] = []
        ours: list[float] = []
        with step("Idle frames") as progress:
            for _round in range(3):
                bare += self._bare.measure("bare_engine", self._input, progress)["idle_usec"]
                ours += self._game.measure("at_rest", self._input, progress)["idle_usec"]
        bare.sort()
        ours.sort()
        return bare[len(bare) // 2], ours[len(ours) // 2] - bare[len(bare) // 2]


def _together(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Combine runs: lists are joined, numbers added."""
    return {
        name: [sample for run in runs for sample in run[name]]
        if isinstance(value, list)
        else sum(run[name] for run in runs)
        for name, value in runs[0].items()
        if isinstance(value, int | float | list)
    }


def _row(name: str, run: dict[str, Any]) -> str:
    frames = [usec * _MS_PER_USEC for usec in run["frames_usec"]]
    return (
        f"| {name} | {len(frames):,} | {percentile(frames, 0.5):.2f} ms | {percentile(frames, 0.99):.2f} ms "
        f"| {percentile(frames, 0.999):.2f} ms | {max(frames):.2f} ms |"
    )


_HEAD = "| | frames | median | 99 % | 99.9 % | longest |\n|---|---|---|---|---|---|"


def _later(these: list[dict[str, Any]], those: list[dict[str, Any]], seed: int) -> Difference:
    """The difference of the 99.9th percentiles of frame times, in ms."""
    both = [[[usec * _MS_PER_USEC for usec in run["frames_usec"]] for run in runs] for runs in (these, those)]
    return percentile_difference(both[0], both[1], 0.999, block=_FRAMES_PER_SECOND, seed=seed)


def _later_row(name: str, runs: dict[str, list[dict[str, Any]]], seed: int, busy: str = _ASKING) -> str:
    bare = runs[_BARE]
    later, beside_loop = _later(runs[busy], bare, seed), _later(runs[_BESIDE_LOOP], bare, seed)
    control = _later(bare[::2], bare[1::2], seed)
    return (
        f"* {name.capitalize()}, the 99.9th percentile is {later.value:+.2f} ms (95 %: {later.low:+.1f} to "
        f"{later.high:+.1f}) (target: at most +1 ms); that of the bare game beside an empty loop "
        f"{beside_loop.value:+.2f} ms ({beside_loop.low:+.1f} to {beside_loop.high:+.1f}), against itself "
        f"{control.value:+.1f}."
    )


def _storing_row(name: str, run: dict[str, Any]) -> str:
    rate = run["stored"] / (run["storing_usec"] / 1e6)
    return (
        f"* {name.capitalize()}, store_batch of {run['stored']:,}: {rate:.0f} memories a second, embeddings "
        f"included; the call itself, in a frame that is not counted above, "
        f"{run['call_usec'] * _MS_PER_USEC:.1f} ms."
    )


def _asking_row(name: str, run: dict[str, Any]) -> str:
    seconds = run["elapsed_usec"] / 1e6
    resident = run["resident_kb"]
    return (
        f"* {name}: {run['answered'] / seconds:.0f} calls a second answered, {run['stored']:,} memories "
        f"stored, {run['talks']:,} talks, {run['failed']} failed; "
        f"resident {resident[1] / 1000:.0f} MB soon after the start, "
        f"{resident[-1] / 1000:.0f} MB at the end."
    )


def _trace_row(frames: Frames) -> str:
    tracer = waits.tracer()
    if tracer is None:
        return "* The main thread's waits were not traced: there is neither perf nor strace."
    busy, bare = frames.traced(_ASKING, tracer), frames.traced(_BARE, tracer)
    return (
        f"* In {_TRACED_SECONDS} s, by `{tracer.name}`, the main thread slept on a lock {busy.number} times, "
        f"{busy.longest_ms:.2f} ms at most, {busy.total_ms:.1f} ms together; "
        f"without us {bare.number} times, {bare.longest_ms:.2f} ms at most, {bare.total_ms:.1f} ms together."
    )


def _measure(options: argparse.Namespace, folder: Path) -> list[str]:
    program = engine.find()
    frames = Frames(program, folder, options.seed)
    rows: list[str] = [_HEAD]
    rows_below: list[str] = []
    with contextlib.ExitStack() as stack:
        displays: list[tuple[str, dict[str, str] | None]] = [("headless", None)]
        if options.window:
            displays.append(("in a window", stack.enter_context(screen.virtual(program))))
        for name, display in displays:
            runs = frames.in_turn(options.seconds, display)
            together = {kind: _together(of_kind) for kind, of_kind in runs.items()}
            rows += [
                _row(f"{name}, without us", together[_BARE]),
                _row(f"{name}, without us, beside an empty loop", together[_BESIDE_LOOP]),
                _row(f"{name}, {_NPCS} NPCs asking", together[_ASKING]),
            ]
            rows_below.append(_asking_row(f"{name.capitalize()}, {_NPCS} NPCs", together[_ASKING]))
            rows_below.append(_later_row(name, runs, options.seed))
            storing = frames.run("storing", _STORING_SECONDS, display, batch=options.batch)
            rows.append(_row(f"{name}, storing {options.batch:,}", storing))
            rows_below.append(_storing_row(name, storing))
    rows_below.append(_trace_row(frames))
    bare_usec, added = frames.idle_usec()
    rows_below.append(
        f"* While nobody asks, a frame costs {added:+.2f} us more than the {bare_usec:.2f} us of the bare "
        "engine."
    )
    if options.long:
        long = frames.run(_ASKING, _LONG_SECONDS, None)
        rows_below.append(_asking_row(f"{_LONG_SECONDS // 60} minutes", long))
    return [*rows, "", *rows_below]


def _measure_square(options: argparse.Namespace, folder: Path) -> list[str]:
    frames = Frames(engine.find(), folder, options.seed)
    runs = frames.in_turn(options.seconds, None, _SQUARE)
    together = {kind: _together(of_kind) for kind, of_kind in runs.items()}
    square = together[_SQUARE]
    rate = square["talks"] / (square["elapsed_usec"] / 1e6)
    medians = [percentile(list(map(float, together[kind]["frames_usec"])), 0.5) for kind in (_SQUARE, _BARE)]
    line = frames.heard_line(options.seed)
    return [
        _HEAD,
        _row("headless, without us", together[_BARE]),
        _row("headless, without us, beside an empty loop", together[_BESIDE_LOOP]),
        _row(f"headless, {_NPCS} NPCs in a square", square),
        "",
        f"* {rate:.1f} lines a second, each heard by {_NPCS} NPCs; {square['failed']} failed. The median "
        f"frame is {medians[0] / medians[1]:.3f} times that of the game without us.",
        _later_row("headless", runs, options.seed, _SQUARE),
        f"* A line that {line.hearers} NPCs hear: {line.heard_ms:.1f} ms and {line.heard_texts:.1f} texts to "
        f"embed, one that a single NPC hears {line.alone_ms:.1f} ms and {line.alone_texts:.1f}: "
        f"{line.ratio:.2f} times as long (target: at most {_MOST_TIMES:g}).",
    ]


def _report(options: argparse.Namespace) -> str:
    load = machine.load()
    measure = _measure_square if options.square else _measure
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        results = measure(options, Path(folder))
    return "\n".join(
        [
            *machine.conditions(load),
            f"* {_NPCS} NPCs with {_NPC_MEMORIES} memories each; {_doing(options)}",
            "",
            *results,
        ]
    )


def _doing(options: argparse.Namespace) -> str:
    if options.square:
        return f"one line after the other, which all hear; seed {options.seed}"
    return "three questions, then a memory, and so on; every sixteenth call is a say()"


def main() -> int:
    """Run the benchmark and print its table."""
    parser = command.parser("frames", __doc__, seed_of="memories and questions", written_to="bench/README.md")
    parser.add_argument("--seconds", type=float, default=60, help="of each run (default 60)")
    parser.add_argument("--batch", type=int, default=10_000, help="memories stored at once (default 10000)")
    parser.add_argument("--window", action="store_true", help="in a window on a virtual screen, too")
    parser.add_argument("--long", action="store_true", help="ten minutes more, to see memory grow")
    parser.add_argument("--square", action="store_true", help="only a talk that all NPCs hear; printed only")
    options = parser.parse_args()
    is_written = options.write and not options.square
    return command.end(lambda: _report(options), "frames" if is_written else None)


if __name__ == "__main__":
    sys.exit(main())
