"""Times of calls in the real engine: `python3 build.py bench latency [--write]`.

Games in a temporary folder run headless with their own user data: one whose NPC has 10,000 memories, and
empty ones with and without the addon. A value above its target is marked and is no error.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

# One thread, as in the addon. Has to be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine
from measurement.game import Game
from measurement.result import Result, measured, table

import rag_memory
from rag_memory_build import engine
from rag_memory_build.console import step
from rag_memory_build.paths import SHARED

_SAVE = "bench"
_NPC = "mira"
_NOW = 1_750_000_000.0
_SINGLE_STORES = 300
_QUESTIONS = 200  # fewer than the embedder caches
_SLEEP_USEC = 4000
_STARTS = 15
_FIRST_ANSWERS = 7
_REST_RUNS = 5
_IDLE_ROUNDS = 20
_IDLE_FRAMES = 1000
_MS_PER_USEC = 0.001
_MB_PER_KB = 1.024e-3


class Latency:
    """A run of the whole benchmark."""

    def __init__(self, program: engine.Engine, folder: Path, memories: int, seed: int) -> None:
        self._memories = memories
        self._seed = seed
        personas = game_text.read_personas(SHARED / "data")
        self._text = f"own templates and {game_text.PERSONAS_NAME}" if personas else "own templates"
        self._written = game_text.memories(memories, seed, _NOW, personas)
        self._asked = game_text.questions(2 * _QUESTIONS + _SINGLE_STORES, seed)
        self._game = Game(program.path, folder / "game", with_addon=True)
        self._bare = Game(program.path, folder / "bare", with_addon=False)
        self._empty = Game.empty(program.path, folder / "empty", with_addon=True)
        self._empty_bare = Game.empty(program.path, folder / "empty_bare", with_addon=False)
        self._common = {
            "save": _SAVE,
            "npc": _NPC,
            "now": _NOW,
            "idle_rounds": _IDLE_ROUNDS,
            "idle_frames": _IDLE_FRAMES,
        }

    def results(self) -> tuple[list[Result], str]:
        """Measure everything; return the results and the conditions."""
        load = machine.load()
        self._fill_save()
        stored = self._store_singles()
        asked = self._answer_questions()
        bare, at_rest = self._rest()
        first = self._answer_first(preload=False)
        first_preloaded = self._answer_first(preload=True)
        start_seconds, added_seconds = self._start_engines()
        results = [
            *_question_results(asked),
            measured("store", stored["store_usec"], "ms", scale=_MS_PER_USEC, target=3),
            measured(
                "retrieve_scored right after a store",
                stored["asked_after_store_usec"],
                "ms",
                scale=_MS_PER_USEC,
            ),
            measured("first answer after a cold start", first["answered_usec"], "s", scale=1e-6, target=1.5),
            measured("  of it until the save is open", first["opened_usec"], "s", scale=1e-6),
            measured("preload", first_preloaded["preload_usec"], "s", scale=1e-6),
            measured("first answer after preload", first_preloaded["answered_usec"], "s", scale=1e-6),
            Result("engine start and quit without the extension", 1000 * start_seconds, "ms"),
            Result("  the extension adds", 1000 * added_seconds, "ms", 60),
            *_comparisons(asked, bare, at_rest),
        ]
        return results, self._conditions(asked, load)

    def _fill_save(self) -> None:
        values = {**self._common, "memories": self._written[:-_SINGLE_STORES]}
        with step(f"Storing {self._memories - _SINGLE_STORES:,} memories") as progress:
            self._game.measure("fill_save", values, progress)
        self._complete_index()

    def _complete_index(self) -> None:
        """Complete the index as the idle worker does, so that every run has the same index."""
        path = self._game.save_path(_SAVE)
        with step("Completing the search index") as progress, rag_memory.open_save(path) as save:
            npc = save.npc(_NPC)
            npc.recall.retrieve_relevant("Hello there.")
            for done in npc.records.index.build_steps():
                progress.update(f"{done.done:,} of {done.total:,} memories")

    def _store_singles(self) -> dict[str, Any]:
        memories = [
            {"text": memory.pop("text"), "importance": memory.pop("importance"), "data": memory}
            for memory in self._written[-_SINGLE_STORES:]
        ]
        values = {
            "memories": memories,
            "questions": self._asked[2 * _QUESTIONS :],
            "expected_count": self._memories,
        }
        with step(f"Storing {_SINGLE_STORES} memories one by one") as progress:
            stored = self._game.measure("stores", {**self._common, **values}, progress)
        self._complete_index()
        return stored

    def _answer_questions(self) -> dict[str, Any]:
        values = {
            "distinct_questions": self._asked[:_QUESTIONS],
            "asynchronous_questions": self._asked[_QUESTIONS : 2 * _QUESTIONS],
            "sleep_usec": _SLEEP_USEC,
        }
        with step(f"Asking {2 * _QUESTIONS} questions") as progress:
            return self._game.measure("questions", {**self._common, **values}, progress)

    def _rest(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Measure the bare engine and the idle addon in turns."""
        bare: list[dict[str, Any]] = []
        at_rest: list[dict[str, Any]] = []
        with step("Frames without questions, with and without the addon") as progress:
            for number in range(_REST_RUNS):
                progress.update(f"run {number + 1} of {_REST_RUNS}")
                bare.append(self._bare.measure("bare_engine", self._common, progress))
                at_rest.append(self._game.measure("at_rest", self._common, progress))
        return bare, at_rest

    def _answer_first(self, *, preload: bool) -> dict[str, list[float]]:
        values = {**self._common, "question": self._asked[0], "preload": preload}
        taken: dict[str, list[float]] = {}
        with step("Preload and first answer" if preload else "Cold start and first answer") as progress:
            for number in range(_FIRST_ANSWERS):
                progress.update(f"start {number + 1} of {_FIRST_ANSWERS}")
                for name, value in self._game.measure("first_answer", values, progress).items():
                    taken.setdefault(name, []).append(value)
        return taken

    def _start_engines(self) -> tuple[float, float]:
        """Seconds of a start without the addon, and the seconds added by it, measured in turns."""
        bare: list[float] = []
        added: list[float] = []
        with step("Starting the engine with and without the addon") as progress:
            self._empty_bare.start_and_quit()
            self._empty.start_and_quit()
            for number in range(_STARTS):
                progress.update(f"start {number + 1} of {_STARTS}")
                bare.append(self._empty_bare.start_and_quit())
                added.append(self._empty.start_and_quit() - bare[-1])
        return statistics.median(bare), statistics.median(added)

    def _conditions(self, asked: dict[str, Any], load: float) -> str:
        health = asked["health"]
        versions = health["versions"]
        lines = [
            *machine.conditions(load),
            f"* Godot {asked['engine']}, headless; Python {versions['python']}, SQLite {versions['sqlite']}, "
            f"numpy {versions['numpy']}, onnxruntime {versions['onnxruntime']}",
            f"* Embedding model: {health['model']}, {health['dimension']} dimensions"
            + (" (the fallback)" if health["model_is_fallback"] else ""),
            f"* {self._memories:,} memories of one NPC from {self._text}, seed {self._seed}; "
            f"{_QUESTIONS} questions; an answer holds {statistics.median(asked['recalled_counts']):.0f} "
            f"memories, {statistics.median(asked['answer_bytes']) / 1000:.0f} KB in the engine's format",
        ]
        return "\n".join(lines)


def _question_results(asked: dict[str, Any]) -> list[Result]:
    at_rest = statistics.median(asked["waiting_usec"])
    return [
        measured("retrieve_scored", asked["whole_usec"], "ms", scale=_MS_PER_USEC, target=4),
        measured("  the same questions again", asked["known_usec"], "ms", scale=_MS_PER_USEC, target=1),
        measured("retrieve_scored_async: the call", asked["call_usec"], "ms", scale=_MS_PER_USEC, target=0.1),
        measured(
            "  its delivery",
            asked["delivery_usec"],
            "ms",
            scale=_MS_PER_USEC,
            less=at_rest,
            target=0.1,
        ),
        measured(
            "  dropping the answer",
            asked["release_usec"],
            "ms",
            scale=_MS_PER_USEC,
            less=at_rest,
        ),
    ]


def _comparisons(
    asked: dict[str, Any], bare: list[dict[str, Any]], at_rest: list[dict[str, Any]]
) -> list[Result]:
    """Memory and time that the addon adds to the bare engine."""
    bare_kb = statistics.median(run["resident_kb"] for run in bare)
    bare_usec = statistics.median(mean for run in bare for mean in run["idle_usec"])
    usec = statistics.median(mean for run in at_rest for mean in run["idle_usec"])
    return [
        Result("resident memory of the bare engine", bare_kb * _MB_PER_KB, "MB"),
        Result(
            "  the addon adds, all memories loaded", (asked["resident_kb"] - bare_kb) * _MB_PER_KB, "MB", 200
        ),
        Result("a frame of the bare engine", bare_usec, "us"),
        Result("  the addon adds while nobody asks", usec - bare_usec, "us"),
    ]


def _report(memories: int, seed: int) -> str:
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        results, conditions = Latency(engine.find(), Path(folder), memories, seed).results()
    return f"{conditions}\n\n{table(results)}"


def main() -> int:
    """Run the benchmark and print its table."""
    parser = command.parser(
        "latency", __doc__, seed_of="the memories and questions", written_to="bench/README.md"
    )
    parser.add_argument("--memories", type=int, default=10_000, help="of one NPC (default 10000)")
    options = parser.parse_args()
    if options.memories <= _SINGLE_STORES:
        parser.error(f"--memories has to be more than {_SINGLE_STORES}")
    return command.end(lambda: _report(options.memories, options.seed), "latency" if options.write else None)


if __name__ == "__main__":
    sys.exit(main())
