"""The Godot class NPCDossierConfig: how big a dossier may be, as a Resource.

The properties are not written here: they are the fields of
`rag_memory.config.dossier_config.NPCDossierConfig`.
"""

from __future__ import annotations

from typing import Any

from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.godot.config_properties import config_enums, config_properties
from rag_memory.godot.declare import godot_class


@godot_class(
    "NPCDossierConfig",
    "Resource",
    properties=config_properties(NPCDossierConfig),
    enums=config_enums(NPCDossierConfig),
)
class NPCDossierConfigResource:
    """Says how big a dossier may be, and what comes into it.

    Save it as a `.tres` file, one for each size of language model, and pass it to
    `RAGMemory.build_dossier()`. A value out of its range can be set, but a warning says so, and the call
    fails until it is set right.
    """

    def configure(self, values: dict[str, Any]) -> None:
        """It has no calls of its own."""
