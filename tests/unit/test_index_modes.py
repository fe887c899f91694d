"""Saves without a model, moving between modes, and making everything derived anew."""

from __future__ import annotations

import itertools
import logging
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rag_memory import InvalidArgumentError, MemoryConfig, Npc, RelevanceMode, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.hnsw_index import HnswIndex
from rag_memory.index.sized_index import SizedIndex
from rag_memory.index.vector_index import VectorIndex
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.step import run

NOW = 1_702_500_000.0
QUESTION = "Who sold the mill?"
WITHOUT_MODEL = """
import sys
from rag_memory import open_save
with open_save(sys.argv[1], vector_index="disabled") as save:
    npc = save.npc("elena")
    npc.memories.store_batch([{"text": f"The miller sold sack {n}.", "importance": 6} for n in range(60)])
    npc.recall.retrieve_scored("Who sold the sack?")
    save.world.searched_in_use
    print(sorted(name for name in ("onnxruntime", "tokenizers", "hnswlib") if name in sys.modules))
"""
MODES = ("embedded", "disabled")


def opened_as(path: Path, mode: str = "embedded") -> Save:
    return open_save(path, HashingEmbedder(64), clock=lambda: NOW, vector_index=mode)


def answers(save: Save, config: MemoryConfig) -> list[Any]:
    """Every kind of answer, without what a question leaves behind."""
    npc = save.npc("elena", config)
    owners = (save.world.searched(owner) for owner in (WORLD, LORE))
    return [
        [(each["id"], each["score"]) for each in npc.recall.retrieve_scored(QUESTION)],
        npc.recall.retrieve_relevant_raw(QUESTION, {"limit": 30}),
        [[(each.id, each.relevance) for each in owner.find("test", QUESTION, 5)] for owner in owners],
    ]


def fill(save: Save) -> None:
    npc = save.npc("elena")
    npc.memories.store_batch(
        [{"text": f"The miller sold sack {n} to Falk.", "speaker": "Falk"} for n in range(300)]
    )
    npc.memories.store("The mill was sold to Mira.", 9)
    for owner in (WORLD, LORE):
        save.world.searched(owner).put("test", "mill", "Mira sold the mill to the crown.", 5, {})
        save.world.searched(owner).put("test", "inn", "The inn stands by the river.", 5, {})


def test_a_save_without_a_model_imports_none(tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", WITHOUT_MODEL, str(tmp_path / "a.sqlite3")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "No sentence model" not in done.stderr


@pytest.mark.parametrize("mode", list(RelevanceMode))
def test_without_a_model_everything_works_by_words(save_path: Path, mode: RelevanceMode) -> None:
    config = MemoryConfig(
        relevance_mode=mode, exact_search_limit=10, max_memories_before_consolidate=20, lasting_kinds=[]
    )
    with opened_as(save_path, "disabled") as save:
        fill(save)
        npc = save.npc("elena", config)
        assert npc.recall.retrieve_relevant("Mira mill", {"limit": 1}) == ["The mill was sold to Mira."]
        assert "The mill was sold to Mira." in [
            each["document"] for each in npc.recall.retrieve_scored(QUESTION)
        ]
        tiered = npc.recall.retrieve_tiered("mill")
        assert any("mill" in each["document"] for each in tiered["important"] + tiered["relevant"])
        assert npc.recall.explain(QUESTION)["relevance_mode"] == "KEYWORD"
        for owner in (WORLD, LORE):
            assert save.world.searched(owner).find("test", QUESTION, 1)[0].id == "mill"
        assert npc.archive.consolidate()["removed"] > 0
        while save.idle_step() is not None:
            pass
        health = save.overview.health()
        assert (health["vector_index"], health["embedder"], health["missing_vectors"]) == (
            "disabled",
            "none",
            0,
        )
        assert health["pending_vectors"] == 0, "no search graph is made of nothing"


def test_vectors_stay_when_a_save_is_opened_without_a_model(save_path: Path) -> None:
    with opened_as(save_path) as save:
        fill(save)
        before = save.store.vectors.of(range(1, 400), save.context.model)
    with opened_as(save_path, "disabled") as save:
        npc = save.npc("elena")
        npc.memories.store("The well is dry.", 7)
        (id,) = (each["id"] for each in npc.recall.retrieve_relevant_raw("sack 7 Falk", {"limit": 1}))
        npc.memories.update_memory(id, {"text": "The miller sold sack 7 to Theron."})
    with opened_as(save_path) as save:
        assert save.overview.health()["missing_vectors"] == 2
        kept = save.store.vectors.of(range(1, 400), save.context.model)
        assert len(kept) == len(before) - 1 and all((kept[key] == before[key]).all() for key in kept)
        run(save.missing.make_steps())
        assert save.overview.health()["missing_vectors"] == 0
        (found,) = save.npc("elena").recall.retrieve_relevant_raw("The well is dry.", {"limit": 1})
        assert found["similarity"] == pytest.approx(1.0, abs=1e-5)


def test_going_back_over_a_change_of_mode(save_path: Path, clock: Any) -> None:
    with open_save(save_path, HashingEmbedder(64), clock, vector_index="disabled") as save:
        id = save.npc("elena").memories.store("The well is dry.")
    with open_save(save_path, HashingEmbedder(64), clock) as save:
        run(save.missing.make_steps())
        save.snapshots.take("with vectors")
        clock.now += 10
        npc = save.npc("elena")
        npc.memories.update_memory(id, {"text": "The well is full."})
        save.marks.rollback_to(clock.now - 5)
        assert npc.recall.retrieve_relevant("well") == ["The well is dry."]
    with open_save(save_path, HashingEmbedder(64), clock, vector_index="disabled") as save:
        save.npc("elena").clear_all_memories()
        save.snapshots.restore("with vectors")
        assert save.npc("elena").recall.retrieve_relevant("well") == ["The well is dry."]


def test_an_unknown_mode_is_refused_before_anything_is_opened(save_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match='"disabled", "embedded", "server"'):
        opened_as(save_path, "hnsw")
    assert not save_path.exists()


def test_the_fallback_of_a_server_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from rag_memory.embedding import index_mode

    index_mode.warn_without_server.cache_clear()
    for fallback in ("embedded", "disabled"):
        for number in range(3):
            with open_save(
                tmp_path / f"{number}.sqlite3",
                HashingEmbedder(64),
                vector_index="server",
                vector_index_fallback=fallback,
            ) as save:
                assert save.overview.health()["vector_index"] == fallback
                assert "the save is not kept on one" in save.overview.health()["vector_index_reason"]
                assert save.npc("elena").memories.store("The mill burned.")
                assert save.npc("elena").recall.retrieve_relevant("mill", {"limit": 1}) == [
                    "The mill burned."
                ]
        assert caplog.text.count(f'"{fallback}" stands in for it') == 1


def _no_vectors(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM vectors")


def _other_vectors(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE vectors SET embedding = (SELECT embedding FROM vectors LIMIT 1)")


def _no_words(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")


def _other_words(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE memories SET keywords = '1wnothing', digest = 7")


def test_a_graph_is_searched_once_there_is_a_model(save_path: Path) -> None:
    config = MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=10)
    with opened_as(save_path, "disabled") as save:
        npc = save.npc("elena", config)
        npc.memories.store_batch([{"text": f"The miller sold sack {number}."} for number in range(60)])
        assert npc.recall.retrieve_relevant("Who sold the sack?")
        assert isinstance(searched(npc), ExactIndex)
        save.indexes.use_embedder(HashingEmbedder(64))
        run(save.indexes.rebuild.steps())
        assert npc.recall.retrieve_relevant("Who sold the sack?")
        assert isinstance(searched(npc), HnswIndex)


def searched(npc: Npc) -> VectorIndex:
    vectors = npc.records.index.get().vectors
    assert isinstance(vectors, SizedIndex)
    return vectors.current


def _nothing(_connection: sqlite3.Connection) -> None:
    pass


DAMAGES = (_nothing, _no_vectors, _other_vectors, _no_words, _other_words)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    "config",
    [MemoryConfig(), MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=100)],
    ids=["hybrid", "dense"],
)
def test_rebuild_index_from_sqlite(
    save_path: Path, damage: Callable[[sqlite3.Connection], None], config: MemoryConfig
) -> None:
    with opened_as(save_path) as save:
        fill(save)
        save.npc("elena", config)
        run(save.npc("elena").records.index.build_steps())
        before = answers(save, config)
    with closing(sqlite3.connect(save_path)) as connection:
        damage(connection)
        connection.commit()
    if damage is not _nothing:
        shutil.rmtree(save_path.with_suffix(".index"), ignore_errors=True)
    with opened_as(save_path) as save:
        if damage is not _nothing:
            save.npc("elena", config).recall.retrieve_scored(QUESTION)
        save.indexes.rebuild()
        assert answers(save, config) == before
        assert save.overview.health()["missing_vectors"] == 0
        assert save.npc("elena").memories.store("The miller sold sack 1 to Falk.", 5, {"speaker": "Falk"})
    with opened_as(save_path) as again:
        again.npc("elena").memories.forget(again.npc("elena").recall.get_recent(1)[0]["id"])
        assert again.npc("elena").memories.get_memory_count() in (300, 301)


def test_a_rebuild_that_is_given_up_leaves_a_save_that_answers(
    save_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with opened_as(save_path) as save:
        fill(save)
        before = answers(save, MemoryConfig())
        count = sum(1 for _ in save.indexes.rebuild.steps())
        assert "memories embedded" in caplog.text, "progress is told"
        for end in range(1, count, 3):
            steps: Iterator[Any] = save.indexes.rebuild.steps()
            list(itertools.islice(steps, end))
            steps.close()  # type: ignore[attr-defined]
            assert answers(save, MemoryConfig()) == before
