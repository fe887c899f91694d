"""Fits by what a memory answers a question without a language model: `python3 build.py python
bench/fit_answers.py [--model FOLDER] [--write]`.

The questions of the games of bench/games and ../shared are asked of NPCs that have all memories of their
game, and of NPCs that have a third of them; where what is wanted is in the other two, the question is about
nothing remembered. So are the questions of measurement/unknown_questions.py. The bound is the lowest with
which no more of either are answered than before there were weights. Prints what NPCs answer in games that
were left out. `--write` writes python/rag_memory/prompt/answer_weights.py.

With the folder of a model, the games are those in other languages, and each is asked with weights that were
fitted without its language. Then the bound is the lowest with which nine of ten answers are right, those to
questions about nothing remembered included.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from measurement import markdown
from measurement.cached_embedder import CachedEmbedder
from measurement.games import LANGUAGES, Game, PlayedGame, Surroundings, games_of, played, read_games
from measurement.unknown_questions import IN_LANGUAGES, QUESTIONS
from numpy.typing import NDArray

from rag_memory.config.sentences import ENGLISH
from rag_memory.embedding.registry import default_embedder
from rag_memory.prompt import answer_weights
from rag_memory.prompt.answer_weights import ENGLISH as ENGLISH_WEIGHTS
from rag_memory.prompt.answer_weights import IN_OTHER_LANGUAGES, AnswerWeights
from rag_memory.prompt.memory_evidence import NUMBERS, Inquiry, answer_numbers
from rag_memory_build.console import step
from rag_memory_build.paths import ROOT

_WEIGHTS = Path(answer_weights.__file__)
_CANDIDATES = {"limit": 12, "listeners": ["player"]}
_PARTS = 3
_RIDGE = 2.0
_STEPS = 25
REMEMBERED, NOT_REMEMBERED, FOREIGN = "remembered", "not remembered", "of another world"
_MOST_FALSE = {NOT_REMEMBERED: 144 / 1102, FOREIGN: 5 / 720}
"""The shares of answers to what nobody can know, with thresholds set by hand (2026-11-26)."""
_RIGHT_FOR_WRONG = 9
_SHOWN_BOUNDS = (0.0, 0.3, 0.6, 0.9, 1.2, 1.5)
_ENGLISH = "en"
_LOCALES = {"pt": "pt_BR", "zh": "zh_CN"}
"""The locales of shipped translations that are not named as their language."""
_EMPTY_WORDS = re.compile(r'^msgid "rag_memory/line_empty"\nmsgstr "(.*)"$', re.MULTILINE)

Matrix = NDArray[np.float64]


class Example(NamedTuple):
    """A question and what is weighed of every memory that may answer it."""

    left_out: str
    """The game, or of games in other languages the language, by which it is judged."""
    kind: str
    numbers: Matrix
    is_right: Matrix


class Reply(NamedTuple):
    """How sure the surest memory is, and whether it is right."""

    left_out: str
    kind: str
    sureness: float
    is_right: bool


def examples_of(life: PlayedGame, kinds: Sequence[str], language: str, model: str) -> Iterator[Example]:
    """The questions of a game, with their kinds, and those of another world."""
    asked = [
        (question.text, life.wanted(question), kind)
        for question, kind in zip(life.game.questions, kinds, strict=True)
    ]
    if NOT_REMEMBERED not in kinds:
        foreign = QUESTIONS if language == _ENGLISH else IN_LANGUAGES[language]
        asked += [(question, frozenset(), FOREIGN) for question in foreign]
    for text, wanted, kind in asked:
        inquiry = Inquiry(text, [life.game.player], "", empty_words(language))
        memories = life.npc.recall.retrieve_relevant_raw(text, _CANDIDATES)
        rows = [
            (numbers, memory["id"] in wanted)
            for memory, numbers in zip(memories, answer_numbers(inquiry, memories, model), strict=True)
            if numbers is not None
        ]
        yield Example(
            life.game.name if language == _ENGLISH else language,
            kind,
            np.array([numbers for numbers, _ in rows], dtype=np.float64).reshape(-1, len(NUMBERS)),
            np.array([is_right for _, is_right in rows], dtype=np.float64),
        )


@functools.cache
def empty_words(language: str) -> str:
    """The words that say nothing, as in a game with the shipped translation, or without one."""
    file = ROOT / "addons" / "rag_memory" / "languages" / f"{_LOCALES.get(language, language)}.po"
    match = _EMPTY_WORDS.search(file.read_text(encoding="utf-8")) if file.is_file() else None
    return match[1] if match else ENGLISH["line_empty"]


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
        return Reply(example.left_out, example.kind, -np.inf, False)
    sureness = example.numbers @ weights + bias
    best = int(sureness.argmax())
    return Reply(example.left_out, example.kind, float(sureness[best]), bool(example.is_right[best]))


def bound_of(replies: Sequence[Reply]) -> float:
    """The lowest bound with which few enough questions about nothing remembered are answered."""
    bounds = []
    for kind, share in _MOST_FALSE.items():
        surenesses = sorted((reply.sureness for reply in replies if reply.kind == kind), reverse=True)
        bounds.append(surenesses[round(share * len(surenesses))] + 1e-6)
    return max(bounds)


def bound_elsewhere(replies: Sequence[Reply]) -> float:
    """The lowest bound with which enough answers are right, in other languages than English."""
    right, bound = 0, np.inf
    for count, reply in enumerate(sorted(replies, key=lambda reply: -reply.sureness), 1):
        right += reply.is_right
        if right >= _RIGHT_FOR_WRONG * (count - right):
            bound = reply.sureness
    return float(bound)


def rates(name: str, replies: Sequence[Reply], bound: float) -> tuple[str, ...]:
    """A row: of each kind of question how many get an answer, right and wrong."""
    row = [name]
    for kind in (REMEMBERED, NOT_REMEMBERED, FOREIGN):
        of_kind = [reply for reply in replies if reply.kind == kind]
        answered = [reply for reply in of_kind if reply.sureness >= bound]
        right = sum(reply.is_right for reply in answered)
        row += [str(right)] if kind == REMEMBERED else []
        row.append(f"{len(answered) - right} of {len(of_kind)}")
    return tuple(row)


def main() -> None:
    """Fit, test and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, help="the folder of a model for other languages")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    embedder = CachedEmbedder(default_embedder(arguments.model))
    by_language = {folder.name: games_of(folder) for folder in LANGUAGES}
    if arguments.model is None:
        by_language = {_ENGLISH: read_games()}
    examples: list[Example] = []
    for language, games in by_language.items():
        for game in games:
            for part, kinds in parts_of(game):
                with played(part, games, Surroundings.ALONE, [], embedder) as life:
                    examples += examples_of(life, kinds, language, embedder.name)
            step(f"{game.name}: {len(examples)} questions so far")
    names = sorted({example.left_out for example in examples})
    replies: list[Reply] = []
    for name in names:
        weights, bias = fit([example for example in examples if example.left_out != name])
        replies += [reply_to(example, weights, bias) for example in examples if example.left_out == name]
    bound = bound_of(replies) if arguments.model is None else bound_elsewhere(replies)
    heads = ("Right", "Wrong", *(f"Answers to what is {kind}" for kind in (NOT_REMEMBERED, FOREIGN)))
    rows: list[tuple[str, ...]] = [("Left out", *heads)]
    rows += [rates(name, [reply for reply in replies if reply.left_out == name], bound) for name in names]
    print(markdown.table([*rows, rates("all", replies, bound)]))
    bounds = sorted({*_SHOWN_BOUNDS, round(bound, 3)})
    print(markdown.table([("Bound", *heads), *(rates(f"{at:.2f}", replies, at) for at in bounds)]))
    weights, bias = fit(examples)
    by_number = dict(zip(NUMBERS, weights.tolist(), strict=True))
    fitted = AnswerWeights(by_number, bias, bound)
    write = _WEIGHTS.write_text if arguments.write else print
    if arguments.model is None:
        write(source(fitted, IN_OTHER_LANGUAGES))
    else:
        write(source(ENGLISH_WEIGHTS, {**IN_OTHER_LANGUAGES, embedder.name: fitted}))


def source(english: AnswerWeights, others: Mapping[str, AnswerWeights]) -> str:
    """The module with the weights."""
    text = _WEIGHTS.read_text(encoding="utf-8")
    start, end = text.index("ENGLISH = "), text.index('"""By the name')
    entries = "".join(f'    "{name}": {_indented(literal(weights))},\n' for name, weights in others.items())
    head = f"ENGLISH = {literal(english)}\nIN_OTHER_LANGUAGES: Mapping[str, AnswerWeights] = {{\n"
    return f"{text[:start]}{head}{entries}}}\n{text[end:]}"


def literal(weights: AnswerWeights) -> str:
    """The weights as they are written."""
    numbers = "".join(f'        "{name}": {weight:.3f},\n' for name, weight in weights.by_number.items())
    return (
        f"AnswerWeights(\n    {{\n{numbers}    }},\n    bias={weights.bias:.3f},\n"
        f"    bound={weights.bound:.3f},\n)"
    )


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


if __name__ == "__main__":
    main()
