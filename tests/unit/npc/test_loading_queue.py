"""NPCs that are asked at once are loaded one at a time, the smallest first."""

from __future__ import annotations

import gc
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rag_memory import Save, StoreError, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.npc.npc import Npc
from rag_memory.searchable.search_index import SearchIndex
from rag_memory.step import Step

_MIB = 1 << 20
_DIMENSION = 384
_MEMORIES = 200
"""0.4 MiB: two NPCs fit into one."""
_LARGE = "methuselah"
_LARGE_MEMORIES = 440

Answer = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def slices_are_as_short_as_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast the machine is, loading takes several."""
    monkeypatch.setattr("rag_memory.searchable.search_index._SLICE_SECONDS", 0.0)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("many") / "save.sqlite3"
    with opened(file) as save:
        for npc_id, count in {_LARGE: _LARGE_MEMORIES, **dict.fromkeys(names(8), _MEMORIES)}.items():
            texts = [f"{npc_id} sold sack number {number}." for number in range(count)]
            save.npc(npc_id).memories.store_batch([{"text": text} for text in texts])
    return file


def opened(path: Path, vector_cache_mib: int = 512) -> Save:
    return open_save(path, HashingEmbedder(_DIMENSION), lambda: 1e9, vector_cache_mib=vector_cache_mib)


def names(count: int) -> list[str]:
    return [f"npc_{number}" for number in range(count)]


def answering(npc: Npc) -> Generator[Step, None, Answer]:
    """A question as the worker's methods answer it."""
    yield from npc.load_steps()
    return npc.recall.retrieve_scored(f"{npc.npc_id} sold sack number 17.")


def indexes_bytes() -> int:
    """The memory of all loaded search indexes, whoever holds them."""
    return sum(each.bytes for each in gc.get_objects() if isinstance(each, SearchIndex))


def asked_at_once(save: Save, npc_ids: Sequence[str]) -> Generator[None, None, Mapping[str, Answer]]:
    """All are asked, and get one slice each in turn; the answers in the order in which they came."""
    work = {npc_id: answering(save.npc(npc_id)) for npc_id in npc_ids}
    answers = {}
    while work:
        for npc_id, steps in list(work.items()):
            try:
                next(steps)
            except StopIteration as end:
                answers[npc_id] = end.value
                del work[npc_id]
            yield
    return answers


def answers_of(save: Save, npc_ids: Sequence[str]) -> Mapping[str, Answer]:
    steps = asked_at_once(save, npc_ids)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answers: Mapping[str, Answer] = end.value
            return answers


def begun(npc: Npc, slices: int = 2) -> Generator[Step, None, Answer]:
    steps = answering(npc)
    for _ in range(slices):
        next(steps)
    return steps


def ended(steps: Generator[Step, None, Answer]) -> Answer:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer


def test_they_stay_within_the_budget_while_they_are_loaded(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        peak, counted = 0, 0
        for _ in asked_at_once(save, names(8)):
            peak = max(peak, indexes_bytes())
            counted = max(counted, save.context.index_cache.used_bytes)
        assert _MIB / 2 < peak <= _MIB
        assert _MIB / 2 < counted <= _MIB


def test_answers_are_the_same_with_little_room(path: Path) -> None:
    asked = [*names(8), _LARGE]
    found = []
    for room in (1, 512):
        with opened(path, room) as save:
            found.append(dict(answers_of(save, asked)))
    assert found[0] == found[1]
    assert all(found[0][npc_id] for npc_id in asked)


@pytest.mark.parametrize("room", [1, 2])
def test_the_smallest_is_answered_first_and_of_equals_the_first_asked(path: Path, room: int) -> None:
    asked = [_LARGE, "npc_1", "npc_0"]
    with opened(path, vector_cache_mib=room) as save:
        assert list(answers_of(save, asked)) == ["npc_1", "npc_0", _LARGE]


def test_a_small_npc_overtakes_one_that_is_being_loaded(path: Path) -> None:
    with opened(path) as save:
        large = answering(save.npc(_LARGE))
        for _ in range(3):
            next(large)
        small = answering(save.npc("npc_0"))
        while save.npc("npc_0").records.index.loaded_count == 0:
            next(large)
            next(small, None)
        assert save.npc(_LARGE).records.index.loaded_count == 0
        ended(large)


def test_what_it_will_take_is_known_before(path: Path) -> None:
    gc.collect()  # indexes of tests before
    with opened(path) as save:
        steps = begun(save.npc(_LARGE))
        expected = save.context.index_cache.used_bytes
        for _ in steps:
            pass
        (index,) = (each for each in gc.get_objects() if isinstance(each, SearchIndex))
        assert expected == index.columns.bytes + index.vectors.bytes


def test_what_is_loaded_makes_room_before_another_is(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        ended(answering(save.npc("npc_0")))
        steps = begun(save.npc(_LARGE))
        assert save.overview.counts()["loaded_memories"] == 0
        assert ended(steps)


def test_what_is_given_up_gives_back_its_room_and_its_place(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        first, second, third = (begun(save.npc(npc_id)) for npc_id in (_LARGE, "npc_0", "npc_1"))
        second.close()
        first.close()
        assert save.context.index_cache.used_bytes == 0
        for _ in range(2):
            next(third)
        assert save.context.index_cache.used_bytes > 0
        third.close()
        assert save.context.index_cache.used_bytes == 0


def test_a_question_that_is_not_sliced_waits_for_nobody(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        first, second = begun(save.npc(_LARGE)), begun(save.npc("npc_0"))
        assert save.npc("npc_0").recall.retrieve_scored("Sack number 3")
        assert save.npc("npc_1").recall.retrieve_scored("Sack number 3")
        assert save.npc(_LARGE).recall.retrieve_scored("Sack number 3")
        assert ended(second)
        assert ended(first)
        assert 0 < save.context.index_cache.used_bytes <= _MIB


def test_those_left_standing_are_not_waited_for(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        standing = [begun(save.npc(npc_id)) for npc_id in (_LARGE, "npc_0", "npc_1")]
        assert ended(answering(save.npc("npc_2")))
        for steps in standing:
            assert ended(steps)
        assert 0 < save.context.index_cache.used_bytes <= _MIB


def test_an_error_is_told_to_whom_it_concerns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(path, vector_cache_mib=1) as save:
        last = max(record.key for record in save.store.records.find(save.store.npcs.number(_LARGE) or 0))
        read = save.store.vectors.searched

        def failing(keys: Sequence[int], model: int, dimension: int) -> Any:
            if last in keys:
                raise StoreError("The drive does not answer")
            return read(keys, model, dimension)

        monkeypatch.setattr(save.store.vectors, "searched", failing)
        first, second = begun(save.npc(_LARGE)), begun(save.npc("npc_0"))
        with pytest.raises(StoreError, match="does not answer"):
            ended(first)
        assert ended(second)


def test_an_npc_without_memories_waits_for_nobody(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        steps = begun(save.npc(_LARGE))
        assert list(save.npc("nobody").load_steps()) == []
        assert ended(steps)


def test_what_is_stored_while_they_wait_is_found(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        npcs = [save.npc(npc_id) for npc_id in (_LARGE, "npc_0")]
        work = [begun(npc) for npc in npcs]
        ids = [npc.memories.store(f"{npc.npc_id} saw a heron.") for npc in npcs]
        for steps, npc, id in zip(work, npcs, ids, strict=True):
            assert ended(steps)
            assert npc.recall.retrieve_relevant_raw(f"{npc.npc_id} saw a heron.")[0]["id"] == id
            npc.memories.forget(id)
