"""Exact below the limit, a graph above it, and the same answers around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag_memory.index.hnsw_index import HnswIndex
from rag_memory.index.sized_index import SizedIndex
from rag_memory.index.vector_index import IndexOptions
from rag_memory.vectors import FloatMatrix, unit_rows

DIMENSION = 16
SMALL = IndexOptions(exact_search_limit=100)


def random_units(seed: int, count: int) -> FloatMatrix:
    return unit_rows(np.random.default_rng(seed).standard_normal((count, DIMENSION)))


def kind_of(index: SizedIndex) -> str:
    return "graph" if isinstance(index.current, HnswIndex) else "exact"


def settle(index: SizedIndex) -> int:
    return sum(1 for _ in index.build_index_steps())


def test_it_switches_where_the_limit_says_and_back_with_some_distance() -> None:
    index = SizedIndex(DIMENSION, SMALL)
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
    index = SizedIndex(DIMENSION, IndexOptions(exact_search_limit=0))
    assert len(index.search(random_units(1, 1)[0], 3).keys) == 0
    index.add([5], random_units(1, 1))
    assert kind_of(index) == "graph"
    assert index.search(random_units(1, 1)[0], 3).keys.tolist() == [5]
    index.remove([5])
    assert len(index.search(random_units(1, 1)[0], 3).keys) == 0
    index.add([6], random_units(1, 1))
    index.clear()
    assert len(index.keys) == 0


def test_answers_do_not_change_when_the_limit_is_crossed() -> None:
    index = SizedIndex(DIMENSION, IndexOptions(exact_search_limit=3_000))
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
        assert now.similarities[both].tolist() == index.similarities_at(query, now.keys[both]).tolist()
    assert same >= 0.98 * 300


def test_an_exact_index_adopts_another_limit_that_it_keeps() -> None:
    index = SizedIndex(DIMENSION, SMALL)
    index.add(np.arange(50), random_units(10, 50))
    assert not index.adopt(IndexOptions(exact_search_limit=49))
    assert index.adopt(IndexOptions(exact_search_limit=200))
    index.add(np.arange(50, 150), random_units(11, 100))
    assert kind_of(index) == "exact"
    assert index.adopt(SMALL) is False
    assert index.adopt(IndexOptions(exact_search_limit=150))
    index.add([150], random_units(12, 1))
    assert kind_of(index) == "graph"
    assert not index.adopt(IndexOptions(exact_search_limit=500))


def test_settling_ends_when_the_graph_goes_away() -> None:
    index = SizedIndex(DIMENSION, IndexOptions(exact_search_limit=100))
    index.add(np.arange(3_000), random_units(7, 3_000))
    steps = index.build_index_steps()
    next(steps)
    index.remove(np.arange(75, 3_000))
    assert sum(1 for _ in steps) <= 1
    assert settle(index) == 0


class TestOpen:
    def open(self, path: Path | None, stamp: str = "1", limit: int = 100) -> SizedIndex:
        index = SizedIndex(DIMENSION, IndexOptions(exact_search_limit=limit))
        index.reserve(400)
        vectors = random_units(8, 400)
        for start in range(0, 400, 150):
            index.add(np.arange(start, min(start + 150, 400)), vectors[start : start + 150])
        if path is not None:
            index.load(path, "model", stamp)
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
        index = SizedIndex(DIMENSION, IndexOptions(exact_search_limit=0))
        assert not index.load(Path("nowhere"), "model", "")
        assert len(index.keys) == 0
        assert kind_of(index) == "exact"
