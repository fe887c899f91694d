"""The exact index against a few lines of plain Python that cannot be wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_memory.errors import InvalidArgumentError
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.vector_index import SearchResult
from rag_memory.vectors import FloatMatrix, FloatVector, unit_rows

DIMENSION = 24


def random_units(seed: int, count: int, dimension: int = DIMENSION) -> FloatMatrix:
    return unit_rows(np.random.default_rng(seed).standard_normal((count, dimension)))


def brute_force(vectors: dict[int, FloatVector], query: FloatVector, k: int) -> list[tuple[int, float]]:
    scored = [(key, float(np.vecdot(vector, query))) for key, vector in vectors.items()]
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0]))[: max(k, 0)]


def assert_is(result: SearchResult, expected: list[tuple[int, float]]) -> None:
    assert result.keys.tolist() == [key for key, _ in expected]
    assert result.similarities.tolist() == pytest.approx([similarity for _, similarity in expected], abs=1e-6)
    assert result.keys.dtype == np.int64
    assert result.similarities.dtype == np.float32


def filled(count: int, seed: int = 1) -> tuple[ExactIndex, dict[int, FloatVector]]:
    vectors = random_units(seed, count)
    index = ExactIndex(DIMENSION)
    index.add(np.arange(count) * 3, vectors)
    return index, {row * 3: vector for row, vector in enumerate(vectors)}


@pytest.mark.parametrize("k", [-1, 0, 1, 7, 199, 200, 201, 10**9])
@pytest.mark.parametrize("share", [None, 0.0, 0.02, 0.2, 0.5, 1.0])
def test_it_finds_what_brute_force_finds(k: int, share: float | None) -> None:
    index, vectors = filled(200)
    query = random_units(2, 1)[0]
    if share is None:
        assert_is(index.search(query, k), brute_force(vectors, query, k))
        return
    mask = np.random.default_rng(3).random(200) < share
    allowed = {key: vectors[key] for key in index.keys[mask].tolist()}
    assert_is(index.search(query, k, mask), brute_force(allowed, query, k))


@pytest.mark.parametrize("count", [80, 1_003])
def test_equal_vectors_tie_and_the_higher_key_comes_first(count: int) -> None:
    index = ExactIndex(384)
    twin, other = random_units(5, 2, 384)
    keys = np.random.default_rng(6).permutation(count).astype(np.int64)
    for start in range(0, count, 7):
        part = keys[start : start + 7]
        index.add(part, np.repeat(twin[None], len(part), axis=0))
    index.add([count], other[None])
    for mask in (None, np.arange(count + 1) % 3 == 0, np.arange(count + 1) % 17 == 0):
        result = index.search(twin, 4, mask)
        every = np.arange(count) if mask is None else np.flatnonzero(mask[:count])
        assert result.keys.tolist() == every[::-1][:4].tolist()
        assert len(set(result.similarities.tolist())) == 1


def test_a_filter_changes_no_similarity() -> None:
    index = ExactIndex(384)
    index.add(np.arange(3_000), random_units(7, 3_000, 384))
    query = random_units(8, 1, 384)[0]
    result = index.search(query, 3_000)
    everything = dict(zip(result.keys.tolist(), result.similarities.tolist(), strict=True))
    for modulus in (2, 3, 40, 500):
        found = index.search(query, 10, np.arange(3_000) % modulus == 0)
        assert found.similarities.tolist() == [everything[key] for key in found.keys.tolist()]
        assert index.similarities_at(query, found.keys).tolist() == found.similarities.tolist()


def test_similarity_never_leaves_the_cosine_range() -> None:
    index = ExactIndex(DIMENSION)
    slightly_long = random_units(1, 1) * np.float32(1.000001)
    index.add([1, 2], np.concatenate([slightly_long, -slightly_long]))
    assert index.search(slightly_long[0], 2).similarities.tolist() == [1.0, -1.0]


def test_growing_does_not_copy_the_matrix_for_every_vector() -> None:
    index = ExactIndex(DIMENSION)
    sizes = set()
    for key in range(2_000):
        index.add([key], random_units(key, 1))
        sizes.add(index.bytes)
    assert len(sizes) < 12


def test_forgetting_gives_memory_back() -> None:
    index, _ = filled(1_000)
    before = index.bytes
    index.remove(index.keys[10:])
    assert len(index.keys) == 10
    assert index.bytes < before / 10


@pytest.mark.parametrize(
    ("keys", "vectors"),
    [
        ([1], np.ones((1, DIMENSION + 1))),
        ([1, 2], np.ones((1, DIMENSION))),
        ([1, 1], np.ones((2, DIMENSION))),
        ([2, 1, 2], np.ones((3, DIMENSION))),
        ([-1], np.ones((1, DIMENSION))),
        ([1.5], np.ones((1, DIMENSION))),
        ([[1]], np.ones((1, DIMENSION))),
        (["1"], np.ones((1, DIMENSION))),
        ([1], np.full((1, DIMENSION), np.nan)),
        ([1], np.full((1, DIMENSION), np.inf)),
    ],
)
def test_what_cannot_be_searched_is_refused_and_changes_nothing(
    keys: list[int], vectors: FloatMatrix
) -> None:
    index, _ = filled(4)
    with pytest.raises(InvalidArgumentError):
        index.add(keys, vectors)
    assert index.keys.tolist() == [0, 3, 6, 9]


def test_a_wrong_question_is_refused() -> None:
    index, _ = filled(4)
    good = random_units(1, 1)[0]
    for query in (
        good[:-1],
        np.full(DIMENSION, np.nan, dtype=np.float32),
        np.ones((1, DIMENSION), dtype=np.float32),
    ):
        with pytest.raises(InvalidArgumentError):
            index.search(query, 1)
    for allowed in (np.ones(3, dtype=np.bool_), np.ones((4, 1), dtype=np.bool_), np.array([0, 3, 6, 9])):
        with pytest.raises(InvalidArgumentError):
            index.search(good, 1, allowed)
    with pytest.raises(InvalidArgumentError, match="unknown"):
        index.matrix_of([0, 1])


@given(st.integers(1, 300), st.integers(0, 400), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_every_k_is_filled_when_k_exist(count: int, k: int, seed: int) -> None:
    index, _ = filled(count, seed)
    mask = np.random.default_rng(seed).random(count) < 0.3
    assert len(index.search(random_units(seed, 1)[0], k, mask).keys) == min(k, int(mask.sum()))
