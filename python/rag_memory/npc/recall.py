"""Questions to one NPC's memory: what it recalls, why, and what it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.conversation.turn_log import TurnLog
from rag_memory.game_call import game_call
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.secrecy import PLAYER_ALONE, may_be_told, record_may_be_told, validate_listeners
from rag_memory.npc.condition_judge import ConditionJudge
from rag_memory.npc.event_query import (
    EventDetails,
    EventQuery,
    details_of,
    has_details,
    has_status,
    parse_event_query,
)
from rag_memory.npc.retriever import Retriever
from rag_memory.retrieval.selection import TIER_LISTS
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Steps
from rag_memory.storage.filter import Condition
from rag_memory.text.other_names import OtherNames
from rag_memory.validation import validate_number_in
from rag_memory.world.event_filter import participants
from rag_memory.world.world import World


class Recall:
    """Returns and explains the memories that answer a question, and judges conditions by them."""

    def __init__(
        self, records: OwnedRecords, retriever: Retriever, turns: TurnLog, world: World, emit: EventFunction
    ) -> None:
        self._records = records
        self._world = world
        self._turns = turns
        self._retriever = retriever
        self._emit = emit

    def load_steps(self) -> Steps[None]:
        """Loads the search index in slices.

        Without it the first question does so in one piece, in 0.04 s per thousand memories. It waits while
        a smaller NPC is being loaded: whoever loads several NPCs at once gives each a slice in turn.
        """
        return self._records.index.load_steps()

    @game_call(searches=True)
    def retrieve_scored(
        self, context: str, token_budget: int = -1, speaker: str = PLAYER
    ) -> list[dict[str, Any]]:
        """Returns the memories that belong in the prompt when somebody says something, best first.

        Protected memories, such as the relationship header, come first and always. The others follow by
        score, each that still fits the budget. An empty context finds what is protected, recent high-signal
        events and the newest memories. Emits `memories_recalled`.

        Secrets are included. If you write your own prompt, leave out memories whose `may_be_told` is `false`.
        `NPCContextBuilder`, the dossier and the other queries do that for you.

        Every memory in the result counts as recalled, unless it is protected. `last_accessed` in its metadata
        is the time of the recall before this one, or else of the event; `MemoryConfig.STREAM` scores by it.

        Args:
            context: what is said.
            token_budget: how many tokens the texts may take together. -1 stands for
                `MemoryConfig.memory_token_budget`.
            speaker: the id of who says it, such as that of another NPC: "I" and "my" in the context are that
                one. In memories that you store about it, use the name that `MemoryWorld.register_character()`
                gave it, or else its id in words.

        Returns:
            a dictionary for each memory: `id`, `rendered_text` (what to put into the prompt), `used_form`,
            `document`, `document_short`, `document_full`, `metadata`, `may_be_told` (`false` for a secret
            that the player may not know), `similarity` (0 to 1), `distance` (1 minus that), `score`,
            `protected` and `breakdown`, the factors of the score. When two memories say different things
            about the same matter, the newer one comes first; the older one has its id in `newer` and begins
            with "earlier: ", the newer one has a list of ids in `earlier`. Others have no such keys.
            The result is a copy: it does not change when a memory is changed or forgotten later.
        """
        memories = self._retriever.scored("retrieve_scored()", context, token_budget, speaker=speaker)
        self._emit("memories_recalled", (len(memories),))
        return memories

    @game_call(searches=True)
    def retrieve_tiered(self, context: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns memories by tier, within a number of characters.

        A memory that does not fit is left out, never cut. Stored protected memories lead the list of their
        tier, always, and count towards its limit. The relationship header is not among them:
        `generate_relationship_header()` returns it.

        Args:
            options: `max_pinned_memories`, `max_important_memories`, `max_regular_memories` and
                `max_memory_chars` instead of those of the `MemoryConfig`, `min_importance`, and `filter`,
                `listeners` and `speaker` as in `retrieve_relevant_raw()`. Without `min_importance`, the
                relevant ones need `MemoryConfig.min_tiered_importance`.

        Returns:
            `pinned`, `important` and `relevant`, lists of memories as in `retrieve_scored()`, and
            `total_chars` and `budget_remaining`, in characters.
        """
        memories = self._retriever.by_tier("retrieve_tiered()", context, options)
        self._emit("memories_recalled", (sum(len(memories[name]) for name in TIER_LISTS),))
        return memories

    @game_call(searches=True)
    def retrieve_relevant(self, context: str, options: Mapping[str, Any] | None = None) -> list[str]:
        """Returns the texts of the memories most relevant to a context, ready for a prompt.

        Args:
            options: `limit`, `min_importance`, `filter`, `listeners` and `speaker`, as in
                `retrieve_relevant_raw()`.
        """
        return [memory["rendered_text"] for memory in self._relevant("retrieve_relevant()", context, options)]

    @game_call(searches=True)
    def retrieve_relevant_raw(
        self, context: str, options: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Returns the memories most relevant to a context, ordered by relevance alone.

        They count as recalled, as in `retrieve_scored()`, unless the context is empty.

        Args:
            options: `limit` (5), `min_importance` (0), `filter`, `listeners` and `speaker`. A filter
                compares metadata with values: `{"event_type": "betrayal", "importance": {">=": 4}}`. The
                operators are `=`, `!=`, `>`, `>=`, `<`, `<=`, `in`, `not_in` and `contains`; a bare value
                means `=`. `speaker` (`"player"`) is the id of who asks, as in `retrieve_scored()`.
                `listeners` (the speaker) are the ids of who hears the answer: secrets that one of them may
                not know are left out. With an empty Array no secret is left out.
        """
        return self._relevant("retrieve_relevant_raw()", context, options)

    def relevant_in_scene(
        self, scene: str, question: str, options: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """Return retrieve_relevant_raw() of a scene with more words, by the vector of the scene alone, which
        the prompt's memories have been compared with already.
        """
        save, speaker = self._records.save, options["speaker"]
        said = self._retriever.read(save.query_text("build_listener_context()", "scene", scene), speaker)
        with save.queries.standing_in(self._retriever.searcher.embedded(said, speaker == PLAYER)):
            return self.retrieve_relevant_raw(question, options)

    @game_call(searches=True)
    def recall_best(self, query: str, listeners: Sequence[str] = PLAYER_ALONE) -> dict[str, Any]:
        """Returns the one memory that fits a query best, for dialogue files. It counts as recalled.

        Of the five most relevant memories it is the first that no later memory has replaced. There is no
        minimum: an NPC with any memories returns one, even if it fits badly. Ask `knows()` first, or check
        its `similarity`.

        Args:
            query: a topic, or a sentence as the NPC would say it, as in `knows()`. It may not be empty.
            listeners: as in `retrieve_relevant_raw()`.

        Returns:
            a dictionary as in `retrieve_scored()`, empty when the NPC has no memories.
        """
        memories = self._retriever.best("recall_best()", query, listeners)
        self._emit("memories_recalled", (len(memories),))
        return memories[0] if memories else {}

    @game_call(searches=True)
    def get_recent(
        self, count: int = 5, min_importance: int = 0, listeners: Sequence[str] = PLAYER_ALONE
    ) -> list[dict[str, Any]]:
        """Returns the newest memories of at least this importance, newest first, as for an empty question.

        Args:
            listeners: as in `retrieve_relevant_raw()`.
        """
        return self._retriever.recent("get_recent()", count, min_importance, listeners)

    @game_call(searches=True)
    def explain(
        self, context: str, memory_id: str = "", listeners: Sequence[str] = (), speaker: str = PLAYER
    ) -> dict[str, Any]:
        """Explains why `retrieve_scored()` does or does not return a memory for a context.

        The configured budget applies. It scores every memory of the NPC, so use it in tools and tests only.

        Args:
            memory_id: which memory. With an empty one, the whole answer is explained.
            listeners: ids of who hears the answer, as in the prompts of an exchange. Secrets that one of them
                may not know are left out. A memory that the NPC has told all of them in this conversation has
                half its score, unless the context asks for it again; `told` in its `breakdown` says so.
                `MemoryConfig.PRODUCT` has no such factor.
            speaker: as in `retrieve_scored()`.

        Returns:
            `memory_id`, `is_returned`, `reason`, `text` (the reason in words), `rank`, `score`,
            `score_rank`, `source`, `similarity`, `breakdown`, `relevance_rank`, `ranks`, `newer`,
            `earlier` (as in `retrieve_scored()`) and more. The reason
            is `"returned"`, `"unknown"`, `"filtered"`, `"not_candidate"`, `"duplicate"`, `"out_scored"` or
            `"budget"`. All ranks begin with 1. `ranks` has one for each channel of relevance, among all
            memories; equal values share a rank. `relevance_rank` is the place among those that are important
            enough, `score_rank` the one among the candidates, and `rank` the one in the answer. For the whole
            answer, `memories` has such a dictionary for every candidate. Beside it are `candidate_count`,
            `tokens_used`, the `names` and `keywords` that were found in the question, and `embedded_context`,
            what the embedding model read of it.
        """
        call = "explain()"
        listening = validate_listeners(call, listeners)
        ids = self._turns.already_told(self._records.npc_id, listening)
        return self._retriever.explained(call, context, memory_id, listening, ids, speaker)

    @game_call(searches=True)
    def calculate_memory_score(self, memory: Mapping[str, Any], context: str = "") -> float:
        """Returns the score of a memory as `retrieve_scored()` computes it.

        A memory of this NPC, given with its id and `document_full`, has the relevance that the context gives
        it. Without a context, a retrieved memory keeps the relevance of its `breakdown`. For any other memory
        the similarity of its text to the context counts. Without one of these, its own `similarity` counts,
        or 1 minus its `distance`, or 0.5. A memory with only one of `similarity` and `distance` is used as
        given; memories of this addon have both. Protected memories are returned whatever their score.

        Args:
            memory: a dictionary with `metadata`. What is missing there counts as a regular memory, importance
                5, timestamp 0, and never recalled.
        """
        return self._retriever.score_of("calculate_memory_score()", memory, context)

    @game_call(searches=True)
    def knows(
        self, condition: str, min_sureness: float = 0.5, listeners: Sequence[str] = PLAYER_ALONE
    ) -> bool:
        """Returns whether the NPC remembers that a condition is true. When unsure, it returns `false`.

        It is true when `how_sure()` reaches `min_sureness`. Write a condition as the NPC would say it, with
        `"the player"` or a name and `"me"`: `"the player promised to mend the roof"`,
        `"a gift from the player"`, `"Nell is dead"`. A phrase without a verb is a topic, such as
        `"the mines on the road"`.

        A condition is read as plain English and compared with the most relevant memories. Reversed roles,
        other people, other things, wishes, plans, hearsay and what a later memory undoes count as `false`.
        What the player said is hearsay: ask for `"the player said that the well has run dry"`. It can be
        wrong (docs/dialogue.md has its error rates): use it for flavour, and `knows_event()` to gate quests.
        No memory counts as recalled.

        Args:
            condition: a short sentence or phrase. It may not be empty.
            min_sureness: 0 to 1, on the scale of `how_sure()`.
            listeners: ids of who hears the answer. A secret that one of them may not know is answered with
                `false`, as if the NPC did not remember it. With an empty Array it is answered as any memory.
        """
        sureness = self._sureness("knows()", condition, listeners)
        return sureness >= validate_number_in("knows()", "min_sureness", min_sureness, 0.0, 1.0)

    @game_call(searches=True)
    def how_sure(self, condition: str, listeners: Sequence[str] = PLAYER_ALONE) -> float:
        """Returns how sure the NPC is that a condition is true, from 0 (no idea) to 0.95.

        The number is calibrated: of the conditions with about 0.7, about seven in ten are true. In languages
        other than English, only the similarity of the condition to the nearest memory counts. A similarity of
        0.7 then is 0.5 with the language pack, and one of 0.9 with any other model.

        Args:
            condition: as in `knows()`.
            listeners: as in `knows()`.
        """
        return self._sureness("how_sure()", condition, listeners)

    @game_call()
    def knows_event(self, filter: Mapping[str, Any]) -> bool:
        """Returns whether the NPC remembers an event with this metadata, or knows of one that
        `MemoryWorld.record_event()` recorded. It does not guess, so it can gate quests.

        Names are compared without regard to case, event types exactly. Forgotten and archived memories do not
        count. Of an event of the world, `actor` and `target` are `participants`, and a rumor of it does not
        count.

        Args:
            filter: `event_type` is needed: a String, or an Array of which one has to match. `participants`
                is an id or a name, or an Array. All of them have to be among the `participants` of the
                memory, or be the source of a perceived event. `location` is where it happened, and `since`
                the earliest time, in seconds of the game. `data` holds values that the `metadata` of the
                memory has to have, such as `{"quest_id": "lost_ring"}`. `status` is `"current"` when it is
                left out: no later memory has superseded the event. `"open"` means the same, `"superseded"`
                the opposite, and `"any"` both. You can also ask for what superseded it: `"kept"`, `"broken"`,
                `"paid"`, and others by the last word of the event types in `MemoryConfig.supersession_pairs`
                and `MemoryConfig.ending_event_types`; `promise_fulfilled` counts as `"kept"`.
                `listeners` (`["player"]`): as in `knows()`.

        Raises:
            InvalidArgumentError: `event_type` is missing, a key or a status is unknown, or a value is empty
                or has the wrong type.
        """
        query = parse_event_query("knows_event()", filter, self._records.config)
        others = other_names(self._records)
        return self._remembers(query, others) or self._knows_of_world(query, others)

    def _knows_of_world(self, query: EventQuery, others: OtherNames) -> bool:
        """Whether the NPC knows at first hand of such an event of the world; nothing supersedes one."""
        if not has_status(query, False, ""):
            return False
        return any(
            event.content["event_type"] in query.event_types
            and may_be_told(event.content, query.listeners)
            and has_details(
                query,
                EventDetails(
                    participants(event.content), event.content["location"], event.timestamp, event.content
                ),
                others,
            )
            for event in self._world.knowledge.witnessed(self._records.npc_id)
        )

    def _remembers(self, query: EventQuery, others: OtherNames) -> bool:
        npc, store = self._records.npc, self._records.save.store
        if npc is None:
            return False
        keys = store.lists.keys_where(npc, Condition("event_type", "in", list(query.event_types)))
        for record in store.records.by_keys(keys.tolist()):
            may_be_told = record_may_be_told(record, query.listeners)
            details = details_of(query, record, self._records.npc_id)
            if not may_be_told or not has_details(query, details, others):
                continue
            later = store.records.get(npc, record.superseded_by) if record.superseded_by else None
            is_hidden = later is not None and not record_may_be_told(later, query.listeners)
            outcome = "" if later is None or is_hidden else later.event_type
            if has_status(query, record.superseded_by != "" and not is_hidden, outcome):
                return True
        return False

    def _relevant(self, call: str, context: Any, options: Any) -> list[dict[str, Any]]:
        memories = self._retriever.relevant(call, context, options)
        self._emit("memories_recalled", (len(memories),))
        return memories

    def _sureness(self, call: str, condition: Any, listeners: Any) -> float:
        query = self._retriever.filled_query(call, "condition", condition)
        listening = validate_listeners(call, listeners)
        return ConditionJudge(self._records, self._retriever).sureness(query, listening)
