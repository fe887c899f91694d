"""Every Godot class of the addon, and the numbers of its methods in messages."""

from __future__ import annotations

import hashlib

from rag_memory.godot.bus_resources import MemoryEventBusResource, MemoryHotCacheResource
from rag_memory.godot.calendar_resource import MemoryCalendarResource
from rag_memory.godot.config_classes import (
    MemoryWorldConfigResource,
    NPCDossierConfigResource,
    NPCMindConfigResource,
)
from rag_memory.godot.declare import GodotClass, Kind, Method, declaration_of
from rag_memory.godot.memory_config import MemoryConfigResource
from rag_memory.godot.memory_request import MemoryRequest
from rag_memory.godot.memory_server import MemoryServer
from rag_memory.godot.memory_world import MemoryWorld
from rag_memory.godot.npc_mind_node import NPCMindNode
from rag_memory.godot.rag_memory_node import RAGMemoryNode
from rag_memory.godot.storage_resource import MemoryPostgresStorageResource


def declared_classes() -> list[GodotClass]:
    """All Godot classes of the addon, in the order they are registered."""
    implementations = (
        MemoryRequest,
        MemoryConfigResource,
        MemoryServer,
        RAGMemoryNode,
        NPCMindConfigResource,
        NPCMindNode,
        MemoryWorldConfigResource,
        MemoryWorld,
        NPCDossierConfigResource,
        MemoryEventBusResource,
        MemoryHotCacheResource,
        MemoryPostgresStorageResource,
        MemoryCalendarResource,
    )
    return [declaration_of(cls) for cls in implementations]


def worker_methods() -> list[tuple[GodotClass, Method]]:
    """Every method the worker carries out; a method's position is its id in messages."""
    return [(cls, m) for cls in declared_classes() for m in cls.methods if m.kind != Kind.NATIVE]


def method_table_key() -> str:
    """Another one for every other table of methods: a library must not call by the numbers of another."""
    lines = [
        f"{cls.name}.{m.name}({', '.join(argument.name for argument in m.arguments)})"
        for cls, m in worker_methods()
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
