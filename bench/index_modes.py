"""Times of questions by the place where vectors are compared: `python3 build.py bench index_modes`.

One NPC per size, in a file and on a private PostgreSQL on this machine, is asked the same new questions.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import command, game_text, machine, quick_save

import rag_memory
from rag_memory import MemoryConfig, RelevanceMode
from rag_memory.embedding.registry import default_embedder
from rag_memory_build.console import Progress, step
from rag_memory_build.paths import MODELS
from rag_memory_build.postgres_server import temporary_postgres
from rag_memory_server.postgres_storage import MemoryPostgresStorage

_NOW = 1_750_000_000.0
_NPC = "mira"


class _Way(NamedTuple):
    """The place of a save, and the place where its vectors are compared."""

    label: str
    mode: str
    is_on_server: bool


_WAYS = (
    _Way("a file, `embedded`", "embedded", False),
    _Way("PostgreSQL, `embedded`", "embedded", True),
    _Way("PostgreSQL, `server`", "server", True),
)


def main(arguments: list[str]) -> int:
    options = command.parser("index_modes", __doc__, seed_of="memories and questions")
    options.add_argument("--rounds", type=int, default=100, help="questions of each kind (default 100)")
    options.add_argument("--memories", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    given = options.parse_args(arguments)
    return command.end(lambda: _measured(given.seed, given.rounds, given.memories))


def _measured(seed: int, rounds: int, sizes: list[int]) -> str:
    load = machine.load()
    table = [
        "| memories | save | loaded in | memory of the index | HYBRID | DENSE |",
        "|---|---|---|---|---|---|",
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        temporary_postgres() as server,
        step("Questions") as progress,
    ):
        place = MemoryPostgresStorage(port=server.port, password_file=str(server.password_file))
        for size in sizes:
            for storage in (None, place):
                path = Path(folder) / f"{size}.sqlite3" if storage is None else Path(f"save_{size}")
                quick_save.fill(path, [_NPC], size, seed, _NOW, progress, storage)
            for way in _WAYS:
                path = Path(f"save_{size}") if way.is_on_server else Path(folder) / f"{size}.sqlite3"
                table.append(
                    f"| {size:,} | {way.label} | "
                    + _asked(path, way.mode, place if way.is_on_server else None, seed, rounds, progress)
                )
    conditions = [*machine.conditions(load), f"* Seed {seed}, {rounds} questions of each kind, medians"]
    return "\n".join([*conditions, "", *table])


def _asked(
    path: Path, mode: str, storage: MemoryPostgresStorage | None, seed: int, rounds: int, progress: Progress
) -> str:
    model = default_embedder(MODELS)
    cells = []
    with rag_memory.open_save(
        str(path), model, lambda: _NOW, vector_index=mode, storage=storage, vector_cache_mib=2_000
    ) as save:
        npc = save.npc(_NPC)
        started = time.perf_counter()
        for _step in npc.load_steps():
            pass
        seconds = time.perf_counter() - started
        cells += [f"{seconds:.2f} s", f"{save.context.index_cache.used_bytes / 1_000_000:.1f} MB"]
        for number, relevance in enumerate((RelevanceMode.HYBRID, RelevanceMode.DENSE)):
            npc.config = MemoryConfig(relevance_mode=relevance)
            npc.recall.retrieve_scored("Who is there?")
            for _step in npc.records.index.build_steps():
                pass
            spent = []
            for turn, text in enumerate(game_text.questions(rounds, seed)):
                started = time.perf_counter()
                npc.recall.retrieve_scored(f"{text} {number}{turn}")
                spent.append(time.perf_counter() - started)
                progress.update(f"{path.stem}, {mode}, {relevance.name}: {turn + 1} of {rounds}")
            cells.append(f"{1000 * statistics.median(spent):.1f} ms")
    return " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
