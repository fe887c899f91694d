"""Costs by size: `python3 build.py bench scale [--write]`.

Measures one NPC with more and more memories, in mode DENSE with every vector compared and with a graph, and
more and more NPCs with 1,000 memories, in the Python API. Vectors are seeded mixtures of vectors of real
sentences, because embedding a million texts takes hours. The largest sizes take most of an hour; --memories,
--npcs and --memories-per-npc choose others.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from measurement import command, game_text, machine, vectors
from measurement.result import percentile

import rag_memory
from rag_memory import Npc
from rag_memory.config import MemoryConfig, RelevanceMode
from rag_memory.embedding.registry import default_embedder
from rag_memory.index.exact_index import ExactIndex
from rag_memory.save import Save
from rag_memory_build.console import Progress, SetupError, step
from rag_memory_build.paths import MODELS

_MEMORIES = (1_000, 10_000, 50_000, 200_000)
_NPCS = (10, 100, 2_000)
_NPC_MEMORIES = 1_000
_QUESTIONS = 100
_STORES = 50
_BATCH = 2_000
_NOW = 1_750_000_000.0
_RECALLED = 23
_LEAST_IMPORTANCE = 4
"""That is 70 % of the memories."""
_ASKED_NPCS = 10
_WAYS = {
    "every vector compared": MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=1_000_000),
    "a graph (hnswlib)": MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=0),
}
"""The two ways of DENSE."""
_GRAPH = _WAYS["a graph (hnswlib)"]
_EVENTS = ("conversation", "general", "gift_received", "promise_made", "quest_completed")


class Scale:
    """Saves of growing size in one folder."""

    def __init__(self, folder: Path, seed: int, most: int, npc_memories: int) -> None:
        self._folder = folder
        self._npc_memories = npc_memories
        with step("Vectors"):
            sentences = vectors.of_sentences(default_embedder(MODELS), seed)
            self._vectors = vectors.mixtures(sentences, most + _STORES, seed)
            self._questions = vectors.mixtures(sentences, _QUESTIONS, seed + 1)
        self._asked = [f"?{n} {text}" for n, text in enumerate(game_text.questions(_QUESTIONS, seed))]
        self._texts = [memory["text"] for memory in game_text.memories(_NPC_MEMORIES, seed, _NOW)]

    def one_npc(self, size: int) -> dict[str, Any]:
        """One NPC with this many memories."""
        path = self._folder / f"one_{size}.sqlite3"
        with step(f"One NPC with {size:,} memories") as progress:
            with self._open(path) as save:
                self._fill(save, "mira", size, progress)
                npc = save.npc("mira", _GRAPH)
                npc.recall.retrieve_scored(self._asked[0])
                started = time.perf_counter()
                for done in npc.records.index.build_steps():
                    progress.update(f"indexed {done.done:,} of {done.total:,}")
                indexing = time.perf_counter() - started
            result = self._measured(path, ["mira"], size, progress)
            result["index_seconds"] = indexing
            result["shares"] = {
                way: [self._share_of_nearest(path, config, size, least) for least in (1, _LEAST_IMPORTANCE)]
                for way, config in _WAYS.items()
            }
        path.unlink()
        return result

    def many_npcs(self, count: int) -> dict[str, Any]:
        """Measure a save of many NPCs with the same number of memories; ten of them are asked."""
        path = self._many(count)
        with step(f"{count:,} NPCs with {self._npc_memories:,} memories each") as progress:
            with self._open(path) as save:
                self._fill(save, "npc_0", self._npc_memories, progress)
            _copy_npcs(path, count, progress)
            return self._measured(path, _asked_npcs(count), count * self._npc_memories, progress)

    def compared(self, few: int, many: int) -> float:
        """How many times as long a question to one of many NPCs takes as to one of few: ten of each, the same
        questions in turn, in one process.
        """
        with step(f"Ten of {many:,} NPCs beside ten of {few:,}"):
            saves = [self._open(self._many(count)) for count in (few, many)]
            asked = [
                [save.npc(name) for name in _asked_npcs(count)]
                for save, count in zip(saves, (few, many), strict=True)
            ]
            for npc in [*asked[0], *asked[1]]:
                npc.recall.retrieve_scored(self._asked[0])
                _settle(npc)
            times: tuple[list[float], list[float]] = ([], [])
            for number, question in enumerate(self._asked):
                for which in (0, 1) if number % 2 else (1, 0):
                    npc = asked[which][number % _ASKED_NPCS]
                    times[which].append(_seconds(npc.recall.retrieve_scored, question))
            for save in saves:
                save.close()
        return statistics.median(times[1]) / statistics.median(times[0])

    def _many(self, count: int) -> Path:
        return self._folder / f"many_{count}.sqlite3"

    def _open(self, path: Path) -> Save:
        embedder: Any = vectors.KnownVectors(self._vectors, self._questions)
        return rag_memory.open_save(path, embedder, clock=lambda: _NOW)

    def _fill(self, save: Save, npc_id: str, size: int, progress: Progress) -> None:
        for start in range(0, size, _BATCH):
            save.npc(npc_id).memories.store_batch(
                [self._memory(n, size) for n in range(start, min(size, start + _BATCH))]
            )
            progress.update(f"stored {min(size, start + _BATCH):,} of {size:,}")

    def _memory(self, number: int, size: int) -> dict[str, Any]:
        return {
            "text": f"{number} {self._texts[number % len(self._texts)]}",
            "importance": number % 10 + 1,
            "event_type": _EVENTS[number % len(_EVENTS)],
            "timestamp": _NOW - 86_400 * 60 * (1 - number / size),
        }

    def _measured(self, path: Path, names: list[str], memories: int, progress: Progress) -> dict[str, Any]:
        """Times and memory in a process of its own, so that nothing is left over from filling."""
        progress.update("asking")
        given = self._folder / "vectors.npz"
        if not given.exists():
            np.savez(
                given, stored=self._vectors[-_STORES:], questions=self._questions, asked=np.array(self._asked)
            )
        words = [sys.executable, __file__, "--measure", str(path), str(given), *names]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SetupError(
                f"The save with {memories:,} memories could not be measured",
                done.stderr.strip()[-800:],
                "see the message above",
            )
        result: dict[str, Any] = json.loads(done.stdout)
        return result | {"memories": memories, "file_megabytes": path.stat().st_size / 1e6}

    def _share_of_nearest(self, path: Path, config: MemoryConfig, size: int, least_importance: int) -> float:
        """Of the nearest memories of at least this importance, how many the index finds."""
        exact = ExactIndex(self._vectors.shape[1])
        exact.add(np.arange(size), self._vectors[:size])
        least = np.arange(size) % 10 + 1 >= least_importance
        hits = 0
        with self._open(path) as save:
            npc = save.npc("mira", config)
            npc.recall.retrieve_scored(self._asked[0])
            index = npc.records.index.get().vectors
            first = int(index.keys[0])
            for question in self._questions:
                mask = np.ones(len(index.keys), dtype=np.bool_)
                mask[: len(least)] = least
                expected = exact.search(question, _RECALLED, least).keys
                got = index.search(question, _RECALLED + _STORES, mask).keys - first
                hits += len(np.intersect1d(expected, got[got < size][:_RECALLED]))
        return hits / (_RECALLED * len(self._questions))


def _asked_npcs(count: int) -> list[str]:
    return [f"npc_{number}" for number in np.linspace(0, count - 1, _ASKED_NPCS).astype(int)]


def _copy_npcs(path: Path, count: int, progress: Progress) -> None:
    """Give the save more NPCs with the memories of the first one."""
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
    copied = ", ".join(name for name in columns if name not in ("memory", "npc", "keywords"))
    # Every term of the keyword index begins with the number of its NPC, and the first NPC has number 1.
    connection.create_function(
        "keywords_for", 2, lambda npc, terms: " ".join(f"{npc}{term[1:]}" for term in terms.split())
    )
    for number in range(1, count):
        with connection:
            cursor = connection.execute("INSERT INTO npcs (npc_id) VALUES (?)", (f"npc_{number}",))
            npc = cursor.lastrowid
            (last,) = connection.execute("SELECT max(rowid) FROM memories").fetchone()
            (first,) = connection.execute("SELECT min(rowid) FROM memories WHERE npc = 1").fetchone()
            connection.execute(
                f"INSERT INTO memories (rowid, npc, keywords, {copied}) "
                f"SELECT rowid - ? + ? + 1, ?, keywords_for(?, keywords), {copied} FROM memories "
                "WHERE npc = 1",
                (first, last, npc, npc),
            )
            connection.execute(
                "INSERT INTO vectors (memory, model, embedding) SELECT memory - ? + ? + 1, model, embedding "
                "FROM vectors WHERE memory IN (SELECT rowid FROM memories WHERE npc = 1)",
                (first, last),
            )
        if number % 20 == 0:
            progress.update(f"{number:,} of {count:,} NPCs")
    connection.close()


def _measure(path: str, given: str, names: list[str]) -> dict[str, Any]:
    """Open, ask and store in a separate process."""
    data = np.load(given)
    embedder: Any = vectors.KnownVectors(data["stored"], data["questions"])
    before = machine.resident_megabytes()
    opened: list[float] = []
    for _time in range(3):
        started = time.perf_counter()
        save = rag_memory.open_save(path, embedder, clock=lambda: _NOW)
        opened.append(time.perf_counter() - started)
        if _time < 2:
            save.close()
    started = time.perf_counter()
    questions = data["asked"].tolist()
    for name in names:
        save.npc(name).recall.retrieve_scored(questions[0])
    first = (time.perf_counter() - started) / len(names)
    npcs = [save.npc(name) for name in names]
    started = time.process_time()
    for npc in npcs:
        _settle(npc)
    settling = time.process_time() - started
    asked = _answered(npcs, questions)
    resident = machine.resident_megabytes() - before
    dense = {}
    for way, config in _WAYS.items() if len(names) == 1 else ():
        npcs[0].config = config
        npcs[0].recall.retrieve_scored(questions[0])  # the index is loaded
        index_bytes = npcs[0].records.index.get().vectors.bytes
        dense[way] = {"seconds": _answered(npcs, questions), "megabytes": index_bytes / 1e6}
    for npc in npcs:
        npc.config = MemoryConfig()
        npc.recall.retrieve_scored(questions[0])
    stored = [
        _seconds(npcs[number % len(npcs)].memories.store, f"{number} What the miller said.")
        for number in range(len(data["stored"]))
    ]
    save.close()
    return {
        "open": statistics.median(opened),
        "first": first,
        "settling": settling,
        "asked": asked,
        "dense": dense,
        "stored": stored,
        "resident": resident,
    }


def _answered(npcs: Sequence[Npc], questions: Sequence[str]) -> list[float]:
    return [
        _seconds(npcs[number % len(npcs)].recall.retrieve_scored, question)
        for number, question in enumerate(questions)
    ]


def _settle(npc: Npc) -> None:
    """As the worker does when nothing was asked for half a second."""
    for _step in npc.records.index.build_steps():
        pass


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Of the processor: what other programs do then counts little."""
    started = time.process_time()
    work(text)
    return time.process_time() - started


def _row(name: str, run: dict[str, Any]) -> str:
    asked, stored = run["asked"], run["stored"]
    return (
        f"| {name} | {1000 * statistics.median(asked):.2f} ms | {1000 * percentile(asked, 0.95):.2f} ms "
        f"| {1000 * statistics.median(stored):.2f} ms | {1000 * percentile(stored, 0.95):.2f} ms "
        f"| {1000 * run['first']:.0f} ms | {run['open']:.3f} s | {run['resident']:.0f} MB "
        f"| {run['file_megabytes']:.0f} MB |"
    )


def _way_row(size: int, way: str, run: dict[str, Any]) -> str:
    asked, (share, share_allowed) = run["dense"][way]["seconds"], run["shares"][way]
    built = f"{run['index_seconds']:.1f} s" if _WAYS[way] is _GRAPH else ""
    return (
        f"| {size:,} | {way} | {1000 * statistics.median(asked):.2f} ms "
        f"| {1000 * percentile(asked, 0.95):.2f} ms "
        f"| {share:.4f} | {share_allowed:.4f} | {run['dense'][way]['megabytes']:.0f} MB | {built} |"
    )


_HEAD = (
    "| | retrieve_scored | p95 | store | p95 | first question of an NPC | open_save | memory added | file |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def _report(
    one: dict[int, dict[str, Any]],
    many: dict[int, dict[str, Any]],
    npc_memories: int,
    ratio: float | None,
) -> list[str]:
    parts = [_HEAD]
    parts += [_row(f"1 NPC, {size:,}", run) for size, run in one.items()]
    parts += [_row(f"{count:,} NPCs, {npc_memories:,} each", run) for count, run in many.items()]
    parts.append("")
    if one:
        parts += [
            f"| mode DENSE | way | retrieve_scored | p95 | found of the {_RECALLED} nearest "
            "| with 70 % allowed | index | built in |",
            "|---|---|---|---|---|---|---|---|",
            *(_way_row(size, way, run) for size, run in one.items() for way in _WAYS),
            "",
        ]
    for size, run in one.items():
        parts.append(f"* {size:,}: the words are gathered in {run['settling']:.2f} s while nobody asks.")
    if ratio is not None:
        parts.append(
            f"* A question to one of ten of {max(many):,} NPCs takes {ratio:.2f} times as long as to one of "
            f"ten of {min(many):,}, asked in turn (target: at most 1.2)."
        )
    return parts


def _result(memories: list[int], npcs: list[int], npc_memories: int, seed: int) -> str:
    if min(npcs, default=_ASKED_NPCS) < _ASKED_NPCS:
        raise SetupError("--npcs has too few", f"{_ASKED_NPCS} of them are asked", "give more")
    load = machine.load()
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        scale = Scale(Path(folder), seed, max([*memories, npc_memories]), npc_memories)
        many = {count: scale.many_npcs(count) for count in npcs}
        ratio = scale.compared(min(npcs), max(npcs)) if len(npcs) > 1 else None
        one = {size: scale.one_npc(size) for size in memories}
    return "\n".join(
        [
            *machine.conditions(load),
            "* Questions and stores in processor time, the rest by the clock",
            "* Vectors: seeded mixtures of those of real sentences; no time here holds an embedding. The "
            "NPCs of one row have the same memories",
            "",
            *_report(one, many, npc_memories, ratio),
        ]
    )


def main() -> int:
    """Run the benchmark and print its tables."""
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(_measure(sys.argv[2], sys.argv[3], sys.argv[4:])))
        return 0
    parser = command.parser("scale", __doc__, seed_of="the vectors", written_to="bench/README.md")
    parser.add_argument("--memories", default=",".join(map(str, _MEMORIES)), help="of one NPC, by commas")
    parser.add_argument("--npcs", default=",".join(map(str, _NPCS)), help="how many, at least 10, by commas")
    parser.add_argument(
        "--memories-per-npc",
        type=int,
        default=_NPC_MEMORIES,
        help=f"memories per NPC (default {_NPC_MEMORIES})",
    )
    options = parser.parse_args()
    memories = [int(size) for size in options.memories.split(",") if size]
    npcs = [int(count) for count in options.npcs.split(",") if count]
    return command.end(
        lambda: _result(memories, npcs, options.memories_per_npc, options.seed),
        "scale" if options.write else None,
    )


if __name__ == "__main__":
    sys.exit(main())
