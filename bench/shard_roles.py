"""The cost of row-level security for a save on a server: `python3 build.py bench shard_roles`.

The same calls by the owner of the tables, by a role for all saves and by a role that is held to one save.
Each has a save of 10,000 memories of one NPC. The rounds take turns, so that a busy machine is busy for all.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine
from measurement.result import measured, table

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory_build.console import step
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_build.server_roles import Wanted, make
from rag_memory_server.postgres.connecting import reached
from rag_memory_server.postgres_storage import MemoryPostgresStorage

_NOW = 1_750_000_000.0
_NPC = "mira"
_STORED_IN_A_ROUND = 50
_AT_ONCE = 1000
_OWNER, _ALL, _ONE = "the owner of the tables", "a role for all saves", "a role for one save"


def _places(server: PostgresServer, folder: Path) -> dict[str, MemoryPostgresStorage]:
    owner = MemoryPostgresStorage(port=server.port, password_file=str(server.password_file))
    places = {_OWNER: owner}
    for name, role, shard in ((_ALL, "game", None), (_ONE, "shard", _ONE)):
        wanted = Wanted(owner, role, shard, None, folder / role)
        make(wanted)
        places[name] = wanted.as_role
    return places


def _opened(name: str, place: MemoryPostgresStorage) -> Save:
    # Texts become vectors at once: what is measured is the server.
    return open_save(name, HashingEmbedder(384), clock=lambda: _NOW, storage=place)


def _report(memories: int, rounds: int, seed: int) -> str:
    load = machine.load()
    taken: defaultdict[tuple[str, str], list[float]] = defaultdict(list)

    def timed(what: str, name: str, call: Callable[..., Any], *values: Any) -> None:
        begun = time.perf_counter()
        call(*values)
        taken[what, name].append(time.perf_counter() - begun)

    texts = game_text.memories(memories + rounds * _STORED_IN_A_ROUND, seed, _NOW)
    fresh = [(memory["text"], memory["importance"]) for memory in texts[memories:]]
    with ExitStack() as closed:
        server = closed.enter_context(temporary_postgres())
        folder = Path(closed.enter_context(tempfile.TemporaryDirectory(prefix="rag_memory_bench_")))
        places = _places(server, folder)
        for start in range(0, memories, _AT_ONCE):
            with step(f"Storing {start + _AT_ONCE:,} of {memories:,} memories by each"):
                for name, place in places.items():
                    with _opened(name, place) as save:
                        save.npc(_NPC).memories.store_batch(texts[start : min(start + _AT_ONCE, memories)])
                # As the server does by itself within a minute.
                with reached(places[_OWNER], "bench") as connection:
                    connection.execute("ANALYZE")
        for number in range(rounds):
            first = number * _STORED_IN_A_ROUND
            for name, place in places.items():
                with _opened(name, place) as save:
                    npc = save.npc(_NPC)
                    timed(
                        "first question, which loads the index",
                        name,
                        npc.recall.retrieve_relevant,
                        "the mill",
                    )
                    for memory in fresh[first : first + _STORED_IN_A_ROUND]:
                        timed("store()", name, npc.memories.store, *memory)
                        timed("retrieve_relevant()", name, npc.recall.retrieve_relevant, memory[0])
                    timed("snapshot()", name, save.snapshots.take, "bench")
    whats = dict.fromkeys(what for what, _ in taken)
    results = [
        measured(f"{what}, {name}", taken[what, name], "ms", scale=1e3) for what in whats for name in places
    ]
    lines = [*machine.conditions(load), f"* {memories:,} memories each, {rounds} rounds, seed {seed}"]
    return "\n".join(lines) + f"\n\n{table(results)}"


def main() -> int:
    """Run the benchmark and print its table."""
    parser = command.parser("shard_roles", __doc__, seed_of="the memories")
    parser.add_argument("--memories", type=int, default=10_000, help="of each save (default 10000)")
    parser.add_argument("--rounds", type=int, default=20, help="in which all take turns (default 20)")
    options = parser.parse_args()
    return command.end(lambda: _report(options.memories, options.rounds, options.seed))


if __name__ == "__main__":
    sys.exit(main())
