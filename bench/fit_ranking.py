"""Fits the weights of python/rag_memory/retrieval/hybrid_relevance.py. `python3 build.py python
bench/fit_ranking.py`.

Prints the table for that module, and the quality of the weights on games that were left out.
"""

from __future__ import annotations

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
from measurement.games import Surroundings, played, read_games, talk_turns
from measurement.ranking_fit import Example, Numbers, fit, rank_of_best, thinned
from measurement.recall_runs import Talk
from measurement.talks import read_talks

from rag_memory import MemoryConfig, Npc
from rag_memory.embedding.registry import default_embedder
from rag_memory.text.questions import ends_with_question, is_personal
from rag_memory_build.console import step

CHANNELS = ("dense", "keyword", "event", "names", "episode", "time", "order")
_NAMES_AND_EPISODE = 0.1
"""The weight of both in the dense column of general questions; games have no conversations to fit it."""
_TALKS = 5
"""How often a question of a talk counts among the general questions."""
_ROUGH = np.array([14.0, 5.0, 4.0, 6.0, 2.0, 0.0])
COLUMNS = ("dense", "keyword", "event", "time", "order", "asks")
_FEW = (1, 5, 15)


class Question(NamedTuple):
    """A question with the numbers of every memory."""

    game: str
    surroundings: str
    kind: str
    is_personal: bool
    example: Example


def channels(npc: Npc, text: str) -> tuple[list[str], Numbers]:
    """The ids of all memories and the numbers of each, in the order of COLUMNS."""
    memories = npc.recall.retrieve_relevant_raw(text, {"limit": npc.memories.get_memory_count()})
    numbers = np.array([[memory["breakdown"][f"{name}_channel"] for name in CHANNELS] for memory in memories])
    asks = np.array([ends_with_question(memory["document_full"]) for memory in memories], dtype=np.float64)
    dense = numbers[:, 0]
    if not is_personal(text):
        dense = dense + _NAMES_AND_EPISODE * (numbers[:, 3] + numbers[:, 4])
    columns = (dense, numbers[:, 1], numbers[:, 2], numbers[:, 5], numbers[:, 6], asks)
    return [memory["id"] for memory in memories], np.stack(columns, axis=1)


def questions_of_games(embedder: CachedEmbedder, tell: Callable[[str], None]) -> list[Question]:
    """The questions of all games in all surroundings."""
    games, turns = read_games(), talk_turns()
    questions: list[Question] = []
    for surroundings in Surroundings:
        for game in games:
            tell(f"{game.name} {surroundings.value}")
            with played(game, games, surroundings, turns, embedder) as life:
                for question in game.questions:
                    if not question.wanted:
                        continue
                    ids, numbers = channels(life.npc, question.text)
                    wanted = life.wanted(question)
                    example = Example(numbers, np.array([id in wanted for id in ids]))
                    name = f"{game.name} {game.npc_id}"
                    personal = is_personal(question.text)
                    questions.append(Question(name, surroundings.value, question.kind, personal, example))
    return questions


def questions_of_talks(embedder: CachedEmbedder, tell: Callable[[str], None]) -> list[Question]:
    """The questions of the two talks of bench/games."""
    questions: list[Question] = []
    for conversation in read_talks():
        talk = Talk(conversation, embedder, tell)
        talk.npc.config = MemoryConfig()
        for question in conversation.questions:
            if question.evidence and not is_personal(question.text):
                ids, numbers = channels(talk.npc, question.text)
                is_wanted = np.array([talk.turns.get(id) in question.evidence for id in ids])
                questions.append(Question(conversation.id, "talk", "", False, Example(numbers, is_wanted)))
    return questions


class Weights(NamedTuple):
    """The weights for both kinds of question."""

    personal: Numbers
    general: Numbers

    def rank(self, question: Question) -> int:
        """Count the memories before the best one that answers the question."""
        weights = self.personal if question.is_personal else self.general
        return rank_of_best(question.example.numbers @ weights, question.example.is_wanted)


def fitted(of_games: Sequence[Question], of_talks: Sequence[Question]) -> Weights:
    """The weights for these questions."""
    personal = [question for question in of_games if question.is_personal]
    general = [question for question in of_games if not question.is_personal]
    return Weights(_fit(personal), _fit([*general, *list(of_talks) * _TALKS]))


def _fit(questions: Sequence[Question]) -> Numbers:
    return fit(
        [thinned(question.example, _ROUGH) for question in questions if question.example.is_wanted.any()]
    )


def _table(ranks: dict[str, list[tuple[Question, int]]]) -> str:
    rows = [
        ["weights", "surroundings", "questions", *(f"among {few}" if few > 1 else "first" for few in _FEW)]
    ]
    for name, answers in ranks.items():
        for surroundings in dict.fromkeys(question.surroundings for question, _ in answers):
            places = [rank for question, rank in answers if question.surroundings == surroundings]
            shares = [f"{100 * sum(rank < few for rank in places) / len(places):.1f}" for few in _FEW]
            rows.append([name, surroundings, str(len(places)), *shares])
    return markdown.table(rows)


def _kinds(answers: Sequence[tuple[Question, int]]) -> str:
    surroundings = list(dict.fromkeys(question.surroundings for question, _ in answers))
    rows = [["kind, among 5", *surroundings]]
    for kind in sorted({question.kind for question, _ in answers}):
        cells = []
        for place in surroundings:
            ranks = [rank for q, rank in answers if q.kind == kind and q.surroundings == place]
            cells.append(f"{sum(rank < 5 for rank in ranks)} of {len(ranks)}")
        rows.append([kind or "any", *cells])
    return markdown.table(rows)


def main() -> int:
    """Fit and print."""
    embedder = CachedEmbedder(default_embedder())
    with step("Asking the questions of games") as progress:
        of_games = questions_of_games(embedder, progress.update)
    with step("Asking those of talks") as progress:
        of_talks = questions_of_talks(embedder, progress.update)
    with step("Fitting, one game left out at a time"):
        every = fitted(of_games, of_talks)
        left_out = []
        for game in dict.fromkeys(question.game for question in of_games):
            others = fitted([question for question in of_games if question.game != game], of_talks)
            left_out += [(question, others.rank(question)) for question in of_games if question.game == game]
    seen = [(question, every.rank(question)) for question in of_games]
    print(_table({"fitted without the game": left_out, "fitted on all games": seen}))
    print(_kinds(left_out))
    for name, weights in zip(("PERSONAL", "GENERAL"), every, strict=True):
        values = dict(zip(COLUMNS, weights.tolist(), strict=True))
        share = 0.0 if name == "PERSONAL" else _NAMES_AND_EPISODE * values["dense"]
        print(
            f"{name} = RankingWeights({values['dense']:.1f}, {values['keyword']:.1f}, {values['event']:.1f}, "
            f"{share:.2f}, {share:.2f}, {values['time']:.1f}, {values['order']:.1f})"
        )
        print(
            f"    a memory that ends with a question: e^{values['asks']:.2f} = {np.exp(values['asks']):.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
