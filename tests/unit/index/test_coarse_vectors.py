"""Rough scores with one byte per number: never further off than they say, and never a different answer."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
import vector_scan
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.index import coarse_vectors
from rag_memory.index.coarse_vectors import CoarseVectors
from rag_memory.index.exact_index import ExactIndex
from rag_memory.vectors import FloatMatrix, unit_rows


def clustered(seed: int, count: int, dimension: int) -> FloatMatrix:
    """Vectors of which many are nearly the same, as texts of one template are."""
    source = np.random.default_rng(seed)
    centres = source.standard_normal((8, dimension))
    return unit_rows(
        centres[source.integers(8, size=count)] + 0.05 * source.standard_normal((count, dimension))
    )


def test_the_built_project_has_the_extension_module() -> None:
    assert coarse_vectors.is_available()


@pytest.mark.parametrize("dimension", [1, 3, 384, 1_024, 4_096])
def test_a_score_is_never_further_off_than_said(dimension: int) -> None:
    vectors = clustered(1, 500, dimension)
    coarse = CoarseVectors(dimension, 500)
    coarse.put(0, vectors)
    for query in clustered(2, 20, dimension):
        exact = np.vecdot(vectors.astype(np.float64), query.astype(np.float64))
        scores, error = coarse.scores(query, 500, None)
        assert np.abs(scores - exact).max() <= error + 1e-6
        rows = np.array([3, 499, 0])
        assert coarse.scores(query, 500, rows)[0].tolist() == scores[rows].tolist()


def test_the_error_is_small_enough_to_leave_few_vectors() -> None:
    coarse = CoarseVectors(384, 500)
    vectors = clustered(1, 500, 384)
    coarse.put(0, vectors)
    assert coarse.scores(vectors[0], 500, None)[1] < 0.02


@pytest.mark.parametrize("dimension", [1, 3, 65, 384, 4_096])
def test_nearest_leaves_out_nothing_that_can_be_among_the_best(dimension: int) -> None:
    rounding = 5e-5
    vectors = clustered(1, 500, dimension)
    coarse = CoarseVectors(dimension, 600)
    coarse.put(0, vectors)
    source = np.random.default_rng(2)
    for query in clustered(3, 10, dimension):
        exact = np.vecdot(vectors.astype(np.float64), query.astype(np.float64))
        mask = source.random(500) < 0.3
        for allowed in (None, mask, np.flatnonzero(mask)):
            rows = np.arange(500) if allowed is None else np.flatnonzero(mask)
            for k in (1, 7, 100, 1_000):
                found = coarse.nearest(query, 500, k, allowed, rounding)
                edge = np.sort(exact[rows])[-min(k, len(rows))]
                needed = rows[exact[rows] >= edge - rounding / 2]
                assert set(needed.tolist()) <= set(found.tolist()) <= set(rows.tolist())
                assert np.all(found[1:] > found[:-1])


def test_nearest_leaves_few_of_many() -> None:
    vectors = unit_rows(np.random.default_rng(1).standard_normal((5_000, 384)))
    coarse = CoarseVectors(384, 5_000)
    coarse.put(0, vectors)
    for query in vectors[:20]:
        assert len(coarse.nearest(query, 5_000, 15, None, 5e-5)) < 150


def test_nearest_of_none() -> None:
    coarse = CoarseVectors(3, 2)
    vectors = unit_rows(np.eye(3)[:2])
    coarse.put(0, vectors)
    assert len(coarse.nearest(vectors[0], 2, 1, np.zeros(2, dtype=np.bool_), 0.0)) == 0
    assert len(coarse.nearest(vectors[0], 2, 1, np.empty(0, dtype=np.int64), 0.0)) == 0


@pytest.mark.parametrize("dimension", [3, 65, 384, 1_024])
def test_the_answers_are_those_of_an_index_without_the_module(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rough = ExactIndex(dimension)
    monkeypatch.setattr(coarse_vectors, "vector_scan", None)
    plain = ExactIndex(dimension)
    monkeypatch.undo()
    vectors, other = clustered(3, 1_000, dimension), clustered(4, 300, dimension)
    for index in (rough, plain):
        index.add(np.arange(1_000) * 2, vectors)
        index.add(np.arange(0, 600, 2) + 1, other)  # between the others
        index.add(np.arange(0, 600, 2), other)  # replaced
        index.remove(np.arange(0, 1_600, 4))
    source = np.random.default_rng(5)
    for query in clustered(6, 25, dimension):
        for share in (1.0, 0.5, 0.02):
            mask = source.random(len(plain.keys)) < share
            for k in (1, 20, 300):
                found, expected = rough.search(query, k, mask), plain.search(query, k, mask)
                assert found.keys.tolist() == expected.keys.tolist()
                assert found.similarities.tolist() == expected.similarities.tolist()


def test_a_row_that_is_not_there_is_refused() -> None:
    coarse = CoarseVectors(3, 2)
    coarse.put(0, unit_rows(np.eye(3)[:2]))
    with pytest.raises(IndexError):
        coarse.scores(np.array([1, 0, 0], dtype=np.float32), 2, np.array([2]))
    for row in (-1, 2):
        with pytest.raises(IndexError):
            coarse.nearest(np.array([1, 0, 0], dtype=np.float32), 2, 1, np.array([0, row]), 0.0)


def with_each_kind_of_processor(work: Callable[[], object]) -> list[object]:
    """Results of the work with all kinds of loops that this processor can run, the plain ones last."""
    kinds = vector_scan.supported()
    assert kinds[-1] == "plain"
    before = vector_scan.use("plain")
    found = []
    try:
        for kind in kinds:
            vector_scan.use(kind)
            found.append(work())
    finally:
        vector_scan.use(before)
    return found


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 80),
    dimension=st.integers(1, 200) | st.sampled_from([384, 385, 1_023, 4_096]),
    size=st.sampled_from([0.0, 1e-35, 1e-3, 1.0, 1e6]),
)
def test_every_kind_of_processor_finds_the_same_bits(
    seed: int, count: int, dimension: int, size: float
) -> None:
    source = np.random.default_rng(seed)
    vectors = (size * source.standard_normal((count, dimension))).astype(np.float32)
    query = source.standard_normal(dimension).astype(np.float32)
    rows = source.integers(count, size=2 * count)

    def work() -> object:
        coarse = CoarseVectors(dimension, count)
        coarse.put(0, vectors)
        state = pickle.dumps(coarse)
        nearest = [coarse.nearest(query, count, k, None, 0.0).tolist() for k in (1, 5)]
        scores = [coarse.scores(query, count, each) for each in (None, rows)]
        return state, nearest, [(s.tobytes(), off) for s, off in scores]

    first, *others = with_each_kind_of_processor(work)
    assert all(each == first for each in others)


def test_a_kind_of_processor_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="abacus"):
        vector_scan.use("abacus")
    assert vector_scan.use("plain") == vector_scan.supported()[0]
    assert vector_scan.use(vector_scan.supported()[0]) == "plain"
