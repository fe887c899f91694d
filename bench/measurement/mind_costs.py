"""Times of calls of an NPC's mind, and the memory of many minds."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measurement import game_text
from measurement.result import Result
from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.npc.npc_mind import NpcMind

_REPETITIONS = 300
_MEMORIES = 1_000
_NPCS = 2_000
_HOT = 30
_HEARERS = (0, 1, 10)
_MOST_TIMES = 3.0
"""So many times what one hearer costs may ten cost."""
_BYTES_PER_PAGE = os.sysconf("SC_PAGE_SIZE")
_NOW = 1_750_000_000.0


def call_costs(seed: int) -> list[Result]:
    """Medians of single calls, with the shipped model, in a save on the disk."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="rag_memory_mind_") as folder:
        now = [_NOW]
        with open_save(Path(folder) / "a.sqlite3", clock=lambda: now[0]) as save:
            npc = save.npc("mira")
            npc.memories.store_batch(game_text.memories(_MEMORIES, seed, _NOW))
            mind, words = npc.mind, game_text.questions(_REPETITIONS, seed + 1)

            def event(action: str) -> dict[str, str]:
                now[0] += 1.0
                who = f"c{dice.randrange(12)}"
                content = f"{dice.choice(words)} {now[0]:.0f}"
                return {"action": action, "content": content, "source_id": who, "source_name": who}

            mind.perceive(event("spoke"))  # reads the lexicon
            return [
                _timed("perceive, no memory", lambda: mind.perceive(event("waved")), target=1.0),
                _timed("perceive, a memory", lambda: mind.perceive(event("spoke"))),
                _timed("reflect", lambda: mind.reflections.reflect(True), 30),
                _timed(
                    "listener context, 3 listeners",
                    lambda: mind.listeners.build_listener_context(["c1", "c2", "c3"], dice.choice(words)),
                    100,
                ),
            ]


def company_costs(seed: int) -> list[Result]:
    """Medians of a line that nobody, one or ten others overhear, with the shipped model, on the disk. The
    numbers of hearers take turns.
    """
    lines = game_text.questions(_REPETITIONS, seed + 2)
    times: dict[int, list[float]] = {count: [] for count in _HEARERS}
    with (
        tempfile.TemporaryDirectory(prefix="rag_memory_mind_") as folder,
        open_save(Path(folder) / "a.sqlite3", clock=lambda: _NOW) as save,
    ):
        crowd = [f"villager_{number}" for number in range(max(_HEARERS))]
        for npc_id in ("mira", *crowd):
            save.npc(npc_id).memories.store_batch(game_text.memories(_MEMORIES // 10, seed, _NOW))
        for number, line in enumerate(lines):
            for count in _HEARERS:
                said = f"{line} {number} {count}"
                started = time.perf_counter()
                save.npc("mira").conversation.store_turn(said, "", {"bystanders": crowd[:count]})
                times[count].append((time.perf_counter() - started) * 1000.0)
    medians = {count: statistics.median(of) for count, of in times.items()}
    results = [Result(f"a line heard by {count}", value, "ms") for count, value in medians.items()]
    ratio = medians[max(_HEARERS)] / medians[1]
    return [*results, Result("ten hearers against one", ratio, "times", _MOST_TIMES)]


def _timed(
    name: str, call: Callable[[], object], repetitions: int = _REPETITIONS, target: float | None = None
) -> Result:
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000.0)
    p95 = sorted(times)[int(0.95 * len(times))]
    return Result(name, statistics.median(times), "ms", target, p95)


def memory_of_many() -> Result:
    """Megabytes of many NPCs' minds with their last interactions."""
    with tempfile.TemporaryDirectory(prefix="rag_memory_mind_") as folder:
        path = Path(folder) / "a.sqlite3"
        now = [_NOW]
        with open_save(path, HashingEmbedder(), lambda: now[0]) as save, save.store.transaction():
            for number in range(_HOT):
                for mind in _minds(save):
                    now[0] += 1.0
                    who = f"player{number % 10}"
                    event = {"action": "waved", "content": f"Hello there, how are you today? {number}"}
                    mind.perceive({**event, "source_id": who, "source_name": who.title()})
        # In a new process: this one would reuse what the storing has let go of.
        spawn = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, spawn) as process:
            taken = process.submit(_taken_by_minds, path).result()
    return Result(f"{_NPCS:,} NPCs with {_HOT} interactions", taken, "MB", 64.0)


def _taken_by_minds(path: Path) -> float:
    with open_save(path, HashingEmbedder()) as save:
        minds = _minds(save)
        before = resident_megabytes()
        for mind in minds:
            mind.feelings.get_emotion()
        return resident_megabytes() - before


def _minds(save: Save) -> list[NpcMind]:
    return [save.npc(f"npc_{number}").mind for number in range(_NPCS)]


def resident_megabytes() -> float:
    """Resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * _BYTES_PER_PAGE / 1e6
