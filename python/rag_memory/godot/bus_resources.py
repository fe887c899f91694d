"""The Godot classes MemoryEventBus and MemoryHotCache: how a game server shares a world with others, as
Resources.

The properties are not written here: they are the fields of the configs in `rag_memory.config.valkey_config`.
"""

from __future__ import annotations

from rag_memory.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig
from rag_memory.godot.config_class import config_class


@config_class("MemoryEventBus", MemoryEventBusConfig)
class MemoryEventBusResource:
    """Says where the bus is that carries events between the game servers of one world.

    Pass it to `MemoryServer.connect_bus()`. It needs a Valkey or Redis server and a dedicated server: see
    docs/servers.md. A game that is played alone has no use for it.

    ```gdscript
    var bus := MemoryEventBus.new()
    bus.zone = "harbour"
    bus.password_file = "/run/secrets/valkey"
    ```
    """


@config_class("MemoryHotCache", MemoryHotCacheConfig)
class MemoryHotCacheResource:
    """Says where the hot memories of NPCs are kept: what they feel, and what happened to them last.

    Pass it to `MemoryServer.connect_bus()`. From then on the mood, the dispositions and the last 30
    interactions of each NPC to whom something happens are in Valkey under the key `npc:{id}:memory`, for
    whoever needs them at once. The save stays the truth: what is lost in Valkey is made anew.

    ```gdscript
    var cache := MemoryHotCache.new()
    cache.ttl_seconds = 3600
    ```
    """
