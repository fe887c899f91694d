"""Conditions: whether an NPC knows that something happened, from free text or exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.npc.condition_judge import ConditionJudge
from rag_memory.npc.event_query import has_details, has_status, parse_event_query
from rag_memory.npc.game_call import game_call
from rag_memory.npc.npc_part import NpcPart
from rag_memory.searchable.save_context import QueryText
from rag_memory.storage.filter import Condition
from rag_memory.validation import validate_number


class Knowing(NpcPart):
    """The calls for conditions in dialogue files and for gates of quests."""

    @game_call(searches=True)
    def knows(self, condition: str, min_sureness: float = 0.5) -> bool:
        """Returns whether the NPC remembers that a condition is true. When unsure, it returns `false`.

        It is true when `how_sure()` reaches `min_sureness`. Write a condition as the NPC would say it, with
        `"the player"` or a name and `"me"`: `"the player promised to mend the roof"`,
        `"a gift from the player"`, `"Nell is dead"`. A phrase without a verb is a topic, such as
        `"the mines on the road"`.

        A condition is read as plain English and compared with the most relevant memories. Reversed roles,
        other people, other things, wishes, plans, hearsay and what a later memory undoes count as `false`. It
        is meant for flavour: docs/dialogue.md has its error rates. Use `knows_event()` for the gates of
        quests. Asking is not recalling: no memory is recalled by it.

        Args:
            condition: a short sentence or phrase. It may not be empty.
            min_sureness: 0 to 1, on the scale of `how_sure()`.
        """
        sureness = self._sureness("knows()", condition)
        least = validate_number("knows()", "min_sureness", min_sureness)
        if not 0.0 <= least <= 1.0:
            raise InvalidArgumentError(
                f"knows(): min_sureness is {least:g}", "it has to be 0 to 1", "Pass 0.5 when in doubt"
            )
        return sureness >= least

    @game_call(searches=True)
    def how_sure(self, condition: str) -> float:
        """Returns how sure the NPC is that a condition is true, from 0 (no idea) to 0.95.

        The number is calibrated: of the conditions with about 0.7, about seven in ten are true. In languages
        other than English, only the similarity of the condition to the nearest memory counts. A similarity of
        0.7 then is 0.5.

        Args:
            condition: as in `knows()`.
        """
        return self._sureness("how_sure()", condition)

    @game_call()
    def knows_event(self, filter: Mapping[str, Any]) -> bool:
        """Returns whether the NPC remembers an event with this metadata. Nothing is guessed: use it for the
        gates of quests.

        Names are compared without regard to case, event types exactly. A memory that was forgotten or
        archived counts no more.

        Args:
            filter: `event_type` is needed: a String, or an Array of which one has to match. `participants`
                is an id or a name, or an Array. All of them have to be among the `participants` of the
                memory, or be the source of a perceived event. `location` is where it happened, and `since`
                the earliest time, in seconds of the game. `data` is a Dictionary of what the game stored with
                the event, such as `{"quest_id": "lost_ring"}`. `status` is `"current"` when it is left out:
                no later memory has superseded the event. `"open"` means the same, `"superseded"` the
                opposite, and `"any"` both. You can also ask what superseded it: `"kept"`, `"broken"`,
                `"paid"`, and others by the last word of the event types in `MemoryConfig.supersession_pairs`
                and `MemoryConfig.ending_event_types`; `promise_fulfilled` counts as `"kept"`.

        Raises:
            InvalidArgumentError: `event_type` is missing, a key or a status is unknown, or a value is empty
                or has the wrong type.
        """
        query = parse_event_query("knows_event()", filter, self.config)
        npc, store = self._records.npc, self._save.store
        if npc is None:
            return False
        keys = store.keys_where(npc, Condition("event_type", "in", list(query.event_types)))
        for record in store.by_keys(keys.tolist()):
            if not has_details(query, record):
                continue
            outcome = ""
            if query.is_about_outcome and record.superseded_by:
                later = store.by_id(npc, record.superseded_by)
                outcome = "" if later is None else later.event_type
            if has_status(query, record, outcome):
                return True
        return False

    def _sureness(self, call: str, condition: Any) -> float:
        query: QueryText = self._save.query_text(call, "condition", condition)
        if not query.strip():
            raise InvalidArgumentError(
                f"{call}: condition is empty", "nothing is asked", "Pass a sentence or a topic"
            )
        return ConditionJudge(self._records, self._retrieval).sureness(query)
