"""What every vector index promises. A new one is tested by its entry in the registry; one on another machine,
which is approximate and has no vectors at hand, is made here and has to keep the same promises. So has the
one that asks a PostgreSQL, on a real one.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from rag_memory import MemoryConfig, RelevanceMode, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.index import hnsw_index, registry
from rag_memory.index.registry import INDEXES, make_index
from rag_memory.index.server_index import ServerIndex
from rag_memory.index.vector_index import IndexOptions, SearchResult, VectorIndex
from rag_memory.storage.server_storage import ServerStorage
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask, Positions, unit_rows

DIMENSION = 16
SMALL = IndexOptions(exact_search_limit=40)
ON_SERVERS = ["server"] if sys.platform == "linux" and find_spec("rag_memory_server") else []
"""A server for tests can be had on Linux only."""
_NUMBERS = itertools.count(1)

_NEIGHBOURS = 100
"""So many a server tells of at once."""


class Server:
    """A vector database on another machine: it keeps 16 bits of every number, and answers one by one."""

    def __init__(self) -> None:
        self._vectors: dict[int, Any] = {}
        self._asked: SimpleQueue[tuple[Callable[[], Any], SimpleQueue[Any]]] = SimpleQueue()
        threading.Thread(target=self._serve, daemon=True).start()

    def call(self, method: Callable[..., Any], *arguments: Any) -> Any:
        answer: SimpleQueue[Any] = SimpleQueue()
        self._asked.put((lambda: method(*arguments), answer))
        return answer.get(timeout=300)

    def _serve(self) -> None:
        while True:
            work, answer = self._asked.get()
            time.sleep(0.0002)
            answer.put(work())

    def put(self, keys: list[int], vectors: FloatMatrix) -> None:
        self._vectors.update(zip(keys, vectors.astype(np.float16), strict=True))

    def vector(self, key: int) -> Any:
        return self._vectors[key]

    def drop(self, keys: list[int]) -> None:
        for key in keys:
            self._vectors.pop(key, None)

    def similar(self, query: FloatVector, keys: list[int]) -> list[float]:
        return [float(np.vecdot(self._vectors[key].astype(np.float32), query)) for key in keys]

    def nearest(self, query: FloatVector, k: int, keys: list[int]) -> list[tuple[float, int]]:
        return sorted(zip(self.similar(query, keys), keys, strict=True), reverse=True)[: max(k, 0)]


class RemoteIndex:
    """Asks a Server; keeps only the keys. Nothing but what the protocol says."""

    pending = 0

    def __init__(self, dimension: int, _options: IndexOptions) -> None:
        self._dimension = dimension
        self._server = Server()
        self.clear()

    @property
    def keys(self) -> Keys:
        return self._keys

    @property
    def bytes(self) -> int:
        return self._keys.nbytes

    def adopt(self, options: IndexOptions) -> bool:
        return True

    def reserve(self, count: int) -> None:
        pass

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        ids = np.asarray(keys, dtype=np.int64).tolist()
        usable = np.shape(vectors) == (len(ids), self._dimension) and np.isfinite(vectors).all()
        if not usable or len(set(ids)) < len(ids) or min(ids, default=0) < 0:
            raise InvalidArgumentError("The server refuses these vectors", "they do not fit", "Correct them")
        self._server.call(self._server.put, ids, np.asarray(vectors))
        self._set_keys(np.union1d(self._keys, np.array(ids, dtype=np.int64)))

    def remove(self, keys: Sequence[int] | Keys) -> None:
        ids = np.asarray(keys, dtype=np.int64)
        self._server.call(self._server.drop, ids.tolist())
        self._set_keys(np.setdiff1d(self._keys, ids))

    def clear(self) -> None:
        self._set_keys(np.empty(0, dtype=np.int64))

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        if query.shape != (self._dimension,) or (allowed is not None and allowed.shape != self._keys.shape):
            raise InvalidArgumentError("The server refuses the question", "it does not fit", "Correct it")
        keys = self._keys if allowed is None else self._keys[allowed]
        found = self._server.call(self._server.nearest, query, k, keys.tolist())
        return SearchResult(
            np.array([key for _, key in found], dtype=np.int64), np.array([s for s, _ in found], np.float32)
        )

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        return np.array(
            self._server.call(self._server.similar, query, self._keys[positions].tolist()), dtype=np.float32
        )

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        return np.array([self._server.call(self._server.vector, int(key)) for key in keys], dtype=np.float32)

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        found = self.search(query, _NEIGHBOURS)
        half = max(0.0, float(found.similarities[-1]) / 2) if len(found.keys) < len(self._keys) else 0.0
        rough = np.full(len(self._keys), half, dtype=np.float32)
        rough[np.searchsorted(self._keys, found.keys)] = found.similarities
        return rough, half

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        yield from ()

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def _set_keys(self, keys: Keys) -> None:
        self._keys = keys
        self._keys.flags.writeable = False


class WrittenIndex(ServerIndex):
    """An index that writes added vectors first, as a store does."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._model = store.vectors.model_number("test", "test", DIMENSION)
        super().__init__(DIMENSION, self)

    def similarities(self, question: FloatVector) -> tuple[Keys, FloatVector]:
        found: tuple[Keys, FloatVector] = self._store.comparing.similarities(1, self._model, question)
        return found

    def vectors_of(self, keys: Sequence[int]) -> dict[int, FloatVector]:
        found: dict[int, FloatVector] = self._store.comparing.of(keys, self._model)
        return found

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        super().add(keys, vectors)
        with self._store.transaction():
            for key, vector in zip(keys, vectors, strict=True):
                self._store._session.execute(
                    "INSERT INTO vectors (save, memory, npc, model, embedding) "
                    "VALUES (%(save)s, %(memory)s, 1, %(model)s, %(embedding)s) "
                    "ON CONFLICT (save, memory) DO UPDATE SET embedding = excluded.embedding",
                    {
                        "save": self._store._session.save,
                        "memory": int(key),
                        "model": self._model,
                        "embedding": vector,
                    },
                )


Make = Callable[[], VectorIndex]


@pytest.fixture(scope="module")
def place() -> Iterator[ServerStorage]:
    # Not on Windows, where the build's modules cannot be imported.
    from rag_memory_build.postgres_server import temporary_postgres
    from rag_memory_server.postgres_storage import MemoryPostgresStorage

    with temporary_postgres() as server:
        yield MemoryPostgresStorage(port=server.port, password_file=str(server.password_file))


@pytest.fixture(autouse=True)
def few_are_not_searched_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise no graph would be asked for so few vectors."""
    monkeypatch.setattr(hnsw_index, "_EXACT_ROWS_PER_CANDIDATE", 1_000_000.0)


@pytest.fixture(params=[*INDEXES, "remote", *ON_SERVERS])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    if request.param == "remote":
        yield lambda: RemoteIndex(DIMENSION, SMALL)
    elif request.param in ON_SERVERS:
        with ExitStack() as opened:
            yield lambda: opened_index(request.getfixturevalue("place"), opened)
    else:
        yield lambda: make_index(DIMENSION, SMALL, request.param)


def opened_index(place: ServerStorage, opened: ExitStack) -> VectorIndex:
    """An empty index in a save of its own."""
    store: Any = place.open(f"save_{next(_NUMBERS)}")
    opened.callback(store.close)
    # Vectors without memories: nothing else is asked for.
    store._session.execute("SET session_replication_role = replica", {})
    return WrittenIndex(store)


def random_units(seed: int, count: int, dimension: int = DIMENSION) -> FloatMatrix:
    return unit_rows(np.random.default_rng(seed).standard_normal((count, dimension)))


def settle(index: VectorIndex) -> VectorIndex:
    for _ in index.build_index_steps():
        pass
    assert index.pending == 0
    return index


def brute_force(vectors: dict[int, FloatVector], query: FloatVector, k: int) -> list[int]:
    scored = {key: float(np.vecdot(vector, query)) for key, vector in vectors.items()}
    return sorted(scored, key=lambda key: (-scored[key], -key))[: max(k, 0)]


class IndexMachine(RuleBasedStateMachine):
    """Any sequence of changes leaves the index as complete, ordered and right as a dictionary."""

    def __init__(self, make: Make) -> None:
        super().__init__()
        self.index = make()
        self.truth: dict[int, FloatVector] = {}

    @rule(keys=st.lists(st.integers(0, 120), unique=True, max_size=60), seed=st.integers(0, 9))
    def add(self, keys: list[int], seed: int) -> None:
        # Coarse numbers on purpose: some equal vectors.
        coarse = np.random.default_rng(seed).integers(-1, 2, (len(keys), DIMENSION)).astype(np.float32)
        vectors = unit_rows(coarse)
        self.index.add(keys, vectors)
        self.truth.update(zip(keys, vectors, strict=True))

    @rule(keys=st.lists(st.integers(0, 120), max_size=60))
    def remove(self, keys: list[int]) -> None:
        self.index.remove(keys)
        for key in keys:
            self.truth.pop(key, None)

    @rule()
    def clear(self) -> None:
        self.index.clear()
        self.truth.clear()

    @rule()
    def settle(self) -> None:
        settle(self.index)

    @rule(seed=st.integers(0, 9), k=st.integers(0, 130), share=st.sampled_from([None, 0.0, 0.1, 0.7, 1.0]))
    def search(self, seed: int, k: int, share: float | None) -> None:
        query = random_units(seed, 1)[0]
        keys = self.index.keys
        mask = None if share is None else np.random.default_rng(seed).random(len(keys)) < share
        allowed = keys if mask is None else keys[mask]
        found = self.index.search(query, k, mask)
        assert found.keys.dtype == np.int64
        assert found.similarities.dtype == np.float32
        assert len(set(found.keys.tolist())) == len(found.keys) == min(k, len(allowed))
        assert set(found.keys.tolist()) <= set(allowed.tolist())
        assert np.lexsort((-found.keys, -found.similarities)).tolist() == list(range(len(found.keys)))
        true = np.array([np.vecdot(self.truth[key], query) for key in found.keys.tolist()])
        assert np.allclose(found.similarities, true, atol=2e-3)
        positions = np.searchsorted(keys, found.keys)
        assert self.index.similarities_at(query, positions).tobytes() == found.similarities.tobytes()
        rough, error = self.index.rough_similarities(query)
        assert len(rough) == len(keys)
        off = np.abs(np.clip(rough[positions], 0.0, 1.0) - np.clip(found.similarities, 0.0, 1.0))
        assert (off <= error + 2e-3).all()
        nearest = brute_force({key: self.truth[key] for key in allowed.tolist()}, query, k)
        missed = [
            key
            for key in set(nearest) - set(found.keys.tolist())
            if np.vecdot(self.truth[key], query) > found.similarities[-1] + 2e-3
        ]
        assert len(missed) <= 0.05 * len(nearest)

    @invariant()
    def same_keys(self) -> None:
        assert self.index.keys.tolist() == sorted(self.truth)


def test_any_sequence_of_changes_keeps_the_promises(make: Make) -> None:
    run_state_machine_as_test(
        lambda: IndexMachine(make),  # type: ignore[arg-type]
        settings=settings(max_examples=25, stateful_step_count=20, deadline=None),
    )


@pytest.mark.parametrize("share", [None, 0.7, 0.1])
def test_it_finds_nearly_everything_that_comparing_all_finds(make: Make, share: float | None) -> None:
    index, vectors = make(), random_units(1, 1_500)
    index.add(np.arange(1_500) * 3, vectors)
    settle(index)
    mask = None if share is None else np.random.default_rng(2).random(1_500) < share
    allowed = {key * 3: vectors[key] for key in range(1_500) if mask is None or mask[key]}
    found = 0
    for query in random_units(3, 30):
        found += len(set(index.search(query, 10, mask).keys.tolist()) & set(brute_force(allowed, query, 10)))
    assert found >= 0.98 * 300


def test_what_is_pending_is_found(make: Make) -> None:
    index = make()
    index.add(np.arange(100), random_units(4, 100))
    settle(index)
    new = random_units(5, 50)
    index.add(np.arange(200, 250), new)
    for key, vector in zip(range(200, 250), new, strict=True):
        assert index.search(vector, 1).keys.tolist() == [key]


def test_of_equal_vectors_the_one_stored_last_comes_first(make: Make) -> None:
    index = make()
    twin, other = random_units(6, 2)
    index.add(np.arange(80), np.repeat(twin[None], 80, axis=0))
    index.add([80], other[None])
    result = index.search(twin, 80)
    assert result.keys.tolist() == list(range(79, -1, -1))
    assert len(set(result.similarities.tolist())) == 1


def test_a_filter_changes_no_similarity(make: Make) -> None:
    index = make()
    index.add(np.arange(300), random_units(7, 300))
    settle(index)
    query = random_units(8, 1)[0]
    everything = dict(zip(*(each.tolist() for each in index.search(query, 300)), strict=True))
    for modulus in (2, 3, 40):
        found = index.search(query, 10, np.arange(300) % modulus == 0)
        assert found.similarities.tolist() == [everything[key] for key in found.keys.tolist()]


def test_an_empty_index_finds_nothing(make: Make) -> None:
    index = make()
    query = random_units(1, 1)[0]
    for mask in (None, np.empty(0, dtype=np.bool_)):
        assert len(index.search(query, 5, mask).keys) == 0
    assert len(index.rough_similarities(query)[0]) == 0
    index.add([], np.empty((0, DIMENSION), dtype=np.float32))
    index.remove([1])
    assert len(index.keys) == 0


def test_keys_is_a_view_nobody_can_write_to(make: Make) -> None:
    index = make()
    index.add(np.arange(10) * 3, random_units(9, 10))
    with pytest.raises(ValueError, match="read-only"):
        index.keys[0] = 5
    index.remove([3])
    with pytest.raises(ValueError, match="read-only"):
        index.keys[0] = 5
    index.add([1], random_units(10, 1))
    assert index.keys.tolist() == [0, 1, 6, 9, 12, 15, 18, 21, 24, 27]


@pytest.mark.parametrize(
    ("keys", "vectors"),
    [
        ([1], np.ones((1, DIMENSION + 1))),
        ([1, 2], np.ones((1, DIMENSION))),
        ([1, 1], np.ones((2, DIMENSION))),
        ([-1], np.ones((1, DIMENSION))),
        ([1], np.full((1, DIMENSION), np.nan)),
        ([1], np.full((1, DIMENSION), np.inf)),
    ],
)
def test_what_cannot_be_searched_is_refused_and_changes_nothing(
    make: Make, keys: list[int], vectors: FloatMatrix
) -> None:
    index = make()
    index.add([0, 3], random_units(11, 2))
    with pytest.raises(InvalidArgumentError):
        index.add(keys, vectors)
    assert index.keys.tolist() == [0, 3]


def test_a_question_that_does_not_fit_is_refused(make: Make) -> None:
    index = make()
    index.add([0, 3], random_units(11, 2))
    good = random_units(1, 1)[0]
    with pytest.raises(InvalidArgumentError):
        index.search(good[:-1], 1)
    with pytest.raises(InvalidArgumentError):
        index.search(good, 1, np.ones(3, dtype=np.bool_))


def test_what_was_saved_is_taken_over_only_for_the_same_vectors(make: Make, tmp_path: Path) -> None:
    def filled() -> VectorIndex:
        index = make()
        index.reserve(300)
        for start in range(0, 300, 70):
            keys = np.arange(start, min(start + 70, 300))
            index.add(keys, random_units(12, 300)[keys])
        return index

    path = tmp_path / "new folder" / "elena.hnsw"
    saved = settle(filled())
    is_saved = saved.save(path, "model", "1")
    assert path.exists() == is_saved
    assert not filled().load(path, "model", "2")
    assert not filled().load(path, "other", "1")
    again = filled()
    assert again.load(path, "model", "1") == is_saved
    assert again.pending == 0
    for query in random_units(13, 10):
        assert again.search(query, 20).keys.tolist() == saved.search(query, 20).keys.tolist()


@pytest.mark.parametrize("count", [10, 60])
@pytest.mark.parametrize("options", [IndexOptions(exact_search_limit=20), IndexOptions(m=8)])
def test_other_options_are_adopted_or_refused_without_any_effect(
    make: Make, count: int, options: IndexOptions
) -> None:
    vectors, query = random_units(15, count), random_units(16, 1)[0]
    index = make()
    index.add(np.arange(count), vectors)
    settle(index)
    index.adopt(options)
    assert index.pending == 0
    assert index.search(query, 5).keys.tolist() == brute_force(dict(enumerate(vectors)), query, 5)


def test_the_memory_it_takes_is_told(make: Make) -> None:
    index = make()
    before = index.bytes
    index.add(np.arange(1_000), random_units(14, 1_000))
    assert index.bytes >= before + 8_000


@pytest.mark.parametrize("mode", [RelevanceMode.HYBRID, RelevanceMode.DENSE])
@pytest.mark.parametrize("name", [*INDEXES, "remote"])
def test_a_whole_save_works_with_it(monkeypatch: pytest.MonkeyPatch, name: str, mode: RelevanceMode) -> None:
    chosen = {**INDEXES, "remote": RemoteIndex}[name]
    monkeypatch.setitem(INDEXES, registry.DEFAULT, chosen)
    config = MemoryConfig(relevance_mode=mode, exact_search_limit=50)
    with open_save(":memory:", HashingEmbedder(64), lambda: 1e9) as save:
        npc = save.npc("elena", config)
        npc.memories.store_batch(
            [{"text": f"The miller sold sack number {number}."} for number in range(150)]
        )
        npc.memories.store("A dragon burned the barn.", 9)
        gone = npc.memories.store("The dragon sleeps.", 9)
        asked = "Which barn was burned by the dragon?"
        assert npc.recall.retrieve_scored(asked)
        for _ in npc.records.index.build_steps():
            pass
        npc.memories.forget(gone)
        assert (
            npc.recall.retrieve_relevant_raw(asked, {"limit": 1})[0]["document"]
            == "A dragon burned the barn."
        )
        assert "A dragon burned the barn." in [
            each["document_full"] for each in npc.recall.retrieve_scored(asked)
        ]
        important = npc.recall.retrieve_relevant_raw("sack number 3", {"limit": 5, "min_importance": 8})
        assert [each["document"] for each in important] == ["A dragon burned the barn."]
        assert save.overview.health()["pending_vectors"] == 0


def test_vectors_come_back_in_the_order_of_their_keys(make: Make) -> None:
    index = make()
    vectors = random_units(11, 5)
    index.add([1, 2, 3, 4, 5], vectors)
    np.testing.assert_allclose(index.matrix_of([4, 2]), vectors[[3, 1]], atol=2e-3)
