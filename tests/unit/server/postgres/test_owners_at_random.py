"""Sessions that take, release, write for and lose NPCs in any order: nobody has an NPC with somebody else,
nothing that was acknowledged is lost, and nothing is doubled.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.unit.server.postgres.dropping_proxy import DroppingProxy

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import NpcLockedError, StoreError
from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres_storage import MemoryPostgresStorage

NPCS = ("mira", "bran", "tess")
STEPS = 120


class Session:
    """A game server whose connection can drop, or which can end without a word."""

    def __init__(self, server: PostgresServer, name: str, place: MemoryPostgresStorage) -> None:
        self.proxy = DroppingProxy(server.port).__enter__()
        self.save: Save = open_save(
            name,
            HashingEmbedder(8),
            clock=lambda: 100.0,
            storage=replace(place, port=self.proxy.port, timeout_seconds=0.5),
        )

    def die(self) -> None:
        """Nothing is said to the server, and the other end of the connection goes."""
        self.proxy.refuses = True
        self.proxy.__exit__()


def texts(save: Save, npc_id: str) -> list[str]:
    return [each["document"] for each in save.npc(npc_id).recall.get_recent(1000)][::-1]


@pytest.mark.parametrize("seed", range(3))
def test_no_npc_is_had_twice_nothing_is_lost_and_nothing_doubled(
    server: PostgresServer, where: MemoryPostgresStorage, save_name: str, seed: int
) -> None:
    source = random.Random(seed)
    sessions = [Session(server, save_name, where) for _ in range(3)]
    acknowledged: dict[str, list[str]] = {npc_id: [] for npc_id in NPCS}
    tried: dict[str, set[str]] = {npc_id: set() for npc_id in NPCS}
    for number in range(STEPS):
        at, npc_id = source.randrange(3), source.choice(NPCS)
        session, what = sessions[at], source.choice("wwwwwwarrdkc")
        try:
            if what == "w":
                text = f"Roof number {number} was mended."
                tried[npc_id].add(text)
                session.save.npc(npc_id).memories.store(text)
                acknowledged[npc_id].append(text)
            elif what == "a":
                session.save.npcs.acquire(npc_id)
            elif what == "r":
                session.save.npcs.release(npc_id)
            elif what == "d":
                session.proxy.drop_all()
            elif what == "c":
                session.proxy.drops = source.choice(("before", "after"))
            else:
                session.die()
                sessions[at] = Session(server, save_name, where)
        except (NpcLockedError, StoreError):
            pass
        # Each is asked on a connection that works: one that dropped has not noticed what it lost.
        for each in sessions:
            with suppress(StoreError):
                each.save.store.npcs.ids()
        assert sum(each.save.store.owners.owns(npc_id) for each in sessions) <= 1
    final = open_save(save_name, HashingEmbedder(8), clock=lambda: 100.0, storage=where)
    for npc_id in NPCS:
        found = texts(final, npc_id)
        assert len(found) == len(set(found)) and set(found) <= tried[npc_id]
        assert [each for each in found if each in acknowledged[npc_id]] == acknowledged[npc_id]
    for session in sessions:
        session.proxy.drops = "never"
        session.save.close()
        session.proxy.__exit__()
    final.close()
