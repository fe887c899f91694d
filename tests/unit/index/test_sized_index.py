"""The index of one NPC: exact below the limit, a graph above it, and the same answers around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rag_memory.index import hnsw_index
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.vector_index import IndexOptions, MemoryIndex, VectorIndex
from rag_memory.vectors import FloatMatrix, unit_rows

DIMENSION = 16
SMALL = IndexOptions(exact_search_limit=100)


def random_units(seed: int, count: int) -> FloatMatrix:
    return unit_rows(np.random.default_rng(seed).standard_normal((count, DIMENSION)))


def kind_of(index: MemoryIndex) -> str:
    return "exact" if index.is_exact else "graph"


def settle(index: MemoryIndex) -> int:
    return sum(1 for _ in index.build_index_steps())


def test_it_switches_where_the_limit_says_and_back_with_some_distance() -> None:
    index = MemoryIndex(DIMENSION, SMALL)
    index.add(np.arange(100), random_units(1, 100))
    assert kind_of(index) == "exact"
    index.add([100], random_units(2, 1))
    assert kind_of(index) == "graph"
    assert index.pending > 0
    settle(index)
    assert index.pending == 0
    index.remove(np.arange(25))
    assert kind_of(index) == "graph"
    index.remove([25])
    assert kind_of(index) == "exact"
    assert index.pending == 0
    index.add(np.arange(25), random_units(3, 25))
    assert kind_of(index) == "exact"


def test_limit_zero_is_always_a_graph_and_an_empty_one_works() -> None:
    index = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=0))
    assert len(index.search(random_units(1, 1)[0], 3).keys) == 0
    index.add([5], random_units(1, 1))
    assert kind_of(index) == "graph"
    assert index.search(random_units(1, 1)[0], 3).keys.tolist() == [5]
    index.remove([5])
    assert len(index.search(random_units(1, 1)[0], 3).keys) == 0
    index.add([6], random_units(1, 1))
    index.clear()
    assert len(index) == 0


def test_answers_do_not_change_when_the_limit_is_crossed() -> None:
    index = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=3_000))
    index.add(np.arange(3_000), random_units(4, 3_000))
    queries = random_units(5, 30)
    before = [index.search(query, 10) for query in queries]
    index.add([3_000], -queries[:1])
    assert kind_of(index) == "graph"
    settle(index)
    same = 0
    for query, result in zip(queries, before, strict=True):
        now = index.search(query, 10)
        same += len(np.intersect1d(now.keys, result.keys))
        both = np.isin(now.keys, result.keys)
        assert now.similarities[both].tolist() == index.similarities_of(query, now.keys[both]).tolist()
    assert same >= 0.98 * 300


def test_other_options_take_effect() -> None:
    index = MemoryIndex(DIMENSION, SMALL)
    index.add(np.arange(200), random_units(6, 200))
    settle(index)
    index.configure(IndexOptions(exact_search_limit=100, ef_search=50))
    assert (index.is_exact, index.pending) == (False, 0)
    index.configure(IndexOptions(exact_search_limit=100, m=8))
    assert (index.is_exact, index.pending) == (False, 200)
    index.configure(IndexOptions(exact_search_limit=200))
    assert kind_of(index) == "exact"
    index.configure(IndexOptions(exact_search_limit=199))
    assert kind_of(index) == "graph"


def test_settling_ends_when_the_graph_goes_away() -> None:
    index = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=100))
    index.add(np.arange(3_000), random_units(7, 3_000))
    steps = index.build_index_steps()
    next(steps)
    index.configure(IndexOptions(exact_search_limit=5_000))
    assert sum(1 for _ in steps) <= 1
    assert settle(index) == 0


class TestOpen:
    def open(self, path: Path | None, stamp: str = "1", limit: int = 100) -> MemoryIndex:
        index = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=limit))
        index.reserve(400)
        vectors = random_units(8, 400)
        for start in range(0, 400, 150):
            index.take_in(np.arange(start, min(start + 150, 400)), vectors[start : start + 150])
        index.complete(path, "model", stamp)
        return index

    def test_a_saved_graph_is_taken_over(self, tmp_path: Path) -> None:
        index = self.open(None)
        assert index.pending == 400
        settle(index)
        assert index.save(tmp_path / "g.hnsw", "model", "1")
        assert self.open(tmp_path / "g.hnsw").pending == 0

    @pytest.mark.parametrize("why", ["missing", "stale", "damaged"])
    def test_without_a_usable_graph_it_answers_exactly_and_builds_a_new_one(
        self, tmp_path: Path, why: str
    ) -> None:
        path = tmp_path / "g.hnsw"
        index = self.open(None)
        settle(index)
        index.save(path, "model", "1")
        if why == "missing":
            path.unlink()
        if why == "damaged":
            path.write_bytes(path.read_bytes()[:-5])
        index = self.open(path, stamp="2" if why == "stale" else "1")
        assert index.pending == 400
        query = random_units(9, 1)[0]
        exact = self.open(None, limit=1_000)
        assert index.search(query, 20).keys.tolist() == exact.search(query, 20).keys.tolist()
        settle(index)
        assert index.pending == 0
        assert index.save(path, "model", "2")
        assert self.open(path, "2").pending == 0

    def test_an_exact_index_has_no_file(self, tmp_path: Path) -> None:
        index = self.open(tmp_path / "g.hnsw", limit=400)
        assert kind_of(index) == "exact"
        assert not index.save(tmp_path / "g.hnsw", "model", "1")
        assert list(tmp_path.iterdir()) == []

    def test_no_memories_at_all(self) -> None:
        index = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=0))
        index.complete(None, "model", "")
        assert len(index) == 0
        assert kind_of(index) == "exact"


class MemoryIndexMachine(RuleBasedStateMachine):
    """Around the limit, any sequence of changes: complete, ordered and never a removed vector."""

    def __init__(self) -> None:
        super().__init__()
        # Otherwise so few vectors would always be searched exactly.
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(hnsw_index, "_EXACT_ROWS_PER_CANDIDATE", 0.001)
        self.index: VectorIndex = MemoryIndex(DIMENSION, IndexOptions(exact_search_limit=40))
        self.truth: VectorIndex = ExactIndex(DIMENSION)

    @rule(keys=st.lists(st.integers(0, 120), unique=True, max_size=40), seed=st.integers(0, 9))
    def add(self, keys: list[int], seed: int) -> None:
        vectors = random_units(seed, len(keys))
        self.index.add(keys, vectors)
        self.truth.add(keys, vectors)

    @rule(keys=st.lists(st.integers(0, 120), max_size=60))
    def remove(self, keys: list[int]) -> None:
        self.index.remove(keys)
        self.truth.remove(keys)

    @rule()
    def settle(self) -> None:
        assert isinstance(self.index, MemoryIndex)
        settle(self.index)

    @rule(seed=st.integers(0, 9), k=st.integers(0, 130), share=st.sampled_from([None, 0.1, 0.7]))
    def search(self, seed: int, k: int, share: float | None) -> None:
        query = random_units(seed, 1)[0]
        mask = None if share is None else np.random.default_rng(seed).random(len(self.index)) < share
        found, truth = self.index.search(query, k, mask), self.truth.search(query, k, mask)
        assert len(found.keys) == len(truth.keys)
        allowed = self.index.keys if mask is None else self.index.keys[mask]
        assert set(found.keys.tolist()) <= set(allowed.tolist())
        assert found.similarities.tobytes() == self.truth.similarities_of(query, found.keys).tobytes()
        assert np.lexsort((-found.keys, -found.similarities)).tolist() == list(range(len(found.keys)))
        positions = np.searchsorted(self.index.keys, found.keys)
        assert self.index.similarities_at(query, positions).tobytes() == found.similarities.tobytes()
        rough, error = self.index.rough_similarities(query, positions)
        assert np.all(np.abs(rough - found.similarities) <= error)

    def teardown(self) -> None:
        self.patch.undo()

    @invariant()
    def same_keys(self) -> None:
        assert self.index.keys.tolist() == self.truth.keys.tolist()
        assert len(self.index) == len(self.truth)


TestMemoryIndexMachine = MemoryIndexMachine.TestCase
TestMemoryIndexMachine.settings = settings(max_examples=50, stateful_step_count=20, deadline=None)
