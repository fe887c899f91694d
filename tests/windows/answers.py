"""What the core answers to the questions of the demo and of real conversations: a program that tests run on
several systems. `answers.py FILE CONVERSATIONS` writes vectors, and each answer's memories with their scores.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rag_memory import MemoryConfig, RelevanceMode, open_save
from rag_memory.embedding.registry import default_embedder

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
from measurement.locomo import read_conversations  # noqa: E402

NOW = 1_700_000_000.0
LIMIT = 50
MOST_TOKENS = 1_000_000


def demo() -> tuple[list[dict[str, Any]], list[str]]:
    """Mira's memories, and what the player says to her."""
    told = json.loads((ROOT / "demo" / "memories" / "mira.json").read_text(encoding="utf-8"))
    memories = [
        {
            "text": each["text"],
            "importance": each["importance"],
            "timestamp": NOW - 86_400.0 * (100 - each["day"]) + 3600.0 * each["hour"],
        }
        for each in told
    ]
    lines = json.loads((ROOT / "demo" / "player_lines.json").read_text(encoding="utf-8"))
    return memories, [each["line"] for each in lines]


def main(file: Path, conversations: int) -> None:
    talks = {"demo": demo()}
    for each in read_conversations(ROOT.parent / "shared" / "data")[:conversations]:
        turns: list[dict[str, Any]] = [
            {"text": turn.text, "timestamp": turn.timestamp} for turn in each.turns
        ]
        talks[each.id] = (turns, [question.text for question in each.questions])
    embedder = default_embedder()
    vectors, answers = [], []
    for name, (memories, questions) in talks.items():
        texts = [str(memory["text"]) for memory in memories]
        rows = np.empty((len(texts), embedder.dimension), dtype=np.float32)
        for places, made in embedder.batches(texts):
            rows[places] = made
        vectors += [rows, embedder.embed(questions)]
        with open_save(":memory:", embedder=embedder, clock=lambda: NOW) as save:
            npc = save.npc(name)
            npc.memories.store_batch(memories)
            for mode in (RelevanceMode.HYBRID, RelevanceMode.DENSE):
                npc.config = MemoryConfig(relevance_mode=mode, semantic_top_k=LIMIT)
                for question in questions:
                    found = npc.recall.retrieve_scored(question, MOST_TOKENS)
                    answers.append([(each["id"], each["score"]) for each in found])
    np.concatenate(vectors).tofile(file.with_suffix(".vectors"))
    file.with_suffix(".json").write_text(json.dumps(answers), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
