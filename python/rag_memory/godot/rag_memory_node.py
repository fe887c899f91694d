"""The Godot node RAGMemory: the long-term memory of one NPC.

Its methods are the game calls of the parts of an NPC: see `NPC_PARTS` in `game_methods.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.declare import (
    NO_VALUES,
    Argument,
    EnumDeclaration,
    Flags,
    PackedStringArray,
    Property,
    Signal,
    Values,
    godot_class,
    method,
)
from rag_memory.godot.game_methods import npc_methods
from rag_memory.godot.memory_config import MemoryConfigResource, config_from
from rag_memory.godot.open_saves import OpenSaves
from rag_memory.ids import normal_id
from rag_memory.memory.company import EVERY_SENSE, HEARING, SIGHT
from rag_memory.npc.npc import Npc
from rag_memory.npc.rules import Rules
from rag_memory.step import Steps

NodeEventFunction = Callable[[str, bool, str, tuple[Any, ...]], None]
"""Told what happened to an NPC: its npc_id, whether it is persistent, a signal and its arguments."""


def _values() -> Values:
    """Return the properties of the class, and the senses as an enum."""
    return Values(
        [
            Property(
                "npc_id",
                str,
                "",
                "The id of the NPC whose memories these are. Nodes with the same id share them. While it is "
                "empty, calls that store or read memories fail.",
            ),
            Property(
                "config",
                MemoryConfigResource,
                None,
                "How memories are stored, scored and chosen; without one, the defaults of `MemoryConfig` "
                "apply.",
            ),
            Property(
                "persistent",
                bool,
                True,
                "If `true`, memories are written to the open save. If `false`, they are "
                "kept in memory only and are gone when the game exits.",
            ),
            Property(
                "senses",
                Flags,
                EVERY_SENSE,
                "What the NPC perceives of what others say and do near it, as a bystander: "
                "`RAGMemory.HEARING` and `RAGMemory.SIGHT`. A deaf NPC has 2, a blind one 1, and one that "
                "sleeps 0. Events that the game passes to this NPC itself are always perceived.",
                hint="Hearing:1,Sight:2",
            ),
        ],
        [
            EnumDeclaration(
                "Sense",
                (
                    ("HEARING", HEARING, "It hears what is said, and that something happens."),
                    ("SIGHT", SIGHT, "It sees what happens."),
                ),
            )
        ],
    )


@godot_class(
    "RAGMemory",
    "Node",
    values=_values,
    signals=[
        Signal("memory_added", (Argument("memory_id", str),), "Emitted when a memory has been stored."),
        Signal(
            "memories_recalled",
            (Argument("count", int),),
            "Emitted when a question was answered, with the number of memories returned.",
        ),
        Signal(
            "milestone_created",
            (Argument("milestone_type", str),),
            "Emitted when a stored memory is a milestone.",
        ),
        Signal(
            "memory_superseded",
            (Argument("memory_id", str), Argument("by_memory_id", str)),
            "Emitted when a memory, such as a promise, was superseded by a later one, such as its breach. It "
            "stays, with a lower score.",
        ),
        Signal(
            "memories_consolidated",
            (Argument("removed", int), Argument("summary_ids", PackedStringArray)),
            "Emitted when memories were merged into summaries. After a consolidation in the background every "
            "node of this NPC that was used before emits it, with the next answer to any call.",
        ),
        Signal(
            "failed",
            (Argument("error", str),),
            "Emitted when a call of this node failed; `error` says what happened, why and what to do. "
            "When the runtime cannot start it is emitted once, not with every call.",
        ),
    ],
    methods=npc_methods(),
)
class RAGMemoryNode:
    """The long-term memory of one NPC.

    Give the node a `RAGMemory.npc_id`, store what happens to the NPC, and ask what it remembers when the
    player speaks:

    ```gdscript
    @onready var memory: RAGMemory = $RAGMemory

    func _on_player_spoke(line: String) -> void:
        var recalled: Array = await memory.retrieve_scored_async(line).completed
        for recalled_memory: Dictionary in recalled:
            if not recalled_memory.protected: # The relationship header is for the prompt only.
                print(recalled_memory.rendered_text)
        memory.store_async("The player said: " + line, 6)
    ```

    A call that fails returns the empty value of its type (`""`, `0`, `false`, an empty Array or Dictionary)
    and emits `failed` with the reason. Most calls that need the worker exist twice: `retrieve_scored()`
    blocks until the answer is ready, `retrieve_scored_async()` returns a `MemoryRequest` at once.
    `estimate_tokens()`, `is_protected()` and `format_memories()` only block. These three,
    `calculate_importance()` and `get_deterministic_deltas()` need neither memories nor a save, and do not
    wait for earlier calls.
    """

    def __init__(
        self, saves: OpenSaves, on_event: NodeEventFunction, on_mind_event: NodeEventFunction
    ) -> None:
        self._saves = saves
        self._on_event = on_event
        self._on_mind_event = on_mind_event
        self._npc_id = ""
        self.senses = EVERY_SENSE
        """What it perceives as a bystander."""
        self._persistent = True
        self._config: MemoryConfig | None = None
        self._config_values: dict[str, Any] = {}
        self.rules = Rules(lambda: self.config, saves.now)

    def configure(self, values: dict[str, Any]) -> None:
        """Take over the property values of the node; `config` is None or a MemoryConfig's values, and
        `translation` the game's translations of sentences.
        """
        self._npc_id = normal_id(values["npc_id"])
        self._persistent = values["persistent"]
        self.senses = int(values["senses"])
        self._config_values = {**(values["config"] or {}), "translation": values.get("translation", {})}
        self._config = None

    @property
    def npc_id(self) -> str:
        """The NPC that this node was last used for; empty for none."""
        return self._npc_id

    def is_of(self, npc_id: str, persistent: bool) -> bool:
        """Return True if this node was last used for this NPC, in the open save or in the one in memory."""
        return (self._npc_id, self._persistent) == (npc_id, persistent)

    def npc(self) -> Npc:
        """Return the NPC that this node's calls go to, with the node's config."""
        if not self._npc_id:
            raise InvalidArgumentError(
                "this RAGMemory does not know whose memory it is",
                "its npc_id is empty",
                'Set npc_id in the inspector or in code, for example npc_id = "elena"',
            )
        config = self.config
        npc = self._saves.for_node(self._persistent).npc(self._npc_id)
        if npc.config is not config:
            npc.config = config
        if npc.on_event is None:
            npc.on_event = functools.partial(self._on_event, self._npc_id, self._persistent)
            npc.mind.on_event = functools.partial(self._on_mind_event, self._npc_id, self._persistent)
        return npc

    @method(writes=True, reads_world=True)
    def run_command(
        self, command: str, words: str, options: dict[str, Any] = NO_VALUES
    ) -> Steps[dict[str, Any]]:
        """Carries out a command of the `MemoryDebugConsole` about this NPC's memory.

        The console calls it; in a game call `MemoryDebugConsole.run_command()` instead. Commands come and go
        with the version of the addon.

        Args:
            command: its name, such as `"search"`.
            words: what was typed after it.
            options: `personality` is what `NPCPersonality.to_data()` returns.

        Returns:
            `pieces` to print one after the other (Strings, numbers that are game times, and Dictionaries to
            print as JSON), `is_failed`, and for a list of memories their ids (`listed`).
        """
        from rag_memory.godot.console_commands import run_command_steps

        return (yield from run_command_steps(self.npc(), command, words, options))

    @property
    def config(self) -> MemoryConfig:
        """The node's config, read from its property values."""
        if self._config is None:
            self._config = config_from(self._config_values)
        return self._config
