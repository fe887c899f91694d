"""Conversations of one NPC with the player."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.conversation import extraction
from rag_memory.conversation.extractor import findings_steps, read_findings
from rag_memory.conversation.turn_log import TurnLog, validate_player_id
from rag_memory.game_call import game_call
from rag_memory.memory.conflicts import ConflictRule, conflict_rule
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Step, Steps, in_slices
from rag_memory.validation import validate_count, validate_text
from rag_memory.world.world import World

_MEMORIES = "memories"

StoreFunction = Callable[[str, MemoryDraft, ConflictRule], str]
"""Stores a memory for a call, and returns its id."""


class Conversation:
    """Stores and returns turns, the memories that they leave, and their summaries."""

    def __init__(self, records: OwnedRecords, store: StoreFunction, turns: TurnLog, world: World) -> None:
        self._records = records
        self._store = store
        self._turns = turns
        self._world = world

    @game_call(writes=True)
    @in_slices
    def store_turn(
        self, player_message: str, npc_message: str, data: Mapping[str, Any] | None = None
    ) -> Steps[str]:
        """Stores what the player and the NPC said to each other, word for word, and returns the turn's id.

        A turn is no memory: no question finds it. `get_turns()` returns the last ones for a prompt, and older
        ones become part of `get_conversation_summary()`. What the turn tells of promises, names, gifts,
        debts, plans and places is stored as memories, one sentence each (see `extract_memories()`).
        `MemoryServer.extractor` may find these memories instead.

        Once this has returned, the turn survives a crash of the game.

        Args:
            player_message: may be empty when the NPC spoke first.
            npc_message: may be empty when she gave no answer.
            data: `location` (a String), `day` (the game's day, now when left out), `player_id` (in games
                with several players) and `memories`: what the NPC should remember of this turn, when your
                game or its language model says it. They are Strings, or Dictionaries with `text`,
                `importance` and the keys of `data` in `store()`; an empty Array for none. `secret` and
                `known_to` as in `store()` hold for all of them; the player of the turn may always hear of
                them. Any other key is kept with the turn.

        Raises:
            InvalidArgumentError: both messages are empty, one is longer than `MemoryConfig.max_text_chars`,
                or a value has the wrong type.
            StoreError: the database could not write.
        """
        fields: Any = data
        findings = None
        if isinstance(data, Mapping):
            fields = {name: value for name, value in data.items() if name != _MEMORIES}
            if data.get(_MEMORIES) is not None:
                findings = read_findings(
                    "store_turn()", self._records.npc_id, self._records.config, data[_MEMORIES]
                )
        turn = self._turns.add_turn(
            self._records.npc_id, self._records.config, player_message, npc_message, fields
        )
        # The turn makes the speaker an NPC of the save, even when there is nothing to remember.
        self._records.writer.write(lambda _npc: None)
        if findings is None:
            findings = []
            if self._world.config.extract_memories:
                findings = yield from findings_steps(
                    self._records.save, self._records.npc_id, self._records.config, turn
                )
        for finding in findings:
            self._remember_finding(finding, turn.id, turn.content, turn.timestamp)
            yield Step(0, len(findings), "storing memories")
        return turn.id

    @game_call()
    def get_turns(self, count: int = 6, player_id: str = PLAYER) -> list[dict[str, Any]]:
        """Returns the last turns of the conversation, the newest last.

        Each has `id`, `exchange_id` (of `get_exchanges()`; empty for none), `player_message`, `npc_message`,
        `location`, `day`, `player_id`, and the keys that the game gave to `store_turn()`.

        Args:
            count: how many at most.
            player_id: whose turns, in games with several players.
        """
        count = validate_count("get_turns()", "count", count)
        return self._turns.turns(self._records.npc_id, count, validate_player_id("get_turns()", player_id))

    @game_call()
    def get_conversation_summary(self, player_id: str = PLAYER) -> dict[str, Any]:
        """Returns what older turns were about: `summary`, `turn_count` (how many turns it tells of) and
        `last_turn_day` (the day of the last of these; -1 without a summary).

        The last `MemoryWorldConfig.turns_kept_raw` turns are not in it: `get_turns()` has them. Whenever
        `MemoryWorldConfig.turns_before_summary` older ones have gathered, they are taken in, while the game
        has nothing else for the worker to do. `MemoryServer.summarizer` may write the summary. Without one it
        consists of the memories of these turns, and of the beginnings of turns without any. It has at most
        `MemoryWorldConfig.max_summary_chars` characters.

        Args:
            player_id: the conversation with which player, in games with several.
        """
        player_id = validate_player_id("get_conversation_summary()", player_id)
        return self._turns.summary(self._records.npc_id, player_id)

    @game_call()
    def extract_memories(self, player_message: str, npc_message: str) -> list[dict[str, Any]]:
        """Returns the memories that `store_turn()` would store of a turn, and stores nothing.

        Promises, names, gifts, debts, plans and places are found by rules for English. In other languages
        nothing is found: set `MemoryServer.extractor`. Questions, denials, jokes, what depends on an "if",
        and what somebody else is said to have said are left out. Only the first 20000 characters are read.

        Returns:
            for each memory `category` (`"promise"`, `"name"`, `"gift"`, `"debt"`, `"plan"` or `"place"`),
            `speaker` (`"player"` or `"npc"`), `text`, `importance`, `event_type`, `participants` and
            `entities`: what `store_batch()` takes.
        """
        player_message = validate_text("extract_memories()", "player_message", player_message)
        npc_message = validate_text("extract_memories()", "npc_message", npc_message)
        return extraction.findings_in(self._records.config, player_message, npc_message)

    def idle_steps(self) -> Steps[None]:
        """Summarize conversations in the background, except in the editor."""
        if self._records.save.notes_accesses and self._turns.may_summarize(self._records.npc_id):
            yield from self._turns.summarize_steps(self._records.npc_id)

    def _remember_finding(
        self, finding: Mapping[str, Any], turn_id: str, turn: Mapping[str, Any], timestamp: float
    ) -> str:
        data = {
            "participants": [turn["player_id"]],
            "location": turn["location"],
            "timestamp": timestamp,
            "check_names": False,
            **_secrecy_of(turn),
            **finding,
            "turn": turn_id,
        }
        if turn["player_id"] != PLAYER and data["participants"] == [PLAYER]:
            # What is known of one player does not replace what is known of another.
            data["participants"] = [turn["player_id"]]
            data.pop("slot_type", None)
            if "info_type" in data:
                data["info_type"] = f"{data['info_type']}_{turn['player_id']}"
        draft = MemoryDraft(data.pop("text"), data.pop("importance", extraction.DEFAULT_IMPORTANCE), data)
        return self._store("store_turn()", draft, conflict_rule(self._records.config))


def _secrecy_of(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the secrecy of what is remembered of a turn: the player who said it may always hear of it."""
    if not turn.get("secret"):
        return {}
    return {"secret": True, "known_to": turn.get("known_to", []), "source_id": turn["player_id"]}
