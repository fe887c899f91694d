"""Events for an NPC whom another game of the save has: they are that game's, and happen once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.server.bus.conftest import NOW, World, spoke

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_build.postgres_server import temporary_postgres
from rag_memory_server.bus.event_bus import Delivery, EventBus
from rag_memory_server.bus.zone import Zone
from rag_memory_server.postgres_storage import MemoryPostgresStorage


class Sharing:
    """A game that has bodies of all NPCs, and shares their save."""

    def __init__(self, world: World, place: MemoryPostgresStorage, zone: str) -> None:
        self.save: Save = open_save("shard", HashingEmbedder(8), clock=lambda: NOW, storage=place)
        self.bus: EventBus = world.bus(zone=zone)
        self.events: list[Delivery] = []
        self.zone = Zone(self.save.context, self.save.npc, on_event=self.events.append)

    def contents(self, npc_id: str) -> list[str]:
        return [each["content"] for each in self.save.npc(npc_id).mind.get_interactions("", 100)][::-1]


@pytest.fixture
def place() -> Iterator[MemoryPostgresStorage]:
    with temporary_postgres() as server:
        yield MemoryPostgresStorage(port=server.port, password_file=str(server.password_file))


def test_who_has_her_perceives_and_the_others_are_not_held_up(
    world: World, place: MemoryPostgresStorage
) -> None:
    games = [Sharing(world, place, zone) for zone in ("harbour", "market")]
    games[0].save.npcs.acquire("mira")
    games[1].save.npcs.acquire("bran")
    for game in games:
        game.zone.run(game.bus)
    told = [f"Line {number}." for number in range(6)]
    for text in told:
        for npc_id in ("mira", "bran"):
            games[0].bus.publish(spoke(npc_id, text))
    while any(len(game.events) < 12 for game in games):
        for game in games:
            game.zone.run(game.bus)
    for game in games:
        assert game.contents("mira") == game.contents("bran") == told
        assert game.zone.waiting == 0
    games[0].save.npcs.release("mira")
    games[1].save.npcs.acquire("mira")
    games[0].bus.publish(spoke("mira", "Last line."))
    while any(len(game.events) < 13 for game in games):
        for game in games:
            game.zone.run(game.bus)
    for game in games:
        assert game.contents("mira") == [*told, "Last line."]
    for game in games:
        game.bus.close()
        game.save.close()
