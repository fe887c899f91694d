"""What an NPC says without a language model: a few sentences of the game, and what it remembers in the words
in which it is stored. Nobody's grammar is turned: what the player said is quoted, and so is a memory that
speaks of the player as somebody else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.conversation.told_memories import says
from rag_memory.memory.event_templates import CONVERSATION, PLAYER
from rag_memory.memory.record import HEADER_SLOT, PLAYER_INFO
from rag_memory.memory.secrecy import may_be_told
from rag_memory.mind.meeting import FIRST_MEETING
from rag_memory.mind.npc_state import EVENT_TYPE as NPC_STATE
from rag_memory.mind.relationship_memory import EVENT_TYPE as RELATIONSHIP_STATE
from rag_memory.prompt import player_line
from rag_memory.prompt.follow_up import FollowUp, answer_of, is_unknown
from rag_memory.prompt.memory_evidence import Inquiry, best_answer
from rag_memory.prompt.own_answers import OwnAnswers, asks_for_name
from rag_memory.prompt.personal_memory import of_a_promise, of_oneself, of_the_player
from rag_memory.prompt.remembered import PlayerLine, Remembered
from rag_memory.prompt.sentence_choice import SentenceChoice, keys_of
from rag_memory.prompt.speaker import Speaker
from rag_memory.prompt.spoken_memory import (
    DISPUTED,
    FACT,
    QUOTE,
    SPOKEN_WORDS,
    TO_YOU,
    YOUR_WORDS,
    Passage,
    SpokenMemory,
)
from rag_memory.text.second_person import begins_with_deed
from rag_memory.text.shortening import joined
from rag_memory.text.terms import words

LINE, GREETING, REACTION = "line", "greeting", "reaction"
"""Occasions on which an NPC speaks."""
MEMORY, MEMORIES, UNKNOWN, STRANGER, IDENTITY = "memory", "memories", "unknown", "stranger", "identity"

_MOST_REMEMBERED = 3
_LONGEST_OF_SEVERAL = 140
"""Characters of one of several memories; a longer one is said in part."""
_ONCE_MORE = ("", "says_once_more", "says_often")
"""The keys for what was said once and more often."""
_LONGEST_OF_ROLE = 5
"""Words of a question after the role of the NPC; a longer one asks for more: "Are you a friend of Mira?"."""
_LONGEST_OF_NAME = 3
"""Words of a question for the name of the NPC, besides the name."""
_NO_DEEDS = frozenset({FIRST_MEETING, CONVERSATION, PLAYER_INFO})
"""Event types of memories of what was said, and not done."""
_UNSPOKEN = frozenset({RELATIONSHIP_STATE, NPC_STATE, HEADER_SLOT})
"""Event types of memories that are no sentences to be said."""


class UnaidedAnswer(NamedTuple):
    """What the NPC says, the kind of answer that it is, and the ids of the memories in it."""

    response: str
    kind: str
    memory_ids: tuple[str, ...] = ()


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
        sentences = SentenceChoice(config, speaker, line.text)
        self._say = sentences.say
        self._own = OwnAnswers(config, sentences, self._spoken, speaker)

    @functools.cached_property
    def _inquiry(self) -> Inquiry:
        kind = player_line.kind_of(self._config, self._line.text, (), 0.0)
        return Inquiry(
            self._line.text,
            self._remembered.player_names,
            self._speaker.name,
            player_line.empty_words(self._config, self._line.text),
            is_asked=kind not in (player_line.HEARD, player_line.KIND),
            is_of_player=self._remembered.asker == PLAYER,
        )

    def answer(self, occasion: str) -> UnaidedAnswer:
        if occasion == REACTION:
            return UnaidedAnswer(self._say("says_seen"), REACTION)
        if occasion == GREETING:
            return self._greeting()
        if self._remembered.follow_up is not None and self._may_be_spoken(self._remembered.follow_up.memory):
            return self._to_a_follow_up(self._remembered.follow_up)
        line = self._line
        kind = player_line.kind_of(self._config, line.text, line.findings, line.sentiment, self._speaker.name)
        special: Mapping[str, Callable[[], UnaidedAnswer]] = {
            player_line.GREETING: self._greeting_back,
            player_line.LAST_WORDS: self._last_words,
            player_line.WHAT_ARE_YOU: self._what_i_am,
            player_line.KEPT_WORD: self._of_a_promise,
            player_line.ORIGIN: functools.partial(self._of_myself, "line_origin_told"),
            player_line.FAMILY: functools.partial(self._of_myself, "line_family_told"),
            player_line.WHO_AM_I: self._who_the_player_is,
            player_line.ABOUT_ME: self._about_the_player,
            **{of: functools.partial(self._what_the_player_is, of) for of in player_line.TOLD_BY},
            player_line.WHO_ARE_YOU: self._who_i_am,
            player_line.HOW_ARE_YOU: lambda: UnaidedAnswer(self._own.how(), player_line.HOW_ARE_YOU),
            player_line.FEELING: lambda: UnaidedAnswer(self._own.mood(), player_line.HOW_ARE_YOU),
            player_line.OPINION: lambda: UnaidedAnswer(self._own.opinion(), player_line.OPINION),
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

    def _greeting_back(self) -> UnaidedAnswer:
        """The answer to a greeting: who has spoken in this talk does not greet once more."""
        if not self._remembered.tellings:
            return self._greeting()
        return UnaidedAnswer(self._say("says_hello_back"), GREETING)

    def _last_words(self) -> UnaidedAnswer:
        """What the player has just said."""
        words = self._remembered.last_line
        if not words:
            return self._unknown()
        return UnaidedAnswer(self._say("says_your_words", message=_in_quotes(words)), MEMORY)

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
        return UnaidedAnswer(self._own.who(), IDENTITY)

    def _what_i_am(self) -> UnaidedAnswer:
        is_short = player_line.longest_part(self._line.text) <= _LONGEST_OF_ROLE
        return self._who_i_am() if self._speaker.role and is_short else self._to_a_question()

    def _of_myself(self, key: str) -> UnaidedAnswer:
        """A memory in which the NPC tells that of itself."""
        memories = filter(self._may_be_spoken, self._remembered.relevant)
        return self._answer_with(of_oneself(self._config, key, self._spoken, memories))

    def _of_a_promise(self) -> UnaidedAnswer:
        """Whether the player has kept the last promise."""
        memories = filter(self._may_be_spoken, self._remembered.of_player)
        match = of_a_promise(self._remembered.asker, self._spoken, memories)
        if match is None:
            return self._to_a_question()
        memory, passage, key = match
        text = joined([self._say(key) if key else "", self._listed(passage)])
        return UnaidedAnswer(text, MEMORY, (memory["id"],))

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
        memories = filter(self._may_be_spoken, self._remembered.of_player)
        return self._answer_with(
            of_the_player(self._config, kind, self._remembered.asker, self._spoken, memories)
        )

    def _answer_with(self, match: tuple[Mapping[str, Any], Passage] | None) -> UnaidedAnswer:
        if match is None:
            return self._to_a_question()
        memory, passage = match
        text = self._repeated(passage, self._times_said(memory["id"], passage.text))
        return UnaidedAnswer(text, MEMORY, (memory["id"],))

    def _to_a_question(self) -> UnaidedAnswer:
        if self._asks_for_my_name():
            return self._who_i_am()
        return self._memory() or self._unknown()

    def _asks_for_my_name(self) -> bool:
        """Return True for "Are you Brann?", but not for "What happened, Brann?"."""
        line, name = self._line.text, self._speaker.name
        is_short = len(words(line)) <= _LONGEST_OF_NAME + len(words(name))
        return is_short and not self._inquiry.has_terms and "," not in line and asks_for_name(name, line)

    def _to_a_follow_up(self, asked: FollowUp) -> UnaidedAnswer:
        answer = answer_of(self._config, asked, self._spoken)
        if answer is None:
            return self._unknown()
        passage, key, values = answer
        if is_unknown(key):
            return UnaidedAnswer(self._say(key), UNKNOWN)
        text = self._say(key, **values) if key else self._repeated(passage, 1)
        return UnaidedAnswer(text, MEMORY, (asked.memory["id"],))

    def _unknown(self) -> UnaidedAnswer:
        texts = [self._config.sentence(key) for key in keys_of("says_unknown")]
        was_said = any(says(answer, text) for text in texts for _, answer in self._remembered.answers)
        return UnaidedAnswer(self._say("says_unknown_again" if was_said else "says_unknown"), UNKNOWN)

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
        is_deed = begins_with_deed(self._line.text.removeprefix("I "))
        key = "says_noted" if self._line.findings or is_deed else "says_heard"
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
        """How often the asker heard this text of a memory in this talk as the answer to the same line."""
        return sum(id in ids and says(message, text) for ids, message in self._remembered.answers)

    def _repeated(self, passage: Passage, times: int) -> str:
        """The passage as it is spoken to somebody who was told it so many times in this talk."""
        # "I told you" stands before her own words anyway, and would be odd before the player's.
        if not times or (times == 1 and passage.voice in SPOKEN_WORDS):
            return self._spoken_passage(passage)
        return self._once_more(self._listed(passage), times)

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


def _in_quotes(text: str) -> str:
    """A text that stands between quotation marks."""
    return text.replace('"', "'")
