"""Snapshot, restore, rollback and consolidation of a large save: `python3 build.py bench saves`.

The save has 100,000 memories, and the real engine runs at 60 frames a second. Measured are the durations, the
longest frame meanwhile, and the longest wait of another NPC's blocking call.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from measurement import command, game_text, machine
from measurement.game import Game
from measurement.result import Result, measured, table

import rag_memory
from rag_memory import MemoryConfig
from rag_memory.memory.record import Record, new_record
from rag_memory.searchable.records import OwnedRecords
from rag_memory_build import engine
from rag_memory_build.console import step

_NOW = 1_750_000_000.0
_SAVE = "bench"
_NPCS = ("mira", "elena", "gregor", "bjorn", "aldric", "mathias", "varn", "tobias", "greta", "nils")
_AT_ONCE = 2000
_MS_PER_USEC = 0.001


def fill(path: Path, memories: int, seed: int) -> None:
    """Write a save with random vectors, which are only copied."""
    texts = game_text.memories(memories, seed, _NOW)
    numbers = np.random.default_rng(seed)
    path.parent.mkdir(parents=True)
    with (
        step(f"Writing a save with {memories:,} memories") as progress,
        rag_memory.open_save(path, clock=lambda: _NOW) as save,
    ):
        every = memories // len(_NPCS)
        for number, npc_id in enumerate(_NPCS):
            npc = OwnedRecords(save.context, npc_id, MemoryConfig(), lambda name, arguments: None)
            for start in range(number * every, (number + 1) * every, _AT_ONCE):
                part = texts[start : min(start + _AT_ONCE, (number + 1) * every)]
                records = [_record(npc_id, memory) for memory in part]
                vectors = numbers.normal(size=(len(part), save.embedder.dimension)).astype(np.float32)
                npc.writer.add(records, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
                progress.update(f"{start + len(part):,} of {memories:,}")


def _record(npc_id: str, memory: dict[str, Any]) -> Record:
    data = {name: value for name, value in memory.items() if name not in ("text", "importance")}
    stored_at = memory["timestamp"]
    return new_record("bench", npc_id, MemoryConfig(), stored_at, memory["text"], memory["importance"], data)


def results(samples: dict[str, Any]) -> list[Result]:
    """Durations, longest frames and longest waits, each beside what is measured at rest."""
    rows = [measured("a frame at rest", samples["idle"]["frames_usec"], "ms", scale=_MS_PER_USEC)]
    rows.append(_longest("  the longest", samples["idle"]["frames_usec"]))
    for name, what, target in (
        ("snapshot", "snapshot_async", 1000.0),
        ("consolidate", "consolidate_async of one NPC", None),
        ("restore", "restore_async", None),
        ("rollback", "rollback_to_async", None),
    ):
        taken = samples[name]
        rows.append(Result(what, taken["usec"] * _MS_PER_USEC, "ms", target))
        rows.append(measured("  a frame meanwhile", taken["frames_usec"], "ms", scale=_MS_PER_USEC))
        rows.append(_longest("  the longest", taken["frames_usec"]))
        calls = samples.get(f"{name}_asked", taken)["calls_usec"]
        if calls:
            rows.append(measured("  another NPC's blocking call", calls, "ms", scale=_MS_PER_USEC))
            rows.append(_longest("  the longest", calls))
    return rows


def _longest(name: str, samples: list[int]) -> Result:
    return Result(name, max(samples) * _MS_PER_USEC, "ms")


def _report(memories: int, seed: int) -> str:
    load = machine.load()
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder:
        game = Game(engine.find().path, Path(folder) / "game", with_addon=True)
        path = game.save_path(_SAVE)
        fill(path, memories, seed)
        size = path.stat().st_size
        with step("Copying, consolidating and restoring it in a running game") as progress:
            values = {"save": _SAVE, "now": _NOW, "npc": _NPCS[0], "other_npc": _NPCS[1]}
            samples = game.measure("saves", values, progress)
    conditions = [
        *machine.conditions(load),
        f"* Godot {samples['engine']}, headless at 60 frames a second; {memories:,} memories of "
        f"{len(_NPCS)} NPCs, {size / 1e6:.0f} MB, {size / 1000 / memories:.2f} KB for a memory; seed {seed}",
    ]
    return "\n".join(conditions) + f"\n\n{table(results(samples))}"


def main() -> int:
    """Run the benchmark and print its table."""
    parser = command.parser("saves", __doc__, seed_of="the memories")
    parser.add_argument("--memories", type=int, default=100_000, help="of all NPCs together (default 100000)")
    options = parser.parse_args()
    return command.end(lambda: _report(options.memories, options.seed))


if __name__ == "__main__":
    sys.exit(main())
