"""Life, death and relationships of one NPC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.memory.conflicts import slot_conflicts
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.mind.npc_state import SLOT_TYPE as STATE_SLOT
from rag_memory.mind.npc_state import state_memory, state_of
from rag_memory.mind.relationship import relationship_memory, relationship_of, slot_of
from rag_memory.mind.relationship_header import RANGES, validate_state
from rag_memory.npc.game_call import game_call
from rag_memory.npc.memory_writer import MemoryWriter
from rag_memory.npc.retriever import Retriever
from rag_memory.npc.rules import Rules
from rag_memory.searchable.records import NpcRecords
from rag_memory.storage.sql.records import newest_in_slot
from rag_memory.validation import validate_text


class Relationship:
    """Stores and returns whether the NPC lives, and its relationships to the player and to others."""

    def __init__(self, records: NpcRecords, retriever: Retriever, writer: MemoryWriter, rules: Rules) -> None:
        self._records = records
        self._retriever = retriever
        self._writer = writer
        self._rules = rules

    @game_call(writes=True)
    def store_npc_state(self, is_alive: bool, death_data: Mapping[str, Any] | None = None) -> str:
        """Stores whether this NPC lives. It replaces what was stored before.

        It is protected: part of every answer.

        Args:
            death_data: how she died: `cause`, `killed_by`, `location`, `timestamp` and anything else.
        """
        text, data = state_memory(self._records.config, is_alive, death_data)
        importance = self._rules.calculate_importance(data["event_type"], {}, {"npc_died": not is_alive})
        return self._writer.store(
            "store_npc_state()", MemoryDraft(text, importance, {**data, "check_names": False}), slot_conflicts
        )

    @game_call()
    def get_npc_state(self) -> dict[str, Any]:
        """Returns whether this NPC lives.

        Returns:
            `npc_id`, `is_alive`, `known` (whether `store_npc_state()` ever said so), `timestamp`,
            `memory_id` and `death_data`.
        """
        return state_of(self._records.npc_id, self._records.in_slot(STATE_SLOT))

    @game_call()
    def check_npc_state(self, other_npc_id: str) -> dict[str, Any]:
        """Returns whether another NPC of the same save lives, as `get_npc_state()` does.

        An NPC of whom nothing was stored lives.
        """
        other = validate_text("check_npc_state()", "other_npc_id", other_npc_id)
        store = self._records.save.store
        number = store.npcs.number(other)
        return state_of(
            other, None if number is None else store.records.first(number, newest_in_slot(STATE_SLOT))
        )

    @game_call(writes=True)
    def store_relationship(self, with_entity: str, data: Mapping[str, Any]) -> str:
        """Stores how the NPC stands to somebody.

        What is left out stays as it was. For the player that is at first what `set_initial_relationship()`
        told, or her profile. The relationship header tells of the one to the player, unless
        `set_relationship_state()` says something else.

        Args:
            with_entity: `"player"` or any other name.
            data: `trust`, `respect`, `affection` and `fear` from -100 to 100, and `familiarity` from 0 to
                100. A value outside is clamped, with a warning. Other keys are kept, too. One that looks
                like a slip is warned of.
        """
        slot = slot_of("store_relationship()", with_entity)
        stored = relationship_of(self._records.in_slot(slot))
        if not stored and slot == slot_of("store_relationship()", PLAYER):
            initial = self._retriever.beginning()
            stored = {name: initial[name] for name in RANGES if name in initial}
        draft = MemoryDraft(*relationship_memory(self._records.config, with_entity, stored, data))
        draft = draft._replace(data={**draft.data, "check_names": False})
        return self._writer.store("store_relationship()", draft, slot_conflicts)

    @game_call()
    def get_relationship(self, with_entity: str) -> dict[str, Any]:
        """Returns how the NPC stands to somebody.

        Returns:
            the five dimensions of `store_relationship()`, and `status`, a label such as `"friendly"`. Empty
            when nothing was stored.
        """
        return relationship_of(self._records.in_slot(slot_of("get_relationship()", with_entity)))

    @game_call(writes=True)
    def set_relationship_state(self, state: Mapping[str, Any]) -> None:
        """Tells how the NPC stands to the player now. The relationship header of the next answers says so.

        The state belongs to the game and is not saved. It replaces all that was told before. What is left
        out is again what `store_relationship()` has stored for the player, or what
        `set_initial_relationship()` has told, or the default.

        It is gone when its save is closed, also by opening another one. It stays as it is over
        `MemoryServer.restore()` and `MemoryServer.rollback_to()`. Tell all of it again after each of these.

        Args:
            state: `trust`, `affection`, `fear` and `respect` (-100 to 100 each), `familiarity` (0 to 100)
                and `met` (a bool). A number outside its range is clamped, with a warning. Other keys mean
                nothing to the header. One that looks like a slip for one of these is warned of, and so is a
                state with none of them. `met` adds to what the memories tell, see
                `generate_relationship_header()`.
        """
        self._retriever.relationship = validate_state("set_relationship_state()", state)

    @game_call(writes=True)
    def set_initial_relationship(self, state: Mapping[str, Any]) -> None:
        """Tells how the NPC stands to a player she has never met.

        The relationship header of the next answers says so, value by value, where `store_relationship()` has
        stored nothing for the player and `set_relationship_state()` has told nothing. It says so again when
        `MemoryServer.rollback_to()` goes back to before the storing. `store_relationship()` begins with it.

        It is not saved, and replaces what was told before. It is gone when its save is closed, also by
        opening another one. `NPCContextBuilder` tells the `NPCPersonality.initial_relationship` of its
        personality. What is left out is that of the NPC's profile, see `MemoryWorld.ensure_profile()`.

        Args:
            state: the keys of `set_relationship_state()`. With `yields_to_profile` (`true`) the profile comes
                first instead.
        """
        self._retriever.initial_relationship = validate_state("set_initial_relationship()", state)

    @game_call(searches=True)
    def generate_relationship_header(self) -> dict[str, Any]:
        """Returns the relationship header as a memory.

        It is a line like `[Met=yes, Days=3, Trust=45, ..., Status=neutral]`. It is generated and never
        stored, and is part of every `retrieve_scored()`.

        The two have met when any memory of the NPC tells of something with the player, archived ones too,
        when `NPCMind.perceive()` was called with the `source_id` `"player"`, or when `store_relationship()`
        was called for the player. The days count from the first of these. Without any, they have met when
        `set_relationship_state()` says `met`. If nothing says whether they met, a familiarity above 0 that
        is not the initial one counts as a meeting.
        """
        return self._retriever.header()
