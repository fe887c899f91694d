"""A game that is killed, in whatever it does: its save is free again, and holds all that was acknowledged."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

from tests.unit.server.postgres.conftest import OpenSave, place_on

from rag_memory_build.postgres_server import PostgresServer

_GAME = """
import sys
from rag_memory import open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_server.postgres_storage import MemoryPostgresStorage
name, port, password_file, first = sys.argv[1:]
place = MemoryPostgresStorage(port=int(port), password_file=password_file)
with open_save(name, HashingEmbedder(8), storage=place) as save:
    npc, number = save.npc("mira"), int(first)
    while True:
        print(npc.memories.store(f"Kael mended roof number {number}."), flush=True)
        number += 1
        if number % 5 == 0:
            npc.memories.store_batch([{"text": f"Part {part} of {number}."} for part in range(4)])
            print("batch", flush=True)
"""


def test_a_killed_game_gives_its_save_back_with_everything_acknowledged(
    server: PostgresServer, open_save: OpenSave, save_name: str
) -> None:
    place, source = place_on(server), random.Random(11)
    acknowledged = set[str]()
    batches = 0
    for turn in range(5):
        words = [save_name, str(place.port), place.password_file, str(1000 * turn)]
        game = subprocess.Popen(
            [sys.executable, "-c", _GAME, *words], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
        )
        assert game.stdout is not None
        told = [game.stdout.readline() for _ in range(source.randint(1, 30))]
        time.sleep(source.uniform(0.0, 0.02))
        game.kill()
        told += game.stdout.readlines()
        game.wait()
        game.stdout.close()
        lines = [line.strip() for line in told if line.endswith("\n")]
        batches += lines.count("batch")
        acknowledged |= {*lines} - {"batch"}
        storage = open_save()
        npc = storage.npcs.number("mira")
        assert npc is not None
        records = storage.records.find(npc)
        found = {record.id for record in records}
        parts = [record for record in records if record.document_full.startswith("Part ")]
        assert acknowledged and acknowledged <= found
        assert len(found) == len(records) == len({record.document_full for record in records})
        assert len(parts) % 4 == 0 and len(parts) >= 4 * batches
        assert storage.vectors.keys_of_other_models(1) == []
        storage.close()
