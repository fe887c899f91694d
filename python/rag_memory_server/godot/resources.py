"""The Godot classes MemoryEventBus, MemoryHotCache and MemoryPostgresStorage: the addresses of servers.

Their properties are the fields of the configs in `rag_memory_server.config`.
"""

from __future__ import annotations

from rag_memory.godot.config_class import config_class
from rag_memory_server.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig
from rag_memory_server.postgres_storage import MemoryPostgresStorage


@config_class("MemoryEventBus", MemoryEventBusConfig)
class MemoryEventBusResource:
    """The connection to the bus that carries events between the game servers of one world.

    Pass it to `MemoryServer.connect_bus()`. It needs a Valkey or Redis server and a dedicated server: see
    docs/servers.md. A single-player game does not need it.

    ```gdscript
    var bus := MemoryEventBus.new()
    bus.zone = "harbour"
    bus.password_file = "/run/secrets/valkey"
    ```
    """


@config_class("MemoryHotCache", MemoryHotCacheConfig)
class MemoryHotCacheResource:
    """The connection to the cache of hot memories: what NPCs feel, and what happened to them last.

    Pass it to `MemoryServer.connect_bus()`. From then on the mood, the dispositions and the last 30
    interactions of each NPC to whom something happens are in Valkey under the key `npc:{id}:memory`, for
    programs that need them at once. The save is authoritative: what is lost in Valkey is rebuilt from it.

    ```gdscript
    var cache := MemoryHotCache.new()
    cache.ttl_seconds = 3600
    ```
    """


@config_class("MemoryPostgresStorage", MemoryPostgresStorage)
class MemoryPostgresStorageResource:
    """The connection to saves on a PostgreSQL server, for a dedicated server or a world of many players.

    Pass it to `MemoryServer.open_save()` as the option `storage`. It needs PostgreSQL 18 with pgvector and a
    dedicated server: see docs/servers.md. A single-player game keeps its saves in files, and does not need
    it. The password is never in the resource, so that no scene or resource file holds it.

    ```gdscript
    var storage := MemoryPostgresStorage.new()
    storage.host = "db.example.org"
    storage.password_file = "/run/secrets/postgres"
    ```
    """
