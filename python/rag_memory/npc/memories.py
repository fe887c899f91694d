"""The memories of one NPC: stored, changed, read and deleted one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR
from rag_memory.conversation.hearers import Hearers
from rag_memory.conversation.turn_log import TurnLog
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory import event_templates
from rag_memory.memory.amendment import amended, pinned, unpinned
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.memory_view import described
from rag_memory.memory.record import Record
from rag_memory.npc.forgetting import Forgetting
from rag_memory.portable.json_io import DEFAULT_IMPORTANCE, draft_in
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.player_names import other_names
from rag_memory.searchable.record_changes import EventFunction
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.storage.filter import parse_filter, with_other_names
from rag_memory.validation import mapping_in, validate_text, wrong_type
from rag_memory.world.rumors import RUMOR_HEARD
from rag_memory.world.world import World

_CHECKED_AT_ONCE = 16
_NO_STATISTICS = {
    "total": 0,
    "average_importance": 0.0,
    "oldest": 0.0,
    "newest": 0.0,
    "milestones": 0,
    "superseded": 0,
}


class Memories:
    """Stores, changes, reads and forgets the memories of one NPC."""

    def __init__(
        self,
        records: OwnedRecords,
        writer: MemoryWriter,
        emit: EventFunction,
        forgetting: Forgetting,
        world: World,
        hearers: Hearers,
        turns: TurnLog,
    ) -> None:
        self._turns = turns
        self._hearers = hearers
        self.forgetting = forgetting
        self._records = records
        self._world = world
        self._writer = writer
        self._emit = emit

    @game_call(writes=True)
    def store(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """Stores a memory and returns its id.

        Once this has returned, the memory survives a crash of the game.

        Args:
            importance: from 1 to 10. A value outside is clamped, with a warning.
            data: more about the memory. These keys have a meaning: `event_type`, `emotion`, `participants`,
                `location`, `topics`, `interaction_type`, `memory_tier`, `is_milestone`, `milestone_type`,
                `is_first`, `slot_type`, `entities`, `timestamp` (game time in seconds), `kind`
                (`"observation"`, `"episode"`, `"reflection"` or `"fact"`), `info_type` (a `player_info` event
                with a known info_type updates that memory, under the same id; any other supersedes it),
                `document_short` (your own short form; made from the text when left out), `check_names`
                (`False` skips the check of names, see `MemoryServer.register_names()`), `secret` (`True`:
                only those in `known_to`, and its `source_id` or `speaker`, may hear of it) and `known_to`
                (their ids). Any other key is stored as metadata. A key that looks like a misspelling of one
                of these causes a warning.

        Raises:
            InvalidArgumentError: the text is empty or longer than `MemoryConfig.max_text_chars`, a value has
                the wrong type, there is more metadata than `MemoryConfig.max_metadata_chars`, or the text
                speaks of people who are not registered, see `MemoryServer.register_names()`.
            StoreError: the database could not write.
        """
        return self._writer.store("store()", MemoryDraft(text, importance, data))

    @game_call(writes=True)
    def store_with_conflict_check(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Stores a memory as `store()` does, and says which older memories it retires.

        Every call that stores memories retires what they end: the promise that was kept, the debt that was
        paid, the earlier value of a slot, each of the same person. docs/storing.md has the rules.

        Returns:
            `id`, and `superseded`: the ids of the older memories that no longer hold. It is empty when none
            was close enough.
        """
        draft = MemoryDraft(text, importance, data)
        stored = self._writer.put("store_with_conflict_check()", draft)
        return {"id": stored.id, "superseded": stored.superseded}

    @game_call(writes=True)
    def store_conversation(self, speaker: str, message: str, context: Mapping[str, Any] | None = None) -> str:
        """Stores what somebody said to the NPC, from the NPC's perspective, with importance 6.

        Args:
            speaker: `"player"`, `"user"` or `"you"` for the player, `"npc"`, `"assistant"` or the id of the
                NPC for herself, and an id or a name for anybody else. An NPC who speaks remembers it, too.
            context: the keys of `data` in `store()`, `importance`, and `addressees`, `bystanders` and
                `manner` as in `store_turn()`.

        Raises:
            InvalidArgumentError: the speaker is a role that nobody in the game hears, such as `"system"`, or
                a memory like this cannot be stored, see `store()`.
        """
        call = "store_conversation()"
        draft, spoken = self._hearers.conversation(
            call, self._records.npc_id, self._records.config, speaker, message, context
        )
        with self._hearers.together(self._hearers.prepared(call, spoken)):
            return self._writer.store(call, draft)

    @game_call(writes=True)
    def store_witnessed_event(self, description: str, importance: int = 7, emotion: str = "surprised") -> str:
        """Stores what the NPC has seen, as the event type `witnessed_event`."""
        draft = event_templates.witnessed_event(self._records.config, description, importance, emotion)
        return self._writer.store("store_witnessed_event()", draft)

    @game_call(writes=True)
    def store_player_action(
        self, action_type: str, description: str, importance: int = 8, emotion: str = ""
    ) -> str:
        """Stores what the player did.

        Args:
            action_type: the event type, for example `"gift_given"` or `"promise_broken"`.
            description: words like `"gave me a rose"` become a whole sentence. So does `"a rose"` in English,
                with the verb of the event type.
            emotion: what the NPC feels about it. Empty: that of the action, see
                `MemoryConfig.action_emotions`.
        """
        draft = event_templates.player_action(
            self._records.config, action_type, description, importance, emotion
        )
        return self._writer.store("store_player_action()", draft)

    @game_call(writes=True)
    def store_quest_memory(self, quest_id: str, outcome: str, importance: int = 8) -> str:
        """Stores how a quest went on.

        Args:
            outcome: `"started"` and `"accepted"` set the event type `quest_started`, `"completed"` and
                `"succeeded"` set `quest_completed`, `"failed"` and `"abandoned"` set `quest_failed`. So do
                sentences that say so, such as `"completed successfully"`. They are told in their own words.
                Any other outcome has the event type `quest`.
        """
        return self._writer.store(
            "store_quest_memory()", event_templates.quest(self._records.config, quest_id, outcome, importance)
        )

    @game_call(writes=True)
    def store_milestone(self, milestone_type: str, description: str, emotion: str = "significant") -> str:
        """Stores a turning point, pinned and with importance 10, and emits `milestone_created`.

        Args:
            milestone_type: what kind of turning point it is; also its event type. The relationship header
                counts the days from a `"first_meeting"`.
        """
        draft = event_templates.milestone(self._records.config, milestone_type, description, emotion)
        return self._writer.store("store_milestone()", draft)

    @game_call(writes=True)
    def store_npc_awareness(self, other_npc_id: str, description: str, importance: int = 8) -> str:
        """Stores what the NPC has learned of another NPC, as the event type `npc_awareness`."""
        draft = event_templates.npc_awareness(self._records.config, other_npc_id, description, importance)
        return self._writer.store("store_npc_awareness()", draft)

    @game_call(writes=True)
    @in_slices
    def store_batch(self, memories: Sequence[Mapping[str, Any]]) -> Steps[list[str]]:
        """Stores many memories, much faster than one by one, and returns their ids in the same order.

        When one of them is not valid, none is stored. When the disk refuses in the middle of them, the error
        says how many are stored: the first ones, in the order given. A game that is killed meanwhile has the
        first ones stored, too. In Godot, `store_batch_async()` reads more than 500 of them over the following
        frames, for about a millisecond in each. Do not change these dictionaries until the request is
        completed. The array may be changed or cleared at once.

        Args:
            memories: dictionaries with `text`, optionally `importance`, and the keys of `data` in `store()`.
        """
        if not isinstance(memories, list | tuple):
            raise wrong_type("store_batch()", "memories", memories, "an Array of Dictionaries")
        total = len(memories)
        now = self._records.save.now()
        records: list[Record] = []
        for number, memory in enumerate(memories):
            records.append(self._batch_record(number, memory, now))
            if number % _CHECKED_AT_ONCE == _CHECKED_AT_ONCE - 1:
                yield Step(0, total, "checking memories")
        ids = yield from self._records.writer.add_steps(records, self._writer.add)
        yield from self._records.index.build_steps()
        self._records.index.save_if_grown()
        return ids

    @game_call()
    def get_memory(self, id: str) -> dict[str, Any]:
        """Returns the memory with this id, or an empty dictionary when there is none.

        It has its texts and metadata, and `exchange_id`: the exchange that it comes from, empty for none.
        `last_told` says to whom the NPC told it in its last 40 turns: the game time of the last time by the
        id of the listener, for the last 8 listeners; without that it has no such key. It does not have what
        only a question gives it.
        """
        record = self._records.by_id("get_memory()", id)
        if record is None:
            return {}
        is_protected = any(record.key == protected.key for protected in self._records.protected())
        record = self._records.save.accesses.up_to_date(record)
        memory = described(record, self._records.npc_id, self._records.config, is_protected)
        times = self._turns.last_told(self._records.npc_id, record.id)
        return {**memory, "last_told": times} if times else memory

    @game_call(writes=True)
    def update_memory(self, id: str, changes: Mapping[str, Any]) -> bool:
        """Changes a memory under the same id. Returns `False` when there is none with this id.

        What is not named stays. A new text gets a new `document_short`, unless one is given. The tier follows
        the change, unless it was set by hand.

        Args:
            changes: `text`, `importance`, or any key of `data` in `store()`.
        """
        record = self._records.by_id("update_memory()", id)
        if record is None:
            return False
        changed = amended(
            self._records.npc_id, self._records.config, self._records.save.now(), record, changes
        )
        self._records.writer.amend(record, changed)
        if changed.is_milestone and not record.is_milestone:
            self._emit("milestone_created", (changed.milestone_type,))
        return True

    @game_call(writes=True)
    def pin_memory(self, id: str) -> bool:
        """Makes a memory pinned, whatever its event. Returns `False` when there is none with this id."""
        record = self._records.by_id("pin_memory()", id)
        if record is not None:
            self._records.writer.amend(record, pinned(record))
        return record is not None

    @game_call(writes=True)
    def unpin_memory(self, id: str) -> bool:
        """Gives a pinned memory the tier of its event, but important at most.

        Returns `False` when there is none with this id.
        """
        record = self._records.by_id("unpin_memory()", id)
        if record is not None:
            self._records.writer.amend(record, unpinned(self._records.config, record))
        return record is not None

    @game_call(writes=True)
    def forget(self, id: str) -> bool:
        """Deletes a memory for good, with everything else of this NPC that says the same. Returns `False`
        when there is none with this id.

        Deleted with it are its earlier versions, the turns of conversations that say all of it (summaries
        are made again without them), memories that were merged into it, conclusions that rest on it, and its
        words in the log of interactions; what the NPC feels stays. If it was merged into a summary, the
        summary is deleted and the other memories in it are valid again, and so is what it superseded. Other
        NPCs keep what they have heard. Only `MemoryServer.rollback_to()` with a mark from before, and a
        snapshot, bring it back.

        An event, a fact or lore that this NPC knows is forgotten by this NPC alone, and so is the event of a
        rumor.

        Args:
            id: of a memory or an archived one, or of what `retrieve_scored()` returned of the world.
        """
        id = validate_text("forget()", "id", id)
        return bool(self._forget([id])) or self._world.forget(self._records.npc_id, id)

    @game_call(writes=True)
    def forget_where(self, filter: Mapping[str, Any]) -> int:
        """Deletes all memories that a filter finds, archived ones too, as `forget()` does: all of them or
        none. Returns how many there were. Of a memory whose earlier version alone is found, that version.

        Args:
            filter: as in `retrieve_relevant_raw()`, such as `{"participants": {"contains": "rowan"}}`. An
                empty one is refused; `clear_all_memories()` deletes everything.
        """
        names_of = other_names(self._records).names_of
        conditions = with_other_names(parse_filter("forget_where()", filter), names_of)
        if not conditions:
            raise InvalidArgumentError(
                "forget_where(): the filter is empty",
                "it would delete every memory",
                "Add a condition, or call clear_all_memories()",
            )
        return self._forget(*self.forgetting.matches(conditions))

    def _forget(self, ids: Collection[str], versions: Sequence[int] = ()) -> int:
        """Delete memories and versions of others; of a rumor the NPC no longer knows the event."""
        records = [self._records.by_id("forget()", id) for id in ids]
        count = self.forgetting.forget(ids, versions)
        for record in records:
            if record is not None and record.event_type == RUMOR_HEARD:
                event_id = str(mapping_in(record.extra).get("event_id", ""))
                self._world.forget(self._records.npc_id, event_id)
        return count

    @game_call()
    def get_memory_count(self) -> int:
        """Returns how many memories this NPC has."""
        return self._records.count()

    @game_call()
    def get_memory_stats(self) -> dict[str, Any]:
        """Returns what this NPC's memories add up to.

        Returns:
            `npc_id`, `total`, `pinned`, `important`, `regular`, `milestones`, `superseded`, `protected`,
            `event_types` (how many of each), `average_importance`, and the timestamps `oldest` and `newest`
            (0 without memories).
        """
        npc, browsing = self._records.npc, self._records.store.browsing
        slots = {} if npc is None else browsing.counts_by(npc, "slot_type")
        tiers = {} if npc is None else browsing.counts_by(npc, "memory_tier")
        return {
            "npc_id": self._records.npc_id,
            **(_NO_STATISTICS if npc is None else browsing.statistics(npc)),
            "pinned": tiers.get(TIER_PINNED, 0),
            "important": tiers.get(TIER_IMPORTANT, 0),
            "regular": tiers.get(TIER_REGULAR, 0),
            "protected": sum(slot in slots for slot in protected_slots(self._records.config)),
            "event_types": {} if npc is None else browsing.counts_by(npc, "event_type"),
        }

    def _batch_record(self, number: int, memory: Any, now: float) -> Record:
        call = f"store_batch(), memory {number}"
        return self._writer.record(call, MemoryDraft(*draft_in(call, memory)), now)
