"""The Godot classes that tune a mind, a world and a dossier, as Resources.

Their properties are not written here: they are the fields of the configs in `rag_memory.config`.
"""

from __future__ import annotations

from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.godot.config_class import config_class


@config_class("NPCMindConfig", NPCMindConfig, inherits=True)
class NPCMindConfigResource:
    """Tunes what an `NPCMind` makes of what happens: what is remembered, what is felt, and for how long.

    Save it as a `.tres` file and share it between nodes, or give each NPC its own. A change takes effect with
    the next call of the nodes that use it. A value out of its range can be set, but a warning says so, and
    calls of those nodes fail until you correct it.
    """


@config_class("MemoryWorldConfig", MemoryWorldConfig)
class MemoryWorldConfigResource:
    """Tunes `MemoryWorld`: what it stores, how long, and how news spreads.

    Save it as a `.tres` file and set it as `MemoryWorld.config`. A change takes effect with the next call. A
    value out of its range can be set, but a warning says so, and calls of `MemoryWorld` fail until you
    correct it.
    """


@config_class("NPCDossierConfig", NPCDossierConfig)
class NPCDossierConfigResource:
    """Says how big a dossier may be, and what comes into it.

    Save it as a `.tres` file, one for each size of language model, and pass it to
    `RAGMemory.build_dossier()`. A value out of its range can be set, but a warning says so, and the call
    fails until you correct it.
    """
