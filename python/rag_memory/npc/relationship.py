"""Life, death and relationships of one NPC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.game_call import game_call
from rag_memory.memory.conflicts import slot_conflicts
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.mind.npc_state import SLOT_TYPE as STATE_SLOT
from rag_memory.mind.npc_state import state_memory, state_of
from rag_memory.mind.relationship import validate_relationship
from rag_memory.mind.relationship_memory import PLAYER_SLOT, relationship_draft, relationship_of, slot_of
from rag_memory.npc.player_relationship import PlayerRelationship
from rag_memory.npc.retriever import Retriever
from rag_memory.npc.rules import Rules
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.records import OwnedRecords
from rag_memory.storage.sql.records import newest_in_slot
from rag_memory.validation import validate_text
from rag_memory.world.people import People


class Relationship:
    """Stores and returns whether the NPC lives, and its relationships to the player and to others."""

    def __init__(
        self,
        records: OwnedRecords,
        player: PlayerRelationship,
        retriever: Retriever,
        writer: MemoryWriter,
        rules: Rules,
        people: People,
    ) -> None:
        self._records = records
        self._player = player
        self._retriever = retriever
        self._writer = writer
        self._rules = rules
        self._people = people

    @game_call(writes=True)
    def store_npc_state(self, is_alive: bool, death_data: Mapping[str, Any] | None = None) -> str:
        """Stores whether this NPC is alive. It replaces what was stored before.

        It is protected: part of every answer.

        Args:
            death_data: how the NPC died: `cause`, `killed_by`, `location`, `timestamp` and anything else.
        """
        text, data = state_memory(self._records.config, is_alive, death_data)
        importance = self._rules.calculate_importance(data["event_type"], {}, {"npc_died": not is_alive})
        return self._writer.store(
            "store_npc_state()", MemoryDraft(text, importance, {**data, "check_names": False}), slot_conflicts
        )

    @game_call()
    def get_npc_state(self) -> dict[str, Any]:
        """Returns whether this NPC is alive.

        Returns:
            `npc_id`, `is_alive`, `known` (whether `store_npc_state()` ever said so), `timestamp`,
            `memory_id` and `death_data`.
        """
        return state_of(self._records.npc_id, self._records.in_slot(STATE_SLOT))

    @game_call()
    def check_npc_state(self, other_npc_id: str) -> dict[str, Any]:
        """Returns whether another NPC of the same save is alive, as `get_npc_state()` does.

        An NPC without a stored state is alive.
        """
        other = validate_text("check_npc_state()", "other_npc_id", other_npc_id)
        store = self._records.save.store
        number = store.npcs.number(other)
        return state_of(
            other, None if number is None else store.records.first(number, newest_in_slot(STATE_SLOT))
        )

    @game_call(writes=True)
    def store_relationship(self, with_entity: str, data: Mapping[str, Any]) -> str:
        """Stores the NPC's relationship to somebody. Values that are left out stay as they were.

        The relationship to the player begins with `set_initial_relationship()` or with the NPC's profile, and
        the relationship header shows it, unless `set_relationship_state()` says something else.

        Args:
            with_entity: `"player"` or any other name.
            data: `trust`, `respect`, `affection` and `fear` from -100 to 100, and `familiarity` from 0 to
                100. A value outside is clamped, with a warning. Other keys are stored, too, with a warning
                when one looks like a slip.
        """
        slot = slot_of("store_relationship()", with_entity)
        is_player = slot == PLAYER_SLOT
        stored = self._player.stored() if is_player else relationship_of(self._records.in_slot(slot))
        draft = relationship_draft(self._records.config, with_entity, stored, data, self._people.name_of)
        return self._writer.store("store_relationship()", draft, slot_conflicts)

    @game_call()
    def get_relationship(self, with_entity: str) -> dict[str, Any]:
        """Returns the stored relationship to somebody.

        Returns:
            the five dimensions of `store_relationship()`, and `status`, a label such as `"friendly"`. Empty
            when nothing was stored.
        """
        return relationship_of(self._records.in_slot(slot_of("get_relationship()", with_entity)))

    @game_call(writes=True)
    def set_relationship_state(self, state: Mapping[str, Any]) -> None:
        """Sets the relationship to the player for the relationship header, when the game keeps the numbers.

        Each call replaces the whole state. For values that are left out the header shows what
        `store_relationship()` stored, `set_initial_relationship()` set, or the default.

        The state is not saved. It ends when the save is closed, also by opening another one, and
        `MemoryServer.restore()` and `MemoryServer.rollback_to()` leave it as it is: set it again after all of
        these.

        Args:
            state: `trust`, `affection`, `fear` and `respect` (-100 to 100), `familiarity` (0 to 100) and
                `met` (a bool), which is used when no memory mentions a meeting. A number outside its range is
                clamped, with a warning. Other keys may be the game's own; one that looks like a slip causes a
                warning, and so does a state with none of these.
        """
        self._player.set_by_game = validate_relationship("set_relationship_state()", state)

    @game_call(writes=True)
    def set_initial_relationship(self, state: Mapping[str, Any]) -> None:
        """Sets the relationship to a player whom the NPC has never met.

        The relationship header shows these values where `store_relationship()` has stored none for the player
        and `set_relationship_state()` has set none. `store_relationship()` begins with them. For values that
        are left out the NPC's profile counts, see `MemoryWorld.ensure_profile()`.

        It is not saved, ends when the save is closed, and replaces what was set before. `NPCContextBuilder`
        sets the `NPCPersonality.initial_relationship` of its personality.

        Args:
            state: the keys of `set_relationship_state()`. With `yields_to_profile` (`true`) the profile comes
                first instead.
        """
        self._player.begin_with(state)

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
