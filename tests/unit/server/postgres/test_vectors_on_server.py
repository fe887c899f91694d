"""A save whose vectors stay on the server (`vector_index` "server") answers what one in a file does, and its
process holds none of them.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from tests.unit.server.postgres.conftest import Administrator, place_on
from tests.unit.server.postgres.dropping_proxy import DroppingProxy

from rag_memory import MemoryConfig, Npc, RelevanceMode, Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.embedding.index_mode import DISABLED, EMBEDDED, SERVER
from rag_memory.errors import EmbedderAwayError, InvalidArgumentError, StoreError
from rag_memory.step import run
from rag_memory.vectors import FloatMatrix
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres_storage import MemoryPostgresStorage

NOW = 1_702_500_000.0
PEOPLE = ("Falk", "Mira", "Theron")
EVENTS = ("trade", "quarrel", "gift")
PLACES = ("mill", "inn", "well", "barn")
QUESTIONS = ("Who sold the mill?", "What did Mira say at the inn?", "Was there a quarrel?", "zzz")
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"min_importance": 7},
    {"filter": {"event_type": "quarrel"}},
    {"filter": {"location": {"in": ["mill", "inn"]}, "importance": {"<": 5}}},
    {"filter": {"timestamp": {">=": NOW - 9_000}, "topics": {"contains": "war"}}},
    {"filter": {"price": {">": 6}}},
    {"filter": {"location": "nowhere"}},
)
MODES = (RelevanceMode.HYBRID, RelevanceMode.DENSE)


def memories(count: int) -> list[dict[str, Any]]:
    """Memories, many of which have equal texts and so equal vectors."""
    dice = random.Random(7)
    return [
        {
            "text": f"{dice.choice(PEOPLE)} sold a sack to Falk at the {dice.choice(PLACES)}.",
            "importance": dice.randint(1, 10),
            "event_type": dice.choice(EVENTS),
            "location": dice.choice(PLACES),
            "topics": dice.choice((["war"], ["war", "bread"], [])),
            "speaker": dice.choice(PEOPLE),
            "timestamp": NOW - 30 * (count - number),
            "price": dice.randint(1, 9),
        }
        for number in range(count)
    ]


class Pair:
    """The same save twice: in a file, compared here; and on a server, compared there."""

    def __init__(self, folder: Path, place: MemoryPostgresStorage, name: str) -> None:
        self._file, self._place, self._name = str(folder / "village.sqlite3"), place, name
        self._opened = ExitStack()
        self.now = NOW
        self.open()

    def open(self, embedder: Any = None, modes: tuple[str, str] = (EMBEDDED, SERVER)) -> None:
        """Open both, anew."""
        self._opened.close()
        here, there = modes
        embedder = embedder or HashingEmbedder(64)
        self.saves = [
            self._opened.enter_context(
                open_save(path, embedder, lambda: self.now, vector_index=mode, storage=storage)
            )
            for path, mode, storage in ((self._file, here, None), (self._name, there, self._place))
        ]
        assert [save.overview.health()["vector_index"] for save in self.saves] == list(modes)

    def close(self) -> None:
        self._opened.close()

    def npcs(self, npc_id: str = "elena") -> list[Npc]:
        return [save.npc(npc_id) for save in self.saves]

    def assert_equal(self) -> None:
        """Every kind of answer is the same."""
        here, there = (answers(save) for save in self.saves)
        assert here == there
        assert any(here)


def answers(save: Save) -> list[Any]:
    """An NPC's answers to all questions with all filters."""
    save.context.notes_accesses = False
    npc = save.npc("elena")
    found: list[Any] = []
    for mode in MODES:
        npc.config = MemoryConfig(relevance_mode=mode)
        for question in QUESTIONS:
            for options in FILTERS:
                found.append(npc.recall.retrieve_relevant_raw(question, {"limit": 7, **options}))
                found.append(npc.recall.retrieve_tiered(question, options))
            found.append(npc.recall.retrieve_scored(question))
            found.append(npc.recall.explain(question))
    return found


@pytest.fixture
def pair(tmp_path: Path, where: MemoryPostgresStorage, save_name: str) -> Iterator[Pair]:
    with closing(Pair(tmp_path, where, save_name)) as pair:
        yield pair


def test_every_filter_finds_the_same(pair: Pair) -> None:
    told = memories(300)
    for npc in pair.npcs():
        npc.memories.store_batch(told)
    for npc in pair.npcs("somebody else"):
        npc.memories.store_batch(told[:50])
    pair.assert_equal()
    pair.open()
    pair.assert_equal()


def test_an_npc_without_memories_is_asked_and_learns(pair: Pair) -> None:
    assert [npc.recall.retrieve_relevant("the mill") for npc in pair.npcs()] == [[], []]
    for npc in pair.npcs():
        npc.memories.store("The mill burned.", 8)
    assert [npc.recall.retrieve_relevant("the mill") for npc in pair.npcs()] == [["The mill burned."]] * 2
    pair.assert_equal()


def test_what_changes_is_found_as_it_is_now(pair: Pair) -> None:
    ids = [npc.memories.store_batch(memories(120)) for npc in pair.npcs()]
    pair.assert_equal()
    for npc, known in zip(pair.npcs(), ids, strict=True):
        npc.memories.update_memory(known[3], {"text": "Mira burned down the mill."})
        npc.memories.forget(known[5])
    pair.assert_equal()
    for save in pair.saves:
        run(save.snapshots.take.steps("before"))
    pair.now += 60.0
    for npc in pair.npcs():
        npc.memories.store("The inn was sold to a stranger.", 9)
        npc.archive.consolidate()
    pair.assert_equal()
    for save in pair.saves:
        save.marks.rollback_to(pair.now - 30.0)
    pair.assert_equal()
    for npc in pair.npcs():
        npc.clear_all_memories()
    for save in pair.saves:
        save.snapshots.restore("before")
    pair.assert_equal()
    for save in pair.saves:
        save.indexes.rebuild()
    pair.assert_equal()


def test_another_model_and_none_are_taken_in_turn(pair: Pair) -> None:
    for npc in pair.npcs():
        npc.memories.store_batch(memories(80))
    pair.open(HashingEmbedder(96))
    pair.assert_equal()  # by their words, until vectors of this model are made
    for save in pair.saves:
        run(save.missing.make_steps())
    pair.assert_equal()
    pair.open(modes=(DISABLED, DISABLED))
    for npc in pair.npcs():
        npc.memories.store("A stranger sold the barn.", 6)
    pair.open(HashingEmbedder(96))
    pair.assert_equal()
    for save in pair.saves:
        run(save.missing.make_steps())
        save.indexes.use_embedder(HashingEmbedder(64))
        run(save.missing.make_steps())
    pair.assert_equal()


class _Sleepy(HashingEmbedder):
    is_away = False

    def embed(self, texts: Any) -> FloatMatrix:
        if self.is_away:
            raise EmbedderAwayError("Nothing answers", "it sleeps", "Wake it")
        vectors: FloatMatrix = super().embed(texts)
        return vectors


def test_what_was_stored_while_the_model_was_away_counts_as_unlike(pair: Pair) -> None:
    sleepy = _Sleepy(64)
    pair.open(sleepy)
    for npc in pair.npcs():
        npc.memories.store_batch(memories(60))
    sleepy.is_away = True
    for npc in pair.npcs():
        npc.memories.store("Mira sold the mill to Falk.", 9)
    sleepy.is_away = False
    pair.assert_equal()
    for save in pair.saves:
        run(save.missing.make_steps())
    pair.assert_equal()


@pytest.mark.parametrize("read_only", [False, True])
def test_who_has_not_the_npc_answers_the_same_without_her_vectors(
    where: MemoryPostgresStorage, save_name: str, read_only: bool
) -> None:
    dimension = 384
    with ExitStack() as opened:

        def open_it(read_only: bool = False) -> Save:
            model = HashingEmbedder(dimension)
            save = open_save(save_name, model, lambda: NOW, storage=where, read_only=read_only)
            return opened.enter_context(save)

        owner = open_it()
        owner.npc("elena").memories.store_batch(memories(300))
        reader = open_it(read_only)
        for number in range(2):
            owner.npc("elena").memories.store(f"The inn was sold to a stranger, {number}.", 9)
            assert answers(reader) == answers(owner)
            loaded = reader.npc("elena").records.index.loaded_count
            assert loaded == owner.npc("elena").records.index.loaded_count > 0
        assert not reader.store.owners.owns("elena") and owner.store.owners.owns("elena")
        vectors = loaded * dimension * 4
        assert reader.npc("elena").records.index.index_bytes < vectors / 5
        assert owner.npc("elena").records.index.index_bytes > vectors


def test_no_vector_stays_in_the_process(where: MemoryPostgresStorage, save_name: str) -> None:
    count, dimension = 3_000, 384

    def loaded(mode: str) -> tuple[int, int, list[str]]:
        """The bytes that the index says, those that Python says, and an answer."""
        with open_save(
            save_name, HashingEmbedder(dimension), lambda: NOW, vector_index=mode, storage=where
        ) as save:
            npc = save.npc("elena")
            if not npc.memories.get_memory_count():
                npc.memories.store_batch([{"text": f"Sack number {number}."} for number in range(count)])
                npc.unload()
            tracemalloc.start()
            found = npc.recall.retrieve_relevant("What of sack number 77?", {"limit": 3})
            taken, _ = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert npc.records.index.loaded_count == count
            return npc.records.index.index_bytes, taken, found

    told, taken, found = loaded(SERVER)
    told_here, taken_here, found_here = loaded(EMBEDDED)
    assert found == found_here and found[0] == "Sack number 77."
    vectors = count * dimension * 4
    assert told < vectors / 5
    assert told_here - told > vectors and taken_here - taken > vectors
    assert taken < vectors / 2


def test_a_connection_that_drops_is_made_again(
    server: PostgresServer, administrator: Administrator, save_name: str
) -> None:
    with DroppingProxy(server.port) as proxy:
        place = place_on(server, port=proxy.port, timeout_seconds=300.0)
        with open_save(save_name, HashingEmbedder(64), vector_index=SERVER, storage=place) as save:
            npc = save.npc("elena")
            npc.memories.store("The mill burned.", 8)
            for _ in range(3):
                assert npc.recall.retrieve_relevant("the mill", {"limit": 1}) == ["The mill burned."]
                proxy.drop_all()
            assert save.overview.health()["vector_index"] == SERVER


def test_without_the_server_a_question_fails_as_every_call_does(
    server: PostgresServer, save_name: str
) -> None:
    with DroppingProxy(server.port) as proxy:
        place = place_on(server, port=proxy.port, timeout_seconds=0.2)
        save = open_save(save_name, HashingEmbedder(64), vector_index=SERVER, storage=place)
        save.npc("elena").memories.store("The mill burned.", 8)
        save.npc("elena").recall.retrieve_relevant("the mill")
    for call in (lambda: save.npc("elena").recall.retrieve_relevant("What burned?"), save.overview.health):
        with pytest.raises(StoreError, match="could not read") as caught:
            call()
        assert "Check that the server runs" in caught.value.remedy


def test_only_a_known_mode_is_fallen_back_to(where: MemoryPostgresStorage, save_name: str) -> None:
    with pytest.raises(InvalidArgumentError, match='Use "embedded", "disabled"'):
        open_save(save_name, vector_index=SERVER, vector_index_fallback=SERVER, storage=where)
