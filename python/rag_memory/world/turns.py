"""What the player and an NPC said to each other: the turns word for word, and a summary of the older ones.

Turns are read from the store: there may be very many, and nobody needs them all at once.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import Document
from rag_memory.memory.sizes import refuse_long_text, refuse_much_metadata
from rag_memory.memory.speech import speech_of
from rag_memory.mind.summarizer import written_steps
from rag_memory.step import Step
from rag_memory.text.short_form import short_form
from rag_memory.validation import (
    shown,
    to_json,
    validate_metadata,
    validate_text,
    warn_of_slips,
    wrong_type,
)
from rag_memory.world import conversation_summary
from rag_memory.world.days import day_of
from rag_memory.world.world_part import WorldPart

TURN = "turn"
SUMMARY = "summary"
PLAYER = "player"
_OWN = ("id", "player_message", "npc_message", "number")
_MOST_AT_ONCE = 24
"""A summary takes in so many turns at a time."""
_READ_AT_ONCE = 100
"""Turns: a millisecond or two."""


class Turns(WorldPart):
    """Conversations of the player with NPCs; the calls of an NPC (dossier/conversing.py) go to it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._talked: dict[str, set[str]] = {}

    def add_turn(
        self, npc_id: str, config: MemoryConfig, player_message: Any, npc_message: Any, data: Any
    ) -> Document:
        """Keep what was said; see RAGMemory.store_turn()."""
        where = "store_turn()"
        content = self._turn(where, config, player_message, npc_message, data)
        now = self._now()
        content.setdefault("day", now / CALENDAR.seconds_per_day)
        at = content["day"] * CALENDAR.seconds_per_day if "day" in (data or {}) else now
        # Only who has her writes her turns: nobody waits for those who write of the world.
        with self._save.store.transaction():
            self._save.store.check_owned(npc_id)
            newest = self._save.store.newest_documents(TURN, npc_id, 1)
            number = newest[0].content["number"] + 1 if newest else 1
            turn = Document(0, TURN, _turn_id(npc_id, number), npc_id, {**content, "number": number}, at, now)
            self._save.store.write_document(turn)
        self._talked.setdefault(npc_id, set()).add(content["player_id"])
        return turn

    def turns(self, npc_id: str, count: int, player_id: str) -> list[dict[str, Any]]:
        """The last turns of an NPC with a player, newest last."""
        found = self._newest(npc_id, player_id, count)
        return [_told(each) for each in found[len(found) - min(count, len(found)) :]]

    def forget_conversations(self, npc_id: str) -> None:
        """Deletes the turns of an NPC and their summaries for good."""
        with self._transaction():
            self._save.store.check_owned(npc_id)
            for kind in (TURN, SUMMARY):
                self._save.store.forget_documents_of(kind, npc_id)
                self._known.pop(kind, None)
        self._talked.pop(npc_id, None)

    def conversation_summary(self, npc_id: str, player_id: str) -> dict[str, Any]:
        """See RAGMemory.get_conversation_summary()."""
        known = self._summary(npc_id, player_id)
        content = {} if known is None else known.content
        return {
            "summary": content.get("summary", ""),
            "turn_count": content.get("turn_count", 0),
            "last_turn_day": content.get("last_turn_day", -1.0),
        }

    def summarize_steps(self, npc_id: str) -> Generator[Step, None, int]:
        """Take the older turns of an NPC into the summaries of her conversations, where enough have gathered;
        how many turns were taken in.
        """
        taken = 0
        try:
            players = self._talked.get(npc_id)
            if players is None:
                players = yield from self._players_steps(npc_id)
            self._talked[npc_id] = set()  # Whoever talks from now on comes next time.
            for player_id in sorted(players):
                taken += yield from self._summarize_player_steps(npc_id, player_id)
        except BaseException:
            self._talked.pop(npc_id, None)
            raise
        return taken

    def summarize_all_steps(self) -> Generator[Step, None, int]:
        """summarize_steps() of everybody who has talked; how many turns were taken in."""
        taken = 0
        owners = [id for id in self._save.store.document_owners(TURN) if self._save.store.owns(id)]
        for number, npc_id in enumerate(owners):
            yield Step(number, len(owners), "summarising conversations")
            taken += yield from self.summarize_steps(npc_id)
        return taken

    def may_summarize(self, npc_id: str) -> bool:
        """Whether there may be something to do for summarize_steps(): she talked, or nobody looked yet."""
        return self._talked.get(npc_id) != set()

    def reload(self) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        super().reload()
        self._talked.clear()

    def _players_steps(self, npc_id: str) -> Generator[Step, None, set[str]]:
        """Everybody with whom an NPC has talked."""
        players: set[str] = set()
        after, is_end = 0, False
        while not is_end:
            page = self._save.store.documents_after(TURN, npc_id, after, _READ_AT_ONCE)
            players.update(each.content["player_id"] for each in page)
            after, is_end = page[-1].key if page else after, not page
            yield Step(0, 1, "looking for conversations")
        return players

    def _older_steps(
        self, npc_id: str, player_id: str, through: int, most: int
    ) -> Generator[Step, None, list[Document]]:
        """The first `most` turns with a player whose number is above `through`, without the newest ones,
        which a prompt has word for word.
        """
        store, kept = self._save.store, self.config.turns_kept_raw
        last = store.document(TURN, _turn_id(npc_id, through))
        after, is_end = 0 if last is None else last.key, False
        found: list[Document] = []
        while len(found) < most + kept and not is_end:
            page = store.documents_after(TURN, npc_id, after, _READ_AT_ONCE)
            found += [
                each
                for each in page
                if each.content["player_id"] == player_id and each.content["number"] > through
            ]
            after, is_end = page[-1].key if page else after, not page
            yield Step(0, 1, "summarising a conversation")
        return found[: min(most, max(0, len(found) - kept))]

    def _summarize_player_steps(self, npc_id: str, player_id: str) -> Generator[Step, None, int]:
        taken = 0
        while True:
            before = self._summary(npc_id, player_id)
            through = 0 if before is None else before.content["through"]
            most = max(_MOST_AT_ONCE, self.config.turns_before_summary)
            chunk = yield from self._older_steps(npc_id, player_id, through, most)
            if len(chunk) < self.config.turns_before_summary:
                return taken
            text = yield from self._summary_text_steps(npc_id, before, chunk)
            still = self._save.store.document(TURN, chunk[-1].id)
            if still != chunk[-1] or self._summary(npc_id, player_id) != before:
                return taken  # the game went back in time while a summary was being written
            content = {
                "summary": text,
                "turn_count": (0 if before is None else before.content["turn_count"]) + len(chunk),
                "last_turn_day": chunk[-1].content["day"],
                "player_id": player_id,
                "through": chunk[-1].content["number"],
            }
            at = max(self._now(), *(max(each.timestamp, each.stored_at) for each in chunk))
            self._write(SUMMARY, to_json([npc_id, player_id]), content, npc_id, at)
            taken += len(chunk)

    def _summary_text_steps(
        self, npc_id: str, before: Document | None, turns: Sequence[Document]
    ) -> Generator[Step, None, str]:
        config, limit = self._npc(npc_id).config, self.config.max_summary_chars
        known = "" if before is None else before.content["summary"]
        extract = yield from conversation_summary.extract_steps(config, known, turns, limit)
        if self._save.summarizer is None:
            return extract
        request = conversation_summary.request(npc_id, config, known, turns, extract, limit)
        written = yield from written_steps(self._save.summarizer, request, config)
        short = short_form(written.strip(), limit, limit, (), speech_of(config))
        return short if 0 < len(short) <= limit else extract

    def _summary(self, npc_id: str, player_id: str) -> Document | None:
        return self._save.store.document(SUMMARY, to_json([npc_id, player_id]))

    def _newest(self, npc_id: str, player_id: str, count: int) -> list[Document]:
        """The turns with a player, in their order: at least the last `count` of them if there are so many."""
        read = count
        while True:
            newest = self._save.store.newest_documents(TURN, npc_id, read)
            found = [each for each in reversed(newest) if each.content["player_id"] == player_id]
            if len(found) >= count or len(newest) < read:
                return found
            read *= 2

    @staticmethod
    def _turn(
        where: str, config: MemoryConfig, player_message: Any, npc_message: Any, data: Any
    ) -> dict[str, Any]:
        said = {"player_message": player_message, "npc_message": npc_message}
        for name, text in said.items():
            said[name] = validate_text(where, name, text)
            refuse_long_text(where, name, config, text)
        if not any(text.strip() for text in said.values()):
            raise InvalidArgumentError(
                f"{where}: player_message and npc_message are empty",
                "nobody said anything",
                "Pass one of them",
            )
        if data is not None and not isinstance(data, Mapping):
            raise wrong_type(where, "data", data, "a Dictionary")
        told = validate_metadata(where, "data", data or {})
        for name in _OWN:
            if name in told:
                raise InvalidArgumentError(
                    f"{where}: data has the key {shown(name)}", "the turn has its own", "Choose another key"
                )
        warn_of_slips(where, "data", told, ("location", "player_id", "day", "facts", "from_memory"))
        told = {"location": "", "player_id": PLAYER, **told}
        validate_text(where, "location", told["location"])
        told["player_id"] = validate_player_id(where, told["player_id"])
        if "day" in told:
            told["day"] = day_of(where, told, "day", 0.0)
        refuse_much_metadata(where, config, len(to_json(told)))
        return {**said, **told}


def validate_player_id(where: str, value: Any) -> str:
    """Which player talks.

    Raises:
        InvalidArgumentError: it is no text, or empty.
    """
    text = validate_text(where, "player_id", value)
    if not text.strip():
        raise InvalidArgumentError(
            f"{where}: player_id is {shown(value)}", "a player needs a name", 'Leave it out, or pass "player"'
        )
    return text


def _turn_id(npc_id: str, number: int) -> str:
    return f"{npc_id}_turn_{number}"


def _told(turn: Document) -> dict[str, Any]:
    content = {name: value for name, value in turn.content.items() if name != "number"}
    return {"id": turn.id, **content}
