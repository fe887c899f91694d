"""Conversations of one NPC: with players, and with other NPCs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.conflicts import open_kind
from rag_memory.conversation.extraction import findings_in
from rag_memory.conversation.extractor import finding_draft, findings_steps, read_findings, secrecy_of
from rag_memory.conversation.hearers import Hearers, Talk
from rag_memory.conversation.open_talk import KINDS, talk_matter
from rag_memory.conversation.settlements import open_debt, promised_amounts
from rag_memory.conversation.told_memories import MEMORY_IDS, TOLD_TO, memories_in
from rag_memory.conversation.turn_log import TurnLog, following
from rag_memory.game_call import game_call
from rag_memory.memory.company import Company, read_company
from rag_memory.memory.conflicts import conflict_rule
from rag_memory.memory.document import Document
from rag_memory.memory.event_templates import PLAYER, MemoryDraft
from rag_memory.memory.open_matter import TASK
from rag_memory.memory.record import Record
from rag_memory.searchable.conflict_view import ConflictView
from rag_memory.searchable.memory_writer import MemoryWriter
from rag_memory.searchable.records import OwnedRecords
from rag_memory.step import Steps, in_slices
from rag_memory.validation import list_in, validate_count, validate_text
from rag_memory.world.world import World

_MEMORIES = "memories"
_NAMING = ("settles", "pays", "concerns")
"""The keys of a fact with ids of memories. What is a secret of one of them is one of the fact, too."""


class Conversation:
    """Stores and returns turns, the memories that they leave, and their summaries."""

    def __init__(
        self,
        records: OwnedRecords,
        writer: MemoryWriter,
        turns: TurnLog,
        world: World,
        hearers: Hearers,
    ) -> None:
        self.hearers = hearers
        self._records = records
        self._writer = writer
        self._turns = turns
        self._world = world
        self._unread: list[tuple[Document, str]] = []
        """Turns in which the game's extractor has not looked for memories yet, with their exchanges."""

    @game_call(writes=True)
    @in_slices
    def store_turn(
        self, player_message: str, npc_message: str, data: Mapping[str, Any] | None = None
    ) -> Steps[str]:
        """Stores what somebody and the NPC said to each other, word for word, and returns the turn's id.

        A turn is not a memory, so no search finds it. `get_turns()` returns the last ones for a prompt, and
        older ones become part of `get_conversation_summary()`. Promises, names, gifts, debts, plans and
        places in it are stored as memories, in the speaker's words (see `extract_memories()`).
        `MemoryServer.extractor` may find these memories instead.

        Once this has returned, the turn survives a crash of the game. The turn and its memories are stored
        together or not at all. An extractor is asked after the turn is stored.

        Args:
            player_message: what the player, or another speaker, said. May be empty when the NPC spoke first.
            npc_message: what the NPC answered. May be empty.
            data: `location` (a String), `day` (the game's day, now when left out), `speaker` (the id of who
                speaks to the NPC: `"player"` when left out, another player or an NPC), `addressees` (the ids
                of others who are spoken to), `bystanders` (the ids of those who overhear it, or a Dictionary
                with the share of the words, 0 to 1, that reaches each), `manner` (`"say"`, `"whisper"`,
                `"shout"` or `"letter"`; a whisper and a letter reach no bystander, and are a secret of those
                they reach unless you pass `secret`), `memory_ids` (the ids of the memories that the NPC tells
                in `npc_message`, so that the NPC does not repeat them at once) and `memories`: what the NPC
                should remember of this turn, when your game or its language model says it. They are Strings,
                or Dictionaries with `text`, `importance` and the keys of `data` in `store()`; an empty Array
                for none. `secret` and `known_to` as in `store()` hold for all of them; the player of the turn
                may always hear of them. Any other key is kept with the turn.

        Raises:
            InvalidArgumentError: both messages are empty, one is longer than `MemoryConfig.max_text_chars`,
                a value has the wrong type, or the NPC is the speaker.
            StoreError: the database could not write.
        """
        fields: Any = data
        findings, company = None, Company()
        if isinstance(data, Mapping):
            fields = {name: value for name, value in data.items() if name != _MEMORIES}
            if data.get(_MEMORIES) is not None:
                findings = read_findings(
                    "store_turn()", self._records.npc_id, self._records.config, data[_MEMORIES]
                )
            company = read_company("store_turn()", self._records.npc_id, fields)
            fields |= company.secrecy(self._records.npc_id, fields)
        turn = self.draft_turn("store_turn()", player_message, npc_message, fields)
        spoken = self.spoken(turn, company)
        is_extracted = findings is None and self._world.config.extract_memories
        is_waiting = is_extracted and self._has_extractor()
        if is_waiting:
            # The turn is safe before anybody waits for a model.
            self._records.writer.write(lambda _npc: self._turns.write(turn))
        if is_extracted:
            findings = yield from self._findings_steps(turn)
        drafts = self._drafts(findings or [], turn)
        records = [self._writer.record("store_turn()", draft) for draft in drafts]
        vectors = self._records.save.embed([record.document_full for record in records])

        def write_turn() -> None:
            if not is_waiting:
                self._turns.write(turn)

        hearers = self.hearers.prepared("store_turn()", spoken)
        # The turn makes the speaker an NPC of the save, even when there is nothing to remember.
        with self.hearers.together(hearers):
            self._writer.add_together(records, vectors, conflict_rule(self._records.config), write_turn)
        return turn.id

    @game_call()
    def get_turns(self, count: int = 6, speaker: str = PLAYER) -> list[dict[str, Any]]:
        """Returns the last turns of the conversation, the newest last.

        Each has `id`, `exchange_id` (of `get_exchanges()`; empty for none), `player_message`, `npc_message`,
        `location`, `day`, `speaker`, and the keys that the game gave to `store_turn()`. Those in which the
        NPC told memories have `memory_ids`, and `told_to` with all who heard, if these are not the speaker
        and the `addressees`.

        Args:
            count: how many at most.
            speaker: with whom: a player, or another NPC.
        """
        count = validate_count("get_turns()", "count", count)
        return self._turns.turns(self._records.npc_id, count, _speaker("get_turns()", speaker))

    @game_call()
    def get_conversation_summary(self, speaker: str = PLAYER) -> dict[str, Any]:
        """Returns what older turns were about: `summary`, `turn_count` (how many turns it tells of) and
        `last_turn_day` (the day of the last of these; -1 without a summary).

        The last `MemoryWorldConfig.turns_kept_raw` turns are not in it: `get_turns()` has them. Whenever
        `MemoryWorldConfig.turns_before_summary` older ones have gathered, they are taken in, while the game
        has nothing else for the worker to do. `MemoryServer.summarizer` may write the summary. Without one it
        consists of the memories of these turns, and of the beginnings of turns without any. It has at most
        `MemoryWorldConfig.max_summary_chars` characters.

        `retrieve_scored()` and every other way to ask for memories find what a summary says and no memory
        does. These passages have the `event_type` `"summary"` and are not memories: they disappear with the
        summary.

        Args:
            speaker: the conversation with whom: a player, or another NPC.
        """
        speaker = _speaker("get_conversation_summary()", speaker)
        return self._turns.summary(self._records.npc_id, speaker)

    @game_call()
    def extract_memories(self, player_message: str, npc_message: str) -> list[dict[str, Any]]:
        """Returns the memories that `store_turn()` would store of a turn, and stores nothing.

        Promises, threats, appointments, names, gifts, debts, plans and places are found by rules for English.
        In German, French, Spanish, Portuguese, Russian, Chinese and Japanese promises, debts, appointments,
        names and gifts are found; in other languages nothing is: set `MemoryServer.extractor`. Questions,
        denials, jokes, idioms, what depends on an "if", and what others are said to have said are left out.
        What the NPC denies, refuses or corrects is a `"claim"` of the player. Only the first 20000 characters
        are read.

        Returns:
            for each memory `category` (`"promise"`, `"threat"`, `"appointment"`, `"name"`, `"gift"`,
            `"debt"`, `"plan"`, `"place"` or `"claim"`), `speaker` (`"player"` or `"npc"`), `text`,
            `importance`, `event_type`, `participants`, `entities` and `fact`: what `store_batch()` takes.
            `fact` has `kind`, `by` and `to` (who owes, promised, gave or paid, and to whom), `about`,
            `amount` (`null` for none), `unit`, `due` and `quote`. A debt or a payment has `settles`, too:
            the ids of the memories that it ends. A payment that ends none may have `pays`: those of the
            debts that it may be for. What is stored of it gets `due_day`, the day of the game that `due`
            means.
        """
        player_message = validate_text("extract_memories()", "player_message", player_message)
        npc_message = validate_text("extract_memories()", "npc_message", npc_message)
        return self.findings(player_message, npc_message, {})

    def talk(self, listener: str) -> list[dict[str, Any]]:
        """Return the turns of the talk that is going on with somebody, newest first."""
        return self._turns.talk(self._records.npc_id, listener)

    def already_told(self, listeners: Sequence[str]) -> Mapping[str, int]:
        """Return how often each memory was told to all of these in the talk that is going on, by its id."""
        return self._turns.already_told(self._records.npc_id, listeners)

    def memories_in(self, reply: str, line: str, listener: str) -> list[str]:
        """Return the ids of the memories that a reply of the NPC to a line tells to somebody."""
        name = "" if listener == PLAYER else self._world.people.name_of(self._records.config, listener)
        return memories_in(self._records, reply, line, name or "the player")

    def draft_turn(self, call: str, player_message: Any, npc_message: Any, data: Any) -> Document:
        """Make the next turn, and write nothing."""
        return self._turns.draft(
            call, self._records.npc_id, self._records.config, player_message, npc_message, data
        )

    def spoken(self, turn: Document, company: Company) -> Talk:
        """Return what others may keep of a turn. An answer that was made without a model is not kept."""
        said = turn.content
        answer = "" if said.get("from_memory") else said["npc_message"]
        data = {"location": said["location"], "timestamp": turn.timestamp, **secrecy_of(said)}
        own = self._records.npc_id
        return Talk(own, company, said["player_message"], answer, data, own)

    def own_turns(self, call: str, spoken: Talk) -> list[Document]:
        """Return the turns that this NPC keeps of its own words to another one, and of the answer."""
        messages = [("", spoken.line), (spoken.answer, "")]
        said = [both for both in messages if any(map(str.strip, both))]
        turns = [self._heard_turn(call, *both, spoken, spoken.npc_id) for both in said]
        return [*turns[:1], *(following(turn, turns[0]) for turn in turns[1:])]

    def addressed_turn(self, call: str, spoken: Talk) -> Document | None:
        """Return the turn of this NPC when it was spoken to beside another one."""
        if not spoken.line.strip():
            return None
        return self._heard_turn(call, spoken.line, "", spoken, spoken.company.speaker)

    def drafts_of(self, turns: Iterable[Document]) -> list[MemoryDraft]:
        """Return the memories that the rules find in turns with one other, read as one."""
        turns = list(turns)
        if not turns or not self._world.config.extract_memories:
            return []
        said = [" ".join(turn.content[name] for turn in turns) for name in ("player_message", "npc_message")]
        findings = self.findings(said[0], said[1], turns[0].content)
        return self._drafts(findings, turns[0])

    def write(self, turn: Document) -> None:
        """Write a turn of words that this NPC heard, inside a transaction."""
        self._turns.write(turn)

    def drafts_steps(self, turn: Document) -> Steps[list[MemoryDraft]]:
        """Make the memories that the rules find in a turn; none where add_turn() asks an extractor."""
        if not self._world.config.extract_memories or self._has_extractor():
            return []
        findings = yield from self._findings_steps(turn)
        return self._drafts(findings, turn)

    def is_next(self, turn: Document) -> bool:
        """Return True if no other turn was written since this one was made."""
        return self._turns.is_next(turn)

    def add_turn(self, turn: Document, is_read: bool, exchange: str) -> None:
        """Write the turn of an exchange, inside a transaction. If it is not read yet, the game's extractor
        looks for memories in it when nobody waits.
        """
        self._turns.write(turn)
        if not is_read and self._world.config.extract_memories and self._has_extractor():
            self._unread.append((turn, exchange))

    def forget_unread(self) -> None:
        """Ask no extractor about earlier turns, because another state of the save has been loaded."""
        self._unread.clear()

    def idle_steps(self) -> Steps[None]:
        """Ask the game's extractor, and summarize conversations in the background, except in the editor."""
        if not self._records.save.notes_accesses:
            return
        while self._unread:
            yield from self._read_steps(*self._unread.pop(0))
        if self._turns.may_summarize(self._records.npc_id):
            yield from self._turns.summarize_steps(self._records.npc_id)

    def _read_steps(self, turn: Document, exchange: str) -> Steps[None]:
        findings = yield from self._findings_steps(turn)
        drafts = self._drafts(findings, turn)
        records, vectors = yield from self._writer.prepared_steps("an extractor", drafts)
        if records and self._turns.is_stored(turn):  # The game may have gone back to before it.
            with self._records.save.exchange(exchange, self._records.npc_id, is_late=True):
                self._writer.add(records, vectors)

    def _drafts(self, findings: list[dict[str, Any]], turn: Document) -> list[MemoryDraft]:
        return [finding_draft(finding, turn, self._paid(finding.get("fact"))) for finding in findings]

    def _paid(self, fact: Any) -> list[Record]:
        """The memories that a fact ends, pays a part of, or is about."""
        npc = self._records.npc
        has_ids = isinstance(fact, Mapping) and npc is not None
        ids = [id for key in _NAMING for id in fact.get(key, [])] if has_ids else []
        olds = (self._records.store.records.get(npc or 0, id) for id in ids)
        return [old for old in olds if old is not None]

    def _has_extractor(self) -> bool:
        save = self._records.save
        return save.extractor is not None and save.asks_extractor()

    def _findings_steps(self, turn: Document) -> Steps[list[dict[str, Any]]]:
        said = turn.content
        findings = self.findings(said["player_message"], said["npc_message"], said)
        return findings_steps(self._records.save, self._records.npc_id, self._records.config, turn, findings)

    def findings(
        self, player_message: str, npc_message: str, turn: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The findings of the rules, reckoned with what is open between the two."""
        records, player_id = self._records, turn.get("player_id", PLAYER)
        opened: list[Record] = []
        if records.npc is not None:
            view = ConflictView(records.save, self._records.npc_id)
            opened = [
                record
                for event_type in view.event_types(records.npc)
                if open_kind(event_type) not in ("", TASK)
                for record in view.valid_of_event(records.npc, event_type, records.save.now())
                if player_id in list_in(record.participants)
            ]
        owed = [record for record in opened if record.event_type in ("debt", "own_debt")]
        debts = [open_debt(record, player_id) for record in owed]
        spoken_of = [record for record in opened if open_kind(record.event_type) in KINDS]
        matters = [talk_matter(record, player_id) for record in spoken_of]
        debts += promised_amounts(opened, debts, player_id)
        wording, people = records.config, self._world.people
        name = "" if player_id == PLAYER else people.name_of(wording, player_id)
        wording = wording.towards(name, turn.get("manner", ""))
        return findings_in(wording, player_message, npc_message, debts, matters)

    def _heard_turn(self, call: str, line: str, answer: str, spoken: Talk, speaker: str) -> Document:
        """Make the turn in which another one speaks, of the day when it was said."""
        names = ("location", "secret", "known_to")
        data = {name: spoken.data[name] for name in names if name in spoken.data}
        data |= {"speaker": speaker, "manner": spoken.company.manner}
        if answer:
            listeners = [id for id in spoken.company.addressees if id != speaker]
            data |= {MEMORY_IDS: self.memories_in(answer, line, speaker), TOLD_TO: listeners}
        turn = self.draft_turn(call, line, answer, data)
        at = spoken.data["timestamp"]
        return turn._replace(content={**turn.content, "day": at / CALENDAR.seconds_per_day}, timestamp=at)


def _speaker(call: str, speaker: Any) -> str:
    return read_company(call, "", {"speaker": speaker}).speaker
