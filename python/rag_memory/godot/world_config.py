"""The Godot class MemoryWorldConfig: the tuning of a world as a Resource.

The properties are not written here: they are the fields of
`rag_memory.config.world_config.MemoryWorldConfig`.
"""

from __future__ import annotations

from typing import Any

from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory.godot.config_properties import config_enums, config_properties
from rag_memory.godot.declare import godot_class


@godot_class(
    "MemoryWorldConfig",
    "Resource",
    properties=config_properties(MemoryWorldConfig),
    enums=config_enums(MemoryWorldConfig),
)
class MemoryWorldConfigResource:
    """Tunes what `MemoryWorld` keeps of a world, and how far it is told on.

    Save it as a `.tres` file and set it as `MemoryWorld.config`. A change takes effect with the next call. A
    value out of its range can be set, but a warning says so, and the calls of `MemoryWorld` fail until it is
    set right.
    """

    def configure(self, values: dict[str, Any]) -> None:
        """It has no calls of its own."""
