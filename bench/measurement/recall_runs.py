"""Asking the questions of the benchmark through the public Python API."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import rag_memory
from rag_memory import MemoryConfig, RelevanceMode, ScoreMode
from rag_memory.embedding.embedder import Embedder
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

from . import game_corpus
from .baselines import Bm25, fused
from .locomo import CATEGORIES, Conversation
from .ranking import ndcg, recall

DEPTHS = (5, 10, 25, 50)
NDCG_DEPTH = 10
_DAY = 86_400.0
_PLENTY = 1_000_000
Tell = Callable[[str], None]
Ranked = list[list[str]]
"""The IDs returned for the questions of a conversation, best first."""


class KnownQuestions:
    """An embedder that caches all questions, for asking them with many configurations."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._questions: dict[str, FloatVector] = {}
        self.fingerprint, self.name = embedder.fingerprint, embedder.name
        self.dimension, self.max_chars = embedder.dimension, embedder.max_chars

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        for text in texts:
            if text not in self._questions:
                self._questions[text] = self._embedder.embed([text])[0]
        return np.stack([self._questions[text] for text in texts])

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        return self._embedder.batches(texts)


@dataclass(frozen=True)
class Quality:
    """Means over questions, in percent."""

    first: float
    """Of the questions that have evidence, those whose first memory is some."""
    reciprocal_rank: float
    """1 / the place of the first evidence; 0 when it is not among DEPTHS[-1]."""
    recall: tuple[float, ...]
    """At each of DEPTHS."""
    ndcg: float
    """At 10, the mean of the five categories."""
    recall_by_category: tuple[float, ...]
    """At 10."""
    ndcg_by_category: tuple[float, ...]


class Talk:
    """One conversation in a save of its own: one NPC, every turn stored in its order with its real date."""

    def __init__(
        self, conversation: Conversation, embedder: Embedder, tell: Tell, random_weights: bool = False
    ) -> None:
        self.conversation = conversation
        now = conversation.turns[-1].timestamp + _DAY
        self._save = rag_memory.open_save(":memory:", embedder=embedder, clock=lambda: now)
        self.npc = self._save.npc("listener")
        source = random.Random(conversation.id)
        memories = [{"text": turn.text, "timestamp": turn.timestamp} for turn in conversation.turns]
        if random_weights:
            memories = [
                {**memory, "importance": source.randint(1, 10), "memory_tier": source.randint(0, 2)}
                for memory in memories
            ]
        ids: list[str] = []
        for start in range(0, len(memories), 64):
            ids += self.npc.memories.store_batch(memories[start : start + 64])
            tell(f"{conversation.id}: {len(ids)} of {len(memories)} turns stored")
        self.turns = {id: turn.id for id, turn in zip(ids, conversation.turns, strict=True)}

    def relevant(self, config: MemoryConfig, tell: Tell) -> Ranked:
        """By relevance alone: retrieve_relevant_raw()."""
        return self._asked(
            config, tell, lambda text: self.npc.recall.retrieve_relevant_raw(text, {"limit": DEPTHS[-1]})
        )

    def scored(self, config: MemoryConfig, tell: Tell) -> Ranked:
        """By score: retrieve_scored() with a budget for all candidates; near-duplicates where they stood."""
        return self._asked(config, tell, lambda text: self.npc.recall.retrieve_scored(text, _PLENTY))

    def _asked(self, config: MemoryConfig, tell: Tell, ask: Callable[[str], list[dict[str, Any]]]) -> Ranked:
        self.npc.config = config
        answers: Ranked = []
        for number, question in enumerate(self.conversation.questions):
            tell(f"{self.conversation.id}: question {number + 1} of {len(self.conversation.questions)}")
            ids = [
                id for memory in ask(question.text) for id in (memory["id"], *memory.get("duplicates", ()))
            ]
            answers.append([self.turns[id] for id in ids if id in self.turns])
        return answers


def lexical(conversation: Conversation) -> Ranked:
    """BM25 over single turns."""
    index = Bm25([turn.text for turn in conversation.turns])
    ids = [turn.id for turn in conversation.turns]
    return [[ids[place] for place in index.ranked(question.text)] for question in conversation.questions]


def reciprocal(first: Ranked, second: Ranked, conversation: Conversation) -> Ranked:
    """Reciprocal rank fusion of two rankings."""
    places = {turn.id: place for place, turn in enumerate(conversation.turns)}
    ids = [turn.id for turn in conversation.turns]
    return [
        [ids[place] for place in fused([[places[id] for id in ids_of_one] for ids_of_one in pair])]
        for pair in zip(first, second, strict=True)
    ]


def quality(conversations: Sequence[Conversation], answers: Sequence[Ranked]) -> Quality:
    """Measure the answers to all questions of these conversations."""
    pairs = [
        (question, ids)
        for conversation, ranked in zip(conversations, answers, strict=True)
        for question, ids in zip(conversation.questions, ranked, strict=True)
    ]
    recalls = np.array([[recall(ids, q.evidence, k) for k in DEPTHS] for q, ids in pairs])
    gains = np.array([ndcg(ids, q.evidence, NDCG_DEPTH) for q, ids in pairs])
    kinds = np.array([q.category for q, _ in pairs])
    present = [kind for kind in CATEGORIES if (kinds == kind).any()]
    by_kind = [100 * float(gains[kinds == kind].mean()) for kind in present]
    ranks = [
        next((1.0 / place for place, id in enumerate(ids, 1) if id in q.evidence), 0.0)
        for q, ids in pairs
        if q.evidence
    ]
    return Quality(
        100 * sum(rank == 1.0 for rank in ranks) / len(ranks),
        100 * sum(ranks) / len(ranks),
        tuple(100 * float(value) for value in recalls.mean(axis=0)),
        float(np.mean(by_kind)),
        tuple(100 * float(recalls[kinds == kind, 1].mean()) for kind in present),
        tuple(by_kind),
    )


def without_weights(mode: ScoreMode) -> MemoryConfig:
    """A config whose candidates are the 50 most relevant memories, and nothing else."""
    return MemoryConfig(
        score_mode=mode,
        semantic_top_k=DEPTHS[-1],
        min_semantic_importance=1,
        high_signal_limit=0,
        protected_slot_types=[],
    )


@dataclass(frozen=True)
class GameQuality:
    """Shares in percent, of the questions they apply to."""

    latest_first: float
    """The newest value of a fact that changed is the first of its values in the answer."""
    latest_recalled: float
    history: float
    """Share of all values a fact had."""
    event: float
    weight_among_three: float
    """What weighs most about somebody is among the first three."""
    tight_latest: float
    """The newest value is in an answer of the tight budget."""
    inside_budget: float
    """Answers of the tight budget that are inside it."""


TIGHT_BUDGET_TOKENS = 150


class Village:
    """The game corpus in a save of its own."""

    def __init__(self, corpus: game_corpus.Corpus, embedder: Embedder, tell: Tell) -> None:
        self._corpus = corpus
        save = rag_memory.open_save(":memory:", embedder=embedder, clock=lambda: game_corpus.NOW)
        self._npc = save.npc("innkeeper")
        self._ids: list[str] = []
        for start in range(0, len(corpus.memories), 64):
            self._ids += self._npc.memories.store_batch(corpus.memories[start : start + 64])
            tell(f"{len(self._ids)} of {len(corpus.memories)} memories stored")

    def quality(self, config: MemoryConfig, tell: Tell) -> GameQuality:
        """Ask every question with the default budget and with a tight one."""
        self._npc.config = replace(config, protected_slot_types=[])
        values: dict[str, list[float]] = {}
        for number, question in enumerate(self._corpus.questions):
            tell(f"question {number + 1} of {len(self._corpus.questions)}")
            wanted = [self._ids[place] for place in question.wanted]
            ids = [memory["id"] for memory in self._npc.recall.retrieve_scored(question.text)]
            tight = self._npc.recall.retrieve_scored(question.text, TIGHT_BUDGET_TOKENS)
            tokens = sum(self._npc.rules.estimate_tokens(memory["rendered_text"]) for memory in tight)
            shares = {"inside": tokens <= TIGHT_BUDGET_TOKENS}
            if question.kind == game_corpus.LATEST:
                of_fact = [id for id in ids if id in wanted]
                shares["latest_first"] = of_fact[:1] == wanted[-1:]
                shares["latest"] = wanted[-1] in ids
                shares["tight"] = wanted[-1] in {memory["id"] for memory in tight}
            elif question.kind == game_corpus.WEIGHT:
                shares["weight"] = wanted[0] in ids[:3]
            for name, value in shares.items():
                values.setdefault(name, []).append(float(value))
            if question.kind in (game_corpus.HISTORY, game_corpus.EVENT):
                values.setdefault(question.kind, []).append(recall(ids, wanted, len(ids)))
        names = (
            "latest_first",
            "latest",
            game_corpus.HISTORY,
            game_corpus.EVENT,
            "weight",
            "tight",
            "inside",
        )
        return GameQuality(*(100 * float(np.mean(values[name])) for name in names))


MODES = {
    f"{relevance.name} {score.name}": MemoryConfig(relevance_mode=relevance, score_mode=score)
    for relevance in (RelevanceMode.DENSE, RelevanceMode.HYBRID)
    for score in ScoreMode
}
