"""The ten player lines of the demo, asked through the public Python API as demo/village_demo.gd asks them."""

from __future__ import annotations

import json

import rag_memory
from rag_memory.embedding.embedder import Embedder
from rag_memory_build.paths import ROOT

_DEMO = ROOT / "demo"
_RELATIONSHIP = {"trust": 62, "affection": 48, "fear": 12, "respect": 70, "familiarity": 85}
_HOUR, _DAY = 3_600.0, 86_400.0
_NOW = 57 * _DAY


def expected_memories(embedder: Embedder) -> tuple[int, int]:
    """Count the recalled and the expected memories of the demo's lines."""
    memories = json.loads((_DEMO / "memories" / "mira.json").read_text(encoding="utf-8"))
    lines = json.loads((_DEMO / "player_lines.json").read_text(encoding="utf-8"))
    with rag_memory.open_save(":memory:", embedder=embedder, clock=lambda: _NOW) as save:
        npc = save.npc("mira")
        npc.memories.store_batch(
            [{**memory, "timestamp": memory["day"] * _DAY + memory["hour"] * _HOUR} for memory in memories]
        )
        npc.relationship.set_relationship_state(_RELATIONSHIP)
        recalled = expected = 0
        for line in lines:
            keys = {memory["metadata"].get("key") for memory in npc.recall.retrieve_scored(line["line"])}
            expected += len(line["expected"])
            recalled += sum(key in keys for key in line["expected"])
    return recalled, expected
