"""The time that STREAM, and noting recalled memories, adds to a question: `python3 build.py bench stream`.

The same questions to one NPC with 1,000 and one with 10,000 memories, the ways in turn after each other, so
that whatever else the machine does meets all of them. Times are the processor's: nothing waits here. A ratio
is the median of the ratios of one round.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine, quick_save

import rag_memory
from rag_memory import MemoryConfig, RelevanceMode, ScoreMode
from rag_memory_build.console import Progress, step

_SIZES = {"mira": 1_000, "tobias": 10_000}
_NOW = 1_750_000_000.0
_PRODUCT, _STREAM = MemoryConfig(score_mode=ScoreMode.PRODUCT), MemoryConfig(score_mode=ScoreMode.STREAM)
_BY_WORDS = MemoryConfig(score_mode=ScoreMode.STREAM, relevance_mode=RelevanceMode.KEYWORD)
_WAYS = {
    "PRODUCT, nothing noted": (_PRODUCT, False),
    "PRODUCT": (_PRODUCT, True),
    "STREAM": (_STREAM, True),
    "STREAM, KEYWORD": (_BY_WORDS, True),
}


def main(arguments: list[str]) -> int:
    options = command.parser("stream", __doc__, seed_of="memories and questions")
    options.add_argument("--rounds", type=int, default=300, help="questions of each way (default 300)")
    given = options.parse_args(arguments)
    return command.end(lambda: _measured(given.seed, given.rounds))


def _measured(seed: int, rounds: int) -> str:
    load = machine.load()
    lines = []
    with tempfile.TemporaryDirectory() as folder, step("Questions") as progress:
        for npc_id, size in _SIZES.items():
            path = Path(folder) / f"{npc_id}.sqlite3"
            quick_save.fill(path, [npc_id], size, seed, _NOW, progress)
            for is_asked_again in (False, True):
                lines += _asked(path, npc_id, size, seed, rounds, is_asked_again, progress)
    conditions = [*machine.conditions(load), f"* Seed {seed}, {rounds} rounds"]
    table = [
        "| memories | question | way | median | of PRODUCT, nothing noted |",
        "|---|---|---|---|---|",
        *lines,
    ]
    return "\n".join([*conditions, "", *table])


def _asked(
    path: Path, npc_id: str, size: int, seed: int, rounds: int, is_asked_again: bool, progress: Progress
) -> list[str]:
    ways = list(_WAYS)
    texts = game_text.questions(rounds, seed)
    spent: dict[str, list[float]] = {way: [] for way in ways}
    now = _NOW
    with rag_memory.open_save(path, clock=lambda: now) as save:
        npc = save.npc(npc_id)
        npc.recall.retrieve_scored("Who is there?")
        for _step in npc.records.index.build_steps():
            pass
        for number, text in enumerate(texts):
            now += 60.0
            turn = number % len(ways)
            for way in ways[turn:] + ways[:turn]:
                config, save.context.notes_accesses = _WAYS[way]
                npc.config = config
                # Embedded anew, unless it was asked before.
                question = f"{text} {number % 10}" if is_asked_again else f"{text} {number}{way[-4:]}{turn}"
                if is_asked_again:
                    npc.recall.retrieve_scored(question)
                started = time.process_time()
                npc.recall.retrieve_scored(question)
                spent[way].append(time.process_time() - started)
            # As in a game, in whose pauses it is written.
            save.context.accesses.write_when_due()
            progress.update(f"{size:,} memories: {number + 1} of {rounds} rounds")
    base = spent[ways[0]]
    kind = "asked before" if is_asked_again else "new"
    return [
        f"| {size:,} | {kind} | {way} | {1000 * statistics.median(spent[way]):.3f} ms | "
        f"{statistics.median(one / other for one, other in zip(spent[way], base, strict=True)):.3f} |"
        for way in ways
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
