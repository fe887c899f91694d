"""What an NPC answers when no language model speaks for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag_memory.config.calendar import CALENDAR
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.conversation import Conversation
from rag_memory.conversation.told_memories import ids_in
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.company import read_company
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER
from rag_memory.memory.game_time import MOST_DAYS, number_in
from rag_memory.memory.memory_view import age, described
from rag_memory.memory.open_matter import THREAT
from rag_memory.memory.record import PLAYER_INFO
from rag_memory.memory.secrecy import may_be_told
from rag_memory.mind.sentiment import sentiment_of
from rag_memory.npc.npc_mind import NpcMind
from rag_memory.npc.recall import Recall
from rag_memory.npc.retriever import Retriever
from rag_memory.prompt.follow_up import FollowUp
from rag_memory.prompt.player_line import asks_of_oneself, follow_up_of
from rag_memory.prompt.player_name import player_name
from rag_memory.prompt.remembered import PlayerLine, Remembered
from rag_memory.prompt.remembered_answer import (
    GREETING,
    LINE,
    REACTION,
    UnaidedAnswer,
    answer_without_model,
)
from rag_memory.prompt.speaker import Speaker
from rag_memory.searchable.player_names import player_names
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, written_name
from rag_memory.storage.filter import Condition
from rag_memory.text.terms import words
from rag_memory.validation import validate_options, validate_text, validate_texts
from rag_memory.world.open_matters import OpenMatters
from rag_memory.world.people import People

_CALL = "answer_from_memory()"
_OCCASIONS = (LINE, GREETING, REACTION)
_OPTIONS = ("npc_name", "role", "player_name", "listeners", "has_mind", "speaker")
_RELEVANT = 12
_RECENT, _RECENT_IMPORTANT, _IMPORTANT_FROM = 40, 40, 7
_TURNS_READ = 40
_FELT = 20
"""Entries of the log among which a reason for what the NPC feels is looked for."""
_SHORTENED = {"s": "is", "re": "are", "m": "am", "ve": "have"}


class UnaidedAnswers:
    """Answers lines, greets, and reacts, with what the NPC remembers and feels."""

    def __init__(
        self,
        records: OwnedRecords,
        recall: Recall,
        retriever: Retriever,
        mind: NpcMind,
        conversation: Conversation,
        people: People,
        open_matters: OpenMatters,
    ) -> None:
        self._people = people
        self._records = records
        self._recall = recall
        self._retriever = retriever
        self._mind = mind
        self._conversation = conversation
        self._open_matters = open_matters

    @game_call(searches=True)
    def answer_from_memory(
        self, occasion: str, said: str = "", options: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Returns what the NPC says when no language model speaks for it, and stores nothing.

        `NPCDialogue` asks it when it has no model, or when the model fails. The NPC greets, thanks, refuses,
        takes offence and says goodbye as it feels towards the player. To a question it speaks the memory that
        answers it, in the words in which it is stored, or says that it does not know. Secrets that the player
        may not know, and memories that a later one has superseded, are not spoken.

        Args:
            occasion: `"line"`, `"greeting"` or `"reaction"`.
            said: the line of the player, or what happens.
            options: `npc_name` and `role` (what the NPC says of itself), `speaker` (the id of who speaks to
                it, `"player"` when left out), `player_name` (when the game knows it), `listeners` (ids of
                others who hear it) and `has_mind` (`false`: what the mind feels does not count).

        Returns:
            `response`, `kind` (such as `"memory"`, `"unknown"`, `"greeting"` or `"insult"`) and `memory_ids`,
            the memories that it speaks of.

        Raises:
            InvalidArgumentError: there is no such occasion or option, or a value has the wrong type.
        """
        if occasion not in _OCCASIONS:
            raise InvalidArgumentError(
                f"{_CALL}: there is no occasion {occasion!r}", "", f"Use one of {', '.join(_OCCASIONS)}"
            )
        options = validate_options(_CALL, options, _OPTIONS)
        said = validate_text(_CALL, "said", said)
        id = read_company(_CALL, self._records.npc_id, options).speaker if "speaker" in options else PLAYER
        relationship = self._retriever.header(id)["metadata"]["relationship"]
        config = self._records.config
        if id != PLAYER:
            name = self._people.name_of(config, id)
            config = config.towards(name)
            options = {**options, "player_name": name}
        return self.answer(occasion, said, options, relationship, config)._asdict()

    def answer(
        self,
        occasion: str,
        said: str,
        options: Mapping[str, Any],
        relationship: Mapping[str, Any],
        config: MemoryConfig,
    ) -> UnaidedAnswer:
        """answer_from_memory() with checked arguments, and the relationship before the speaker spoke.
        The sentences of the config name the speaker.
        """
        names = {name: validate_text(_CALL, name, options.get(name, "")) for name in _OPTIONS[:3]}
        listeners = validate_texts(_CALL, "listeners", options.get("listeners", []))
        id = options.get("speaker", PLAYER)
        has_mind = options.get("has_mind", True)
        disposition = self._mind.log.disposition(id) if has_mind else {}
        emotion = self._mind.log.emotion() if has_mind else {}
        turns = self._conversation.get_turns(_TURNS_READ, id)
        talk = self._conversation.talk(id)
        tellings = [(ids_in(turn), turn["npc_message"]) for turn in talk]
        already_told = {memory_id for ids, _ in tellings for memory_id in ids}
        greetings = [turn for turn in turns if not turn["player_message"]]
        greeted = {
            memory_id: number_in(turn.get("day"), MOST_DAYS) or 0.0
            for turn in greetings[-1:]
            for memory_id in ids_in(turn)
        }
        matter = self._open_matter(id, listeners, already_told, greeted)
        line, remembered = PlayerLine(), Remembered(open_matter=matter)
        grudge, kindness = self._reasons(id) if has_mind and occasion == LINE else ("", "")
        speaker = Speaker(
            relationship=relationship,
            disposition=disposition,
            mood=str(emotion.get("mood", "")) if emotion.get("intensity") else "",
            mood_reason=str(emotion.get("reason", "")) if emotion.get("intensity") else "",
            name=names["npc_name"],
            role=names["role"],
            grudge=grudge,
            kindness=kindness,
            last_answer=turns[-1]["npc_message"] if turns else "",
        )
        if occasion == LINE:
            line = PlayerLine(
                text=said,
                findings=self._conversation.findings(said, "", {"player_id": id}),
                sentiment=sentiment_of(self._mind.config, said, ""),
            )
            public_name = self._people.player_name()
            aliases = [names["player_name"], str(disposition.get("name", ""))]
            others_call_player = ""
            if id == PLAYER:
                aliases += written_name(self._records.in_slot(PLAYER_NAME_SLOT))
                aliases += player_names(self._records)
                aliases.append(public_name)
                name = player_name(self._records, names["player_name"], disposition) or public_name
            else:
                name = names["player_name"]
                of_player = self._mind.log.disposition(PLAYER) if has_mind else {}
                others_call_player = player_name(self._records, "", of_player) or public_name
            remembered = Remembered(
                relevant=self._relevant(said, id, listeners),
                follow_up=self._follow_up(config, said, names["npc_name"], talk, id, listeners),
                of_player=self._of_player() + (self._told_facts() if asks_of_oneself(config, said) else []),
                tellings=tellings,
                answers=[
                    telling
                    for turn, telling in zip(talk, tellings, strict=True)
                    if _has_asked(turn, id, said)
                ],
                turns={turn["id"]: turn for turn in turns},
                last_line=_last_line(talk, id, said, [id, *listeners]),
                player_name=name,
                player_names=[alias for alias in aliases if alias and alias != PLAYER],
                others_call_player=others_call_player,
                asker=id,
                listening=[id, *listeners],
                model=self._records.save.embedder.name,
            )
        return answer_without_model(config, occasion, line, speaker, remembered)

    def _relevant(self, line: str, id: str, listeners: Sequence[str]) -> list[dict[str, Any]]:
        options = {"limit": _RELEVANT, "listeners": [id, *listeners], "speaker": id}
        return self._recall.retrieve_relevant_raw(line, options)

    def _follow_up(
        self,
        config: MemoryConfig,
        said: str,
        npc_name: str,
        talk: Sequence[Mapping[str, Any]],
        id: str,
        listeners: Sequence[str],
    ) -> FollowUp | None:
        """What a line asks of the memory that the NPC told in the last turn that was no such question;
        None if it asks anything else, or if the NPC told no memory then, or several.
        """
        own = f"{npc_name} {self._records.npc_id}"
        kind = follow_up_of(config, said, own)
        turn = next(
            (turn for turn in talk if not follow_up_of(config, str(turn["player_message"]), own)), None
        )
        if not kind or turn is None or turn.get("speaker", PLAYER) != id:
            return None
        ids, line = set(ids_in(turn)), str(turn["player_message"])
        if len(ids) != 1 or not may_be_told(turn, [id, *listeners]):
            return None
        memories = self._relevant(line, id, listeners) if line else []
        # Nothing is looked for by a greeting. A rumor may be outdated, which only a search knows.
        memories += [memory for memory in self._of_player() if "heard_from" not in memory["metadata"]]
        memory = next((memory for memory in memories if memory["id"] in ids), None)
        if memory is None:
            return None
        metadata = memory["metadata"]
        ago = age(config, max(0.0, self._records.save.now() - metadata["timestamp"]))
        teller = str(metadata.get("heard_from") or metadata.get("speaker") or "")
        if teller in ("", *NPC_SPEAKERS, self._records.npc_id):
            return FollowUp(kind, memory, ago)
        name = "" if teller == id else self._people.name_of(config, teller)
        return FollowUp(kind, memory, ago, name, teller == id)

    def _reasons(self, id: str) -> tuple[str, str]:
        """The reasons of the last harm and the last good that somebody did to the NPC; "" for none."""
        changes = [change for change in self._mind.log.changes(id, _FELT) if change.reason]
        grudge = next((change.reason for change in changes if change.sentiment < 0.0), "")
        return grudge, next((change.reason for change in changes if change.sentiment > 0.0), "")

    def _open_matter(
        self,
        with_id: str,
        listeners: Sequence[str],
        in_this_talk: Collection[str],
        greeted: Mapping[str, float],
    ) -> tuple[dict[str, Any], str] | None:
        """What is most urgent between the NPC and another, as a memory, and a note on when it is due; without
        what the NPC told in this talk, and without what it said when it greeted last (with the day of that),
        unless that has become overdue since.
        """
        listening, npc_id = [with_id, *listeners], self._records.npc_id
        day, most = self._records.save.now() / CALENDAR.seconds_per_day, len({*in_this_talk, *greeted}) + 1
        for matter, _line in self._open_matters.lines(self._records.config, npc_id, with_id, listening, most):
            if matter.record is None or matter.kind == THREAT or matter.record.id in in_this_talk:
                continue
            greeted_on = greeted.get(matter.record.id)
            if greeted_on is not None and matter.state(greeted_on) == matter.state(day):
                continue
            memory = described(matter.record, npc_id, self._records.config)
            return memory, self._open_matters.note(self._records.config, matter)
        return None

    def _told_facts(self) -> list[dict[str, Any]]:
        """What the NPC was told of the player, however long ago."""
        npc, store = self._records.npc, self._records.save.store
        if npc is None:
            return []
        keys = store.lists.keys_where(npc, Condition("event_type", "=", PLAYER_INFO))
        records = store.records.by_keys(keys.tolist())
        return [described(record, self._records.npc_id, self._records.config) for record in records]

    def _of_player(self) -> list[dict[str, Any]]:
        """The memories that may come to mind when the player is asked about, most important first."""
        newest = self._recall.get_recent(_RECENT)
        important = self._recall.get_recent(_RECENT_IMPORTANT, _IMPORTANT_FROM)
        memories = {memory["id"]: memory for memory in [*newest, *important]}
        return sorted(
            memories.values(),
            key=lambda memory: (-memory["metadata"]["importance"], -memory["metadata"]["timestamp"]),
        )


def _last_line(talk: Sequence[Mapping[str, Any]], id: str, asked: str, listening: Collection[str]) -> str:
    """What somebody said last in a talk that all who listen may hear, but for what is asked now."""
    lines = [
        str(turn["player_message"])
        for turn in talk
        if turn.get("speaker", PLAYER) == id and may_be_told(turn, listening)
    ]
    return next((line for line in lines if _plain(line) not in ([], _plain(asked))), "")


def _has_asked(turn: Mapping[str, Any], id: str, line: str) -> bool:
    """Whether somebody said the same in a turn, and did not only listen."""
    asked = _plain(line)
    return turn.get("speaker", PLAYER) == id and bool(asked) and asked == _plain(turn["player_message"])


def _plain(line: str) -> list[str]:
    """The words of a line; "where's" has those of "where is"."""
    return [_SHORTENED.get(word, word) for word in words(line)]
