"""Storing what an NPC lives through."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory import event_templates
from rag_memory.memory.conflicts import conflict_rule
from rag_memory.memory.event_templates import MemoryDraft
from rag_memory.memory.record import Record, new_record
from rag_memory.npc.game_call import game_call
from rag_memory.npc.npc_part import NpcPart
from rag_memory.step import Step, run
from rag_memory.validation import wrong_type

DEFAULT_IMPORTANCE = 5
_CHECKED_AT_ONCE = 16


class Storing(NpcPart):
    """The calls that store one memory or many."""

    @game_call(writes=True)
    def store(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """Stores a memory and returns its id.

        Once this has returned, the memory survives a crash of the game.

        Args:
            importance: from 1 to 10. A value outside is clamped, with a warning.
            data: what else is known. These keys have a meaning: `event_type`, `emotion`, `participants`,
                `location`, `topics`, `interaction_type`, `memory_tier`, `is_milestone`, `milestone_type`,
                `is_first`, `slot_type`, `entities`, `timestamp` (game time in seconds), `kind`
                (`"observation"`, `"episode"`, `"reflection"` or `"fact"`), `info_type` (a `player_info` event
                with a known info_type updates that memory, under the same id), `document_short` (your own
                short form; made from the text when left out) and `check_names` (`False`: who is named need
                not exist, see `MemoryServer.register_people()`). Any other key is kept as metadata. One that
                looks like a slip for one of these is warned of.

        Raises:
            InvalidArgumentError: the text is empty or longer than `MemoryConfig.max_text_chars`, a value has
                the wrong type, there is more metadata than `MemoryConfig.max_metadata_chars`, or the text
                speaks of people nobody knows although `MemoryServer.register_people()` said who exists.
            StoreError: the database could not write.
        """
        return self._remember("store()", MemoryDraft(text, importance, data))

    @game_call(writes=True)
    def store_with_conflict_check(
        self, text: str, importance: int = DEFAULT_IMPORTANCE, data: Mapping[str, Any] | None = None
    ) -> str:
        """Stores a memory that may contradict an older one. Arguments and result are those of `store()`.

        A `slot_type` of `MemoryConfig.slot_types` holds one value: the old one is archived (see
        `get_archived()`). An `event_type` may end another one, as a broken or kept promise ends the promise
        (`MemoryConfig.supersession_pairs` and `MemoryConfig.ending_event_types`). Then the older memories get
        `superseded_by` and `superseded_at`, and `memory_superseded` is emitted for each. They are kept, with
        `MemoryConfig.superseded_score_multiplier` of their score. Old and new change together, or not at all.
        """
        told = MemoryDraft(text, importance, data)
        return self._remember("store_with_conflict_check()", told, conflict_rule(self.config))

    @game_call(writes=True)
    def store_conversation(self, speaker: str, message: str, context: Mapping[str, Any] | None = None) -> str:
        """Stores what somebody said to the NPC, told from her perspective, with importance 6.

        Args:
            speaker: `"player"`, `"user"` or `"you"` for the player, `"npc"`, `"assistant"` or the id of the
                NPC for herself, and a name for anybody else.
            context: the keys of `data` in `store()`, and `importance`.

        Raises:
            InvalidArgumentError: the speaker is a role that nobody in the game hears, such as `"system"`, or
                a memory like this cannot be stored, see `store()`.
        """
        told = event_templates.conversation(self.config, self.npc_id, speaker, message, context)
        return self._remember("store_conversation()", told)

    @game_call(writes=True)
    def store_witnessed_event(self, description: str, importance: int = 7, emotion: str = "surprised") -> str:
        """Stores what the NPC has seen, as the event type `witnessed_event`."""
        told = event_templates.witnessed_event(self.config, description, importance, emotion)
        return self._remember("store_witnessed_event()", told)

    @game_call(writes=True)
    def store_player_action(
        self, action_type: str, description: str, importance: int = 8, emotion: str = ""
    ) -> str:
        """Stores what the player did. It is checked for conflicts as in `store_with_conflict_check()`.

        Args:
            action_type: the event type, for example `"gift_given"` or `"promise_broken"`.
            description: words like `"gave me a rose"` become a whole sentence.
            emotion: what the NPC feels about it. Empty: that of the action, see
                `MemoryConfig.action_emotions`.
        """
        told = event_templates.player_action(self.config, action_type, description, importance, emotion)
        return self._remember("store_player_action()", told, conflict_rule(self.config))

    @game_call(writes=True)
    def store_quest_memory(self, quest_id: str, outcome: str, importance: int = 8) -> str:
        """Stores how a quest went on.

        Args:
            outcome: `"started"` and `"accepted"` set the event type `quest_started`, `"completed"` and
                `"succeeded"` set `quest_completed`, `"failed"` and `"abandoned"` set `quest_failed`. So do
                sentences that say so, such as `"completed successfully"`. They are told in their own words.
                Any other outcome has the event type `quest`.
        """
        return self._remember(
            "store_quest_memory()", event_templates.quest(self.config, quest_id, outcome, importance)
        )

    @game_call(writes=True)
    def store_milestone(self, milestone_type: str, description: str, emotion: str = "significant") -> str:
        """Stores a turning point, pinned and with importance 10, and emits `milestone_created`.

        It is checked for conflicts as in `store_with_conflict_check()`.

        Args:
            milestone_type: what kind of turning point it is; also its event type. The relationship header
                counts the days from a `"first_meeting"`.
        """
        told = event_templates.milestone(self.config, milestone_type, description, emotion)
        return self._remember("store_milestone()", told, conflict_rule(self.config))

    @game_call(writes=True)
    def store_npc_awareness(self, other_npc_id: str, description: str, importance: int = 8) -> str:
        """Stores what the NPC has learned of another NPC, as the event type `npc_awareness`."""
        told = event_templates.npc_awareness(self.config, other_npc_id, description, importance)
        return self._remember("store_npc_awareness()", told)

    @game_call(writes=True)
    def store_batch(self, memories: Sequence[Mapping[str, Any]]) -> list[str]:
        """Stores many memories, much faster than one by one, and returns their ids in the same order.

        When one of them is not valid, none is stored. When the disk refuses in the middle of them, the error
        says how many are stored: the first ones, in the order given. A game that is killed meanwhile has the
        first ones stored, too. In Godot, `store_batch_async()` reads more than 500 of them over the following
        frames, for about a millisecond in each. Do not change these dictionaries until the request is
        completed. The array may be changed or cleared at once.

        Args:
            memories: dictionaries with `text`, optionally `importance`, and the keys of `data` in `store()`.
        """
        return run(self.store_batch_steps(memories))

    def store_batch_steps(self, memories: Sequence[Mapping[str, Any]]) -> Generator[Step, None, list[str]]:
        """store_batch() in slices of a few milliseconds. A written slice survives a killed process."""
        if not isinstance(memories, list | tuple):
            raise wrong_type("store_batch()", "memories", memories, "an Array of Dictionaries")
        total = len(memories)
        now = self._now()
        records: list[Record] = []
        for number, memory in enumerate(memories):
            records.append(self._batch_record(number, memory, now))
            if number % _CHECKED_AT_ONCE == _CHECKED_AT_ONCE - 1:
                yield Step(0, total, "checking memories")
        ids = yield from self._records.writer.add_steps(records, self._add)
        yield from self._records.index.build_steps()
        self._records.index.save_if_grown()
        return ids

    def _batch_record(self, number: int, memory: Any, now: float) -> Record:
        where = f"store_batch(), memory {number}"
        if not isinstance(memory, Mapping):
            raise wrong_type(where, "the memory", memory, "a Dictionary")
        data = dict(memory)
        if "text" not in data:
            raise InvalidArgumentError(
                f"{where}: there is no text", "a memory needs one", 'Add the key "text"'
            )
        text = data.pop("text")
        importance = data.pop("importance", DEFAULT_IMPORTANCE)
        told = self._checked(where, MemoryDraft(text, importance, data))
        return new_record(where, self.npc_id, self.config, now, *told)
