"""What the server part adds to the core; see rag_memory.godot.server_part."""

from rag_memory.godot.declare import declaration_of
from rag_memory.godot.server_part import ServerPart
from rag_memory_server.godot.bus_calls import BusCalls
from rag_memory_server.godot.bus_connection import BusConnection
from rag_memory_server.godot.resources import (
    MemoryEventBusResource,
    MemoryHotCacheResource,
    MemoryPostgresStorageResource,
)
from rag_memory_server.postgres_storage import MemoryPostgresStorage

_CLASSES = (MemoryEventBusResource, MemoryHotCacheResource, MemoryPostgresStorageResource, BusCalls)

SERVER_PART = ServerPart(
    declarations=tuple(map(declaration_of, _CLASSES)),
    storages={MemoryPostgresStorage.title: MemoryPostgresStorage},
    connection=BusConnection,
    calls=BusCalls,
)
