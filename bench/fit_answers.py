"""Fits by what a memory answers a question without a language model: `python3 build.py python
bench/fit_answers.py [--write]`.

The questions of the games of bench/games and ../shared are asked of NPCs that have all memories of their
game, and of NPCs that have a third of them; where what is wanted is in the other two, the question is about
nothing remembered. So are the questions of measurement/unknown_questions.py. The bound is the lowest with
which no more of either are answered than before there were weights. Prints what NPCs answer in games that
were left out. `--write` writes python/rag_memory/prompt/answer_weights.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from measurement import markdown
from measurement.cached_embedder import CachedEmbedder
from measurement.games import Game, PlayedGame, Surroundings, played, read_games
from measurement.unknown_questions import QUESTIONS
from numpy.typing import NDArray

from rag_memory.config.sentences import ENGLISH
from rag_memory.embedding.registry import default_embedder
from rag_memory.prompt import answer_weights
from rag_memory.prompt.memory_evidence import NUMBERS, Inquiry, answer_numbers
from rag_memory_build.console import step

_WEIGHTS = Path(answer_weights.__file__)
_CANDIDATES = {"limit": 12, "listeners": ["player"]}
_PARTS = 3
_RIDGE = 2.0
_STEPS = 25
REMEMBERED, NOT_REMEMBERED, FOREIGN = "remembered", "not remembered", "of another world"
_MOST_FALSE = {NOT_REMEMBERED: 144 / 1102, FOREIGN: 5 / 720}
"""The shares of answers to what nobody can know, with thresholds set by hand (2026-11-26)."""

Matrix = NDArray[np.float64]


class Example(NamedTuple):
    """A question and what is weighed of every memory that may answer it."""

    game: str
    kind: str
    numbers: Matrix
    is_right: Matrix


class Reply(NamedTuple):
    """How sure the surest memory is, and whether it is right."""

    kind: str
    sureness: float
    is_right: bool


def examples_of(life: PlayedGame, kinds: Sequence[str]) -> Iterator[Example]:
    """The questions of a game, with their kinds, and those of another world."""
    asked = [
        (question.text, life.wanted(question), kind)
        for question, kind in zip(life.game.questions, kinds, strict=True)
    ]
    if NOT_REMEMBERED not in kinds:
        asked += [(question, frozenset(), FOREIGN) for question in QUESTIONS]
    for text, wanted, kind in asked:
        inquiry = Inquiry(text, [life.game.player], "", ENGLISH["line_empty"])
        memories = life.npc.recall.retrieve_relevant_raw(text, _CANDIDATES)
        rows = [
            (numbers, memory["id"] in wanted)
            for memory, numbers in zip(memories, answer_numbers(inquiry, memories), strict=True)
            if numbers is not None
        ]
        yield Example(
            life.game.name,
            kind,
            np.array([numbers for numbers, _ in rows], dtype=np.float64).reshape(-1, len(NUMBERS)),
            np.array([is_right for _, is_right in rows], dtype=np.float64),
        )


def parts_of(game: Game) -> Iterator[tuple[Game, list[str]]]:
    """The game as a whole, then NPCs with a third of its memories, and the kinds of their questions."""
    present = [
        dataclasses.replace(question, wanted=tuple({*question.wanted} - {question.old_value}))
        for question in game.questions
    ]
    yield dataclasses.replace(game, questions=tuple(present)), [REMEMBERED] * len(present)
    places = list(range(len(game.memories)))
    random.Random(game.name).shuffle(places)
    for part in range(_PARTS):
        owned = {place: number for number, place in enumerate(sorted(places[part::_PARTS]))}
        questions, kinds = [], []
        for question in game.questions:
            wanted = tuple(owned[place] for place in question.wanted if place in owned)
            is_about_old = question.old_value is not None and question.old_value in owned
            if is_about_old or (wanted and question.old_value is not None):
                continue
            questions.append(dataclasses.replace(question, wanted=wanted, kind="", old_value=None))
            kinds.append(REMEMBERED if wanted else NOT_REMEMBERED)
        memories = tuple(game.memories[place] for place in owned)
        yield dataclasses.replace(game, memories=memories, questions=tuple(questions)), kinds


def fit(examples: Sequence[Example]) -> tuple[Matrix, float]:
    """The weights and the bias of a logistic regression, with Newton's method."""
    numbers = np.concatenate([example.numbers for example in examples])
    is_right = np.concatenate([example.is_right for example in examples])
    mean, deviation = numbers.mean(0), numbers.std(0) + 1e-6
    rows = np.column_stack([(numbers - mean) / deviation, np.ones(len(numbers))])
    ridge = np.diag([_RIDGE] * len(NUMBERS) + [1e-6])
    weights = np.zeros(len(NUMBERS) + 1)
    for _ in range(_STEPS):
        sureness = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (sureness - is_right) + ridge @ weights
        bend = (rows * (sureness * (1.0 - sureness))[:, None]).T @ rows + ridge
        weights = weights - np.linalg.solve(bend, slope)
    plain = weights[:-1] / deviation
    return plain, float(weights[-1] - mean @ plain)


def reply_to(example: Example, weights: Matrix, bias: float) -> Reply:
    """What the NPC would answer if it always answered."""
    if not len(example.numbers):
        return Reply(example.kind, -np.inf, False)
    sureness = example.numbers @ weights + bias
    best = int(sureness.argmax())
    return Reply(example.kind, float(sureness[best]), bool(example.is_right[best]))


def bound_of(replies: Sequence[Reply]) -> float:
    """The lowest bound with which few enough questions about nothing remembered are answered."""
    bounds = []
    for kind, share in _MOST_FALSE.items():
        surenesses = sorted((reply.sureness for reply in replies if reply.kind == kind), reverse=True)
        bounds.append(surenesses[round(share * len(surenesses))] + 1e-6)
    return max(bounds)


def main() -> None:
    """Fit, test and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    embedder = CachedEmbedder(default_embedder())
    games = read_games()
    examples: list[Example] = []
    for game in games:
        for part, kinds in parts_of(game):
            with played(part, games, Surroundings.ALONE, [], embedder) as life:
                examples += examples_of(life, kinds)
        step(f"{game.name}: {len(examples)} questions so far")
    replies: list[Reply] = []
    for name in sorted({example.game for example in examples}):
        weights, bias = fit([example for example in examples if example.game != name])
        replies += [reply_to(example, weights, bias) for example in examples if example.game == name]
    bound = bound_of(replies)
    rows: list[tuple[str, ...]] = [("Question", "Count", "Right", "Wrong", "Said unknown")]
    for kind in (REMEMBERED, NOT_REMEMBERED, FOREIGN):
        of_kind = [reply for reply in replies if reply.kind == kind]
        answered = [reply for reply in of_kind if reply.sureness >= bound]
        right = sum(reply.is_right for reply in answered)
        counts = (len(of_kind), right, len(answered) - right, len(of_kind) - len(answered))
        rows.append((kind, *map(str, counts)))
    print(markdown.table(rows))
    weights, bias = fit(examples)
    write = _WEIGHTS.write_text if arguments.write else print
    write(source(weights, bias, bound))


def source(weights: Matrix, bias: float, bound: float) -> str:
    """The module with the weights."""
    lines = [f'    "{name}": {weight:.3f},' for name, weight in zip(NUMBERS, weights.tolist(), strict=True)]
    return (
        '"""By what a memory answers a question without a language model. Written by bench/fit_answers.py."""'
        "\n\nWEIGHTS: dict[str, float] = {\n" + "\n".join(lines) + f"\n}}\nBIAS = {bias:.3f}\n"
        f'BOUND = {bound:.3f}\n"""The logarithm of the odds from which a memory answers."""\n'
    )


if __name__ == "__main__":
    main()
