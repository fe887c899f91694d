"""Postings of words, looked up or collected, stay right through all changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.answers import said

from rag_memory import MemoryConfig, Save
from rag_memory.index import postings
from rag_memory.index.columns import Columns, SearchedRow
from rag_memory.index.postings import Postings
from rag_memory.text.terms import NAMED, SPEAKER, WORD, entered_terms, index_terms, keyword_entry
from rag_memory.vectors import Keys

TERMS = ["wmill", "wfire", "sann", "nann", "w5", "wboat"]


class Memories:
    """A model of a store, and postings that get all its changes."""

    def __init__(self, first: dict[int, set[str]]) -> None:
        self.terms = dict(sorted(first.items()))
        self.columns = Columns([SearchedRow(key, 5, 0.0, 2, "general") for key in self.terms])
        self.postings = Postings(self.columns, self._look_up, self._read)
        self.looked_up = 0
        self._steps = self.postings.build_index_steps()

    def put(self, key: int, terms: set[str]) -> None:
        before = self.terms.get(key)
        self.terms = dict(sorted({**self.terms, key: terms}.items()))
        self.columns.add(SearchedRow(key, 5, 0.0, 2, "general"))
        if before is None:
            self.postings.add(key, terms)
        else:
            self.postings.change(key, before, terms)

    def remove(self, key: int) -> None:
        terms = self.terms.pop(key)
        self.columns.remove(key)
        self.postings.remove(key, terms)

    def clear(self) -> None:
        self.terms.clear()
        self.columns.clear()
        self.postings.clear()

    def settle(self, steps: int) -> None:
        for _ in range(steps):
            if next(self._steps, None) is None:
                self._steps = self.postings.build_index_steps()

    def check(self, keys: Sequence[str]) -> None:
        for entry in keys:
            expected = [place for place, terms in enumerate(self.terms.values()) if entry in terms]
            assert self.postings.positions(entry[0], entry[1:]).tolist() == expected, entry
        lists = [*self.postings._positions.values()]
        if not self.postings._is_gathered:
            lists += [np.array(keys) for keys in self.postings._keys.values()]
        assert self.postings.cached_places == sum(len(each) + 1 for each in lists)

    def _look_up(self, kind: str, term: str) -> Keys:
        self.looked_up += 1
        found = [key for key, terms in self.terms.items() if kind + term in terms]
        return np.array(found, dtype=np.int64)

    def _read(self, keys: Sequence[int]) -> list[list[str]]:
        return [list(self.terms[key]) for key in keys]


@pytest.fixture(autouse=True, scope="module", params=[4, 12, 1000])
def least_gathered(request: pytest.FixtureRequest) -> Iterator[int]:
    """Of so many memories words are kept as lists; of fewer packed, of very few looked up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_LEAST_GATHERED", request.param)
        patch.setattr(postings, "_LEAST_PACKED", 4)
        patch.setattr(postings, "_READ_AT_ONCE", 3)
        yield request.param


_SETS = st.sets(st.sampled_from(TERMS))
_CHANGES = st.one_of(
    st.tuples(st.just("put"), st.integers(1, 40), _SETS),
    st.tuples(st.just("last"), st.just(0), _SETS),
    st.tuples(st.just("remove"), st.integers(0, 40), st.just(frozenset[str]())),
    st.tuples(st.just("settle"), st.integers(1, 8), st.just(frozenset[str]())),
    st.tuples(st.just("check"), st.just(0), _SETS),
    st.tuples(st.just("clear"), st.just(0), st.just(frozenset[str]())),
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.integers(1, 40), _SETS), st.lists(_CHANGES, max_size=25))
def test_positions_are_those_of_the_store_whatever_changes(
    first: dict[int, set[str]], changes: list[tuple[str, int, set[str]]]
) -> None:
    memories = Memories(first)
    for what, number, terms in changes:
        if what == "put":
            memories.put(number, set(terms))
        elif what == "last":
            memories.put(max(memories.terms, default=0) + 1, set(terms))
        elif what == "remove" and memories.terms:
            memories.remove(list(memories.terms)[number % len(memories.terms)])
        elif what == "settle":
            memories.settle(number)
        elif what == "check":
            memories.check(sorted(terms))
        elif what == "clear":
            memories.clear()
    memories.check(TERMS)


def test_gathered_words_are_not_looked_up() -> None:
    memories = Memories({key: {TERMS[key % 3]} for key in range(1, 12)})
    memories.check(TERMS[:2])
    assert memories.looked_up == 2
    memories.put(12, {"wboat"})
    memories.settle(20)
    memories.put(13, {"wboat", "snew"})
    memories.check([*TERMS, "snew"])
    assert memories.looked_up == 2
    assert memories.postings.bytes > 0


@pytest.mark.parametrize("count", [3, 12])
def test_what_is_kept_does_not_seem_more_after_deletions(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_LEAST_CACHED", 100)
    monkeypatch.setattr(postings, "_CACHED_PER_MEMORY", 0)
    memories = Memories({key: {"wmill", "wfire"} for key in range(1, count)})
    memories.check(["wmill", "wfire"])
    kept = memories.postings.cached_places
    for round in range(40):
        memories.put(100 + round, {"wmill"})
        memories.check(["wmill", "wfire"])
        memories.put(100 + round, {"wfire"})
        memories.check(["wmill", "wfire"])
        memories.remove(100 + round)
        memories.check(["wmill", "wfire"])
        assert memories.postings.cached_places == kept
    assert memories.looked_up == 2
    memories.settle(20)
    used = []
    for key in (200, 201):
        memories.put(key, {"wmill"})
        memories.remove(key)
        used.append(memories.postings.bytes)
    assert used[0] == used[1]


def test_few_memories_are_not_gathered() -> None:
    memories = Memories({key: {"wmill"} for key in range(1, 4)})
    memories.settle(20)
    assert memories.postings.bytes == 0
    memories.check(["wmill"])
    assert memories.looked_up == 1


def test_what_was_entered_is_read_back() -> None:
    of = ("Ann sold 7 sacks. 7wmill!", "Ann of 7", '["Bob 7"]', "[]", '["7"]', "Mühle")
    assert entered_terms(7, keyword_entry(7, *of)) == index_terms(*of)
    assert entered_terms(77, keyword_entry(77, *of)) == index_terms(*of)
    assert entered_terms(7, "") == []


def test_a_save_answers_the_same_before_and_after_gathering(opened: Callable[..., Save]) -> None:
    save = opened()
    npcs = [save.npc(name, MemoryConfig()) for name in ("elena", "tobias")]
    for number in range(30):
        for npc in npcs:
            npc.memories.store(
                f"Sack {number} went to the mill with Ann.", 5, {"speaker": "Bob", "timestamp": number}
            )
    question = "What did Bob bring to the mill in sack 7?"
    for npc in npcs:
        npc.memories.forget(npc.recall.get_recent(3)[-1]["id"])
        before = said(npc.recall.retrieve_relevant_raw(question))
        assert [step.what for step in npc.records.index.build_steps()].count("indexing words") > 3
        assert said(npc.recall.retrieve_relevant_raw(question)) == before
        npc.memories.store("A word nobody said before: zephyrin.", 5)
        assert "zephyrin" in npc.recall.retrieve_relevant_raw("zephyrin?", {"limit": 1})[0]["document_full"]
        index = npc.records.index.get()
        for kind, term in ((WORD, "mill"), (WORD, "7"), (SPEAKER, "bob"), (NAMED, "bob")):
            stored = save.store.terms.keys_with(save.store.npcs.number(npc.npc_id) or 0, kind, term)
            assert index.columns.keys[index.postings.positions(kind, term)].tolist() == stored.tolist()


def test_an_index_that_was_let_go_of_is_not_gathered_on(opened: Callable[..., Save]) -> None:
    npc = opened().npc("elena", MemoryConfig())
    npc.memories.store_batch([{"text": f"Sack {number} went to the mill."} for number in range(30)])
    npc.recall.retrieve_relevant("mill")
    steps = npc.records.index.build_steps()
    assert next(steps).what == "indexing words"
    npc.unload()
    assert next(steps, None) is None
