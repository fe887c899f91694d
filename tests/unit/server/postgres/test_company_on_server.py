"""Talks with several people in a save on a server: undone for everybody, or for nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.unit.conftest import GameClock
from tests.unit.conversation.test_company import ANALYSED, FLOUR, VILLAGE, exchange, texts

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import NpcLockedError
from rag_memory_server.postgres_storage import MemoryPostgresStorage

Open = Callable[[], Save]


@pytest.fixture
def open_here(save_name: str, where: MemoryPostgresStorage, clock: GameClock) -> Iterator[Open]:
    saves: list[Save] = []

    def open_it() -> Save:
        saves.append(open_save(save_name, HashingEmbedder(64), clock=clock, storage=where))
        return saves[-1]

    yield open_it
    for save in saves:
        save.close()


def talked(save: Save) -> list[str]:
    """Have everybody hear an exchange with Mira; what each of them remembered before, as JSON."""
    for npc_id in VILLAGE:
        save.npc(npc_id).memories.store("Snow fell.", 5)
    before = contents(save)
    exchange(save, FLOUR, ANALYSED, speaker="bjorn", bystanders=["gregor"], addressees=["elena"])
    assert len(texts(save, "gregor")) == 3 and len(texts(save, "bjorn")) > 2
    return before


def contents(save: Save) -> list[str]:
    return [save.npc(npc_id).tools.export_json() for npc_id in VILLAGE]


def test_an_exchange_is_undone_for_everybody(open_here: Open) -> None:
    save = open_here()
    before = talked(save)
    save.npc("mira").exchange_undo.undo_exchange()
    assert contents(save) == before
    assert save.npc("bjorn").conversation.get_turns(5, "mira") == []
    assert save.npc("elena").conversation.get_turns(5, "bjorn") == []


def test_an_exchange_is_undone_for_everybody_after_a_restart(open_here: Open) -> None:
    save = open_here()
    before = talked(save)
    save.close()
    save = open_here()
    save.npc("mira").exchange_undo.undo_exchange()
    assert contents(save) == before


@pytest.mark.parametrize("handed", ["bjorn", "gregor", "elena"])
def test_an_exchange_that_another_servers_npc_has_heard_is_undone_for_nobody(
    open_here: Open, handed: str
) -> None:
    first, second = open_here(), open_here()
    before = talked(first)
    after = contents(first)
    first.npcs.release(handed)
    second.npcs.acquire(handed)
    remembered = texts(second, handed)
    with pytest.raises(NpcLockedError, match=handed):
        first.npc("mira").exchange_undo.undo_exchange()
    assert contents(first) == after != before
    assert texts(second, handed) == remembered
    second.npcs.release(handed)
    first.npcs.acquire(handed)
    first.npc("mira").exchange_undo.undo_exchange()
    assert contents(first) == before


def test_an_npc_that_was_let_go_is_not_written_by_an_undo(open_here: Open) -> None:
    save = open_here()
    talked(save)
    save.npcs.release("gregor")
    with pytest.raises(NpcLockedError, match="let go of her"):
        save.npc("mira").exchange_undo.undo_exchange()
    assert len(texts(save, "gregor")) == 3
