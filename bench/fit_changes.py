"""Fits the weights of retrieval/changes.py: `python3 build.py python bench/fit_changes.py [--write]`.

The games of bench/games and of ../shared have questions about what has changed. For all their questions about
the present, every pair of an older and a newer memory that `Changes` compares is an example; the pairs that
`not_before` names are the changes. Prints how the order gets better in games that were left out.
`--write` writes python/rag_memory/retrieval/change_weights.py.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from measurement import markdown
from measurement.cached_embedder import CachedEmbedder
from measurement.games import PlayedGame, Surroundings, played, read_games, talk_turns
from numpy.typing import NDArray

from rag_memory.embedding.registry import default_embedder
from rag_memory.retrieval import change_weights
from rag_memory.retrieval.candidates import by_score
from rag_memory.retrieval.changes import NUMBERS
from rag_memory.searchable.save_context import QueryText
from rag_memory.searchable.searcher import Searcher
from rag_memory_build.console import step

_WEIGHTS = Path(change_weights.__file__)
_CANDIDATES = 40
_RIDGE = 1.0
_STEPS = 25
_THRESHOLDS = (1.0, 0.3, 0.2, 0.1, 0.07, 0.05)

Matrix = NDArray[np.float64]


class Example(NamedTuple):
    """A pair of two memories of a game, for one question."""

    game: str
    is_change: bool
    numbers: list[float]


def examples_of(life: PlayedGame) -> list[Example]:
    """The pairs of all questions of a game, with the changes that the game knows of."""
    name = f"{life.game.name} {life.game.npc_id}"
    records = life.npc.records
    searcher = Searcher(records)
    everything = np.ones(len(records.index.get().columns), dtype=np.bool_)
    examples = []
    for question in life.game.questions:
        change = None
        if question.old_value is not None:
            change = (life.ids[question.old_value], life.ids[question.wanted[0]])
        ranker = searcher.ranker(QueryText(question.text), records.save.now())
        relevant = ranker.answering(ranker.by_relevance(_CANDIDATES, everything))
        candidates = sorted((one for one in relevant if one.match.is_relevant), key=by_score)
        for pair in ranker.pairs(candidates):
            is_change = (pair.older.id, pair.newer.id) == change
            examples.append(Example(name, is_change, pair.numbers))
    return examples


def fitted(examples: Sequence[Example]) -> tuple[Matrix, float]:
    """The weights and the bias of a logistic regression with a ridge."""
    rows = np.array([example.numbers for example in examples])
    is_change = np.array([example.is_change for example in examples], dtype=np.float64)
    mean, deviation = rows.mean(0), rows.std(0) + 1e-6
    rows = np.column_stack(((rows - mean) / deviation, np.ones(len(rows))))
    ridge = _RIDGE * np.array([1.0] * len(NUMBERS) + [0.0])
    weights = np.zeros(len(NUMBERS) + 1)
    for _ in range(_STEPS):
        shares = 1.0 / (1.0 + np.exp(-rows @ weights))
        curvature = (rows * (shares * (1.0 - shares))[:, None]).T @ rows + np.diag(ridge + 1e-9)
        weights -= np.linalg.solve(curvature, rows.T @ (shares - is_change) + ridge * weights)
    plain = weights[:-1] / deviation
    return plain, float(weights[-1] - mean @ plain)


def _table(examples: Sequence[Example]) -> str:
    """Pairs that are put in order in games that were left out, by the least probability."""
    right, wrong = [0] * len(_THRESHOLDS), [0] * len(_THRESHOLDS)
    for game in dict.fromkeys(example.game for example in examples):
        weights, bias = fitted([example for example in examples if example.game != game])
        for example in examples:
            if example.game != game:
                continue
            share = 1.0 / (1.0 + np.exp(-(np.array(example.numbers) @ weights + bias)))
            for place, threshold in enumerate(_THRESHOLDS):
                if share >= threshold:
                    (right if example.is_change else wrong)[place] += 1
    changes = sum(example.is_change for example in examples)
    rows = [["least probability", f"changes, of {changes}", f"others, of {len(examples) - changes:,}"]]
    rows += [
        [f"{threshold:g}", str(right[place]), str(wrong[place])]
        for place, threshold in enumerate(_THRESHOLDS)
    ]
    return markdown.table(rows)


def _read(tell: Callable[[str], None]) -> list[Example]:
    games, turns = read_games(), talk_turns()
    embedder = CachedEmbedder(default_embedder())
    examples: list[Example] = []
    for surroundings in (Surroundings.ALONE, Surroundings.WORLD):
        for game in games:
            tell(f"{game.name} {surroundings.value}")
            with played(game, games, surroundings, turns, embedder) as life:
                examples += examples_of(life)
    return examples


def main() -> int:
    """Fit, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with step("Asking the questions of games") as progress:
        examples = _read(progress.update)
    print(_table(examples))
    weights, bias = fitted(examples)
    lines = [f'    "{name}": {weight:.3f},' for name, weight in zip(NUMBERS, weights.tolist(), strict=True)]
    text = (
        '"""The weights of a pair\'s numbers for `Changes`. Written by bench/fit_changes.py."""\n\n'
        "WEIGHTS: dict[str, float] = {\n" + "\n".join(lines) + f"\n}}\nBIAS = {bias:.3f}\n"
    )
    print(text)
    if arguments.write:
        _WEIGHTS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
