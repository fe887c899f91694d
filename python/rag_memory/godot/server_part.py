"""The server part of the addon as the core knows it: what it adds to Godot's classes and to the bridge.

Only a dedicated server has the package. This module is the one place that imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from rag_memory.errors import RagMemoryError
from rag_memory.godot.declare import GodotClass
from rag_memory.godot.npc_mind_node import NPCMindNode
from rag_memory.godot.open_saves import EventFunction, OpenSaves
from rag_memory.godot.save_server import NO_STORAGES, Storages
from rag_memory.step import Steps

_FOLDER = "server"
_MODULE = "rag_memory_server.godot.server_part"


class ServerConnection(Protocol):
    """What a game shares with other game servers, as far as the bridge has to do with it."""

    def status(self) -> dict[str, Any] | None:
        """The entry `bus` of `MemoryServer.health()`; None without one."""

    def note_mind(self, instance_id: int, mind: NPCMindNode) -> None:
        """The game has an NPCMind, or has set it anew."""

    def forget_mind(self, instance_id: int) -> None:
        """An NPCMind was freed."""

    def note_acquired(self) -> None:
        """An NPC may be this game's now."""

    def leave_steps(self, npc_id: str) -> Steps[None]:
        """Send what has to be sent before another game may take an NPC."""

    def carry_out_steps(self) -> Steps[None]:
        """Carry out some of what has come from other game servers."""

    def disconnect(self) -> None:
        """Leave them, because the game ends."""


@dataclass(frozen=True)
class ServerPart:
    """What the package of the server part brings: SERVER_PART in its module _MODULE."""

    declarations: tuple[GodotClass, ...]
    """Godot classes of its own. The one without a base has the calls that it adds to MemoryServer."""
    storages: Storages
    connection: Callable[
        [OpenSaves, EventFunction, Callable[[], None], Callable[[], set[str]]], ServerConnection
    ]
    """Makes the connection. Its last two arguments make the host call carry_out_steps(), from any thread, and
    return the NPCs who have a call in work, between two slices.
    """
    calls: Callable[[Any], Any]
    """Makes what carries out the calls that are added, from the connection."""


class NoConnection:
    """The connection of a game without the server part. See ServerConnection."""

    def status(self) -> dict[str, Any] | None:
        return None

    def note_mind(self, instance_id: int, mind: NPCMindNode) -> None:
        pass

    def forget_mind(self, instance_id: int) -> None:
        pass

    def note_acquired(self) -> None:
        pass

    def leave_steps(self, npc_id: str) -> Steps[None]:
        yield from ()

    def carry_out_steps(self) -> Steps[None]:
        yield from ()

    def disconnect(self) -> None:
        pass


NO_SERVER_PART = ServerPart((), NO_STORAGES, lambda *_: NoConnection(), lambda _: None)
"""What a game has without it."""


def load_server_part(runtime: Path) -> ServerPart:
    """Import the package of the server part, which is there.

    Args:
        runtime: <addon>/runtime/<platform>; the part is in <addon>/server/<platform>, in a project and in an
            exported game.

    Raises:
        RagMemoryError: a file of it is missing.
    """
    folder = runtime.parents[1] / _FOLDER / runtime.name
    sys.path.append(str(folder))
    try:
        module = import_module(_MODULE)
    except ImportError as error:
        raise RagMemoryError(
            f"The server part in {folder} cannot be loaded",
            f"it is not whole ({error})",
            "Unzip the server part of this version again, or delete that folder if the game is no server",
        ) from error
    part: ServerPart = module.SERVER_PART
    return part
