"""How much of what is nearest the graph of one NPC finds: default options, filters as games ask for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.hnsw_index import HnswIndex
from rag_memory.vectors import FloatMatrix, Mask, unit_rows

DIMENSION = 384
COUNT = 20_000
TOPICS = 150
WANTED = 23
"""So many candidates a question of the default token budget asks for."""
pytestmark = pytest.mark.slow


class Memories(NamedTuple):
    vectors: FloatMatrix
    topics: np.ndarray[tuple[int], np.dtype[np.int64]]


def topical(seed: int, count: int) -> Memories:
    """Vectors as a sentence model makes them of memories: each near a topic, part of the way to another, most
    of its length in a part of the numbers.
    """
    fixed, source = np.random.default_rng(60), np.random.default_rng(seed)
    rotation = np.linalg.qr(fixed.standard_normal((DIMENSION, DIMENSION)))[0]
    spectrum = (1.0 / (1.0 + np.arange(DIMENSION) / 30.0))[:, None] * rotation
    centres = unit_rows(fixed.standard_normal((TOPICS, DIMENSION)) @ spectrum)
    first, second = source.integers(0, TOPICS, (2, count))
    share = source.uniform(0.5, 1.0, (count, 1))
    own = unit_rows(source.standard_normal((count, DIMENSION)) @ spectrum)
    return Memories(unit_rows(centres[first] * share + centres[second] * (1 - share) + 0.5 * own), first)


@pytest.fixture(scope="module")
def memories() -> Memories:
    return topical(61, COUNT)


@pytest.fixture(scope="module")
def index(memories: Memories) -> HnswIndex:
    index = HnswIndex(DIMENSION)
    index.add(np.arange(COUNT), memories.vectors)
    for _ in index.build_index_steps():
        pass
    assert index.pending == 0
    return index


def found_share(index: HnswIndex, questions: FloatMatrix, mask: Mask | None) -> float:
    exact: ExactIndex = index.exact
    found = 0
    for question in questions:
        truth, result = exact.search(question, WANTED, mask), index.search(question, WANTED, mask)
        found += len(np.intersect1d(result.keys, truth.keys))
    return found / (WANTED * len(questions))


def test_all_memories(index: HnswIndex) -> None:
    share = found_share(index, topical(62, 300).vectors, None)
    assert share >= 0.99, f"{share:.4f} found"


def test_seven_of_ten_memories(index: HnswIndex) -> None:
    mask = np.random.default_rng(63).random(COUNT) < 0.7
    share = found_share(index, topical(64, 300).vectors, mask)
    assert share >= 0.99, f"{share:.4f} found"


def test_a_filter_that_takes_whole_topics_away_and_questions_about_them(
    index: HnswIndex, memories: Memories
) -> None:
    questions = topical(65, 900)
    mask = memories.topics % 10 >= 3
    about_them = found_share(index, questions.vectors[questions.topics % 10 < 3], mask)
    others = found_share(index, questions.vectors[questions.topics % 10 >= 3], mask)
    assert min(about_them, others) >= 0.99, f"{about_them:.4f} found, {others:.4f} for other questions"
