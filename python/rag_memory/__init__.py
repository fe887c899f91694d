"""RAG Memory: long-term memory for NPCs. Engine-free; `rag_memory.godot` connects it to Godot.

with rag_memory.open_save("village.sqlite3") as save:
    elena = save.npc("elena")
    elena.memories.store("The player promised to bring back my brother.", 8, {"event_type": "promise_made"})
    memories = elena.recall.retrieve_scored("Have you found him?")
"""

from __future__ import annotations

import os

# numpy's threads must be limited before it is imported anywhere: with more than one, leaving the process can
# hang.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# onnxruntime reports its use over the network and keeps an id in the player's home unless this is set before
# it is imported; disable_telemetry_events() is too late for the id. Measured with 1.31.1.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import importlib
from typing import TYPE_CHECKING, Any

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode, ScoreMode
from rag_memory.errors import (
    ConfigError,
    EmbedderError,
    InvalidArgumentError,
    NotASaveError,
    RagMemoryError,
    SaveDamagedError,
    SaveError,
    SaveExistsError,
    SaveLockedError,
    SaveNotFoundError,
    SaveTooNewError,
    SaveTooOldError,
    StoreError,
)

if TYPE_CHECKING:
    from rag_memory.npc.npc import Npc
    from rag_memory.opening import open_save
    from rag_memory.save import Save
    from rag_memory.step import Step

__all__ = [
    "ConfigError",
    "EmbedderError",
    "InvalidArgumentError",
    "MemoryConfig",
    "NotASaveError",
    "Npc",
    "RagMemoryError",
    "RelevanceMode",
    "Save",
    "SaveDamagedError",
    "SaveError",
    "SaveExistsError",
    "SaveLockedError",
    "SaveNotFoundError",
    "SaveTooNewError",
    "SaveTooOldError",
    "ScoreMode",
    "Step",
    "StoreError",
    "open_save",
]

# `import rag_memory` is quick: numpy and what needs it come with the first of these names.
_LAZY = {
    "Npc": "npc.npc",
    "Save": "save",
    "open_save": "opening",
    "Step": "step",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
