"""Times and memory of a save's world: `python3 build.py bench world [PART ...]`.

`dossier`: a whole dossier and its searches with 10,000 memories, 5,000 events and 1,500 pieces of lore. The
embedding of the question is left out.
`memory`: what the world takes beside the memories.
`lore`: how fast a long text is imported, beside the embedding model alone.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from measurement import campaign, command, game_text, lore_costs, machine
from measurement.mind_costs import resident_megabytes
from measurement.result import Result, measured, table

from rag_memory import Save, open_save
from rag_memory.config.dossier_config import DossierPreset, NPCDossierConfig
from rag_memory.embedding.registry import default_embedder

_MEMORIES, _EVENTS, _CHUNKS = 10_000, 5_000, 1_500
_QUESTIONS = 100
_IMPORTED_CHUNKS = 300
_IMPORTS = 6
_MILLISECONDS = 1000.0
_SEED = 1


def dossier() -> str:
    """Medians of single calls in a full world."""
    with tempfile.TemporaryDirectory(prefix="rag_memory_world_") as folder, _filled(folder) as save:
        npc, world = save.npc(campaign.NPC), save.world
        questions = game_text.questions(_QUESTIONS, _SEED + 9)
        npc.dossiers.build_dossier(questions[0], campaign.scene())  # loads what is searched
        large = NPCDossierConfig(preset=DossierPreset.LARGE_32B)
        return table(
            [
                _timed(
                    "build_dossier",
                    questions,
                    lambda said: npc.dossiers.build_dossier(said, campaign.scene()),
                    15.0,
                ),
                _timed(
                    "  for a model of 32B",
                    questions,
                    lambda said: npc.dossiers.build_dossier(said, campaign.scene(), large),
                ),
                _timed("  its memories: retrieve_scored", questions, npc.recall.retrieve_scored),
                _timed(
                    "search_events",
                    questions,
                    lambda said: world.events.search_events(campaign.NPC, said, {"limit": 5}),
                ),
                _timed(
                    "search_lore", questions, lambda said: world.lore.search_lore(said, {"limit": 5}), 2.0
                ),
            ]
        )


def memory() -> str:
    """Megabytes that the worlds searches and documents take."""
    with tempfile.TemporaryDirectory(prefix="rag_memory_world_") as folder:
        path = Path(folder) / "a.sqlite3"
        # In a process of its own, or what filling has used would hide what using takes.
        filling = multiprocessing.get_context("spawn").Process(target=_fill, args=(folder,))
        filling.start()
        filling.join()
        embedder = _embedder()
        before = resident_megabytes()
        with open_save(path, embedder, lambda: campaign.NOW) as save:
            save.npc(campaign.NPC).recall.retrieve_scored("Hello.")
            with_memories = resident_megabytes()
            save.npc(campaign.NPC).dossiers.build_dossier("Hello.", campaign.scene())
            after = resident_megabytes()
        size = path.stat().st_size / 1e6
    return table(
        [
            Result(f"{_MEMORIES:,} memories", with_memories - before, "MB"),
            Result(f"{_EVENTS:,} events and {_CHUNKS:,} pieces of lore besides", after - with_memories, "MB"),
            Result("the save on the disk", size, "MB"),
        ]
    )


def lore() -> str:
    """Pieces a second, in turns with the shipped model alone, which embeds the same pieces."""
    texts = [campaign.lore(_IMPORTED_CHUNKS // _IMPORTS, _SEED + part) for part in range(_IMPORTS)]
    rate = lore_costs.import_rate(default_embedder(), texts)
    return table(
        [
            Result("import_lore: pieces a second", rate.imported, "/s"),
            Result("  the model alone", rate.alone, "/s"),
            Result("  the import's share of that", 100.0 * rate.share, "%"),
            Result("  into a second save", rate.again, "/s"),
            Result("  longest slice", rate.longest_slice * _MILLISECONDS, "ms"),
        ]
    )


def _fill(folder: str) -> None:
    _filled(folder).close()


def _filled(folder: str) -> Save:
    save = open_save(Path(folder) / "a.sqlite3", _embedder(), lambda: campaign.NOW)
    campaign.fill(save, _MEMORIES, _EVENTS, _CHUNKS, _SEED)
    return save


def _embedder() -> campaign.TextVectors:
    return campaign.TextVectors(default_embedder(), _SEED)


def _timed(
    name: str, questions: list[str], call: Callable[[str], object], target: float | None = None
) -> Result:
    samples = []
    for said in questions:
        started = time.perf_counter()
        call(said)
        samples.append(time.perf_counter() - started)
    return measured(name, samples, "ms", scale=_MILLISECONDS, target=target)


_PARTS: dict[str, Callable[[], str]] = {"dossier": dossier, "memory": memory, "lore": lore}


def main() -> int:
    """Measure and print the parts that were asked for."""
    parser = command.parser("world", __doc__)
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"of {', '.join(_PARTS)} (default: all)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(_PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are: {', '.join(_PARTS)}")

    def report() -> str:
        parts = [_PARTS[part]() for part in options.parts or _PARTS]
        world = f"{_MEMORIES:,} memories, {_EVENTS:,} events, {_CHUNKS:,} pieces of lore"
        head = f"{machine.described()}; load average {machine.load():.1f}; seed {_SEED}\n{world}"
        return "\n\n".join([head, *parts])

    return command.end(report)


if __name__ == "__main__":
    sys.exit(main())
