"""What is forgotten in a save on a server does not come back either."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.conftest import GameClock
from tests.unit.npc import test_forgetting as forgetting
from tests.unit.saves import test_forgetting_player as forgetting_player

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_server.postgres_storage import MemoryPostgresStorage


@pytest.fixture
def save(where: MemoryPostgresStorage, save_name: str, clock: GameClock) -> Iterator[Save]:
    with open_save(save_name, embedder=HashingEmbedder(64), clock=clock, storage=where) as save:
        yield save


def test_turns_summaries_and_sources_are_forgotten(save: Save, clock: GameClock) -> None:
    forgetting.test_a_summary_is_made_again_without_a_forgotten_turn(save, clock)


def test_a_source_of_a_summary_is_forgotten(save: Save, clock: GameClock) -> None:
    forgetting.test_a_filter_finds_archived_sources(save, clock)


def test_conclusions_are_forgotten(save: Save, clock: GameClock) -> None:
    forgetting.test_conclusions_and_the_log_forget_what_they_rest_on(save, clock)


def test_an_undo_brings_nothing_back(save: Save) -> None:
    forgetting.test_an_exchange_is_forgotten_with_what_quotes_it_and_undo_does_not_bring_it_back(save)


def test_a_player_is_forgotten(save: Save, clock: GameClock) -> None:
    forgetting_player.fill(save, clock)
    done = save.player_data.forget(forgetting_player.ID)
    assert all(done[name] > 0 for name in ("memories", "interactions", "turns", "documents"))
    texts = save.npc("elena").tools.export_json() + save.npc("bo").tools.export_json()
    texts += save.world.json.export_json()
    assert not any(trace.decode() in texts for trace in forgetting_player.TRACES)
    assert "Rowan mended the chapel." in texts
    assert save.npc("elena").exchange_undo.get_exchanges() == []


def test_a_player_who_was_an_npc_before_is_forgotten(save: Save) -> None:
    save.npc("elena").conversation.store_turn("It rains.", "It does.", {"bystanders": ["anna"]})
    save.world.characters.register_character("anna", {"name": "Anna"})
    save.npc("elena").conversation.store_turn("It snows.", "It does.", {"bystanders": ["anna"]})
    save.world.characters.register_character("anna", {"is_player": True})
    assert save.player_data.forget("anna")["memories"] == 2
    assert save.store.npcs.number("anna") is None
