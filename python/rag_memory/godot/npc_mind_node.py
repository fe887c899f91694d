"""The Godot node NPCMind: the mind of one NPC.

Its methods are the game calls of the parts of an NPC's mind: see `MIND_PARTS` in `game_methods.py`.
"""

from __future__ import annotations

from typing import Any

from rag_memory.config.mind_config import NPCMindConfig, mind_config_from
from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.config_classes import NPCMindConfigResource
from rag_memory.godot.declare import (
    AreaNode,
    Argument,
    MemoryNode,
    PackedStringArray,
    Property,
    Signal,
    godot_class,
    method,
    native,
)
from rag_memory.godot.game_methods import mind_methods
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.godot.rag_memory_node import NodeEventFunction, RAGMemoryNode
from rag_memory.ids import normal_id
from rag_memory.npc.npc import Npc
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.step import Steps


@godot_class(
    "NPCMind",
    "Node",
    properties=[
        Property(
            "memory",
            MemoryNode,
            None,
            "Whose mind this is. If it is not set, the `RAGMemory` that is the parent, a sibling or a child "
            "of this node is used.",
        ),
        Property(
            "config",
            NPCMindConfigResource,
            None,
            "How events are weighed and felt; without one, the defaults of `NPCMindConfig` apply.",
        ),
        Property(
            "proximity_area",
            AreaNode,
            None,
            "An `Area2D` or `Area3D` around the NPC. Bodies and areas in it are nearby if they have the "
            "metadata `npc_id`, or a `RAGMemory` below it.",
        ),
    ],
    signals=[
        Signal(
            "disposition_changed",
            (Argument("character_id", str), Argument("feeling", str), Argument("strength", float)),
            "Emitted when the NPC feels more or less towards somebody; `feeling` is `friendly`, `neutral` or "
            "`hostile`.",
        ),
        Signal(
            "emotion_changed",
            (Argument("mood", str), Argument("intensity", float)),
            "Emitted when something moves the NPC. An emotion that fades by itself emits nothing.",
        ),
        Signal(
            "memory_encoded",
            (Argument("memory_id", str), Argument("kind", str)),
            "Emitted when an event has become a memory.",
        ),
        Signal(
            "reflected",
            (Argument("memory_ids", PackedStringArray),),
            "Emitted when the NPC has reflected, with the ids of its insights.",
        ),
        Signal(
            "failed",
            (Argument("error", str),),
            "Emitted when a call of this node failed; `error` says what happened, why and what to do.",
        ),
    ],
    methods=[
        *mind_methods(),
        native(
            "get_nearby",
            (),
            PackedStringArray,
            "Returns who is near: the ids set by `set_nearby()`, and those in the `proximity_area`.",
        ),
        native(
            "set_nearby",
            (Argument("npc_ids", PackedStringArray),),
            type(None),
            "Sets who is near, besides those in the `proximity_area`. It replaces the former ids.",
        ),
    ],
)
class NPCMindNode:
    """The mind of one NPC: it turns events into memories, feelings, moods and conclusions.

    Put it beside or below the `RAGMemory` of the NPC and tell it what happens:

    ```gdscript
    @onready var mind: NPCMind = $RAGMemory/NPCMind

    func _on_player_gave(item: String) -> void:
        var event := {"action": "gifted", "source_id": "player", "source_name": "Rowan", "content": item}
        var felt: Dictionary = await mind.perceive_async(event).completed
        print(felt.emotion.mood, " ", felt.disposition.feeling)
    ```

    Feelings belong to the save, as memories do: a loaded game has the old mood. Two nodes of one NPC share
    them.
    """

    def __init__(
        self, saves: OpenSaves, on_memory_event: NodeEventFunction, on_mind_event: NodeEventFunction
    ) -> None:
        self.memory_instance = 0
        """The instance id of its RAGMemory."""
        self._memory = RAGMemoryNode(saves, on_memory_event, on_mind_event)
        self._has_memory = False
        self._of: tuple[str, bool] = ("", True)
        self._nearby: list[str] = []
        self._config_values: dict[str, Any] | None = None
        self._config: NPCMindConfig | None = None

    def configure(self, values: dict[str, Any]) -> None:
        """Take over the property values of the node: `memory` and `config` are None or values of their
        own."""
        memory = values["memory"]
        self._has_memory = memory is not None
        if memory is not None:
            self._memory.configure({**memory, "translation": values.get("translation", {})})
            self._of = (normal_id(memory["npc_id"]), memory["persistent"])
        self.memory_instance = values["memory_instance"]
        self._nearby = list(values["nearby"])
        self._config_values = values["config"]
        self._config = None

    @method(writes=True)
    def run_command(self, command: str, words: str) -> Steps[dict[str, Any]]:
        """Carries out a command of the `MemoryDebugConsole` about this mind.

        The console and the inspector call it; in a game call `MemoryDebugConsole.run_command()` instead.
        Commands come and go with the version of the addon.

        Args:
            command: its name, such as `"mood"`.
            words: what was typed after it.

        Returns:
            what `RAGMemory.run_command()` returns; for `"panel"` what the inspector shows.
        """
        from rag_memory.godot.mind_commands import run_mind_command_steps

        return (yield from run_mind_command_steps(self.npc(), command, words))

    def is_of(self, npc_id: str, persistent: bool) -> bool:
        """Return True if this node was last used for this NPC, in the open save or in the one in memory."""
        return self._of == (npc_id, persistent)

    @property
    def npc_id(self) -> str:
        """The NPC that this node was last used for; empty for none."""
        return self._of[0]

    def npc(self) -> Npc:
        """Return the NPC, with the configs of its node and of this one."""
        self.mind()
        return self._memory.npc()

    def mind(self) -> NpcMind:
        """Return the mind that this node's calls go to, with the node's config."""
        if not self._has_memory:
            raise InvalidArgumentError(
                "this NPCMind does not know whose mind it is",
                "no RAGMemory is its parent, its sibling or its child",
                "Put it below the NPC's RAGMemory, or set memory in the inspector",
            )
        mind = self._memory.npc().mind
        if self._config is None:
            values = self._config_values
            self._config = mind_config_from(values)
        mind.config = self._config
        mind.listeners.nearby = tuple(self._nearby)
        return mind
