"""Memories as an NPC speaks them to whoever asks: in the words in which they are stored."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.calendar import CALENDAR, RealCalendar
from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.company import OVERHEARD
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER
from rag_memory.memory.former_player import FORMER_PLAYER, with_name
from rag_memory.memory.kind import SUMMARY
from rag_memory.memory.memory_view import with_days
from rag_memory.memory.speech import speech_of
from rag_memory.mind.encoding import ended
from rag_memory.prompt.player_line import is_request
from rag_memory.text.languages.said_to_player import said_to_player
from rag_memory.text.languages.tables import recall_words
from rag_memory.text.questions import QUESTION_MARKS, are_questions, only_asks, without_questions
from rag_memory.text.second_person import to_second_person
from rag_memory.text.shortening import joined
from rag_memory.text.statements import FIXED, Statement, statements_of
from rag_memory.text.whole_words import whole_words

FACT, QUOTE, YOUR_WORDS, MY_WORDS = "fact", "memory", "your_words", "my_words"
DISPUTED = "disputed"
TO_YOU = "to_you"
"""Voices: a sentence that can be said to anybody; one that speaks of the player as somebody else, and so is
quoted; words of the player; words of the NPC; words of the player that the NPC has denied;
a sentence with the player as "you".
"""
SPOKEN_WORDS = (YOUR_WORDS, MY_WORDS, DISPUTED)
_LONGEST = 280
"""Characters of a passage; a longer one is spoken in part."""
_THE_PLAYER = lazy_pattern(r"\bthe player\b", re.IGNORECASE)
_PLAYER_FIRST = lazy_pattern(r"^player\b")
"""The subject of an event whose source has an id and no name."""
_OWN_SAYINGS = ("i_told_player", "i_answered")
_UNSPOKEN = ("first_met", "player_said_nothing")
"""Sentences at the beginning of a memory that say nothing to the player, as "I saw this happen:" does."""


class Passage(NamedTuple):
    """A part of a memory with one voice."""

    voice: str
    text: str
    note: str = ""
    """What is left of a debt, and the days that the text means by "tomorrow" and the like."""


class SpokenMemory:
    """Chooses and words what an NPC says of a memory."""

    def __init__(
        self,
        config: MemoryConfig,
        player_name: str,
        player_names: Sequence[str],
        turns: Mapping[str, Mapping[str, Any]],
        asker: str = PLAYER,
        others_call_player: str = "",
    ) -> None:
        """`others_call_player`: the name of the player for another speaker, "" when the NPC knows none."""
        self._asker = asker
        """The id of the player, or of another speaker: that is who "you" and "the player" below are."""
        self._others_call_player = others_call_player
        is_player = asker == PLAYER
        self._config = config
        current = [name for name in player_names if name in player_name or not player_name]
        self._player_name = min(filter(None, (player_name, *current)), key=len, default="")
        self._turns = turns
        names = ["the player" if is_player else "", config.sentence("the_player"), player_name, *player_names]
        self._player = re.compile(whole_words(names), re.IGNORECASE)
        self._first_person = re.compile(whole_words(config.sentence("first_person").split()) + "(?!['’])")
        self._speech = speech_of(config)
        self._sayings = config.player_sayings(with_english=is_player)
        self._said = _sayings_of_events(config, [asker, *names])
        self._is_request = functools.partial(is_request, config)
        self._unspoken = [*map(config.sentence, _UNSPOKEN), config.before("i_saw", "event").strip()]
        self._own_sayings = tuple(config.sentence(key).partition("{message}")[::2] for key in _OWN_SAYINGS)

    def passage(
        self, memory: Mapping[str, Any], coverage: Callable[[str], float], longest: int = _LONGEST
    ) -> Passage | None:
        """The passage of a memory that has most of what is asked; None when nothing in it can be said."""
        passages = self._passages(memory)
        if not passages:
            return None
        best = max(passages, key=lambda passage: coverage(passage.text))
        voice, text = best.voice, _shortened(best.text, coverage, longest)
        if voice == FACT:
            text = text[:1].upper() + text[1:]
        if voice == QUOTE and self._asker == PLAYER:
            text = _PLAYER_FIRST.sub("The player", text)
            text = _THE_PLAYER.sub(lambda match: self._player_name or match[0], text)
        elif voice in (QUOTE, FACT) and self._asker != PLAYER:
            text = _THE_PLAYER.sub(lambda match: self._others_call_player or match[0], text)
        text = ended(text.strip())
        return Passage(voice, text, best.note + self._days_of(text, memory))

    def reason(self, text: str) -> Passage | None:
        """The reason for a feeling towards the player as a passage; None for none."""
        if not text.strip():
            return None
        words = self._words_in(text)
        if words:
            return Passage(YOUR_WORDS, words)
        spoken_to = self._to_player(text, ()) if self._asker == PLAYER else ""
        if spoken_to:
            return Passage(TO_YOU, ended(spoken_to.strip()))
        if self._asker == PLAYER and (subject := self._player.match(text)):
            text = f"The player{text[subject.end() :]}"
        voice, said, _ = self._with_voice(Passage(FACT, ended(text.strip())), True)
        if voice == QUOTE and not self._player.search(said):
            voice = FACT
        return Passage(voice, said[:1].upper() + said[1:])

    def _words_in(self, text: str) -> str:
        """What the player said in an event; "" for another."""
        match = next(filter(None, (pattern.match(text) for pattern in self._said)), None)
        return "" if match is None else match[1]

    def is_speakable(self, memory: Mapping[str, Any]) -> bool:
        """Return True if anything in a memory can be said."""
        return bool(self._passages(memory))

    def is_own(self, text: str) -> bool:
        """Return True if a text begins with the NPC itself."""
        return self._first_person.match(text) is not None

    def answering(self, line: str, text: str) -> str:
        """Return the text of a memory without what the asker only asked, now with a line or before, and
        without the words in which somebody else only asks.
        """
        text = self._without_unspoken(text)
        statements = statements_of(text, self._speech)
        return " ".join(filter(None, (self._stated(statement, line) for statement in statements)))

    def tells_of_player(self, memory: Mapping[str, Any]) -> bool:
        """Return True if a memory is about the player, and is more than what somebody has asked."""
        return self.is_about_player(memory) and not self._only_asks(memory["document_full"])

    def _only_asks(self, text: str) -> bool:
        if not any(mark in text for mark in QUESTION_MARKS):
            return False
        parts = [part for of in statements_of(text, self._speech) if of.has_words for part in of.parts]
        words = [part.text for part in parts if part.kind != FIXED]
        return bool(words) and all(map(are_questions, words))

    def _stated(self, statement: Statement, line: str) -> str:
        own = without_questions(statement.text, self._sayings, line, self._is_request)
        if own != statement.text:
            return own
        parts = [part.text for part in statement.parts if part.kind == FIXED or not are_questions(part.text)]
        return "".join(parts)

    def is_about_player(self, memory: Mapping[str, Any]) -> bool:
        """Return True if a memory is about the player, by its metadata or its text."""
        metadata = memory["metadata"]
        if FORMER_PLAYER in metadata:
            return False
        people = [str(metadata.get("source_id", "")), *metadata["participants"]]
        return self._asker in people or self._player.search(memory["document_full"]) is not None

    def is_done_by_asker(self, memory: Mapping[str, Any]) -> bool:
        """Return True if whoever asks surely did it: nobody else takes part, or it begins with the asker."""
        metadata, document = memory["metadata"], memory["document_full"].strip()
        if FORMER_PLAYER in metadata or self.is_own(document):
            return False
        people = {str(id).casefold() for id in metadata["participants"]}
        return people == {self._asker.casefold()} or self._player.match(document) is not None

    def may_concern_asker(self, memory: Mapping[str, Any]) -> bool:
        """Return False for a promise, a debt or the like between the NPC and somebody who does not ask."""
        metadata = memory["metadata"]
        return not isinstance(metadata.get("fact"), Mapping) or self._is_of_asker(metadata)

    def _is_of_asker(self, metadata: Mapping[str, Any]) -> bool:
        people = [str(id).casefold() for id in metadata["participants"]]
        return not people or self._asker.casefold() in people

    def _passages(self, memory: Mapping[str, Any]) -> list[Passage]:
        metadata, document = memory["metadata"], memory["document_full"]
        if metadata["event_type"] == OVERHEARD and only_asks(document, [(document.partition(":")[0], "")]):
            return []
        is_own = metadata.get("speaker") in NPC_SPEAKERS and self._is_of_asker(metadata)
        is_of_two = is_own or metadata.get("speaker") == self._asker
        if is_of_two and isinstance(metadata.get("fact"), Mapping):
            return [self._passage_of_fact(metadata["fact"], not is_own)]
        turn = self._turns.get(str(metadata.get("turn", "")))
        if is_of_two and turn is not None:
            words = str(turn["npc_message" if is_own else "player_message"]).strip()
            return [Passage(MY_WORDS if is_own else YOUR_WORDS, words)] if words else []
        passages: list[Passage] = []
        document = with_name(self._config, metadata, self._without_unspoken(document))
        for statement in statements_of(document, self._speech):
            passage = self._passage_of(statement.text)
            if passage.voice == FACT and passages and passages[-1].voice == FACT:
                passages[-1] = Passage(FACT, joined((passages[-1].text, passage.text)))
            elif passage.text:
                passages.append(passage)
        is_about_player = self.is_about_player(memory)
        is_of_asker = metadata.get("source_id") == self._asker
        names = metadata["participants"] if is_of_asker else ()
        return [self._with_voice(passage, is_about_player, names) for passage in passages]

    def _without_unspoken(self, text: str) -> str:
        for beginning in self._unspoken:
            text = text.removeprefix(beginning).strip()
        return text

    def _passage_of_fact(self, fact: Mapping[str, Any], is_of_player: bool) -> Passage:
        """The words in which somebody said it."""
        voice = YOUR_WORDS if is_of_player else MY_WORDS
        note = ""
        if fact.get("is_rest"):
            amount = f"{fact.get('amount')} {fact.get('unit', '')}".strip()
            note = " " + self._config.sentence("says_left", amount=amount)
        return Passage(DISPUTED if fact.get("disputed") else voice, str(fact.get("quote", "")), note)

    def _passage_of(self, text: str) -> Passage:
        if only_asks(text, self._sayings) or not without_questions(text, self._sayings, "", self._is_request):
            return Passage(YOUR_WORDS, "")
        said = self._words_in(text)
        if said:
            return Passage(YOUR_WORDS, said)
        for voice, sayings in ((YOUR_WORDS, self._sayings), (MY_WORDS, self._own_sayings)):
            for before, after in sayings:
                if before and text.startswith(before) and text.endswith(after):
                    return Passage(voice, text[len(before) : len(text) - len(after)])
        return Passage(FACT, text)

    def _with_voice(self, passage: Passage, is_about_player: bool, names: Sequence[str] = ()) -> Passage:
        """The passage, to be quoted if it speaks of the player as somebody else, and cannot be turned.
        `names`: what an event of the player's calls the player.
        """
        if passage.voice != FACT:
            return passage
        spoken_to = self._to_player(passage.text, names) if self._asker == PLAYER else ""
        if spoken_to:
            return Passage(TO_YOU, spoken_to)
        is_quoted = self._player.search(passage.text) is not None or (
            is_about_player and not self.is_own(passage.text)
        )
        return Passage(QUOTE, passage.text) if is_quoted else passage

    def _to_player(self, text: str, names: Sequence[str]) -> str:
        """A sentence about the player as it is said to the player; "" for one that cannot be turned."""
        subject = self._player.match(text)
        said = to_second_person(_by_the_player(text, names))
        if said or subject is None:
            return said
        return said_to_player(subject[0], text[subject.end() :], recall_words(text))

    def _days_of(self, text: str, memory: Mapping[str, Any]) -> str:
        """The days that a text means, where the game has a calendar: nobody in it speaks of ours."""
        metadata = memory["metadata"]
        is_ours = isinstance(CALENDAR.at(metadata["timestamp"]), RealCalendar)
        if metadata["event_type"] == SUMMARY or is_ours:
            return ""
        return with_days(self._config, text, metadata["timestamp"])[len(text) :]


def _by_the_player(text: str, names: Sequence[str]) -> str:
    """The text of an event with "The player" for the name with which it begins."""
    name = next((name for name in names if text.startswith(f"{name} ")), "")
    return f"The player{text[len(name) :]}" if name else text


def _sayings_of_events(config: MemoryConfig, names: Sequence[str]) -> list[re.Pattern[str]]:
    """Patterns of the sentences for an event that is what somebody of these names said, with the words as a
    group.
    """
    source, content = "{source}", "{content}"
    event = config.sentence("event_conversed", source=source)
    sentences = (
        config.sentence("event_with_words", event=event, content=content),
        config.sentence("event_said", source=source, content=content),
    )
    somebody = "|".join(re.escape(name) for name in sorted(filter(None, names), key=len, reverse=True))
    patterns = []
    for sentence in sentences:
        before, after = (
            re.escape(part).replace(re.escape(source), f"(?i:{somebody})")
            for part in sentence.partition(content)[::2]
        )
        # A long reason is cut off, and then has no end.
        end = after if source in sentence.partition(content)[2] else f"(?:{after})?"
        patterns.append(re.compile(f"{before}(.+?){end}$"))
    return patterns


def _shortened(text: str, coverage: Callable[[str], float], longest: int) -> str:
    """The sentences of a long text around the one that has most of what is asked."""
    if len(text) <= longest:
        return text
    sentences = [statement.text for statement in statements_of(text)]
    best = max(range(len(sentences)), key=lambda place: coverage(sentences[place]))
    spoken, place = sentences[best], best + 1
    while place < len(sentences) and len(spoken) + len(sentences[place]) < longest:
        spoken = joined((spoken, sentences[place]))
        place += 1
    return spoken
