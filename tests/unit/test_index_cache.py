"""The memory the search indexes of all NPCs take together stays within its budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag_memory import MemoryConfig, Save, open_save
from rag_memory.errors import InvalidArgumentError
from rag_memory.hashing_embedder import HashingEmbedder
from rag_memory.index_cache import IndexCache


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
    cache.make_room()


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


@pytest.mark.parametrize("value", [0, -1, 1.5, "512", None, True, 1 << 21])
def test_a_senseless_budget_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="vector_cache_mib"):
        open_save(tmp_path / "a.sqlite3", vector_cache_mib=value)  # type: ignore[arg-type]
    assert not (tmp_path / "a.sqlite3").exists()


def test_answers_are_the_same_with_little_room(tmp_path: Path) -> None:
    def answers(ask: Callable[[Save, int], list[str]], save: Save) -> list[list[str]]:
        return [ask(save, number) for number in (0, 1, 2, 1, 0, 2)]

    def ask(save: Save, number: int) -> list[str]:
        npc = save.npc(f"npc_{number}", MemoryConfig(exact_search_limit=150 * number))
        found = npc.retrieve_relevant_raw(f"Sack {number} of the miller", {"limit": 20})
        npc.store(f"Somebody asked about sack {number}, once more.")
        return [memory["document_full"] for memory in found]

    found = []
    for room, name in ((1, "little"), (512, "much")):
        with open_save(
            tmp_path / f"{name}.sqlite3", HashingEmbedder(384), clock=lambda: 1e9, vector_cache_mib=room
        ) as save:
            for number in range(3):
                texts = [f"The miller sold sack {sack} to stranger {number}." for sack in range(200)]
                save.npc(f"npc_{number}").store_batch([{"text": text} for text in texts])
            found.append(answers(ask, save))
            used = save.health()["vector_cache_bytes"]
            assert used <= 1 << 20 if room == 1 else used > 1 << 20
    assert found[0] == found[1]
