"""Quality of recall in other languages: `python3 build.py bench languages --model FOLDER`.

Asks the questions of the games in bench/games/ar, de, es, fr, ja, ko, pt, ru and zh, of an NPC that has only
its game, and in its world: with the memories of the other seventeen games and 350 turns of English talk.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# One thread, as in the addon. Has to be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, machine, markdown
from measurement.cached_embedder import CachedEmbedder
from measurement.game_runs import GameRun, asked
from measurement.games import LANGUAGES, Surroundings, games_of, talk_turns

from rag_memory.embedding.registry import default_embedder
from rag_memory_build.console import step
from rag_memory_build.paths import ROOT

DOCUMENT = ROOT / "bench" / "recall.md"
_PLACES = (Surroundings.ALONE, Surroundings.WORLD)
_FEW = {"first": 1, "in five": 5}


def _report(options: argparse.Namespace) -> str:
    embedder = CachedEmbedder(default_embedder(options.model))
    by_language = {folder.name: games_of(folder) for folder in LANGUAGES}
    games = [game for of_language in by_language.values() for game in of_language]
    turns = talk_turns()
    rows = [["language", *(f"{name}, {place.value}" for place in _PLACES for name in _FEW)]]
    whole = {place: GameRun() for place in _PLACES}
    with step(f"Asking the questions of {len(games)} games") as progress:
        for language, of_language in by_language.items():
            counts: list[str] = []
            for place in _PLACES:
                run = asked(of_language, place, turns, embedder, progress.update, others=games)
                whole[place].answers += run.answers
                counts += _counts(run)
            rows.append([language, *counts])
    rows.append(["all", *(count for run in whole.values() for count in _counts(run))])
    kinds = [["kind", *(place.value for place in _PLACES)]]
    kinds += [
        [kind, *(_of(run.among(5, kind)) for run in whole.values())]
        for kind in whole[Surroundings.ALONE].kinds
    ]
    return (
        f"* Measured on {machine.described()}\n* Embedding model: {embedder.name}, {embedder.dimension} "
        f"dimensions\n\n{markdown.table(rows)}\n\nBy the kind of question, among the first five:\n\n"
        f"{markdown.table(kinds)}"
    )


def _counts(run: GameRun) -> list[str]:
    return [_of(run.among(count)) for count in _FEW.values()]


def _of(counted: tuple[int, int]) -> str:
    return f"{counted[0]} of {counted[1]}"


def main() -> int:
    """Run the benchmark and print its tables."""
    parser = command.parser("languages", __doc__, written_to="bench/recall.md")
    parser.add_argument(
        "--model", type=Path, help="the folder of the embedding model (default: the shipped one)"
    )
    options = parser.parse_args()
    return command.end(lambda: _report(options), "languages" if options.write else None, DOCUMENT)


if __name__ == "__main__":
    sys.exit(main())
