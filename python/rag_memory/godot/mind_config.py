"""The Godot class NPCMindConfig: the tuning of a mind as a Resource.

The properties are not written here: they are the fields of `rag_memory.config.mind_config.NPCMindConfig`.
"""

from __future__ import annotations

from typing import Any

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.godot.config_properties import config_enums, config_properties
from rag_memory.godot.declare import godot_class


@godot_class(
    "NPCMindConfig",
    "Resource",
    properties=config_properties(NPCMindConfig),
    enums=config_enums(NPCMindConfig),
)
class NPCMindConfigResource:
    """Tunes what an `NPCMind` makes of what happens: what is remembered, what is felt, and for how long.

    Save it as a `.tres` file and share it between nodes, or give each NPC its own. A change takes effect with
    the next call of the nodes that use it. A value out of its range can be set, but a warning says so, and
    the calls of those nodes fail until it is set right.
    """

    def configure(self, values: dict[str, Any]) -> None:
        """It has no calls of its own."""
