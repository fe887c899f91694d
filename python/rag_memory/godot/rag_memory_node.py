"""The Godot node RAGMemory: the long-term memory of one NPC."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rag_memory.config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.godot.declare import (
    NO_VALUES,
    Argument,
    ConfigResource,
    Kind,
    PackedStringArray,
    Property,
    Signal,
    Steps,
    godot_class,
    method,
)
from rag_memory.godot.memory_config import config_from

if TYPE_CHECKING:
    from rag_memory.godot.memory_server import MemoryServer
    from rag_memory.npc_memory import NpcMemory


@godot_class(
    "RAGMemory",
    "Node",
    properties=[
        Property(
            "npc_id",
            str,
            "",
            "Whose memories these are. Two nodes with the same id share them. Must not be empty when the "
            "first memory is stored or asked for.",
        ),
        Property(
            "config",
            ConfigResource,
            None,
            "How memories are kept, scored and chosen; without one the defaults of [MemoryConfig] hold.",
        ),
        Property(
            "persistent",
            bool,
            True,
            "If [code]true[/code], memories are written to the open save. If [code]false[/code], they are "
            "kept in memory only and are gone when the game exits.",
        ),
    ],
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
            "failed",
            (Argument("error", str),),
            "Emitted when a call of this node failed; [param error] says what happened, why and what to do. "
            "When the runtime cannot start it is emitted once, not with every call.",
        ),
    ],
)
class RAGMemoryNode:
    """The long-term memory of one NPC.

    Give the node an [member npc_id], store what happens to the NPC, and ask what she remembers when the
    player speaks to her:
    [codeblock]
    @onready var memory: RAGMemory = $RAGMemory

    func _on_player_spoke(line: String) -> void:
        var recalled: Array = await memory.retrieve_scored_async(line).completed
        for each: Dictionary in recalled:
            print(each.rendered_text)
        memory.store("The player said: " + line, 6)
    [/codeblock]
    Every call that needs the worker exists twice: [method retrieve_scored] blocks until the answer is
    there, [method retrieve_scored_async] returns a [MemoryRequest] at once.
    """

    def __init__(self, server: MemoryServer, on_event: Callable[[str, tuple[Any, ...]], None]) -> None:
        self._server = server
        self._on_event = on_event
        self._npc_id = ""
        self._persistent = True
        self._config: MemoryConfig | None = None
        self._config_values: dict[str, Any] | None = None

    def configure(self, values: dict[str, Any]) -> None:
        """Take over the property values of the node; `config` is None or a MemoryConfig's values."""
        self._npc_id = values["npc_id"]
        self._persistent = values["persistent"]
        self._config_values = values["config"]
        self._config = None

    def _npc(self) -> NpcMemory:
        if not self._npc_id:
            raise InvalidArgumentError(
                "this RAGMemory does not know whose memory it is",
                "its npc_id is empty",
                'set npc_id in the inspector or in code, for example npc_id = "elena"',
            )
        if self._config is None:
            self._config = MemoryConfig() if self._config_values is None else config_from(self._config_values)
        npc = self._server.save_for(self._persistent).npc(self._npc_id)
        if npc.config is not self._config:
            npc.config = self._config
        npc.on_event = self._on_event
        return npc

    @method(writes=True)
    def store(self, text: str, importance: int = 5, data: dict[str, Any] = NO_VALUES) -> str:
        """Stores a memory and returns its id, or an empty string when that failed. Once this has returned,
        the memory survives a crash of the game. [param importance] goes from 1 to 10. Keys of
        [param data] with a meaning: [code]event_type[/code], [code]emotion[/code],
        [code]participants[/code], [code]location[/code], [code]topics[/code],
        [code]interaction_type[/code], [code]memory_tier[/code], [code]is_milestone[/code],
        [code]milestone_type[/code], [code]is_first[/code], [code]info_type[/code] (a
        [code]player_info[/code] event with the same info_type is updated, not repeated),
        [code]slot_type[/code], [code]timestamp[/code] (game time in seconds) and [code]entities[/code]. Any
        other key is kept as metadata."""
        return self._npc().store(text, importance, data)

    @method(writes=True)
    def store_batch(self, memories: list[dict[str, Any]]) -> Steps[PackedStringArray]:
        """Stores many memories, much faster than one by one, and returns their ids in the same order. Each
        is a dictionary with [code]text[/code], optionally [code]importance[/code], and the keys of
        [code]data[/code] in [method store]. When one of them is not valid, none is stored."""
        return PackedStringArray((yield from self._npc().store_batch_steps(memories)))

    @method()
    def retrieve_scored(self, context: str, token_budget: int = -1) -> list[dict[str, Any]]:
        """Returns the memories that belong in the prompt when the player says [param context], best first,
        within [param token_budget] tokens (-1: [member MemoryConfig.memory_token_budget]). Protected
        memories, such as the relationship header, come first and always. Each memory is a dictionary with
        [code]id[/code], [code]rendered_text[/code] (what to put into the prompt), [code]used_form[/code],
        [code]document[/code], [code]document_short[/code], [code]document_full[/code],
        [code]metadata[/code], [code]similarity[/code] (0..1), [code]distance[/code], [code]score[/code],
        [code]protected[/code] and [code]breakdown[/code], the factors of the score."""
        return self._npc().retrieve_scored(context, token_budget)

    @method()
    def retrieve_relevant(self, context: str, options: dict[str, Any] = NO_VALUES) -> PackedStringArray:
        """Returns formatted lines of the memories most relevant to [param context]. [param options]:
        [code]limit[/code], [code]min_importance[/code] and [code]filter[/code]."""
        return PackedStringArray(self._npc().retrieve_relevant(context, options))

    @method()
    def retrieve_relevant_raw(
        self, context: str, options: dict[str, Any] = NO_VALUES
    ) -> list[dict[str, Any]]:
        """Returns the memories most relevant to [param context], ordered by relevance alone.
        [param options] as in [method retrieve_relevant]. A filter compares metadata with bound values:
        [codeblock]
        var filter := {"event_type": "betrayal", "importance": {">=": 4}}
        memory.retrieve_relevant_raw(line, {"filter": filter})
        [/codeblock]"""
        return self._npc().retrieve_relevant_raw(context, options)

    @method()
    def get_recent(self, count: int = 5, min_importance: int = 0) -> list[dict[str, Any]]:
        """Returns the newest [param count] memories of at least [param min_importance], newest first."""
        return self._npc().get_recent(count, min_importance)

    @method()
    def get_memory(self, id: str) -> dict[str, Any]:
        """Returns the memory with this id, or an empty dictionary when there is none."""
        return self._npc().get_memory(id) or {}

    @method(writes=True)
    def forget(self, id: str) -> bool:
        """Deletes a memory for good. Returns [code]false[/code] when there is none with this id."""
        return self._npc().forget(id)

    @method(writes=True)
    def clear_all_memories(self) -> int:
        """Deletes all memories of this NPC for good and returns how many there were."""
        return self._npc().clear_all_memories()

    @method()
    def get_memory_count(self) -> int:
        """Returns how many memories this NPC has."""
        return self._npc().get_memory_count()

    @method(Kind.POST, writes=True)
    def set_relationship_state(self, state: dict[str, Any]) -> None:
        """Tells how the NPC stands to the player now: [code]trust[/code], [code]affection[/code],
        [code]fear[/code], [code]respect[/code] and [code]familiarity[/code]. The relationship header of the
        next answers says so."""
        self._npc().set_relationship_state(state)

    @method()
    def generate_relationship_header(self) -> dict[str, Any]:
        """Returns the relationship header as a memory: a line like
        [code][lb]Met=yes, Days=3, Trust=45, ..., Status=neutral[rb][/code]. It is generated, never
        stored, and is part of every [method retrieve_scored]."""
        return self._npc().generate_relationship_header()

    @method(Kind.WORKER_SYNC, const=True)
    def estimate_tokens(self, text: str) -> int:
        """Returns about how many tokens a language model needs for [param text]: a third of its
        characters, rounded up, which errs on the safe side."""
        from rag_memory.selection import estimate_tokens

        return estimate_tokens(text)
