"""What NPCDialogue.say(), greet() and react() send and cost: `python3 build.py bench say`.

An NPC with 200 memories, a mind, a personality and a world talks in the engine, with a language model that
answers at once and without one. The first say() is that of NPCs without memories. Counted are the messages
to the worker, their bytes and the worker's processor time, and what the frames meanwhile cost the main thread
beyond idle ones, waiting included. With `--other FOLDER` another checkout does the same, in turns with this
one; a ratio is that of the medians, this one's to the other's.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from measurement import command, machine, markdown, quick_save
from measurement.game import Game

from rag_memory_build import engine
from rag_memory_build.console import Progress, step
from rag_memory_build.paths import ADDON

_SAVE, _NPC, _NOW = "bench", "mira", 1_750_000_000.0
_MEMORIES = 200
_RULES = 'python/rules=PackedStringArray("res://bench/measurement/message_log.py")'
_MEASURES = {
    "messages": ("messages", "{:.0f}"),
    "blocking": ("of them block", "{:.0f}"),
    "sent": ("to the worker", "{:.1f} KB"),
    "returned": ("back", "{:.1f} KB"),
    "worker": ("worker", "{:.1f} ms"),
    "main": ("main thread", "{:.1f} ms"),
    "frames": ("frames", "{:.0f}"),
}
_Samples = dict[tuple[str, str], dict[str, list[float]]]


def main(arguments: list[str]) -> int:
    options = command.parser("say", __doc__, seed_of="memories")
    options.add_argument("--rounds", type=int, default=24, help="calls of each kind in a run (default 24)")
    options.add_argument("--runs", type=int, default=2, help="processes of each checkout (default 2)")
    options.add_argument("--other", type=Path, help="another checkout, after its `build.py setup`")
    options.add_argument("--names", action="store_true", help="list the messages of each kind of call")
    given = options.parse_args(arguments)
    return command.end(lambda: _measured(given.seed, given.rounds, given.runs, given.other, given.names))


def _measured(seed: int, rounds: int, runs: int, other: Path | None, with_names: bool) -> str:
    load = machine.load()
    addons = {"here": ADDON}
    if other is not None:
        addons = {"other": other.resolve() / "addons" / "rag_memory", **addons}
    samples: dict[str, _Samples] = {side: {} for side in addons}
    names: dict[str, Counter[tuple[str, str, str]]] = {side: Counter() for side in addons}
    with tempfile.TemporaryDirectory(prefix="rag_memory_bench_") as folder, step("Talking") as progress:
        for number, (side, addon) in itertools.product(range(runs), addons.items()):
            progress.update(f"run {number + 1} of {runs}, {side}")
            spans, messages = _run(addon, Path(folder, f"{side}{number}"), seed, rounds, progress)
            _collect(spans, messages, samples[side], names[side])
    lines = [
        *machine.conditions(load),
        f"* {_MEMORIES} memories, seed {seed}; medians of {runs * rounds} calls of each kind",
        "",
        markdown.table(_rows(samples)),
    ]
    if with_names:
        lines += _listed(names, runs * rounds)
    return "\n".join(lines)


def _run(
    addon: Path, folder: Path, seed: int, rounds: int, progress: Progress
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    game = Game(
        engine.find().path,
        folder,
        with_addon=True,
        with_demo=True,
        addon=addon,
        settings={"rag_memory": _RULES},
    )
    quick_save.fill(game.save_path(_SAVE), [_NPC], _MEMORIES, seed, _NOW, progress)
    log = folder / "messages.jsonl"
    os.environ["RAG_MEMORY_MESSAGES"] = str(log)
    values = {"save": _SAVE, "npc": _NPC, "now": _NOW, "rounds": rounds}
    samples = game.measure("saying", values, progress)
    return samples, [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def _collect(
    samples: dict[str, Any],
    messages: list[dict[str, Any]],
    into: _Samples,
    names: Counter[tuple[str, str, str]],
) -> None:
    idle = statistics.median(samples["idle_usec"])
    for span in samples["spans"]:
        sent = [message for message in messages if span["begun"] <= message["time"] < span["ended"]]
        names.update((span["call"], span["way"], message["name"]) for message in sent)
        frames = span["frames_usec"]
        values = {
            "messages": len(sent),
            "blocking": sum(message["blocks"] for message in sent),
            "sent": sum(message["bytes"] for message in sent) / 1000,
            "returned": sum(message["answer_bytes"] for message in sent) / 1000,
            "worker": 1000 * sum(message["seconds"] for message in sent),
            "main": sum(usec - idle for usec in frames) / 1000,
            "frames": len(frames),
        }
        measures = into.setdefault((span["call"], span["way"]), {})
        for name, value in values.items():
            measures.setdefault(name, []).append(value)


def _rows(samples: dict[str, _Samples]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "", *(label for label, _form in _MEASURES.values()))]
    for call, way in samples["here"]:
        for side, of_side in samples.items():
            medians = {name: statistics.median(of_side[call, way][name]) for name in _MEASURES}
            cells = (form.format(medians[name]) for name, (_label, form) in _MEASURES.items())
            rows.append((f"{call}(), {way}", side, *cells))
        if len(samples) > 1:
            rows.append(("", "ratio", *(_ratio(samples, (call, way), name) for name in _MEASURES)))
    return rows


def _ratio(samples: dict[str, _Samples], kind: tuple[str, str], name: str) -> str:
    here, other = (statistics.median(samples[side][kind][name]) for side in ("here", "other"))
    return f"{here / other:.2f}" if other else "-"


def _listed(names: dict[str, Counter[tuple[str, str, str]]], calls: int) -> list[str]:
    lines = []
    for side, of_side in names.items():
        for (call, way, name), count in sorted(of_side.items()):
            lines.append(f"* {side}: {call}(), {way}: {name} {count / calls:.1f} times")
    return ["", *lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
