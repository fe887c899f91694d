"""The Godot node RAGMemory: the long-term memory of one NPC."""

from __future__ import annotations

import functools
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
from rag_memory.godot.memory_browsing import MemoryBrowsing
from rag_memory.godot.memory_config import config_from

if TYPE_CHECKING:
    from rag_memory.godot.memory_server import MemoryServer
    from rag_memory.npc.npc_memory import NpcMemory

NodeEventFunction = Callable[[str, bool, str, tuple[Any, ...]], None]
"""Told what happened to an NPC: its npc_id, whether it is persistent, a signal and its arguments."""


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
            "memory_superseded",
            (Argument("memory_id", str), Argument("by_memory_id", str)),
            "Emitted when a memory, such as a promise, was superseded by a later one, such as its breach. It "
            "is kept, with a lower score.",
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
            "Emitted when a call of this node failed; [param error] says what happened, why and what to do. "
            "When the runtime cannot start it is emitted once, not with every call.",
        ),
    ],
)
class RAGMemoryNode(MemoryBrowsing):
    """The long-term memory of one NPC.

    Give the node an [member npc_id], store what happens to the NPC, and ask what she remembers when the
    player speaks to her:
    [codeblock]
    @onready var memory: RAGMemory = $RAGMemory

    func _on_player_spoke(line: String) -> void:
        var recalled: Array = await memory.retrieve_scored_async(line).completed
        for each: Dictionary in recalled:
            print(each.rendered_text)
        memory.store_async("The player said: " + line, 6)
    [/codeblock]
    Most calls that need the worker exist twice: [method retrieve_scored] blocks until the answer is
    there, [method retrieve_scored_async] returns a [MemoryRequest] at once. [method estimate_tokens],
    [method is_protected] and [method format_memories] only block. They, [method calculate_importance] and
    [method get_deterministic_deltas] need no memories and no save: they do not wait for earlier calls.
    """

    def __init__(self, server: MemoryServer, on_event: NodeEventFunction) -> None:
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

    def is_of(self, npc_id: str, persistent: bool) -> bool:
        """Whether this node was last used for this NPC, in the open save or in the one in memory."""
        return (self._npc_id, self._persistent) == (npc_id, persistent)

    def _npc(self) -> NpcMemory:
        if not self._npc_id:
            raise InvalidArgumentError(
                "this RAGMemory does not know whose memory it is",
                "its npc_id is empty",
                'Set npc_id in the inspector or in code, for example npc_id = "elena"',
            )
        config = self._checked_config()
        npc = self._server.save_for(self._persistent).npc(self._npc_id)
        if npc.config is not config:
            npc.config = config
        if npc.on_event is None:
            npc.on_event = functools.partial(self._on_event, self._npc_id, self._persistent)
        return npc

    def _checked_config(self) -> MemoryConfig:
        if self._config is None:
            self._config = MemoryConfig() if self._config_values is None else config_from(self._config_values)
        return self._config

    def _searchable(self) -> Steps[NpcMemory]:
        npc = self._npc()
        yield from npc.load_steps()
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
        [code]slot_type[/code], [code]timestamp[/code] (game time in seconds), [code]entities[/code],
        [code]document_short[/code] (your own short form; made from the text when left out) and
        [code]check_names[/code] ([code]false[/code]: who is named need not exist, see
        [method MemoryServer.register_people]). Any other key is kept as metadata."""
        return self._npc().store(text, importance, data)

    @method(writes=True)
    def store_with_conflict_check(
        self, text: str, importance: int = 5, data: dict[str, Any] = NO_VALUES
    ) -> str:
        """Stores a memory that may contradict an older one; arguments and result as in [method store]. A
        [code]slot_type[/code] of [member MemoryConfig.slot_types] holds one value: the old one is archived
        (see [method get_archived]). An [code]event_type[/code] that ends another one
        ([member MemoryConfig.supersession_pairs]) marks the older memories as superseded and emits
        [signal memory_superseded] for each; they keep [member MemoryConfig.superseded_score_multiplier] of
        their score. Old and new change together, or not at all."""
        return self._npc().store_with_conflict_check(text, importance, data)

    @method(writes=True)
    def store_conversation(self, speaker: str, message: str, context: dict[str, Any] = NO_VALUES) -> str:
        """Stores what somebody said to the NPC, told from her perspective, with importance 6. [param speaker]
        is [code]"player"[/code], a name, or the NPC's own [member npc_id]. [param context] takes the keys of
        [code]data[/code] in [method store], and [code]importance[/code]."""
        return self._npc().store_conversation(speaker, message, context)

    @method(writes=True)
    def store_witnessed_event(self, description: str, importance: int = 7, emotion: str = "surprised") -> str:
        """Stores what the NPC has seen, as a [code]witnessed_event[/code]."""
        return self._npc().store_witnessed_event(description, importance, emotion)

    @method(writes=True)
    def store_player_action(
        self, action_type: str, description: str, importance: int = 8, emotion: str = ""
    ) -> str:
        """Stores what the player did. [param action_type] is the event type, for example
        [code]"gift_given"[/code] or [code]"promise_broken"[/code], and is checked for conflicts as in
        [method store_with_conflict_check]. A [param description] like [code]"gave me a rose"[/code] becomes a
        whole sentence."""
        return self._npc().store_player_action(action_type, description, importance, emotion)

    @method(writes=True)
    def store_quest_memory(self, quest_id: str, outcome: str, importance: int = 8) -> str:
        """Stores how a quest went on. The outcomes [code]started[/code], [code]accepted[/code],
        [code]completed[/code], [code]succeeded[/code], [code]failed[/code] and [code]abandoned[/code] set the
        event type ([code]quest_started[/code], [code]quest_completed[/code], [code]quest_failed[/code]); any
        other is told in its own words, as the event type [code]quest[/code]."""
        return self._npc().store_quest_memory(quest_id, outcome, importance)

    @method(writes=True)
    def store_milestone(self, milestone_type: str, description: str, emotion: str = "significant") -> str:
        """Stores a turning point, pinned and with importance 10, and emits [signal milestone_created].
        [param milestone_type] is its event type, too: a [code]first_meeting[/code] is what the relationship
        header counts the days from."""
        return self._npc().store_milestone(milestone_type, description, emotion)

    @method(writes=True)
    def store_npc_awareness(self, other_npc_id: str, description: str, importance: int = 8) -> str:
        """Stores what the NPC has learned of another NPC, as [code]npc_awareness[/code]."""
        return self._npc().store_npc_awareness(other_npc_id, description, importance)

    @method(writes=True)
    def store_npc_state(self, is_alive: bool, death_data: dict[str, Any] = NO_VALUES) -> str:
        """Stores whether this NPC lives; it replaces what was stored before and is protected: part of every
        answer. [param death_data] says how she died: [code]cause[/code], [code]killed_by[/code],
        [code]location[/code], [code]timestamp[/code] and anything else."""
        return self._npc().store_npc_state(is_alive, death_data)

    @method()
    def get_npc_state(self) -> dict[str, Any]:
        """Returns whether this NPC lives: [code]npc_id[/code], [code]is_alive[/code], [code]known[/code]
        (whether [method store_npc_state] ever said so), [code]timestamp[/code], [code]memory_id[/code] and
        [code]death_data[/code]."""
        return self._npc().get_npc_state()

    @method()
    def check_npc_state(self, other_npc_id: str) -> dict[str, Any]:
        """Returns whether another NPC of the same save lives, as [method get_npc_state] does. An NPC of whom
        nothing was stored lives."""
        return self._npc().check_npc_state(other_npc_id)

    @method(writes=True)
    def store_relationship(self, with_entity: str, data: dict[str, Any]) -> str:
        """Stores how the NPC stands to [param with_entity], [code]"player"[/code] or any other name:
        [code]trust[/code], [code]respect[/code], [code]affection[/code] and [code]fear[/code] from -100 to
        100, [code]familiarity[/code] from 0 to 100. A value outside is clamped with a warning, one left out
        stays as it was. Other keys are kept, too; one that looks like a slip is warned of. The relationship
        header tells of the one to the player, as far as [method set_relationship_state] says nothing
        else."""
        return self._npc().store_relationship(with_entity, data)

    @method()
    def get_relationship(self, with_entity: str) -> dict[str, Any]:
        """Returns how the NPC stands to [param with_entity]: the five dimensions and [code]status[/code], a
        label such as [code]"friendly"[/code]. Empty when nothing was stored."""
        return self._npc().get_relationship(with_entity)

    @method(writes=True)
    def store_batch(self, memories: list[dict[str, Any]]) -> Steps[PackedStringArray]:
        """Stores many memories, much faster than one by one, and returns their ids in the same order. Each
        is a dictionary with [code]text[/code], optionally [code]importance[/code], and the keys of
        [code]data[/code] in [method store]. When one of them is not valid, none is stored.
        [code]store_batch_async()[/code] reads more than 500 of them over the following frames, for about a
        millisecond in each: do not change these dictionaries until the request is completed. The array may be
        changed or cleared at once."""
        return PackedStringArray((yield from self._npc().store_batch_steps(memories)))

    @method()
    def retrieve_scored(self, context: str, token_budget: int = -1) -> Steps[list[dict[str, Any]]]:
        """Returns the memories that belong in the prompt when the player says [param context], best first,
        within [param token_budget] tokens (-1: [member MemoryConfig.memory_token_budget]). Protected
        memories, such as the relationship header, come first and always. Each memory is a dictionary with
        [code]id[/code], [code]rendered_text[/code] (what to put into the prompt), [code]used_form[/code],
        [code]document[/code], [code]document_short[/code], [code]document_full[/code],
        [code]metadata[/code], [code]similarity[/code] (0..1), [code]distance[/code], [code]score[/code],
        [code]protected[/code] and [code]breakdown[/code], the factors of the score."""
        return (yield from self._searchable()).retrieve_scored(context, token_budget)

    @method()
    def retrieve_tiered(self, context: str, options: dict[str, Any] = NO_VALUES) -> Steps[dict[str, Any]]:
        """Returns memories by tier for [param context]: [code]pinned[/code], [code]important[/code] and
        [code]relevant[/code], arrays of memories as in [method retrieve_scored], and
        [code]total_chars[/code] and [code]budget_remaining[/code], in characters. A memory that does not fit
        is left out, never cut. Stored protected memories lead the array of their tier, always; the
        relationship header is not part of it. [param options]: [code]max_pinned_memories[/code],
        [code]max_important_memories[/code], [code]max_regular_memories[/code] and
        [code]max_memory_chars[/code] instead of those of [MemoryConfig], [code]min_importance[/code], and
        [code]filter[/code] as in [method retrieve_relevant_raw]."""
        return (yield from self._searchable()).retrieve_tiered(context, options)

    @method()
    def retrieve_relevant(
        self, context: str, options: dict[str, Any] = NO_VALUES
    ) -> Steps[PackedStringArray]:
        """Returns formatted lines of the memories most relevant to [param context]. [param options]:
        [code]limit[/code], [code]min_importance[/code] and [code]filter[/code]."""
        return PackedStringArray((yield from self._searchable()).retrieve_relevant(context, options))

    @method()
    def retrieve_relevant_raw(
        self, context: str, options: dict[str, Any] = NO_VALUES
    ) -> Steps[list[dict[str, Any]]]:
        """Returns the memories most relevant to [param context], ordered by relevance alone.
        [param options] as in [method retrieve_relevant]. A filter compares metadata with bound values."""
        return (yield from self._searchable()).retrieve_relevant_raw(context, options)

    @method()
    def get_recent(self, count: int = 5, min_importance: int = 0) -> Steps[list[dict[str, Any]]]:
        """Returns the newest [param count] memories of at least [param min_importance], newest first."""
        return (yield from self._searchable()).get_recent(count, min_importance)

    @method()
    def get_memory(self, id: str) -> dict[str, Any]:
        """Returns the memory with this id, or an empty dictionary when there is none."""
        return self._npc().get_memory(id) or {}

    @method(writes=True)
    def update_memory(self, id: str, changes: dict[str, Any]) -> bool:
        """Changes a memory under the same id: its [code]text[/code], [code]importance[/code], or any key of
        [code]data[/code] in [method store]; what is not named stays. A new text gets a new
        [code]document_short[/code], unless one is given. The tier follows the change, unless it was set by
        hand. Returns [code]false[/code] when there is no memory with this id."""
        return self._npc().update_memory(id, changes)

    @method(writes=True)
    def pin_memory(self, id: str) -> bool:
        """Makes a memory pinned, whatever its event. Returns [code]false[/code] when there is none with this
        id."""
        return self._npc().pin_memory(id)

    @method(writes=True)
    def unpin_memory(self, id: str) -> bool:
        """Gives a pinned memory the tier of its event, but important at most. Returns [code]false[/code] when
        there is none with this id."""
        return self._npc().unpin_memory(id)

    @method(writes=True)
    def forget(self, id: str) -> bool:
        """Deletes a memory for good. Returns [code]false[/code] when there is none with this id."""
        return self._npc().forget(id)

    @method(writes=True)
    def clear_all_memories(self) -> int:
        """Deletes all memories of this NPC for good and returns how many there were."""
        return self._npc().clear_all_memories()

    @method()
    def get_archived(self, id: str = "") -> list[dict[str, Any]]:
        """Returns what holds no longer but is kept, newest first: earlier values and versions, and what
        summaries were made from; of the memory [param id], or of all. No search finds it. Each is a memory
        with the key [code]archived[/code]: [code]number[/code], [code]at[/code] (game time),
        [code]reason[/code] ([code]slot_update[/code], [code]info_update[/code], [code]updated[/code] or
        [code]consolidated[/code]) and [code]by[/code], the id of what replaced it."""
        return self._npc().get_archived(id)

    @method(writes=True)
    def restore_archived(self, id: str, number: int = 0) -> bool:
        """Makes an archived memory hold again: the newest one with this [param id], or the one with this
        [param number] from [method get_archived]. An earlier value or version changes places with what holds
        now; a source of a summary comes back beside it. Returns [code]false[/code] when there is none."""
        return self._npc().restore_archived(id, number)

    @method()
    def get_memory_count(self) -> int:
        """Returns how many memories this NPC has."""
        return self._npc().get_memory_count()

    @method()
    def get_memory_stats(self) -> dict[str, Any]:
        """Returns what this NPC's memories add up to: [code]total[/code], [code]pinned[/code],
        [code]important[/code], [code]regular[/code], [code]milestones[/code], [code]superseded[/code],
        [code]protected[/code], [code]event_types[/code] (how many of each), [code]average_importance[/code],
        and the timestamps [code]oldest[/code] and [code]newest[/code]."""
        return self._npc().get_memory_stats()

    @method()
    def needs_consolidation(self) -> bool:
        """Returns whether this NPC has more memories than
        [member MemoryConfig.max_memories_before_consolidate]."""
        return self._npc().needs_consolidation()

    @method(writes=True)
    def consolidate(self) -> Steps[dict[str, Any]]:
        """Merges old conversations of one day and topic into summaries and, when there are more than
        [member MemoryConfig.max_memories_before_consolidate] memories, those of the lowest score, until about
        [member MemoryConfig.consolidate_target] are left. Pinned memories, milestones, what is in a slot,
        what is known about the player, and promises and the like are never merged. A summary consists of the
        memories' own sentences; its metadata has [code]source_ids[/code], [code]dates[/code],
        [code]topics[/code], [code]people[/code] and [code]numbers[/code]. The merged memories are archived:
        no search finds them, [method restore_archived] and [method MemoryServer.rollback_to] bring them back.
        Returns [code]removed[/code], [code]summary_ids[/code] and [code]remaining[/code], and emits
        [signal memories_consolidated]. With [member MemoryConfig.auto_consolidate] it happens by itself."""
        return (yield from self._npc().consolidate_steps())

    @method()
    def export_json(self) -> str:
        """Returns this NPC's memories, with what [method get_archived] returns, as JSON for
        [method import_json] in any save."""
        return self._npc().export_json()

    @method(writes=True)
    def import_json(self, text: str) -> Steps[int]:
        """Stores the memories that [method export_json] returned, of this NPC or another one, and returns how
        many of them were new; what was archived is archived again and not counted. What is known already is
        left out, and so is what the player said of themselves ([code]player_info[/code]) when as new or newer
        is known. When one of them is not valid, none is stored."""
        return (yield from self._npc().import_json_steps(text))

    @method()
    def dump_all_memories(self) -> str:
        """Returns every memory of this NPC as text to read, oldest first, for logs and bug reports."""
        return self._npc().dump_all_memories()

    @method(Kind.POST, writes=True)
    def set_relationship_state(self, state: dict[str, Any]) -> None:
        """Tells how the NPC stands to the player now: [code]trust[/code], [code]affection[/code],
        [code]fear[/code], [code]respect[/code] (-100 to 100 each), [code]familiarity[/code] (0 to 100) and
        [code]met[/code] (a bool). A number outside its range is clamped, with a warning. Other keys mean
        nothing to the header; one that looks like a slip for one of these is warned of, and so is a state
        with none of them. The relationship header of the next answers says so.
        The state is not saved, and it replaces all that was told before: what is left out is again what
        [method store_relationship] has stored for the player, or [method set_initial_relationship] has told,
        or the default. It is gone when its save is closed, also by opening another one, and stays as it is
        over [method MemoryServer.restore] and [method MemoryServer.rollback_to]: tell all of it again after
        each of these."""
        self._npc().set_relationship_state(state)

    @method(Kind.POST, writes=True)
    def set_initial_relationship(self, state: dict[str, Any]) -> None:
        """Tells how the NPC stands to a player she has never met: the keys of
        [method set_relationship_state]. The relationship header of the next answers says so where
        [method store_relationship] has stored nothing for the player and [method set_relationship_state]
        has told nothing, value by value, and again when [method MemoryServer.rollback_to] goes back to before
        the storing. [method store_relationship] begins with it. [ContextBuilder] tells the
        [member NPCPersonality.initial_relationship] of its personality.
        It is not saved, and it is gone when its save is closed, also by opening another one."""
        self._npc().set_initial_relationship(state)

    @method()
    def generate_relationship_header(self) -> Steps[dict[str, Any]]:
        """Returns the relationship header as a memory: a line like
        [code][lb]Met=yes, Days=3, Trust=45, ..., Status=neutral[rb][/code]. It is generated, never
        stored, and is part of every [method retrieve_scored]."""
        return (yield from self._searchable()).generate_relationship_header()

    @method(Kind.WORKER_SYNC, unordered=True, const=True)
    def estimate_tokens(self, text: str) -> int:
        """Returns about how many tokens a language model needs for [param text]: a third of its characters,
        rounded up. That is high for English and for most languages in Latin letters. Other scripts may need
        more, Chinese, Japanese, Korean and Thai about one token a character, depending on the model: set
        the token budgets to about a third there."""
        from rag_memory.retrieval.selection import estimate_tokens

        return estimate_tokens(text)

    @method()
    def explain(self, context: str, memory_id: str = "") -> Steps[dict[str, Any]]:
        """Says why a memory came, or did not, when [method retrieve_scored] answers [param context] with the
        configured budget: [code]reason[/code] is [code]returned[/code], [code]unknown[/code],
        [code]filtered[/code], [code]not_candidate[/code], [code]duplicate[/code],
        [code]out_scored[/code] or [code]budget[/code], and [code]text[/code] says it in words.
        [code]ranks[/code] has its rank in each channel of relevance among all memories,
        [code]relevance_rank[/code] its place among those that are important enough,
        [code]score_rank[/code] the one among the candidates and [code]rank[/code] the one in the answer;
        all begin with 1. With an empty [param memory_id], [code]memories[/code] has such a Dictionary for
        every candidate, besides the names and keywords found in the question and the tokens used. It
        measures every memory of the NPC: it is meant for tools and tests."""
        return (yield from self._searchable()).explain(context, memory_id)

    @method()
    def calculate_memory_score(self, memory: dict[str, Any], context: str = "") -> Steps[float]:
        """Returns the score that [param memory], a dictionary with [code]metadata[/code], has for
        [param context]. Without a context a retrieved memory keeps the relevance it came with, and of any
        other its own [code]similarity[/code] or [code]distance[/code] counts; with only one of
        these two, as no memory of this class has, it is taken at its word.
        Protected memories are returned whatever their score."""
        return (yield from self._searchable()).calculate_memory_score(memory, context)

    @method(unordered=True)
    def calculate_importance(
        self,
        event_type: str,
        analysis: dict[str, Any] = NO_VALUES,
        state_deltas: dict[str, Any] = NO_VALUES,
    ) -> int:
        """Returns how important an event is, 1 to 10: the base of its type
        ([member MemoryConfig.event_type_importance]) plus a boost for each thing it changed.
        [param state_deltas] says what: [code]trust_change[/code], [code]affection_change[/code],
        [code]fear_change[/code] as numbers, and [code]secret_revealed[/code],
        [code]player_name_learned[/code], [code]obligation_created[/code], [code]promise_made[/code],
        [code]promise_broken[/code], [code]quest_started[/code], [code]quest_completed[/code],
        [code]quest_failed[/code], [code]npc_injured[/code], [code]npc_died[/code] as flags. Of
        [param analysis], a language model's, only a learned name counts."""
        from rag_memory.memory.importance import calculate_importance

        return calculate_importance(self._checked_config(), event_type, analysis, state_deltas)

    @method(unordered=True)
    def get_deterministic_deltas(
        self, event_type: str, context: dict[str, Any] = NO_VALUES
    ) -> dict[str, Any]:
        """Returns what an event of this type does to the relationship by the rules of the [MemoryConfig], for
        example [code]{"trust_change": 15, ...}[/code] for [code]life_saved[/code]; empty for a type without
        a rule. [param context] does not change the rules of this version."""
        from rag_memory.memory.importance import get_deterministic_deltas

        return get_deterministic_deltas(self._checked_config(), event_type, context)

    @method(Kind.WORKER_SYNC, unordered=True)
    def is_protected(self, memory: dict[str, Any]) -> bool:
        """Returns whether [param memory] is in a protected slot, and so part of every answer. Of several
        memories in a slot that is the newest: of one that was retrieved, its [code]protected[/code] tells."""
        from rag_memory.memory.memory_view import is_protected

        return is_protected(memory, self._checked_config())

    @method(Kind.WORKER_SYNC, unordered=True)
    def format_memories(self, memories: list[Any], style: str = "") -> PackedStringArray:
        """Returns one line per memory. [param style]: empty for the text alone, [code]"bullet"[/code],
        [code]"numbered"[/code], [code]"dated"[/code] (how long ago) or [code]"detailed"[/code] (age, event
        type, importance, and by what it was superseded)."""
        from rag_memory.memory.formatting import format_memories

        return PackedStringArray(format_memories(memories, style, self._server.now()))
