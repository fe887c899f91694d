"""A profile of retrieve_scored: `python3 build.py bench profile [--write]`.

Calls the bridge as the native worker does (bytes in, bytes out) on 10,000 memories, and measures the
processor time of every part without the parts inside it. Then asks the same save in the engine, to see the
time added by the native side and the main thread; with `--other FOLDER` in turns with another checkout.
"""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import onnxruntime
from measurement import command, game_text, machine, quick_save
from measurement.answers import read_answer
from measurement.game import Game

from rag_memory.embedding import onnx_embedder
from rag_memory.godot import bridge, classes, variant_codec
from rag_memory.godot.save_folder import Folders
from rag_memory.index import coarse_vectors, exact_index
from rag_memory.npc import retriever
from rag_memory.retrieval import candidate, candidates, hybrid_relevance, selection
from rag_memory.searchable import searcher
from rag_memory.storage.sql import records
from rag_memory_build import engine
from rag_memory_build.console import Progress, SetupError, step
from rag_memory_build.paths import ADDON, MODELS

_SAVE = "bench"
_NPC = "mira"
_NOW = 1_750_000_000.0
_QUESTIONS = 200
_SLEEP_USEC = 4000
_SHARE_RUNS = 3
_ENCODE = variant_codec.encode  # not measured
_NODE = 1
_SERVER = 2

_PARTS: tuple[tuple[str, Any, str], ...] = (
    ("bridge: looking up the call", bridge.Bridge, "handle"),
    ("decoding the arguments", variant_codec, "decode"),
    ("tokenizing, pooling", onnx_embedder.OnnxEmbedder, "_vectors"),
    ("the model", onnxruntime.InferenceSession, "run"),
    ("retrieval", retriever.Retriever, "scored"),
    ("candidates", candidates.CandidateRanker, "by_score"),
    ("relevance of the question", searcher.Searcher, "ranker"),
    ("relevance: hybrid", hybrid_relevance.HybridRelevance, "search"),
    ("relevance: hybrid, single memories", hybrid_relevance.HybridRelevance, "measure"),
    ("relevance: keywords", searcher, "keyword_scores"),
    ("relevance: names in the question", searcher, "parse_query"),
    ("search: bytes compared", coarse_vectors.CoarseVectors, "scores"),
    ("search: similarities row by row", exact_index.ExactIndex, "similarities_at"),
    ("SQLite: records", records.Records, "by_keys"),
    ("score of a candidate", candidates.CandidateRanker, "_scored"),
    ("filling the budget", selection, "fill_budget"),
    ("a memory as a dictionary", candidate.Candidate, "as_dictionary"),
    ("encoding the answer", variant_codec, "encode_answer"),
)


class Clock:
    """Measures the time of nested parts, without the parts inside them."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self._inner: list[float] = []

    def watch(self, label: str, owner: Any, name: str) -> None:
        """Measure the calls of owner.name from now on."""
        work: Callable[..., Any] = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            started = time.thread_time()
            try:
                return work(*arguments, **named)
            finally:
                whole = time.thread_time() - started
                self.spent[label] = self.spent.get(label, 0.0) + whole - self._inner.pop()
                self.calls[label] = self.calls.get(label, 0) + 1
                if self._inner:
                    self._inner[-1] += whole

        setattr(owner, name, counted)

    def take(self, questions: int) -> dict[str, tuple[float, float]]:
        """Return microseconds and calls of every part per question, and reset them."""
        times = {
            name: (1e6 * spent / questions, self.calls[name] / questions)
            for name, spent in self.spent.items()
        }
        self.spent.clear()
        self.calls.clear()
        return times


class Worker:
    """Calls the bridge as the native host does."""

    def __init__(self, saves_folder: Path) -> None:
        models = MODELS / "default"
        self._bridge = bridge.Bridge(
            Folders(saves_folder, models, saves_folder, saves_folder), lambda *arguments: False
        )
        self._ids = {
            f"{cls.name}.{method.name}": number
            for number, (cls, method) in enumerate(classes.worker_methods(classes.declared_classes()))
        }
        self._last = 0

    def configure(self) -> None:
        """Send the properties of the node."""
        values = {"npc_id": _NPC, "config": None, "persistent": True, "senses": 3}
        payload = _ENCODE(["RAGMemory", values, False, {}, None])
        self._bridge.handle(0, _NODE, bridge.CONFIGURE_METHOD, _NOW, payload)

    def call(self, name: str, *arguments: Any, instance: int = _NODE) -> float:
        """Carry out a call; return its processor time in seconds."""
        payload = _ENCODE(list(arguments))
        self._last += 1
        started = time.thread_time()
        answer = self._bridge.handle(self._last, instance, self._ids[name], _NOW, payload)
        while not isinstance(answer, bytes):
            answer = self._bridge.resume(self._last)
        spent = time.thread_time() - started
        error = read_answer(answer)[1]
        if error:
            raise SetupError(f"{name} failed", error, "run `build.py test` first")
        return spent

    def stop(self) -> None:
        """Close the save."""
        self._bridge.stop()


def _worker_parts(saves: Path, questions: list[str], progress: Progress) -> list[dict[str, Any]]:
    """Profile new questions, and the same questions again."""
    worker = Worker(saves)
    worker.call("MemoryServer.open_save", _SAVE, {}, instance=_SERVER)
    worker.configure()
    worker.call("RAGMemory.retrieve_scored", "Good morning.", -1)
    plain = [worker.call("RAGMemory.retrieve_scored", text, -1) for text in questions[_QUESTIONS:]]
    repeated = [worker.call("RAGMemory.retrieve_scored", text, -1) for text in questions[_QUESTIONS:]]
    clock = Clock()
    for label, owner, name in _PARTS:
        clock.watch(label, owner, name)
    parts = []
    for title, unwatched in (("a new question", plain), ("the same question again", repeated)):
        progress.update(title)
        for text in questions[:_QUESTIONS]:
            worker.call("RAGMemory.retrieve_scored", text, -1)
        parts.append({"title": title, "whole": statistics.median(unwatched), "parts": clock.take(_QUESTIONS)})
    worker.stop()
    return parts


def _table(part: dict[str, Any]) -> str:
    parts: dict[str, tuple[float, float]] = part["parts"]
    total = sum(usec for usec, _calls in parts.values())
    lines = [f"| {part['title']}: on the worker | us | share | calls |", "|---|---|---|---|"]
    for name, (usec, calls) in sorted(parts.items(), key=lambda item: -item[1][0]):
        lines.append(f"| {name} | {usec:.0f} | {100 * usec / total:.0f} % | {calls:.4g} |")
    lines.append(f"| all, counted | {total:.0f} | | |")
    lines.append(f"| all, without counting | {1e6 * part['whole']:.0f} | | |")
    return "\n".join(lines)


def _in_the_engine(asked: dict[str, Any]) -> str:
    timing = asked["health"]["timings"]["RAGMemory.retrieve_scored"]
    new, repeated = statistics.median(asked["whole_usec"]), statistics.median(asked["known_usec"])
    waiting = statistics.median(asked["waiting_usec"])
    lines = [
        "| in the engine, by the clock | us |",
        "|---|---|",
        f"| retrieve_scored, a new question | {new:.0f} |",
        f"| the same question again | {repeated:.0f} |",
        f"| of it in Python, mean of both | {1000 * timing['mean_ms']:.0f} |",
        f"| retrieve_scored_async: the call | {statistics.median(asked['call_usec']):.0f} |",
        f"| its delivery | {statistics.median(asked['delivery_usec']) - waiting:.0f} |",
    ]
    return "\n".join(lines)


def _beside_python(games: dict[str, Game], values: dict[str, Any], progress: Progress) -> str:
    """What a call costs besides its time in Python, of each checkout in turns."""
    samples: dict[str, dict[str, list[float]]] = {side: {} for side in games}
    for _run, (side, game) in itertools.product(range(_SHARE_RUNS), games.items()):
        for part, times in game.measure("engine_share", values, progress).items():
            samples[side].setdefault(part, []).extend(times)
    lines = [
        "| the same question again, us | call | in Python | waiting for it | besides | both |",
        "|---|---|---|---|---|---|",
    ]
    for side, of_side in samples.items():
        whole, waited, worked = (of_side[part] for part in ("latency_ms", "waited_ms", "worked_ms"))
        besides = [a - b - c for a, b, c in zip(whole, waited, worked, strict=True)]
        both = [a - b for a, b in zip(whole, worked, strict=True)]
        medians = (1000 * statistics.median(times) for times in (whole, worked, waited, besides, both))
        lines.append(f"| {side} | {' | '.join(f'{usec:.0f}' for usec in medians)} |")
    return "\n".join(lines)


def _report(memories: int, seed: int, other: Path | None) -> str:
    questions = game_text.questions(2 * _QUESTIONS, seed)
    load = machine.load()
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        addons = {"here": ADDON}
        if other is not None:
            addons = {"other": other.resolve() / "addons" / "rag_memory", **addons}
        games = {
            side: Game(engine.find().path, Path(folder, side), with_addon=True, addon=addon)
            for side, addon in addons.items()
        }
        game = games["here"]
        path = game.save_path(_SAVE)
        with step(f"A save with {memories:,} memories") as progress:
            quick_save.fill(path, [_NPC], memories, seed, _NOW, progress)
            for another in games.values():
                if another is not game:
                    another.save_path(_SAVE).parent.mkdir(parents=True)
                    shutil.copy(path, another.save_path(_SAVE))
        values = {
            "save": _SAVE,
            "npc": _NPC,
            "now": _NOW,
            "distinct_questions": questions[:_QUESTIONS],
            "asynchronous_questions": questions[_QUESTIONS:],
            "sleep_usec": _SLEEP_USEC,
        }
        with step("In the engine") as progress:
            asked = game.measure("questions", values, progress)
            share = _beside_python(games, {**values, "questions": questions[:_QUESTIONS]}, progress)
        with step("On the worker") as progress:
            parts = _worker_parts(path.parent, questions, progress)
    return "\n".join(
        [
            *machine.conditions(load),
            f"* {memories:,} memories, {_QUESTIONS} questions; on the worker processor time of its "
            "thread, each part without the parts inside it, means",
            "",
            *(f"{_table(part)}\n" for part in parts),
            f"{_in_the_engine(asked)}\n",
            share,
        ]
    )


def main() -> int:
    """Profile and print."""
    parser = command.parser(
        "profile", __doc__, seed_of="memories and questions", written_to="bench/README.md"
    )
    parser.add_argument("--memories", type=int, default=10_000, help="of the NPC (default 10000)")
    parser.add_argument("--other", type=Path, help="another checkout, after its `build.py setup`")
    options = parser.parse_args()
    return command.end(
        lambda: _report(options.memories, options.seed, options.other), "profile" if options.write else None
    )


if __name__ == "__main__":
    sys.exit(main())
