"""The turns of the player with NPCs, word for word, and summaries of the older ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.open_questions import open_questions
from rag_memory.conversation.summary import extract_steps, request
from rag_memory.conversation.told_memories import (
    MEMORY_IDS,
    TOLD_TO,
    counts_of,
    last_told,
    talk_with,
    telling,
    told_at,
)
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.archived import WITHOUT_CONTENT
from rag_memory.memory.company import (
    COMPANY_KEYS,
    HEARING,
    LETTER,
    SIGHT,
    STORED_SPEAKER,
    read_company,
    turn_fields,
)
from rag_memory.memory.document import CONVERSATION_SUMMARY, TURN, Document
from rag_memory.memory.open_matter import Matter
from rag_memory.memory.sizes import refuse_long_text, refuse_much_metadata
from rag_memory.memory.speech import speech_of
from rag_memory.mind.summarizer import written_steps
from rag_memory.step import Step, Steps
from rag_memory.text.short_form import short_form
from rag_memory.validation import (
    shown,
    to_json,
    validate_metadata,
    validate_text,
    validate_texts,
    warn_of_slips,
    wrong_type,
)
from rag_memory.world.days import day_of
from rag_memory.world.people import People
from rag_memory.world.world_context import WorldContext

_KEYS = (*COMPANY_KEYS, "location", "day", "memories", "from_memory", "secret", "known_to", MEMORY_IDS)
"""The keys of a turn's data that have a meaning."""
_FORMER = {
    "facts": ("the memories that a turn tells of are", "memories"),
    "player_id": ("who speaks to the NPC is", "speaker"),
}
"""Keys of earlier versions, what they held and its name."""
_OWN = ("id", "exchange_id", "player_message", "npc_message", "number")
_ASKED_IN = 60
"""So many turns are searched for questions without an answer."""
_TOLD_IN = 40
"""So many turns are searched for what was told."""
_MOST_LISTENERS = 8
_MOST_AT_ONCE = 24
"""A summary takes in so many turns at a time."""
_READ_AT_ONCE = 100
"""Turns: a millisecond or two."""


class TurnLog:
    """The turns of the player with NPCs, and a summary of the older ones for each player.

    Turns are read from the store when they are needed, because there may be very many.
    """

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        self._people = People(context)
        self._new_players: dict[str, set[str]] = {}
        """The players who talked with an NPC since its last summary, where that is known."""
        context.call_on_reload(self._new_players.clear)

    def draft(
        self, call: str, npc_id: str, config: MemoryConfig, player_message: Any, npc_message: Any, data: Any
    ) -> Document:
        """Make the next turn of an NPC, and write nothing; see RAGMemory.store_turn()."""
        content = self._turn(call, npc_id, config, player_message, npc_message, data)
        now = self._context.now()
        content.setdefault("day", now / CALENDAR.seconds_per_day)
        at = content["day"] * CALENDAR.seconds_per_day if "day" in (data or {}) else now
        number = self._next_number(npc_id)
        return Document(0, TURN, turn_id(npc_id, number), npc_id, {**content, "number": number}, at, now)

    def is_next(self, turn: Document) -> bool:
        """Return True if no other turn was written since this one was made."""
        return bool(turn.content["number"] == self._next_number(turn.owner))

    def write(self, turn: Document) -> None:
        """Write a turn. Inside a transaction that makes the speaker an NPC of the save: its owner alone
        writes its turns, so this needs no transaction of the world.
        """
        self._context.store.documents.write(turn)
        self._new_players.setdefault(turn.owner, set()).add(turn.content["player_id"])

    def is_stored(self, turn: Document) -> bool:
        """Return True if the log has this turn: it may have gone back to before it."""
        stored = self._context.store.documents.get(TURN, turn.id)
        if stored is None:
            return False
        return stored._replace(key=turn.key, exchange_id=turn.exchange_id) == turn

    def _next_number(self, npc_id: str) -> int:
        newest = self._context.store.documents.find(TURN, npc_id, count=1, is_newest_first=True)
        return int(newest[0].content["number"]) + 1 if newest else 1

    def turns(self, npc_id: str, count: int, player_id: str) -> list[dict[str, Any]]:
        """The last turns of an NPC with a player, newest last."""
        newest = self._newest(npc_id, player_id, count)
        return [_fields(turn) for turn in newest[len(newest) - min(count, len(newest)) :]]

    def talk(self, npc_id: str, listener: str) -> list[dict[str, Any]]:
        """The turns of the talk that is going on between an NPC and somebody, newest first."""
        return [_fields(turn) for turn in talk_with(self._last(npc_id), listener, self._context.now())]

    def already_told(self, npc_id: str, listeners: Sequence[str]) -> Mapping[str, int]:
        """How often an NPC has told a memory to all of these in the talk that is going on, by its id; none
        whose text has changed since.
        """
        turns, now = self._last(npc_id) if listeners else [], self._context.now()
        talks = [talk_with(turns, listener, now) for listener in listeners]
        counts = counts_of(talks)
        return {
            id: count
            for id, count in counts.items()
            if not self._has_changed(npc_id, id, min(told_at(talk, id) for talk in talks))
        }

    def _has_changed(self, npc_id: str, id: str, since: float) -> bool:
        """Return True if a memory has another text than it had at a time."""
        store = self._context.store
        npc = store.npcs.number(npc_id)
        record = None if npc is None else store.records.get(npc, id)
        if npc is None or record is None or record.stored_at <= since:
            return False
        versions = store.archive.by_numbers(store.archive.numbers_of(npc, id))
        return any(
            version.archived.at > since and version.record.document_full != record.document_full
            for version in versions
            if version.archived.reason not in WITHOUT_CONTENT
        )

    def last_told(self, npc_id: str, memory_id: str) -> dict[str, float]:
        """To whom a memory was told in the last turns of an NPC, and when that last was."""
        return last_told(self._last(npc_id), memory_id, _MOST_LISTENERS)

    def open_questions(self, npc_id: str) -> list[Matter]:
        """Return the questions of the last turns of an NPC that got no answer."""
        newest = self._context.store.documents.find(TURN, npc_id, count=_ASKED_IN, is_newest_first=True)
        return open_questions(npc_id, newest[::-1], self._context.day())

    def forget(self, npc_id: str) -> None:
        """Delete the turns of an NPC and their summaries for good."""
        self._context.forget_owned((TURN, CONVERSATION_SUMMARY), npc_id)
        self._new_players.pop(npc_id, None)

    def forget_turns(self, npc_id: str, is_told: Callable[[Document], bool]) -> list[int]:
        """Delete the turns of an NPC that `is_told` names, and the summaries that they are in, which are made
        again. Return the keys of the turns. Inside a transaction.
        """
        store, after = self._context.store, 0
        gone: list[Document] = []
        while page := store.documents.find(TURN, npc_id, after, _READ_AT_ONCE):
            gone += filter(is_told, page)
            after = page[-1].key
        if not gone:
            return []
        first: dict[str, int] = {}
        for turn in gone:
            first.setdefault(turn.content["player_id"], turn.content["number"])
        summaries_of = [self._summary(npc_id, player_id) for player_id in first]
        stale = [
            summary.id
            for summary in summaries_of
            if summary is not None and summary.content["through"] >= first[summary.content["player_id"]]
        ]
        self._context.forget(TURN, [turn.id for turn in gone])
        self._context.forget(CONVERSATION_SUMMARY, stale)
        self._new_players.pop(npc_id, None)
        return [turn.key for turn in gone]

    def summary(self, npc_id: str, player_id: str) -> dict[str, Any]:
        """See RAGMemory.get_conversation_summary()."""
        summary = self._summary(npc_id, player_id)
        content = {} if summary is None else summary.content
        return {
            "summary": content.get("summary", ""),
            "turn_count": content.get("turn_count", 0),
            "last_turn_day": content.get("last_turn_day", -1.0),
        }

    def summaries(self, npc_id: str) -> list[Document]:
        """The summaries of an NPC's conversations with all players."""
        summaries = self._context.all(CONVERSATION_SUMMARY).values()
        return [summary for summary in summaries if summary.owner == npc_id]

    def summarize_steps(self, npc_id: str) -> Steps[int]:
        """Add the older turns of an NPC to the summaries of its conversations, if there are enough of them;
        returns how many turns were added.
        """
        count = 0
        try:
            players = self._new_players.get(npc_id)
            if players is None:
                players = yield from self._players_steps(npc_id)
            self._new_players[npc_id] = set()  # Players who talk from now on come next time.
            for player_id in sorted(players):
                count += yield from self._summarize_player_steps(npc_id, player_id)
        except BaseException:
            self._new_players.pop(npc_id, None)
            raise
        return count

    def summarize_all_steps(self) -> Steps[int]:
        """summarize_steps() of all NPCs that have talked; returns how many turns were added."""
        count = 0
        owners = [
            id for id in self._context.store.documents.owners(TURN) if self._context.store.owners.owns(id)
        ]
        for number, npc_id in enumerate(owners):
            yield Step(number, len(owners), "summarising conversations")
            count += yield from self.summarize_steps(npc_id)
        return count

    def may_summarize(self, npc_id: str) -> bool:
        """Return whether summarize_steps() may have something to do: the NPC talked, or is unchecked."""
        return self._new_players.get(npc_id) != set()

    def _players_steps(self, npc_id: str) -> Steps[set[str]]:
        """All players with whom an NPC has talked."""
        players: set[str] = set()
        after, is_end = 0, False
        while not is_end:
            page = self._context.store.documents.find(TURN, npc_id, after, _READ_AT_ONCE)
            players.update(turn.content["player_id"] for turn in page)
            after, is_end = page[-1].key if page else after, not page
            yield Step(0, 1, "looking for conversations")
        return players

    def _older_steps(self, npc_id: str, player_id: str, through: int, most: int) -> Steps[list[Document]]:
        """The first `most` turns with a player whose number is above `through`, without the newest ones: a
        prompt has those word for word.
        """
        store, raw = self._context.store, self._context.config.turns_kept_raw
        last = store.documents.get(TURN, turn_id(npc_id, through))
        after, is_end = 0 if last is None else last.key, False
        older: list[Document] = []
        while len(older) < most + raw and not is_end:
            page = store.documents.find(TURN, npc_id, after, _READ_AT_ONCE)
            older += [
                turn
                for turn in page
                if turn.content["player_id"] == player_id and turn.content["number"] > through
            ]
            after, is_end = page[-1].key if page else after, not page
            yield Step(0, 1, "summarising a conversation")
        return older[: min(most, max(0, len(older) - raw))]

    def _summarize_player_steps(self, npc_id: str, player_id: str) -> Steps[int]:
        count = 0
        while True:
            before = self._summary(npc_id, player_id)
            through = 0 if before is None else before.content["through"]
            most = max(_MOST_AT_ONCE, self._context.config.turns_before_summary)
            chunk = yield from self._older_steps(npc_id, player_id, through, most)
            if len(chunk) < self._context.config.turns_before_summary:
                return count
            text = yield from self._summary_text_steps(npc_id, before, chunk)
            is_changed = not all(map(self.is_stored, chunk))
            if is_changed or self._summary(npc_id, player_id) != before:
                return count  # the game went back, or something was forgotten, while it was being written
            content = {
                "summary": text,
                "turn_count": (0 if before is None else before.content["turn_count"]) + len(chunk),
                "last_turn_day": chunk[-1].content["day"],
                "player_id": player_id,
                "through": chunk[-1].content["number"],
            }
            at = max(self._context.now(), *(max(turn.timestamp, turn.stored_at) for turn in chunk))
            self._context.write(CONVERSATION_SUMMARY, to_json([npc_id, player_id]), content, npc_id, at)
            count += len(chunk)

    def _summary_text_steps(
        self, npc_id: str, before: Document | None, turns: Sequence[Document]
    ) -> Steps[str]:
        config, limit = self._context.npc(npc_id).config, self._context.config.max_summary_chars
        summary = "" if before is None else before.content["summary"]
        turns = [turn for turn in turns if not turn.content.get("secret")]
        if not turns:
            return summary
        extract = yield from extract_steps(config, summary, turns, limit)
        if self._context.save.summarizer is None:
            return extract
        summary_request = request(npc_id, config, summary, turns, extract, limit)
        written = yield from written_steps(self._context.save.summarizer, summary_request, config)
        short = short_form(written.strip(), limit, limit, (), speech_of(config))
        return short if 0 < len(short) <= limit else extract

    def _last(self, npc_id: str) -> list[Document]:
        return self._context.store.documents.find(TURN, npc_id, count=_TOLD_IN, is_newest_first=True)

    def _summary(self, npc_id: str, player_id: str) -> Document | None:
        return self._context.store.documents.get(CONVERSATION_SUMMARY, to_json([npc_id, player_id]))

    def _newest(self, npc_id: str, player_id: str, count: int) -> list[Document]:
        """The newest turns with a player, oldest first: at least the last `count` if there are so many."""
        read = count
        while True:
            newest = self._context.store.documents.find(TURN, npc_id, count=read, is_newest_first=True)
            turns = [turn for turn in reversed(newest) if turn.content["player_id"] == player_id]
            if len(turns) >= count or len(newest) < read:
                return turns
            read *= 2

    def _turn(
        self, call: str, npc_id: str, config: MemoryConfig, player_message: Any, npc_message: Any, data: Any
    ) -> dict[str, Any]:
        said = {"player_message": player_message, "npc_message": npc_message}
        for name, text in said.items():
            said[name] = validate_text(call, name, text)
            refuse_long_text(call, name, config, text)
        if not any(text.strip() for text in said.values()):
            raise InvalidArgumentError(
                f"{call}: player_message and npc_message are empty",
                "nobody said anything",
                "Pass one of them",
            )
        if data is not None and not isinstance(data, Mapping):
            raise wrong_type(call, "data", data, "a Dictionary")
        fields = validate_metadata(call, "data", data or {})
        for former, (meaning, name) in _FORMER.items():
            if former in fields:
                raise InvalidArgumentError(
                    f'{call}: data has the key "{former}"',
                    f'{meaning} called "{name}" now',
                    f'Rename the key to "{name}"',
                )
        for name in _OWN:
            if name in fields:
                raise InvalidArgumentError(
                    f"{call}: data has the key {shown(name)}", "the turn has its own", "Choose another key"
                )
        warn_of_slips(call, "data", fields, _KEYS)
        company = read_company(call, npc_id, fields)
        own = {name: value for name, value in fields.items() if name not in COMPANY_KEYS}
        ids, others = (validate_texts(call, name, own.pop(name, [])) for name in (MEMORY_IDS, TOLD_TO))
        sense = SIGHT if company.manner == LETTER else HEARING
        own |= telling(ids, company, others, lambda id: self._people.perceives(id, sense))
        fields = {"location": "", **own, **company.fields(), STORED_SPEAKER: company.speaker}
        validate_text(call, "location", fields["location"])
        if "day" in fields:
            fields["day"] = day_of(call, fields, "day", 0.0)
        refuse_much_metadata(call, config, len(to_json(fields)))
        return {**said, **fields}


def turn_id(npc_id: str, number: int) -> str:
    """Return the id of an NPC's turn."""
    return f"{npc_id}_turn_{number}"


def _fields(turn: Document) -> dict[str, Any]:
    return {"id": turn.id, "exchange_id": turn.exchange_id, **turn_fields(turn.content)}


def following(turn: Document, former: Document) -> Document:
    """Return a turn that comes right after another one that is not written yet."""
    number = former.content["number"] + 1
    return turn._replace(id=turn_id(turn.owner, number), content={**turn.content, "number": number})
