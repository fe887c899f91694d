"""Error rates of knows() in ten languages: `python3 build.py bench knows_languages --model FOLDER`.

Asks the conditions of bench/knows_games: true ones in other words, false ones that nearly happened, and what
was never heard. Half of the NPCs are for fitting (`fit_knows_languages.py`). For a model without weights the
benchmark prints from which similarity on at most 15 of 100 false conditions of each language but English
count as true. The table is of the other half, and then of conditions/other_words_held_out.json.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# One thread, as in the addon. Has to be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, machine, markdown
from measurement.condition_games import npc_of

from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.retrieval.even_similarities import even_similarity
from rag_memory.retrieval.other_words_weights import WEIGHTS
from rag_memory_build.console import step

_GAMES = Path(__file__).parent / "knows_games"
_LATER = Path(__file__).parent / "conditions" / "other_words_held_out.json"
_KINDS = ("true", "near miss", "never heard")
_BOUND = 0.5
_MOST_FALSE = 0.15


class _Answer(NamedTuple):
    language: str
    is_fitted: bool
    kind: str
    sureness: float


def _answers(language: str, game: dict[str, Any], embedder: Embedder) -> Iterator[_Answer]:
    with npc_of(game, embedder) as npc:
        for condition in game["knows"]:
            sureness = npc.recall.how_sure(condition["q"])
            yield _Answer(language, game["part"] == "fit", condition["kind"], sureness)


def _report(model: Path | None) -> str:
    embedder = default_embedder(model)
    files = sorted(_GAMES.glob("*.json"))
    later = json.loads(_LATER.read_text(encoding="utf-8"))
    answers: list[_Answer] = []
    with step(f"Asking the conditions of {len(files)} languages") as progress:
        for file in files:
            progress.update(file.stem)
            for game in json.loads(file.read_text(encoding="utf-8")):
                answers += _answers(file.stem, game, embedder)
        for game in later:
            answers += _answers(f"{game['lang']}, others", game, embedder)
    rows = [["language", *_KINDS]]
    languages = list(dict.fromkeys(answer.language for answer in answers))
    for language in languages:
        asked = [answer for answer in answers if answer.language == language and not answer.is_fitted]
        rows.append(
            [language, *(_yes([answer for answer in asked if answer.kind == kind]) for kind in _KINDS)]
        )
    lowest = f"* Lowest even similarity by the other half: {_fitted(answers, embedder.name):.2f}\n"
    return (
        f"* Measured on {machine.described()}\n* Embedding model: {embedder.name}\n"
        f"{'' if embedder.name in WEIGHTS else lowest}\n"
        f"{markdown.table(rows)}"
    )


def _fitted(answers: Sequence[_Answer], model: str) -> float:
    """Return the lowest similarity that keeps the bound in every language, English excluded."""
    false_ones: dict[str, list[float]] = {}
    for answer in answers:
        if answer.is_fitted and answer.kind != "true" and answer.language != "en":
            false_ones.setdefault(answer.language, []).append(_similarity(answer.sureness, model))
    for percent in range(50, 100):
        shares = [sum(one >= percent / 100 for one in of) / len(of) for of in false_ones.values()]
        if max(shares) <= _MOST_FALSE:
            return percent / 100
    return 1.0


def _similarity(sureness: float, model: str) -> float:
    even = even_similarity(model)
    if sureness < _BOUND:
        return sureness / _BOUND * even
    return even + (sureness - _BOUND) / _BOUND * (1.0 - even)


def _yes(answers: Sequence[_Answer]) -> str:
    return f"{sum(answer.sureness >= _BOUND for answer in answers)} of {len(answers)}"


def main() -> int:
    """Run the benchmark and print its table."""
    parser = command.parser("knows_languages", __doc__)
    parser.add_argument(
        "--model", type=Path, help="the folder of the embedding model (default: the shipped one)"
    )
    model = parser.parse_args().model
    return command.end(lambda: _report(model))


if __name__ == "__main__":
    sys.exit(main())
