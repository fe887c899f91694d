"""The memory the search indexes of all NPCs take together stays within its budget."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rag_memory import MemoryConfig, RelevanceMode, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import InvalidArgumentError
from rag_memory.index.index_cache import IndexCache
from rag_memory.memory import record


class Owner:
    def __init__(self, index_bytes: int) -> None:
        self.size = index_bytes
        self.is_loaded = True

    @property
    def index_bytes(self) -> int:
        return self.size if self.is_loaded else 0

    def unload(self) -> None:
        self.is_loaded = False


def load(cache: IndexCache, owner: Owner) -> None:
    owner.is_loaded = True
    cache.use(owner)


def test_the_one_asked_longest_ago_goes_first() -> None:
    cache = IndexCache(1)
    first, second, third = Owner(400_000), Owner(400_000), Owner(400_000)
    load(cache, first)
    load(cache, second)
    cache.use(first)
    load(cache, third)
    assert (first.is_loaded, second.is_loaded, third.is_loaded) == (True, False, True)
    assert cache.used_bytes == 800_000


def test_the_one_in_use_stays_however_large_it_is() -> None:
    cache = IndexCache(1)
    small, large = Owner(1_000), Owner(5 << 20)
    load(cache, small)
    load(cache, large)
    assert (small.is_loaded, large.is_loaded) == (False, True)


def test_who_grows_while_nobody_is_loaded_makes_room_too() -> None:
    cache = IndexCache(1)
    first, second = Owner(0), Owner(400_000)
    load(cache, first)
    load(cache, second)
    first.size = 500_000
    cache.measure(first)
    assert (first.is_loaded, second.is_loaded, cache.used_bytes) == (True, True, 900_000)
    first.size = 700_000
    cache.measure(first)
    assert (first.is_loaded, second.is_loaded, cache.used_bytes) == (True, False, 700_000)


def test_what_the_one_asked_before_has_kept_counts_when_another_is_asked() -> None:
    cache = IndexCache(1)
    first, second = Owner(400_000), Owner(400_000)
    load(cache, first)
    load(cache, second)
    cache.use(first)
    first.size = 700_000
    cache.use(second)
    assert (first.is_loaded, second.is_loaded, cache.used_bytes) == (False, True, 400_000)


def test_who_lets_go_by_itself_is_not_counted() -> None:
    cache = IndexCache(1)
    first, second = Owner(400_000), Owner(400_000)
    load(cache, first)
    load(cache, second)
    second.is_loaded = False
    cache.discard(second)
    assert (first.is_loaded, cache.used_bytes) == (True, 400_000)


@pytest.mark.parametrize("value", [0, -1, 1.5, "512", None, True, 1 << 21])
def test_a_senseless_budget_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="vector_cache_mib"):
        open_save(tmp_path / "a.sqlite3", vector_cache_mib=value)  # type: ignore[arg-type]
    assert not (tmp_path / "a.sqlite3").exists()


def test_answers_are_the_same_with_little_room(tmp_path: Path) -> None:
    def answers(ask: Callable[[Save, int], list[str]], save: Save) -> list[list[str]]:
        return [ask(save, number) for number in (0, 1, 2, 1, 0, 2)]

    def ask(save: Save, number: int) -> list[str]:
        mode = RelevanceMode.DENSE if number < 2 else RelevanceMode.HYBRID
        config = MemoryConfig(relevance_mode=mode, exact_search_limit=150 * number)
        npc = save.npc(f"npc_{number}", config)
        found = npc.recall.retrieve_relevant_raw(f"Sack {number} of the miller", {"limit": 20})
        npc.memories.store(f"Somebody asked about sack {number}, once more.")
        return [memory["document_full"] for memory in found]

    found = []
    for room, name in ((1, "little"), (512, "much")):
        with open_save(
            tmp_path / f"{name}.sqlite3", HashingEmbedder(384), clock=lambda: 1e9, vector_cache_mib=room
        ) as save:
            for number in range(3):
                texts = [f"The miller sold sack {sack} to stranger {number}." for sack in range(200)]
                save.npc(f"npc_{number}").memories.store_batch([{"text": text} for text in texts])
            found.append(answers(ask, save))
            used = save.overview.health()["vector_cache_bytes"]
            assert used <= 1 << 20 if room == 1 else used > 1 << 20
    assert found[0] == found[1]


def tales(npc: str, count: int, seed: int) -> list[dict[str, str]]:
    """Memories of many different words, as the ones of a game are."""
    source = random.Random(seed)
    words = [
        f"{first}{middle}{last}" for first in "bdfklmnprst" for middle in "aeiou" for last in ("r", "nd")
    ]
    return [{"text": f"{npc} {' '.join(source.choices(words, k=9))} {number}."} for number in range(count)]


def test_memories_stored_after_loading_count(tmp_path: Path) -> None:
    with open_save(tmp_path / "a.sqlite3", HashingEmbedder(384), vector_cache_mib=1) as save:
        for number in range(6):
            save.npc(f"npc_{number}").recall.retrieve_scored("Anybody here?")
        for number in range(6):
            save.npc(f"npc_{number}").memories.store_batch(tales(f"npc_{number}", 200, number))
            assert save.overview.health()["vector_cache_bytes"] <= 1 << 20
        assert 0 < save.overview.counts()["loaded_memories"] <= 400


@pytest.fixture
def no_circles_are_collected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_circles_are_collected")
def test_what_was_let_go_of_is_free_at_once(tmp_path: Path) -> None:
    embedder = HashingEmbedder(384)
    with open_save(tmp_path / "a.sqlite3", embedder, vector_cache_mib=1) as save:
        for number in range(12):
            save.npc(f"npc_{number}").memories.store_batch(tales(f"npc_{number}", 300, number))
        tracemalloc.start()
        try:
            for number in range(12):
                save.npc(f"npc_{number}").recall.retrieve_relevant("Who was it?")
            kept = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
        # All twelve take 8 MB; the rest is what the questions leave in other caches.
        assert kept < 3 << 20


@pytest.mark.parametrize(
    "config",
    [MemoryConfig(), MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=10)],
    ids=["words", "graph"],
)
def test_what_is_counted_is_what_it_takes(config: MemoryConfig, tmp_path: Path) -> None:
    questions = [tale["text"] for tale in tales("Somebody", 150, 7)]
    with open_save(tmp_path / "a.sqlite3", HashingEmbedder(384)) as save:
        for npc in ("warm", "measured"):
            save.npc(npc, config).memories.store_batch(tales("Somebody", 500, 3))
        for question in questions:  # what all NPCs share is filled
            save.npc("warm").recall.retrieve_relevant(question)
        counted = save.overview.health()["vector_cache_bytes"]
        gc.collect()
        tracemalloc.start()
        try:
            for question in questions:
                save.npc("measured").recall.retrieve_relevant(question)
            # Not of one NPC: the last memories read, of any.
            save.store.records.forget_cached()
            record._plain_metadata.cache_clear()
            gc.collect()
            taken = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
        save.npc("warm").recall.retrieve_relevant(questions[0])
        assert 0.8 < (save.overview.health()["vector_cache_bytes"] - counted) / taken < 1.4
