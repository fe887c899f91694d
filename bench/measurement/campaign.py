"""A campaign of any size: an NPC's memories, events, lore, tasks and turns, the same for the same seed."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from rag_memory.embedding.embedder import Embedder
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.save import Save
from rag_memory.text.file_text import FileText
from rag_memory.vectors import FloatMatrix, Keys

from . import game_text, vectors

NPC = "lord_aldric"
NOW = 200 * SECONDS_PER_DAY
CHARACTERS, FACTIONS, PLACES = 40, 6, 12
_WORDS_OF_A_CHUNK = 200
_BATCH = 64


class TextVectors:
    """An embedder that takes no time: a text gets one of many vectors that are distributed as real ones."""

    name = "vectors of other texts"
    max_chars = 10_000

    def __init__(self, embedder: Embedder, seed: int, count: int = 20_000) -> None:
        self._vectors = vectors.mixtures(vectors.of_sentences(embedder, seed), count, seed)
        self.dimension = embedder.dimension
        self.fingerprint = f"text-vectors-{seed}"
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """See Embedder.embed."""
        self.embedded += len(texts)
        return np.stack([self._vectors[zlib.crc32(text.encode()) % len(self._vectors)] for text in texts])

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """See Embedder.batches."""
        for start in range(0, len(texts), _BATCH):
            part = texts[start : start + _BATCH]
            yield np.arange(start, start + len(part)), self.embed(part)


def fill(save: Save, memories: int, events: int, chunks: int, seed: int) -> None:
    """Tell a new save of the campaign."""
    dice = random.Random(seed)
    world, npc = save.world, save.npc(NPC)
    for number in range(CHARACTERS):
        id = NPC if number == 0 else f"character_{number}"
        world.characters.register_character(
            id,
            {
                "name": f"{id.replace('_', ' ').title()}",
                "faction": f"House {number % FACTIONS}",
                "location": f"Castle {number % PLACES}",
                "culture": f"folk {number % 3}",
            },
        )
    npc.memories.store_batch(game_text.memories(memories, seed, NOW))
    world.events.record_events(
        [
            {
                "summary": memory["text"],
                "visibility": dice.choice(("private", "local", "faction", "global", "global", "rumor")),
                "actor": f"character_{dice.randrange(1, CHARACTERS)}",
                "actor_faction": f"House {dice.randrange(FACTIONS)}",
                "location": f"Castle {dice.randrange(PLACES)}",
                "importance": dice.randint(1, 10),
                "day": dice.random() * 200.0,
            }
            for memory in game_text.memories(events, seed + 1, NOW)
        ]
    )
    world.lore.import_lore(FileText(lore(chunks, seed + 2)), {"key": "marches"})
    for number in range(200):
        world.tasks.add_task(
            {
                "assignee": NPC if number % 10 == 0 else f"character_{dice.randrange(1, CHARACTERS)}",
                "issuer": "player",
                "summary": f"Bring {number} sacks of grain to Castle {number % PLACES}.",
                "status": "active",
            }
        )
    world.profiles.set_profile(NPC, {"backstory": "He lost a brother at the ford.", "personality": ["proud"]})
    for number in range(20):
        npc.conversation.store_turn(f"What of castle {number}?", "It stands.", {"memories": []})


def lore(chunks: int, seed: int) -> str:
    """Markdown that becomes about so many chunks."""
    texts = (memory["text"] for memory in game_text.memories(chunks * 20, seed, 0.0))
    parts = []
    for number in range(chunks):
        words, sentences = 0, []
        while words < _WORDS_OF_A_CHUNK:
            sentence = next(texts)
            sentences.append(sentence)
            words += len(sentence.split())
        parts.append(
            f"## Of Castle {number % PLACES} and House {number % FACTIONS}, {number}\n\n{' '.join(sentences)}"
        )
    return "# The Marches\n\n" + "\n\n".join(parts)


def scene() -> dict[str, object]:
    """The place where the NPC is asked."""
    return {
        "location": "Castle 3",
        "nearby": ["character_4", "character_7"],
        "time": "dusk",
        "description": "The player has come into the hall. Outside it rains.",
        "weather": "rain",
        "recent_changes": ["Riders came from the north."],
    }
