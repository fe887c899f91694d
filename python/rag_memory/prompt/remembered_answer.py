"""What an NPC says without a language model: a few sentences of the game, and what it remembers in the words
in which it is stored. Nobody's grammar is turned: what the player said is quoted, and so is a memory that
speaks of the player as somebody else.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.config.sentences import ENGLISH, VARIANTS
from rag_memory.conversation.told_memories import says
from rag_memory.memory.event_templates import CONVERSATION, PLAYER
from rag_memory.memory.record import HEADER_SLOT, PLAYER_INFO
from rag_memory.memory.secrecy import may_be_told
from rag_memory.mind.encoding import ended
from rag_memory.mind.meeting import FIRST_MEETING
from rag_memory.mind.npc_state import EVENT_TYPE as NPC_STATE
from rag_memory.mind.relationship_memory import EVENT_TYPE as RELATIONSHIP_STATE
from rag_memory.prompt import player_line
from rag_memory.prompt.memory_evidence import Inquiry, best_answer
from rag_memory.prompt.speaker import Speaker
from rag_memory.prompt.spoken_memory import (
    DISPUTED,
    FACT,
    MY_WORDS,
    QUOTE,
    SPOKEN_WORDS,
    TO_YOU,
    YOUR_WORDS,
    Passage,
    SpokenMemory,
)
from rag_memory.text.shortening import joined

LINE, GREETING, REACTION = "line", "greeting", "reaction"
"""Occasions on which an NPC speaks."""
MEMORY, MEMORIES, UNKNOWN, STRANGER, IDENTITY = "memory", "memories", "unknown", "stranger", "identity"

_MOST_REMEMBERED = 3
_LONGEST_OF_SEVERAL = 140
"""Characters of one of several memories; a longer one is said in part."""
_AGAIN, _ONCE_MORE = ("", "says_again", "says_often"), ("", "says_once_more", "says_often")
"""The keys for what was said once and more often: a memory before a colon, and whole sentences."""
_NO_DEEDS = frozenset({FIRST_MEETING, CONVERSATION, PLAYER_INFO})
"""Event types of memories of what was said, and not done."""
_INFO_TYPES = {player_line.WHERE_FROM: "player_origin", player_line.WHAT_AM_I: "player_work"}
_UNSPOKEN = frozenset({RELATIONSHIP_STATE, NPC_STATE, HEADER_SLOT})
"""Event types of memories that are no sentences to be said."""


class UnaidedAnswer(NamedTuple):
    """What the NPC says, the kind of answer that it is, and the ids of the memories in it."""

    response: str
    kind: str
    memory_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PlayerLine:
    """What the player said, or what happened."""

    text: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    """What the line tells, as from findings_in()."""
    sentiment: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What the NPC may speak of. All memories are dictionaries as in retrieve_scored(); which of them may be
    spoken is decided here.
    """

    relevant: Sequence[Mapping[str, Any]] = ()
    """Those that fit the line, best first."""
    of_player: Sequence[Mapping[str, Any]] = ()
    """Those that come to mind when the player is asked about, most important first."""
    turns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The turns by their ids, of which rules have found memories."""
    open_matter: tuple[Mapping[str, Any], str] | None = None
    """What is most urgent between the two, as a memory, and a note on when it is due."""
    tellings: Sequence[tuple[Collection[str], str]] = ()
    """What the asker was told in this talk: the ids of the memories, and the words, of every turn."""
    answers: Sequence[tuple[Collection[str], str]] = ()
    """Those of them that answered the same line."""
    player_name: str = ""
    player_names: Collection[str] = ()
    others_call_player: str = ""
    asker: str = PLAYER
    """The id of who speaks to the NPC."""
    listening: Collection[str] = (PLAYER,)
    """The ids of all who hear the answer."""
    model: str = ""
    """The name of the embedding model."""


def answer_without_model(
    config: MemoryConfig, occasion: str, line: PlayerLine, speaker: Speaker, remembered: Remembered
) -> UnaidedAnswer:
    """Return what an NPC says on an occasion: LINE, GREETING or REACTION."""
    return _Answering(config, line, speaker, remembered).answer(occasion)


class _Answering:
    """One answer."""

    def __init__(
        self, config: MemoryConfig, line: PlayerLine, speaker: Speaker, remembered: Remembered
    ) -> None:
        self._config = config
        self._line = line
        self._speaker = speaker
        self._remembered = remembered
        names, who = tuple(remembered.player_names), (remembered.asker, remembered.others_call_player)
        self._spoken = SpokenMemory(config, remembered.player_name, names, remembered.turns, *who)

    @functools.cached_property
    def _inquiry(self) -> Inquiry:
        kind = player_line.kind_of(self._config, self._line.text, (), 0.0)
        return Inquiry(
            self._line.text,
            self._remembered.player_names,
            self._speaker.name,
            self._config.sentence("line_empty"),
            is_asked=kind not in (player_line.HEARD, player_line.KIND),
            is_of_player=self._remembered.asker == PLAYER,
        )

    def answer(self, occasion: str) -> UnaidedAnswer:
        if occasion == REACTION:
            return UnaidedAnswer(self._say("says_seen"), REACTION)
        if occasion == GREETING:
            return self._greeting()
        kind = player_line.kind_of(self._config, self._line.text, self._line.findings, self._line.sentiment)
        special = {
            player_line.GREETING: self._greeting,
            player_line.WHO_AM_I: self._who_the_player_is,
            player_line.ABOUT_ME: self._about_the_player,
            player_line.WHERE_FROM: lambda: self._what_the_player_is(player_line.WHERE_FROM),
            player_line.WHAT_AM_I: lambda: self._what_the_player_is(player_line.WHAT_AM_I),
            player_line.WHO_ARE_YOU: self._who_i_am,
            player_line.HOW_ARE_YOU: self._how_i_am,
            player_line.FEELING: self._what_i_feel,
            player_line.OPINION: self._what_i_think_of_you,
            player_line.QUESTION: self._to_a_question,
            player_line.REQUEST: self._to_a_request,
            player_line.THING: self._to_a_wish,
            player_line.TOPIC: self._to_a_statement,
            player_line.HEARD: self._to_a_statement,
            player_line.NOTED: self._to_a_statement,
            player_line.NAME: self._to_a_name,
            player_line.THREAT: self._to_a_threat,
            player_line.THANKS: self._to_thanks,
        }
        if kind in special:
            return special[kind]()
        return UnaidedAnswer(self._say(f"says_{kind}"), kind)

    def _greeting(self) -> UnaidedAnswer:
        key = "says_hello" if self._speaker.has_met_player else "says_hello_stranger"
        text, matter = self._say(key), self._remembered.open_matter
        if matter is None or not self._may_be_spoken(matter[0]):
            return UnaidedAnswer(text, GREETING)
        passage = self._spoken.passage(matter[0], lambda _text: 0.0, _LONGEST_OF_SEVERAL)
        if passage is None:
            return UnaidedAnswer(text, GREETING)
        parts = [text, self._spoken_passage(passage), matter[1]]
        return UnaidedAnswer(joined(parts), GREETING, (matter[0]["id"],))

    def _to_thanks(self) -> UnaidedAnswer:
        thanks = self._say("says_thanks")
        if player_line.says_farewell(self._config, self._line.text):
            return UnaidedAnswer(f"{thanks} {self._say('says_farewell')}", player_line.FAREWELL)
        return UnaidedAnswer(thanks, player_line.THANKS)

    def _to_a_threat(self) -> UnaidedAnswer:
        key = "says_threat_afraid" if self._speaker.is_afraid else "says_threat"
        return UnaidedAnswer(self._say(key), player_line.THREAT)

    def _to_a_name(self) -> UnaidedAnswer:
        names = [finding["entities"][0] for finding in self._line.findings if finding.get("slot_type")]
        return UnaidedAnswer(self._say("says_name", name=names[0]), player_line.NAME)

    def _who_i_am(self) -> UnaidedAnswer:
        if not self._speaker.name:
            return UnaidedAnswer(self._say("says_i_am_somebody"), IDENTITY)
        key = "says_i_am_with_role" if self._speaker.role else "says_i_am"
        text = self._say(key, name=self._speaker.name, role=self._speaker.role)
        return UnaidedAnswer(ended(text), IDENTITY)

    def _how_i_am(self) -> UnaidedAnswer:
        if not self._speaker.has_mood:
            return UnaidedAnswer(self._say("says_well"), player_line.HOW_ARE_YOU)
        text = self._say("says_mood", mood=self._config.word("mood", self._speaker.mood))
        return UnaidedAnswer(text, player_line.HOW_ARE_YOU)

    def _what_i_feel(self) -> UnaidedAnswer:
        """The mood and why, or else how the NPC stands to the player."""
        speaker = self._speaker
        if speaker.has_mood:
            text = joined([self._how_i_am().response, self._said_plainly(speaker.mood_reason)])
            return UnaidedAnswer(text, player_line.HOW_ARE_YOU)
        is_of_player = player_line.asks_for_opinion(self._config, self._line.text)
        return self._what_i_think_of_you() if is_of_player else self._how_i_am()

    def _what_i_think_of_you(self) -> UnaidedAnswer:
        """An opinion. Without a firm one, what the player did to the NPC counts."""
        speaker = self._speaker
        if speaker.has_mood_of_player and not speaker.feeling:
            return self._what_i_feel()
        if speaker.grudge and not speaker.feeling:
            text = self._say("says_to_you_to_foe", memory=self._said_plainly(speaker.grudge))
            return UnaidedAnswer(text, player_line.OPINION)
        return UnaidedAnswer(self._say("says_opinion"), player_line.OPINION)

    def _said_plainly(self, reason: str) -> str:
        """The reason for a feeling, as it is said to the player."""
        passage = self._spoken.reason(reason)
        return self._listed(passage) if passage is not None else ""

    def _who_the_player_is(self) -> UnaidedAnswer:
        name = self._remembered.player_name
        if name:
            first = self._say("says_you_are", name=name)
        elif self._speaker.has_met_player:
            first = self._say("says_no_name_of_you")
        else:
            return UnaidedAnswer(self._say("says_stranger"), STRANGER)
        return UnaidedAnswer(first, MEMORY if name else UNKNOWN)

    def _about_the_player(self) -> UnaidedAnswer:
        answer = self._memory() if self._inquiry.has_terms else None
        if answer is not None:
            return answer
        quotes, passages = self._of_player(_MOST_REMEMBERED)
        if quotes:
            text = joined(quotes.values())
            times = min(self._times_said(*quote) for quote in passages.items())
            text = self._once_more(text, times) if times else joined((self._say("says_about_you"), text))
            return UnaidedAnswer(text, MEMORIES, tuple(quotes))
        if not self._speaker.has_met_player and not self._remembered.player_name:
            return UnaidedAnswer(self._say("says_stranger"), STRANGER)
        return UnaidedAnswer(self._say("says_little_of_you"), UNKNOWN)

    def _what_the_player_is(self, kind: str) -> UnaidedAnswer:
        """The newest words in which the player has told it, a fact before other talk."""
        memories = [(of["metadata"], of) for of in self._remembered.of_player]
        memories.sort(key=lambda pair: (pair[0]["event_type"] != PLAYER_INFO, -pair[0]["timestamp"]))
        for metadata, memory in memories:
            by_asker = metadata.get("speaker") == self._remembered.asker
            passage = self._spoken.passage(memory, lambda _text: 0.0) if by_asker else None
            tells = functools.partial(player_line.tells_of_oneself, self._config, kind)
            is_fact = metadata.get("info_type") == _INFO_TYPES[kind]
            if passage and (is_fact or tells(passage.text)) and self._may_be_spoken(memory):
                text = self._repeated(passage, self._times_said(memory["id"], passage.text))
                return UnaidedAnswer(text, MEMORY, (memory["id"],))
        return self._to_a_question()

    def _to_a_question(self) -> UnaidedAnswer:
        unknown = self._once_more(self._say("says_unknown"), self._times_unknown())
        return self._memory() or UnaidedAnswer(unknown, UNKNOWN)

    def _times_unknown(self) -> int:
        """How often the NPC did not know the answer to this."""
        keys = [key for name in VARIANTS if name.startswith("says_unknown") for key in VARIANTS[name]]
        texts = [self._config.sentence(key) for key in keys]
        return sum(any(says(answer, text) for text in texts) for _, answer in self._remembered.answers)

    def _to_a_request(self) -> UnaidedAnswer:
        return self._memory() or UnaidedAnswer(self._say("says_order"), player_line.ORDER)

    def _to_a_wish(self) -> UnaidedAnswer:
        """The promise of what the player wants, or a refusal."""
        promise = self._memory(self._inquiry.promises)
        return promise or UnaidedAnswer(self._say("says_no_thing"), player_line.ORDER)

    def _to_a_statement(self) -> UnaidedAnswer:
        answer = self._memory()
        if answer is not None:
            return answer
        key = "says_noted" if self._line.findings else "says_heard"
        return UnaidedAnswer(self._say(key), player_line.HEARD)

    def _memory(self, fits: Callable[[str], bool] = bool) -> UnaidedAnswer | None:
        """The memory that answers the line, if its text fits."""
        question = self._inquiry
        fits_asker = self._spoken.may_concern_asker if question.is_between_us else bool
        memories = [of for of in self._remembered.relevant if self._may_be_spoken(of) and fits_asker(of)]
        answering = functools.partial(self._spoken.answering, self._line.text if question.is_asked else "")
        memory = best_answer(question, memories, self._remembered.model, answering)
        if memory is None or not fits(str(memory["document_full"])):
            return None
        passage = self._spoken.passage(memory, question.coverage)
        if passage is None or (not question.is_asked and passage.voice in (YOUR_WORDS, DISPUTED)):
            return None
        # Nobody asked for it who only said something.
        times = self._times_said(memory["id"], passage.text) if question.is_asked else 0
        text = self._repeated(passage, times)
        return UnaidedAnswer(text, MEMORY, (memory["id"],))

    def _times_told(self, id: str) -> int:
        return sum(id in ids for ids, _ in self._remembered.tellings)

    def _times_said(self, id: str, text: str) -> int:
        """How often the asker heard this text of a memory in this talk; once, if to other lines."""
        same, talk = (
            sum(id in ids and says(message, text) for ids, message in tellings)
            for tellings in (self._remembered.answers, self._remembered.tellings)
        )
        return max(same, min(talk, 1))

    def _repeated(self, passage: Passage, times: int) -> str:
        """The passage as it is spoken to somebody who was told it so many times in this talk."""
        if not times or passage.voice in SPOKEN_WORDS:
            spoken = self._spoken_passage(passage)
            # "I told you" stands before her own words anyway.
            return spoken if times == 1 and passage.voice == MY_WORDS else self._once_more(spoken, times)
        text = self._config.sentence("quoted", message=_in_quotes(passage.text))
        key, text = _AGAIN[min(times, 2)], text if passage.voice == QUOTE else passage.text
        return self._say(key, memory=text) + passage.note

    def _once_more(self, text: str, times: int) -> str:
        """What was said so many times in this talk, with a remark on that."""
        key = _ONCE_MORE[min(times, 2)]
        return self._say(key, memory=text) if key else text

    def _spoken_passage(self, passage: Passage) -> str:
        if passage.voice == FACT and not self._speaker.feeling and self._spoken.is_own(passage.text):
            return passage.text + passage.note  # Nobody doubts what they did themselves.
        key = "message" if passage.voice in SPOKEN_WORDS else "memory"
        text = passage.text if passage.voice in (FACT, TO_YOU) else _in_quotes(passage.text)
        return self._say(f"says_{passage.voice}", **{key: text}) + passage.note

    def _listed(self, passage: Passage) -> str:
        """The passage as it stands beside others."""
        if passage.voice in SPOKEN_WORDS:
            return self._spoken_passage(passage)
        is_quote = passage.voice == QUOTE
        text = self._config.sentence("quoted", message=_in_quotes(passage.text)) if is_quote else passage.text
        return text + passage.note

    def _of_player(self, count: int) -> tuple[dict[str, str], dict[str, str]]:
        """The most important memories of the player as they are spoken one after the other, and the passages
        in them, by their ids.
        """
        quotes: dict[str, str] = {}
        passages: dict[str, str] = {}
        asks_for_deeds = self._inquiry.asks_for_deeds or player_line.asks_for_deeds(
            self._config, self._line.text
        )
        for memory in sorted(self._remembered.of_player, key=lambda memory: self._times_told(memory["id"])):
            if not self._may_be_spoken(memory) or memory["metadata"]["slot_type"]:
                continue
            passage = self._spoken.passage(memory, lambda _text: 0.0, _LONGEST_OF_SEVERAL)
            is_talk = passage is not None and passage.voice == YOUR_WORDS and "turn" not in memory["metadata"]
            is_talk |= asks_for_deeds and memory["metadata"]["event_type"] in _NO_DEEDS
            if passage is None or is_talk or not self._spoken.tells_of_player(memory):
                continue
            text = self._listed(passage)
            if text not in quotes.values():
                quotes[memory["id"]] = text
                passages[memory["id"]] = passage.text
            if len(quotes) == count:
                break
        return quotes, passages

    def _may_be_spoken(self, memory: Mapping[str, Any]) -> bool:
        metadata = memory["metadata"]
        return (
            self._spoken.is_speakable(memory)
            and not metadata.get("superseded_by")
            and metadata["event_type"] not in _UNSPOKEN
            and may_be_told(metadata, self._remembered.listening)
        )

    def _say(self, key: str, **values: str) -> str:
        """The sentence of a key: that for a friend or a foe, if there is one, in one of its variants, which
        the line chooses. It is not the sentence that was said last.
        """
        for name in (key + self._speaker.feeling, key):
            texts = [
                self._config.sentence(variant, **values)
                for variant in VARIANTS.get(name, (name,) if name in ENGLISH else ())
            ]
            if texts:
                first = zlib.crc32((self._line.text + self._speaker.last_answer).encode()) % len(texts)
                ordered = texts[first:] + texts[:first]
                return next((text for text in ordered if text not in self._speaker.last_answer), ordered[0])
        raise KeyError(key)


def _in_quotes(text: str) -> str:
    """A text that stands between quotation marks."""
    return text.replace('"', "'")
