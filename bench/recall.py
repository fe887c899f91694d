"""Quality of recall: `python3 build.py bench recall [--write]`.

Asks the questions of games, the demo's lines, LoCoMo's conversations by the protocol of
../shared/data/README.md, and a corpus of a long game, all with the public Python API. Without ../shared, the
games and the two talks of bench/games are used instead.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

# One thread, as in the addon. Has to be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_corpus, machine, markdown
from measurement.cached_embedder import CachedEmbedder
from measurement.demo_questions import expected_memories
from measurement.game_runs import NOT_RETURNED, GameRun, asked
from measurement.games import Surroundings, read_games, talk_turns
from measurement.locomo import CATEGORIES, FILE_NAME, read_conversations
from measurement.recall_runs import (
    DEPTHS,
    MODES,
    TIGHT_BUDGET_TOKENS,
    KnownQuestions,
    Quality,
    Ranked,
    Talk,
    Village,
    lexical,
    quality,
    reciprocal,
    without_weights,
)
from measurement.talks import read_talks

from rag_memory import MemoryConfig, RelevanceMode, ScoreMode
from rag_memory.embedding.registry import default_embedder
from rag_memory_build.console import step
from rag_memory_build.paths import ROOT, SHARED

DOCUMENT = ROOT / "bench" / "recall.md"

_PUBLISHED = {
    "published: DRAGON (LoCoMo paper, table 3; ten conversations)": (56.7, 66.2, 76.7, 82.7),
}
_TARGETS = (69.0, 80.0, 88.0, 92.0)
_NDCG_TARGET = 50.0
_MOST_LOST = 5.0
_AS_CONFIGURED = "**`HYBRID`, as configured by default**"
_FEW = {"first": 1, "in five": 5, "in fifteen": 15, "in the answer": NOT_RETURNED}


class Recall:
    """One run of the whole benchmark; `sections` are the tables, as Markdown."""

    def __init__(self, memories: int, seed: int, models: Sequence[Path]) -> None:
        self._memories = memories
        self._seed = seed
        self._models = models
        self._conversations = read_conversations(SHARED / "data") or read_talks()
        self._embedder = KnownQuestions(default_embedder())
        self.sections: list[str] = []

    def run(self) -> None:
        """Measure everything."""
        self._measure_games()
        self._measure_conversations()
        self._measure_weights()
        self._measure_game()

    def _measure_games(self) -> None:
        """Ask the questions of players, with more and more other memories."""
        games, turns = read_games(), talk_turns()
        runs: dict[Surroundings, GameRun] = {}
        embedder = CachedEmbedder(self._embedder)
        with step(f"Asking the questions of {len(games)} games") as progress:
            for surroundings in Surroundings:
                runs[surroundings] = asked(games, surroundings, turns, embedder, progress.update)
        recalled, expected = expected_memories(embedder)
        self.sections.append(
            f"### Games\n\n{_game_table(runs)}\n\nThe demo: {recalled} of {expected} expected memories."
            f"\n\n### Games, by the kind of question: among the first five\n\n{_kind_table(runs)}"
        )

    def _measure_conversations(self) -> None:
        conversations = self._conversations
        with step("Storing the conversations") as progress:
            talks = [Talk(conversation, self._embedder, progress.update) for conversation in conversations]
        with step("Asking the conversations' questions") as progress:
            dense = [
                talk.relevant(MemoryConfig(relevance_mode=RelevanceMode.DENSE), progress.update)
                for talk in talks
            ]
            hybrid = [talk.relevant(MemoryConfig(), progress.update) for talk in talks]
            words = [lexical(conversation) for conversation in conversations]
        rrf = [reciprocal(*parts) for parts in zip(dense, words, conversations, strict=True)]
        qualities = {
            "plain cosine (`DENSE`)": quality(conversations, dense),
            "BM25, single turns": quality(conversations, words),
            "cosine + BM25, reciprocal rank fusion": quality(conversations, rrf),
            _AS_CONFIGURED: quality(conversations, hybrid),
        }
        for model in self._models:
            qualities[f"`HYBRID` with the model in `{model.name}`"] = self._with_model(
                model, RelevanceMode.HYBRID
            )
            qualities[f"plain cosine with the model in `{model.name}`"] = self._with_model(
                model, RelevanceMode.DENSE
            )
        self.sections += [self._recall_table(qualities), self._category_table(qualities)]

    def _with_model(self, folder: Path, mode: RelevanceMode) -> Quality:
        embedder = KnownQuestions(default_embedder(folder))
        with step(f"The same with the model in {folder}, {mode.name}") as progress:
            talks = [Talk(conversation, embedder, progress.update) for conversation in self._conversations]
            config = MemoryConfig(relevance_mode=mode)
            answers = [talk.relevant(config, progress.update) for talk in talks]
        return quality(self._conversations, answers)

    def _measure_weights(self) -> None:
        """Measure how random importance and tiers change order and candidates."""
        conversations = self._conversations
        with step("Storing the conversations with random importance and tiers") as progress:
            talks = [
                Talk(conversation, self._embedder, progress.update, random_weights=True)
                for conversation in conversations
            ]
        with step("Asking them by score") as progress:
            plain = [talk.relevant(MemoryConfig(), progress.update) for talk in talks]
            scored = {
                mode: [talk.scored(without_weights(mode), progress.update) for talk in talks]
                for mode in ScoreMode
            }
        by_relevance = quality(conversations, plain)
        rows = [["order", "R@10", "R@50", "candidates kept"]]
        rows.append(
            ["relevance alone", _percent(by_relevance.recall[1]), _percent(by_relevance.recall[3]), ""]
        )
        for mode, answers in scored.items():
            of = quality(conversations, answers)
            share = _share_kept(plain, answers)
            rows.append([mode.name, _percent(of.recall[1]), _percent(of.recall[3]), f"{100 * share:.2f} %"])
        balanced = quality(conversations, scored[ScoreMode.BALANCED]).recall[1]
        lost = by_relevance.recall[1] - balanced
        verdict = (
            f"BALANCED loses {lost:.1f} points of R@10; at most {_MOST_LOST:g} are allowed: "
            f"{_ok(lost <= _MOST_LOST)}."
        )
        self.sections.append(
            "### Importance and tiers that mean nothing\n\nEvery turn has a random importance and tier, real "
            f"dates fade with the default half-life.\n\n{markdown.table(rows)}\n\n{verdict}"
        )

    def _measure_game(self) -> None:
        corpus = game_corpus.corpus(self._memories, self._seed)
        with step(f"Storing {len(corpus.memories):,} memories of a game") as progress:
            village = Village(corpus, self._embedder, progress.update)
        heading = [
            *("mode", "latest fact first", "latest fact", "history", "promises", "what weighs, first 3"),
            *(f"latest in {TIGHT_BUDGET_TOKENS} tokens", "inside the budget"),
        ]
        rows = [heading]
        for name, config in MODES.items():
            with step(f"Asking {len(corpus.questions)} questions, {name}") as progress:
                of = village.quality(config, progress.update)
            rows.append([name, *(_percent(value) for value in dataclasses.astuple(of))])
        self.sections.append(
            f"### A game corpus of our own\n\n{len(corpus.memories):,} memories of one NPC, "
            f"{len(corpus.questions)} questions, seed {self._seed}; shares in percent.\n\n"
            f"{markdown.table(rows)}"
        )

    def _recall_table(self, qualities: dict[str, Quality]) -> str:
        is_public = (SHARED / "data" / FILE_NAME).is_file()
        rows = [["method", "first", "MRR", *(f"R@{k}" for k in DEPTHS), "nDCG@10"]]
        if is_public:
            rows += [[name, "", "", *map(_percent, values), ""] for name, values in _PUBLISHED.items()]
        rows += [
            [name, *map(_percent, (of.first, of.reciprocal_rank, *of.recall, of.ndcg))]
            for name, of in qualities.items()
        ]
        checked = qualities.get(_AS_CONFIGURED)
        verdict = ""
        if is_public and checked is not None:
            rows.append(["*to be reached*", "", "", *map(_percent, _TARGETS), _percent(_NDCG_TARGET)])
            reached = all(value >= target for value, target in zip(checked.recall, _TARGETS, strict=True))
            verdict = f"\n\nTargets: {_ok(reached and checked.ndcg >= _NDCG_TARGET)}."
        turns = sum(len(conversation.turns) for conversation in self._conversations)
        questions = sum(len(conversation.questions) for conversation in self._conversations)
        source = "LoCoMo dev" if is_public else "Our own talks"
        return (
            f"### Conversations\n\n{source}: {len(self._conversations)} conversations, {turns:,} turns, "
            f"{questions} questions; means in percent.\n\n{markdown.table(rows)}{verdict}"
        )

    def _category_table(self, qualities: dict[str, Quality]) -> str:
        present = {
            question.category for conversation in self._conversations for question in conversation.questions
        }
        rows = [["R@10 / nDCG@10", *(name for kind, name in CATEGORIES.items() if kind in present)]]
        for name, of in qualities.items():
            pairs = zip(of.recall_by_category, of.ndcg_by_category, strict=True)
            rows.append([name, *(f"{_percent(recall)} / {_percent(gain)}" for recall, gain in pairs)])
        return f"### By the kind of question\n\n{markdown.table(rows)}"

    def conditions(self) -> str:
        """Date, machine and embedding model."""
        return (
            f"* Measured on {date.today().isoformat()}: {machine.described()}\n"
            f"* Embedding model: {self._embedder.name}, {self._embedder.dimension} dimensions"
        )


def _share_kept(plain: list[Ranked], answers: list[Ranked]) -> float:
    """The share of the 50 most relevant memories in the answers by score, in any order."""
    pairs = [
        (set(first), set(second))
        for one, other in zip(plain, answers, strict=True)
        for first, second in zip(one, other, strict=True)
    ]
    return sum(len(first & second) for first, second in pairs) / sum(len(first) for first, _ in pairs)


def _game_table(runs: dict[Surroundings, GameRun]) -> str:
    rows = [["", *(surroundings.value for surroundings in runs)]]
    rows += [[name, *(_of(run.among(count)) for run in runs.values())] for name, count in _FEW.items()]
    rows.append(
        ["the first one right: its whole text in the prompt", *(_of(run.whole) for run in runs.values())]
    )
    rows.append(["the new value before the old one", *(_of(run.new_first) for run in runs.values())])
    for name, answers in (("true", "known_true"), ("false", "known_false")):
        conditions = [getattr(run, answers) for run in runs.values()]
        rows.append([f"`knows()`: yes to what is {name}", *(_of((sum(c), len(c))) for c in conditions)])
    counts = [run.unknown_counts for run in runs.values()]
    rows.append(
        ["memories for a question about nothing remembered", *(f"{sum(c) / len(c):.1f}" for c in counts)]
    )
    return markdown.table(rows)


def _kind_table(runs: dict[Surroundings, GameRun]) -> str:
    rows = [["kind", *(surroundings.value for surroundings in runs)]]
    for kind in next(iter(runs.values())).kinds:
        rows.append([kind or "of no kind", *(_of(run.among(5, kind)) for run in runs.values())])
    return markdown.table(rows)


def _of(counted: tuple[int, int]) -> str:
    return f"{counted[0]} of {counted[1]}"


def _percent(value: float) -> str:
    return f"{value:.1f}"


def _ok(is_reached: bool) -> str:
    return "reached" if is_reached else "**missed**"


def _report(options: argparse.Namespace) -> str:
    run = Recall(options.memories, options.seed, options.model)
    run.run()
    return "\n\n".join([run.conditions(), *run.sections])


def main() -> int:
    """Run the benchmark and print its tables."""
    parser = command.parser("recall", __doc__, seed_of="the game corpus", written_to="bench/recall.md")
    parser.add_argument("--memories", type=int, default=2400, help="of the game corpus (default 2400)")
    parser.add_argument(
        "--model", type=Path, action="append", default=[], help="another model's folder to compare, like fp32"
    )
    options = parser.parse_args()
    if options.memories < game_corpus.LEAST_MEMORIES:
        parser.error(f"--memories has to be {game_corpus.LEAST_MEMORIES} or more")
    return command.end(lambda: _report(options), "recall" if options.write else None, DOCUMENT)


if __name__ == "__main__":
    sys.exit(main())
