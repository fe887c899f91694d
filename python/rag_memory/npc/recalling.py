"""Asking an NPC what she remembers, and why."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from rag_memory.memory.memory_view import described
from rag_memory.npc.game_call import game_call
from rag_memory.npc.npc_part import NpcPart
from rag_memory.retrieval import tiered
from rag_memory.step import Step


class Recalling(NpcPart):
    """The calls that return memories, and those that explain them."""

    def load_steps(self) -> Generator[Step, None, None]:
        """Loads the search index in slices.

        Without it the first question does so in one piece, in 0.04 s per thousand memories. It waits while
        a smaller NPC is being loaded: whoever loads several NPCs at once gives each a slice in turn.
        """
        return self._records.index.load_steps()

    @game_call(searches=True)
    def retrieve_scored(self, context: str, token_budget: int = -1) -> list[dict[str, Any]]:
        """Returns the memories that belong in the prompt when the player says something, best first.

        Protected memories, such as the relationship header, come first and always. The others follow by
        score, each that still fits the budget. An empty context finds what is protected, recent high-signal
        events and the newest memories. `memories_recalled` tells how many were found.

        Whatever comes without being protected is recalled by that. The `last_accessed` of its metadata tells
        when it was recalled before, or else when it happened; `MemoryConfig.STREAM` scores by it.

        Args:
            context: what the player says.
            token_budget: how many tokens the texts may take together. -1 stands for
                `MemoryConfig.memory_token_budget`.

        Returns:
            a dictionary for each memory: `id`, `rendered_text` (what to put into the prompt), `used_form`,
            `document`, `document_short`, `document_full`, `metadata`, `similarity` (0 to 1), `distance` (1
            minus that), `score`, `protected` and `breakdown`, the factors of the score.
        """
        found = self._retrieval.scored("retrieve_scored()", context, token_budget)
        self._emit("memories_recalled", (len(found),))
        return found

    @game_call(searches=True)
    def retrieve_tiered(self, context: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns memories by tier, within a number of characters.

        A memory that does not fit is left out, never cut. Stored protected memories lead the list of their
        tier, always, and count towards its limit. The relationship header is not among them:
        `generate_relationship_header()` returns it.

        Args:
            options: `max_pinned_memories`, `max_important_memories`, `max_regular_memories` and
                `max_memory_chars` instead of those of the `MemoryConfig`, `min_importance`, and `filter` as
                in `retrieve_relevant_raw()`. Without `min_importance`, the relevant ones need
                `MemoryConfig.min_tiered_importance`.

        Returns:
            `pinned`, `important` and `relevant`, lists of memories as in `retrieve_scored()`, and
            `total_chars` and `budget_remaining`, in characters.
        """
        found = self._retrieval.by_tier("retrieve_tiered()", context, options)
        self._emit("memories_recalled", (sum(len(found[name]) for name in tiered.LISTS),))
        return found

    @game_call(searches=True)
    def retrieve_relevant(self, context: str, options: Mapping[str, Any] | None = None) -> list[str]:
        """Returns the texts of the memories most relevant to a context, ready for a prompt.

        Args:
            options: `limit`, `min_importance` and `filter`, as in `retrieve_relevant_raw()`.
        """
        return [memory["rendered_text"] for memory in self._relevant("retrieve_relevant()", context, options)]

    @game_call(searches=True)
    def retrieve_relevant_raw(
        self, context: str, options: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Returns the memories most relevant to a context, ordered by relevance alone.

        They are recalled by that, as by `retrieve_scored()`, unless the context is empty.

        Args:
            options: `limit` (5), `min_importance` (0) and `filter`. A filter compares metadata with values:
                `{"event_type": "betrayal", "importance": {">=": 4}}`. The operators are `=`, `!=`, `>`,
                `>=`, `<`, `<=`, `in`, `not_in` and `contains`; a bare value means `=`.
        """
        return self._relevant("retrieve_relevant_raw()", context, options)

    @game_call(searches=True)
    def recall_best(self, query: str) -> dict[str, Any]:
        """Returns the one memory that fits a query best, for dialogue files. It is recalled by that.

        Of the five most relevant memories it is the first that no later memory has replaced. It has no bound:
        as long as she remembers anything at all, something is best. Ask `knows()` first, or look at its
        `similarity`.

        Args:
            query: a topic or a sentence. It may not be empty.

        Returns:
            a dictionary as in `retrieve_scored()`, empty when she has no memories.
        """
        found = self._retrieval.best("recall_best()", query)
        self._emit("memories_recalled", (len(found),))
        return found[0] if found else {}

    @game_call(searches=True)
    def get_recent(self, count: int = 5, min_importance: int = 0) -> list[dict[str, Any]]:
        """Returns the newest memories of at least this importance, newest first, as for an empty question."""
        return self._retrieval.recent("get_recent()", count, min_importance)

    @game_call()
    def get_memory(self, id: str) -> dict[str, Any]:
        """Returns the memory with this id, or an empty dictionary when there is none.

        It has its texts and metadata, but not what only a question gives it.
        """
        record = self._records.by_id("get_memory()", id)
        if record is None:
            return {}
        is_protected = any(record.key == protected.key for protected in self._records.protected())
        record = self._save.accesses.up_to_date(record)
        return described(record, self.npc_id, self.config, is_protected)

    @game_call(searches=True)
    def explain(self, context: str, memory_id: str = "") -> dict[str, Any]:
        """Says why a memory came, or did not, when `retrieve_scored()` answers a context.

        The budget is the configured one. It measures every memory of the NPC: it is meant for tools and
        tests.

        Args:
            memory_id: which memory. With an empty one, the whole answer is explained.

        Returns:
            `memory_id`, `is_returned`, `reason`, `text` (the reason in words), `rank`, `score`,
            `score_rank`, `source`, `similarity`, `breakdown`, `relevance_rank`, `ranks` and more. The reason
            is `"returned"`, `"unknown"`, `"filtered"`, `"not_candidate"`, `"duplicate"`, `"out_scored"` or
            `"budget"`. All ranks begin with 1. `ranks` has one for each channel of relevance, among all
            memories; equal values share a rank. `relevance_rank` is the place among those that are important
            enough, `score_rank` the one among the candidates, and `rank` the one in the answer. For the whole
            answer, `memories` has such a dictionary for every candidate. Beside it are `candidate_count`,
            `tokens_used`, the `names` and `keywords` that were found in the question, and `embedded_context`,
            what the embedding model read of it.
        """
        return self._retrieval.explained("explain()", context, memory_id)

    @game_call(searches=True)
    def calculate_memory_score(self, memory: Mapping[str, Any], context: str = "") -> float:
        """Returns the score of a memory as `retrieve_scored()` computes it.

        A memory of this NPC, given with its id and `document_full`, has the relevance that the context gives
        it. Without a context, a retrieved memory keeps the relevance of its `breakdown`. For any other memory
        the similarity of its text to the context counts. Without one of these, its own `similarity` counts,
        or 1 minus its `distance`, or 0.5. A memory with only one of `similarity` and `distance` is taken at
        its word; the memories of this addon have both. Protected memories are returned whatever their score.

        Args:
            memory: a dictionary with `metadata`. What is missing there counts as a regular memory, importance
                5, timestamp 0, and never recalled.
        """
        return self._retrieval.score_of("calculate_memory_score()", memory, context)

    def _relevant(self, where: str, context: Any, options: Any) -> list[dict[str, Any]]:
        found = self._retrieval.relevant(where, context, options)
        self._emit("memories_recalled", (len(found),))
        return found
