"""Compares question times with another checkout: `python3 build.py bench question_times --other FOLDER`.

Asks one NPC with 10,000 memories the same questions in processes of both checkouts, in turns, and compares
the least processor time per question, because other programs only add to it. All questions were asked
before, so none is embedded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(os.environ.get("QUESTION_TIMES_OF", Path(__file__).parent.parent)) / "bench"))

from measurement import game_text, quick_save

import rag_memory
from rag_memory_build.console import say, step
from rag_memory_build.paths import ROOT

_NPC = "mira"
_NOW = 1_750_000_000.0
_REPEATS = 5
_PERSONAL = (
    "Did I ever bring you a present?",
    "What did you promise me yesterday?",
    "Do you remember what I told you about your brother?",
    "When did we first meet?",
    "Have I lied to you?",
)


def main() -> int:
    """Compare, or measure one side and print its times as JSON."""
    options = argparse.ArgumentParser(prog="build.py bench question_times", description=__doc__)
    options.add_argument("--other", type=Path, help="another checkout with a development Python")
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=4, help="processes of each side (default 4)")
    options.add_argument("--questions", type=int, default=60)
    given = options.parse_args()
    if given.other is None:
        print(json.dumps(_measured(given.memories, given.questions)))
        return 0
    sides = (given.other.resolve(), ROOT)
    best: dict[Path, list[float]] = {}
    size: dict[Path, float] = {}
    with step("Asking") as progress:
        for number in range(given.rounds):
            for side in sides:
                progress.update(f"round {number + 1} of {given.rounds}, {side}")
                times, size[side] = _of_process(side, given.memories, given.questions)
                best[side] = [min(pair) for pair in zip(times, best.get(side, times), strict=True)]
    old, new = (statistics.median(best[side]) for side in sides)
    ratio = statistics.median(b / a for a, b in zip(best[sides[0]], best[sides[1]], strict=True))
    say(
        f"{given.memories:,} memories, median of the least times of {len(best[ROOT])} questions: {old:.2f} "
        f"ms in {sides[0]}, {new:.2f} ms here; {ratio:.2f} times as long. Loaded: {size[sides[0]]:.0f} and "
        f"{size[ROOT]:.0f} bytes per memory"
    )
    return 0


def _of_process(side: Path, memories: int, questions: int) -> tuple[list[float], float]:
    arguments = ["--memories", str(memories), "--questions", str(questions)]
    result = subprocess.run(
        [sys.executable, side / "build.py", "python", Path(__file__), *arguments],
        cwd=side,
        env={**os.environ, "QUESTION_TIMES_OF": str(side)},
        capture_output=True,
        text=True,
        check=True,
    )
    times, size = json.loads(result.stdout.splitlines()[-1])
    return times, size


def _measured(memories: int, count: int) -> tuple[list[float], float]:
    questions = [*_PERSONAL, *game_text.questions(count, 1)]
    best = [float("inf")] * len(questions)
    with tempfile.TemporaryDirectory() as folder, step("Storing") as progress:
        path = Path(folder) / "save.sqlite3"
        quick_save.fill(path, [_NPC], memories, 1, _NOW, progress)
        with rag_memory.open_save(path, clock=lambda: _NOW) as save:
            npc = save.npc(_NPC)
            for question in questions:
                npc.recall.retrieve_scored(question)
            for _ in range(_REPEATS):
                for number, question in enumerate(questions):
                    begin = time.thread_time()
                    npc.recall.retrieve_scored(question)
                    best[number] = min(best[number], 1000 * (time.thread_time() - begin))
            size = npc.records.index.get().bytes / memories
    return best, size


if __name__ == "__main__":
    sys.exit(main())
