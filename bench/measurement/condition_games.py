"""The games of bench/knows_games: what an NPC remembers, and conditions on it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import rag_memory
from rag_memory.embedding.embedder import Embedder
from rag_memory.npc.npc import Npc

_DAY = 86400.0


@contextlib.contextmanager
def npc_of(game: Mapping[str, Any], embedder: Embedder) -> Iterator[Npc]:
    """The NPC of a game, on the day after it, with all memories. The player has said a name."""
    now = [0.0]
    with (
        tempfile.TemporaryDirectory() as folder,
        rag_memory.open_save(Path(folder) / "save.sqlite3", clock=lambda: now[0], embedder=embedder) as save,
    ):
        npc = save.npc(game["npc_id"])
        for memory in game["memories"]:
            now[0] = memory["day"] * _DAY
            event_type = memory["event_type"]
            npc.memories.store(
                memory["text"], memory["importance"], {"event_type": event_type} if event_type else {}
            )
        now[0] = (game["days"] + 1) * _DAY
        npc.conversation.store_turn(f"My name is {game['player']}.", "Welcome.")
        yield npc
