"""An NPC's memories are loaded in slices, between which others are served and anything may happen."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from rag_memory import MemoryConfig, Save, open_save
from rag_memory.config import RelevanceMode
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.npc.npc import Npc
from rag_memory.searchable import search_index
from rag_memory.searchable.search_index import SearchIndex
from rag_memory.step import Step

_MEMORIES = 1_000
_QUESTION = "What happened at mill number 7?"


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast the machine is, loading takes several."""
    monkeypatch.setattr(search_index, "_SLICE_SECONDS", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "save.sqlite3"
    with opened(file) as save:
        for npc_id in ("elena", "boris"):
            save.npc(npc_id).memories.store_batch(
                [
                    {"text": f"{npc_id} saw mill number {number}.", "event_type": f"kind_{number % 3}"}
                    for number in range(_MEMORIES)
                ]
            )
        save.npc("elena").memories.forget(one_of(save.npc("elena")))
    return file


def opened(path: Path, vector_cache_mib: int = 512) -> Save:
    embedder = HashingEmbedder(512)
    return open_save(path, embedder=embedder, clock=lambda: 1_000.0, vector_cache_mib=vector_cache_mib)


def one_of(npc: Npc) -> str:
    """The id of a memory that is not among the first to be loaded."""
    found: str = npc.tools.browse({"sort": "id", "offset": 700, "limit": 1})["rows"][0]["id"]
    return found


def loaded_indexes() -> int:
    gc.collect()
    return sum(isinstance(each, SearchIndex) for each in gc.get_objects())


def in_slices(npc: Npc) -> Generator[Step, None, None]:
    """Loading that has begun and is not over."""
    steps = npc.load_steps()
    for _ in range(3):
        next(steps)
    return steps


def test_it_takes_many_slices_and_answers_the_same(path: Path) -> None:
    with opened(path) as save:
        expected = save.npc("elena").recall.retrieve_scored(_QUESTION)
    with opened(path) as save:
        npc = save.npc("elena")
        steps = list(npc.load_steps())
        done = [step.done for step in steps]
        assert len(steps) > 3 and done == sorted(done)
        assert steps[-1].total == _MEMORIES - 1
        assert npc.recall.retrieve_scored(_QUESTION) == expected
        assert list(npc.load_steps()) == []


def test_memories_of_one_moment_are_all_loaded(tmp_path: Path) -> None:
    with opened(tmp_path / "moment.sqlite3") as save:
        batch = [
            {"text": f"Pebble number {number}.", "timestamp": 7.0 + number // 2_500}
            for number in range(5_000)
        ]
        save.npc("elena").memories.store_batch(batch)
    with opened(tmp_path / "moment.sqlite3") as save:
        for _ in save.npc("elena").load_steps():
            pass
        assert save.overview.counts()["loaded_memories"] == 5_000
        assert one_found(save.npc("elena"), "Pebble number 4321.")


def one_found(npc: Npc, text: str) -> bool:
    return any(each["document_full"] == text for each in npc.recall.retrieve_relevant_raw(text))


def test_nobody_to_load(tmp_path: Path) -> None:
    with opened(tmp_path / "new.sqlite3") as save:
        npc = save.npc("nobody")
        assert list(npc.load_steps()) == []
        assert npc.recall.retrieve_relevant_raw(_QUESTION) == []


def store(npc: Npc) -> None:
    npc.memories.store("A word nobody has said before: ylang.", 9)


def update(npc: Npc) -> None:
    npc.memories.update_memory(one_of(npc), {"text": "elena saw ylang.", "importance": 9})


def weigh(npc: Npc) -> None:
    npc.memories.update_memory(one_of(npc), {"importance": 10})


def forget(npc: Npc) -> None:
    npc.memories.forget(one_of(npc))


def forget_all(npc: Npc) -> None:
    npc.clear_all_memories()


def ask(npc: Npc) -> None:
    assert npc.recall.retrieve_scored(_QUESTION)


def configure(npc: Npc) -> None:
    npc.config = MemoryConfig(exact_search_limit=10, relevance_mode=RelevanceMode.DENSE)


@pytest.mark.parametrize("change", [store, update, weigh, forget, forget_all, ask, configure])
def test_what_changes_between_two_slices_is_taken_in(change: Callable[[Npc], None], path: Path) -> None:
    with opened(path) as save:
        npc = save.npc("elena")
        steps = in_slices(npc)
        change(npc)
        for _ in steps:
            pass
        count = npc.memories.get_memory_count()
        answers = [npc.recall.retrieve_scored(question) for question in (_QUESTION, "ylang", "")]
        important = npc.recall.retrieve_relevant_raw("mill", {"limit": 5, "min_importance": 9})
        config = npc.config
    with opened(path) as save:
        npc = save.npc("elena")
        npc.config = config
        assert npc.memories.get_memory_count() == count
        assert [npc.recall.retrieve_scored(question) for question in (_QUESTION, "ylang", "")] == answers
        assert npc.recall.retrieve_relevant_raw("mill", {"limit": 5, "min_importance": 9}) == important


def test_others_are_loaded_and_thrown_away_meanwhile(path: Path) -> None:
    with opened(path, vector_cache_mib=1) as save:
        elena, boris = save.npc("elena"), save.npc("boris")
        steps = in_slices(elena)
        assert boris.recall.retrieve_scored(_QUESTION)
        for _ in steps:
            pass
        assert save.overview.counts()["loaded_memories"] == _MEMORIES - 1
        assert elena.recall.retrieve_scored(_QUESTION)


def test_a_loading_that_is_given_up_leaves_nothing_behind(path: Path) -> None:
    with opened(path) as save:
        npc = save.npc("elena")
        steps = in_slices(npc)
        assert loaded_indexes() == 1
        steps.close()
        assert loaded_indexes() == 0
        assert npc.recall.retrieve_scored(_QUESTION)
