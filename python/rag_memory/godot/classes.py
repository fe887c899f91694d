"""The Godot classes of the addon, and the numbers of its methods in messages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from rag_memory.errors import RagMemoryError
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
from rag_memory.godot.server_part import NO_SERVER_PART, ServerPart, load_server_part


def declared_classes() -> list[GodotClass]:
    """The Godot classes of every game, in the order they are registered."""
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
        MemoryCalendarResource,
    )
    return [declaration_of(cls) for cls in implementations]


def worker_methods(classes: Iterable[GodotClass]) -> list[tuple[GodotClass, Method]]:
    """The methods of classes that the worker carries out; a method's position is its id in messages. Those of
    the server part follow those of every game.
    """
    return [(cls, m) for cls in classes for m in cls.methods if m.kind != Kind.NATIVE]


def method_table_key(classes: Iterable[GodotClass]) -> str:
    """Another one for every other table of methods: a library must not call by the numbers of another."""
    lines = [f"{cls.name}.{m.name}({', '.join(m.argument_names)})" for cls, m in worker_methods(classes)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def server_part_of(key: str, runtime: Path) -> ServerPart:
    """The server part, if the native host has read its table of methods, too.

    Args:
        key: the key of the host's table of methods, with that of the server part behind a plus sign.

    Raises:
        RagMemoryError: the host's tables are of other methods than there are here.
    """
    part = load_server_part(runtime) if "+" in key else NO_SERVER_PART
    tables = [table for table in (declared_classes(), part.declarations) if table]
    if key != "+".join(map(method_table_key, tables)):
        raise RagMemoryError(
            "The native library and the Python runtime are of different versions",
            "only a part of addons/rag_memory/ was copied or built",
            "The whole folder is needed",
        )
    return part
