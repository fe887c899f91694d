"""The HNSW index: as complete as the exact one, nearly as right, and safe against any file."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag_memory.index import hnsw_index
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.graph_file import description_of
from rag_memory.index.hnsw_index import HnswIndex
from rag_memory.index.vector_index import IndexOptions
from rag_memory.vectors import FloatMatrix, FloatVector, Mask, unit_rows

DIMENSION = 32


def clustered_units(seed: int, count: int, dimension: int = DIMENSION) -> FloatMatrix:
    """Vectors around topics, as sentences are: most of the space is empty, some of it crowded."""
    source = np.random.default_rng(seed)
    topics = np.random.default_rng(99).standard_normal((200, dimension))
    spread = source.standard_normal((count, dimension)) * source.uniform(0.3, 1.2, (count, 1))
    return unit_rows(topics[source.integers(0, 200, count)] + spread)


def settled(index: HnswIndex) -> HnswIndex:
    for _ in index.build_index_steps():
        pass
    assert index.pending == 0
    return index


@pytest.fixture(autouse=True)
def few_are_not_searched_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise no graph would be asked for a few thousand vectors."""
    monkeypatch.setattr(hnsw_index, "_EXACT_ROWS_PER_CANDIDATE", 1)


@pytest.fixture(scope="module")
def thousands() -> HnswIndex:
    index = HnswIndex(DIMENSION)
    index.add(np.arange(6_000) * 2, clustered_units(1, 6_000))
    return settled(index)


def recall(index: HnswIndex, queries: FloatMatrix, k: int, mask: Mask | None = None) -> float:
    found = 0
    for query in queries:
        result, truth = index.search(query, k, mask), index.exact.search(query, k, mask)
        assert len(result.keys) == len(truth.keys)
        order = sorted(zip(result.similarities.tolist(), result.keys.tolist(), strict=True), reverse=True)
        assert [key for _, key in order] == result.keys.tolist()
        assert (
            index.similarities_at(query, np.searchsorted(index.keys, result.keys)).tobytes()
            == result.similarities.tobytes()
        )
        found += len(np.intersect1d(result.keys, truth.keys))
    return found / (len(queries) * k)


class TestSearch:
    @pytest.mark.parametrize("share", [None, 0.7, 0.4, 0.15, 0.03])
    def test_it_nearly_always_finds_what_the_exact_index_finds(
        self, thousands: HnswIndex, share: float | None
    ) -> None:
        mask = None if share is None else np.random.default_rng(2).random(6_000) < share
        assert recall(thousands, clustered_units(3, 100), 15, mask) >= 0.99

    @pytest.mark.parametrize("k", [-1, 0, 1, 100, 700, 5_999, 6_000, 7_000])
    @pytest.mark.parametrize("allowed", [None, 0, 1, 5, 150, 2_000, 5_999])
    def test_every_k_is_filled_when_k_exist(self, thousands: HnswIndex, k: int, allowed: int | None) -> None:
        mask = None
        if allowed is not None:
            mask = np.zeros(6_000, dtype=np.bool_)
            mask[np.random.default_rng(4).permutation(6_000)[:allowed]] = True
        expected = min(max(k, 0), 6_000 if allowed is None else allowed)
        result = thousands.search(clustered_units(5, 1)[0], k, mask)
        assert len(set(result.keys.tolist())) == expected
        if mask is not None:
            assert set(result.keys.tolist()) <= set(thousands.keys[mask].tolist())

    def test_everything_that_waits_is_found(self) -> None:
        index = HnswIndex(DIMENSION)
        index.add(np.arange(100, 4_100), clustered_units(11, 4_000))
        settled(index)
        twin = clustered_units(10, 1)
        index.add(np.arange(5_000, 5_050), np.repeat(twin, 50, axis=0))
        assert index.pending
        assert index.search(twin[0], 50).keys.tolist() == list(range(5_049, 4_999, -1))

    def test_a_filter_that_excludes_everything_near_still_fills_k(self, thousands: HnswIndex) -> None:
        query = clustered_units(6, 1)[0]
        far = thousands.exact.search(query, 6_000).keys[3_000:]
        result = thousands.search(query, 15, np.isin(thousands.keys, far))
        assert result.keys.tolist() == far[:15].tolist()

    def test_equal_vectors_tie_and_the_higher_key_comes_first(self) -> None:
        index = HnswIndex(DIMENSION)
        twin = clustered_units(10, 1)
        index.add(np.arange(5_000, 5_050)[::-1], np.repeat(twin, 50, axis=0))
        index.add(np.arange(4_000), clustered_units(11, 4_000))
        settled(index)
        result = index.search(twin[0], 50)
        assert result.keys.tolist() == list(range(5_049, 4_999, -1))

    def test_the_same_changes_build_the_same_answers(self) -> None:
        def build() -> HnswIndex:
            index = HnswIndex(DIMENSION)
            index.add(np.arange(3_000), clustered_units(12, 3_000))
            settled(index)
            index.remove(np.arange(0, 3_000, 7))
            index.add(np.arange(0, 3_000, 14), clustered_units(13, 215))
            return settled(index)

        first, second = build(), build()
        for query in clustered_units(14, 50):
            assert first.search(query, 10).keys.tolist() == second.search(query, 10).keys.tolist()


class TestChange:
    def test_a_vector_is_found_before_it_is_in_the_graph(self, thousands: HnswIndex) -> None:
        index = HnswIndex(DIMENSION)
        index.add(thousands.keys, thousands.exact.matrix_of(thousands.keys))
        assert index.pending > 5_000
        settled(index)
        new = clustered_units(18, 40)
        index.add(np.arange(1, 81, 2), new)
        assert 0 < index.pending < 40
        for key, vector in zip(range(1, 81, 2), new, strict=True):
            assert index.search(vector, 1).keys.tolist() == [key]
        settled(index)
        for key, vector in zip(range(1, 81, 2), new, strict=True):
            assert index.search(vector, 1).keys.tolist() == [key]

    def test_one_store_does_not_pay_for_the_backlog(self) -> None:
        index = HnswIndex(DIMENSION)
        index.add(np.arange(2_000), clustered_units(19, 2_000))
        before = index.pending
        index.add([5_000], clustered_units(20, 1))
        assert before + 1 - index.pending <= 4

    @pytest.mark.parametrize("settle_between", [True, False])
    def test_removed_returning_and_replaced_vectors(self, settle_between: bool) -> None:
        def pause() -> None:
            if settle_between:
                settled(index)

        index = HnswIndex(DIMENSION)
        old, new = clustered_units(21, 3_000), clustered_units(22, 3_000)
        index.add(np.arange(3_000), old)
        settled(index)
        index.remove([5, 5, 6, 99_999])
        pause()
        assert 5 not in index.keys
        assert not {5, 6} & set(index.search(old[5], 50).keys.tolist())
        index.add([5, 7], new[[5, 7]])
        pause()
        assert index.search(new[5], 1).keys.tolist() == [5]
        assert index.search(new[7], 1).keys.tolist() == [7]
        assert index.search(old[7], 1).similarities[0] < 0.999
        index.remove([5])
        pause()
        index.add([5], old[[5]])
        settled(index)
        assert index.search(old[5], 1).keys.tolist() == [5]
        assert len(index.keys) == 2_999
        assert recall(index, clustered_units(23, 50), 10) >= 0.98

    def test_forgetting_most_of_it_starts_a_smaller_graph(self) -> None:
        index = HnswIndex(DIMENSION)
        index.add(np.arange(3_000), clustered_units(24, 3_000))
        settled(index)
        index.remove(np.arange(1_400))
        assert index.pending == 0
        assert recall(index, clustered_units(25, 50), 10) >= 0.98
        index.remove(np.arange(1_400, 1_600))
        assert index.pending == 1_400
        assert recall(index, clustered_units(25, 50), 10) == 1.0
        settled(index)
        assert recall(index, clustered_units(25, 50), 10) >= 0.98
        index.remove(index.keys)
        assert len(index.keys) == 0
        assert len(index.search(clustered_units(25, 1)[0], 5).keys) == 0

    def test_clear_forgets_everything(self, thousands: HnswIndex) -> None:
        index = HnswIndex(DIMENSION)
        index.add([1, 2], clustered_units(1, 2))
        index.clear()
        assert (len(index.keys), index.pending) == (0, 0)
        index.add([1], clustered_units(2, 1))
        assert index.search(clustered_units(2, 1)[0], 3).keys.tolist() == [1]

    def test_the_index_may_change_between_two_steps_of_settling(self) -> None:
        index = HnswIndex(DIMENSION)
        vectors = clustered_units(26, 3_000)
        index.add(np.arange(3_000), vectors)
        steps = index.build_index_steps()
        next(steps)
        index.remove(np.arange(100, 3_000))
        index.add([4_000], vectors[:1])
        for done, total in steps:
            assert done <= total
        assert index.keys.tolist() == [*range(100), 4_000]
        assert index.search(vectors[0], 2).keys.tolist() == [4_000, 0]


def reopened(index: HnswIndex, **changes: int) -> HnswIndex:
    exact = ExactIndex(DIMENSION)
    exact.add(index.keys, index.exact.matrix_of(index.keys))
    return HnswIndex(DIMENSION, IndexOptions(**changes), exact)


class TestFile:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        (tmp_path / "Spielstände é").mkdir()
        return tmp_path / "Spielstände é" / "elena.hnsw"

    @pytest.fixture
    def saved(self, path: Path) -> HnswIndex:
        index = HnswIndex(DIMENSION)
        index.add(np.arange(2_000), clustered_units(27, 2_000))
        settled(index)
        index.remove([3, 4, 5])
        index.add([4], clustered_units(28, 1))
        index.save(path, "model", "stamp")
        return index

    def test_a_loaded_graph_answers_the_same_without_being_built(self, saved: HnswIndex, path: Path) -> None:
        index = reopened(saved)
        assert index.pending == len(index.keys)
        assert index.load(path, "model", "stamp")
        assert index.pending == 0
        for query in clustered_units(29, 50):
            assert index.search(query, 10).keys.tolist() == saved.search(query, 10).keys.tolist()
        index.remove([9])
        index.add([3, 2_500], clustered_units(30, 2))
        settled(index)
        assert index.search(clustered_units(30, 2)[0], 1).keys.tolist() == [3]

    def test_what_still_waited_when_it_was_saved_waits_again(self, saved: HnswIndex, path: Path) -> None:
        saved.remove([50])
        saved.add([*range(40, 60), *range(3_000, 3_020)], clustered_units(31, 40))
        waiting = saved.pending
        assert waiting > 30
        saved.save(path, "model", "stamp")
        index = reopened(saved)
        assert index.load(path, "model", "stamp")
        assert index.pending == waiting
        settled(index)
        for key, vector in zip([*range(40, 60), *range(3_000, 3_020)], clustered_units(31, 40), strict=True):
            assert index.search(vector, 1).keys.tolist() == [key]

    @pytest.mark.parametrize(
        ("fingerprint", "stamp", "options"),
        [
            ("other", "stamp", {}),
            ("model", "other", {}),
            ("model", "stamp", {"m": 8}),
            ("model", "stamp", {"ef_construction": 50}),
        ],
    )
    def test_a_graph_of_other_vectors_or_settings_is_refused(
        self,
        saved: HnswIndex,
        path: Path,
        fingerprint: str,
        stamp: str,
        options: dict[str, int],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        index = reopened(saved, **options)
        with caplog.at_level(logging.INFO, logger="rag_memory"):
            assert not index.load(path, fingerprint, stamp)
        assert "is not used: it was built for other" in caplog.text
        assert recall(settled(index), clustered_units(32, 20), 5) >= 0.95

    def test_a_graph_of_another_count_or_of_forgotten_memories_is_refused(
        self, saved: HnswIndex, path: Path
    ) -> None:
        index = reopened(saved)
        index.exact.remove([100])
        assert not index.load(path, "model", "stamp")
        index.exact.add([9_999], clustered_units(33, 1))
        assert not index.load(path, "model", "stamp")

    @pytest.mark.parametrize("which", ["graph", "description"])
    @pytest.mark.parametrize(
        "damage",
        [
            lambda content: b"",
            lambda content: content[:-1],
            lambda content: content[: len(content) // 2],
            lambda content: content + b"\0",
            lambda content: bytes(len(content)),
            lambda content: content[:40] + b"\xff" * 8 + content[48:],
            lambda content: content[: len(content) // 2] + b"\xff" + content[len(content) // 2 + 1 :],
            lambda content: b"[1, 2]",
            lambda content: b"{}",
            lambda content: b'{"state": {"x": 1}, "format": 1}',
        ],
        ids=[
            "empty",
            "last byte",
            "half",
            "longer",
            "zeros",
            "header",
            "middle",
            "list",
            "object",
            "other object",
        ],
    )
    def test_a_damaged_file_is_refused_with_a_reason(
        self,
        saved: HnswIndex,
        path: Path,
        which: str,
        damage: Callable[[bytes], bytes],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        file = path if which == "graph" else description_of(path)
        file.write_bytes(damage(file.read_bytes()))
        index = reopened(saved)
        with caplog.at_level(logging.INFO, logger="rag_memory"):
            assert not index.load(path, "model", "stamp")
        assert "is not used" in caplog.text
        assert len(index.search(clustered_units(34, 1)[0], 5).keys) == 5

    @pytest.mark.parametrize("which", ["graph", "description", "both"])
    def test_a_missing_file_is_refused(self, saved: HnswIndex, path: Path, which: str) -> None:
        if which != "description":
            path.unlink()
        if which != "graph":
            description_of(path).unlink()
        assert not reopened(saved).load(path, "model", "stamp")

    def test_a_crash_between_the_two_files_leaves_a_pair_that_is_refused(
        self, saved: HnswIndex, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        replace = os.replace

        def crash_before_description(source: Path, target: Path) -> None:
            if target != path:
                raise KeyboardInterrupt
            replace(source, target)

        saved.add([7_000], clustered_units(35, 1))
        monkeypatch.setattr(os, "replace", crash_before_description)
        with pytest.raises(KeyboardInterrupt):
            saved.save(path, "model", "stamp")
        assert not reopened(saved).load(path, "model", "stamp")
        assert sorted(p.name for p in path.parent.iterdir()) == ["elena.hnsw", "elena.hnsw.json"]

    def test_saving_again_replaces_both_files_and_leaves_no_other(self, saved: HnswIndex, path: Path) -> None:
        saved.add([7_000], clustered_units(36, 1))
        saved.save(path, "model", "second")
        assert reopened(saved).load(path, "model", "second")
        assert sorted(p.name for p in path.parent.iterdir()) == ["elena.hnsw", "elena.hnsw.json"]
        assert json.loads(description_of(path).read_text(encoding="utf-8"))["state"]["count"] == len(
            saved.keys
        )

    @pytest.mark.parametrize(
        ("version", "more"),
        [(1, {}), (2, {"axes": "AACAPwAAgD8="}), (99, {"new": True})],
        ids=["first", "with shortened vectors", "newer"],
    )
    def test_a_file_of_another_version_is_refused_and_built_anew(
        self,
        saved: HnswIndex,
        path: Path,
        version: int,
        more: dict[str, object],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        values = json.loads(description_of(path).read_text(encoding="utf-8"))
        values["state"]["begun_with"] = 2_000
        description_of(path).write_text(json.dumps(values | more | {"format": version}), encoding="utf-8")
        index = reopened(saved)
        with caplog.at_level(logging.INFO, logger="rag_memory"):
            assert not index.load(path, "model", "stamp")
        assert "another version" in caplog.text
        assert settled(index).save(path, "model", "stamp")
        assert reopened(saved).load(path, "model", "stamp")

    def test_a_folder_that_cannot_be_made_is_an_os_error(self, saved: HnswIndex, path: Path) -> None:
        with pytest.raises(OSError, match="elena"):
            saved.save(path / "missing" / "elena.hnsw", "model", "stamp")


def test_a_disconnected_graph_still_fills_k(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unreachable:
        """A graph in which no search reaches anything, as hnswlib reports it."""

        def set_ef(self, breadth: int) -> None:
            assert breadth > 0

        def knn_query(self, query: FloatVector, k: int, num_threads: int) -> None:
            raise RuntimeError(
                "Cannot return the results in a contiguous 2D array. Probably ef or M is too small"
            )

    index = HnswIndex(DIMENSION)
    index.add(np.arange(3_000), clustered_units(37, 3_000))
    settled(index)
    monkeypatch.setattr(index, "_graph", Unreachable())
    query = clustered_units(38, 1)[0]
    assert index.search(query, 9).keys.tolist() == index.exact.search(query, 9).keys.tolist()
