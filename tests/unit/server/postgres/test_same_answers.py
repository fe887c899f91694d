"""A save on a server recalls what one in a file does, wherever its vectors are compared: the same memories in
the same order, equal scores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.server.postgres.conftest import place_on

from rag_memory import MemoryConfig, RelevanceMode, Save, open_save
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.index_mode import EMBEDDED, SERVER
from rag_memory.embedding.registry import default_embedder
from rag_memory.vectors import FloatMatrix, FloatVector, Keys
from rag_memory_build.paths import ROOT, SHARED
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres_storage import MemoryPostgresStorage

sys.path.append(str(ROOT / "bench"))

from measurement import game_corpus
from measurement.locomo import read_conversations

PLENTY = 1_000_000
ASKED = 40
"""Questions of each story, spread over all of its kinds."""


class EmbeddedOnce:
    """Remembers every text, so that the second save costs no embedding."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, FloatVector] = {}
        self.fingerprint, self.name = embedder.fingerprint, embedder.name
        self.dimension, self.max_chars = embedder.dimension, embedder.max_chars

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for positions, vectors in self._embedder.batches(new):
            self._known.update(zip((new[position] for position in positions), vectors, strict=True))
        return np.stack([self._known[text] for text in texts])

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        yield np.arange(len(texts)), self.embed(texts)


def stories() -> dict[str, tuple[list[dict[str, Any]], list[str], float]]:
    """Memories, questions and the time of asking."""
    corpus = game_corpus.corpus(game_corpus.LEAST_MEMORIES, 3)
    told = {"innkeeper": (corpus.memories, [each.text for each in corpus.questions], game_corpus.NOW)}
    for talk in read_conversations(SHARED / "data"):
        turns: list[dict[str, Any]] = [
            {"text": turn.text, "timestamp": turn.timestamp} for turn in talk.turns
        ]
        now = talk.turns[-1].timestamp + 86_400.0
        told[talk.id] = (turns, [each.text for each in talk.questions], now)
    return told


STORIES = stories()


@pytest.mark.parametrize("name", STORIES)
def test_answers_are_the_same_score_for_score(server: PostgresServer, name: str, tmp_path: Path) -> None:
    memories, questions, now = STORIES[name]
    asked = questions[:: max(1, len(questions) // ASKED)]
    embedder = EmbeddedOnce(default_embedder())

    def told(path: str, storage: MemoryPostgresStorage | None, mode: str = EMBEDDED) -> list[list[list[Any]]]:
        """The answers now, and after opening the save again, when nothing is cached."""
        found = []
        for stored in (memories, []):
            with open_save(path, embedder, lambda: now, vector_index=mode, storage=storage) as save:
                found.append(answers(save, stored, asked))
                assert save.overview.counts()["memories"] == len(memories)
                assert save.overview.health()["vector_index"] == mode
        return found

    in_file = told(str(tmp_path / "story.sqlite3"), None)
    assert all(in_file[0]) and all(in_file[1])
    assert told(name, place_on(server)) == in_file
    assert told(f"{name}, compared there", place_on(server), SERVER) == in_file


def answers(save: Save, memories: list[dict[str, Any]], questions: list[str]) -> list[list[Any]]:
    """Store the memories and ask the questions; every memory found, with its score and what it tells."""
    npc = save.npc("listener")
    if memories:
        npc.memories.store_batch(memories)
    found = []
    for mode in (RelevanceMode.HYBRID, RelevanceMode.DENSE):
        npc.config = MemoryConfig(relevance_mode=mode)
        for question in questions:
            found.append(
                [(each["id"], each["score"], each) for each in npc.recall.retrieve_scored(question, PLENTY)]
            )
    return found
