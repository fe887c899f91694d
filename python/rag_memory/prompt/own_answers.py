"""What an NPC without a language model says of itself: who it is, how it feels, whom it likes."""

from __future__ import annotations

from rag_memory.config.wording import Wording
from rag_memory.mind.encoding import ended
from rag_memory.prompt.sentence_choice import SentenceChoice
from rag_memory.prompt.speaker import Speaker
from rag_memory.prompt.spoken_memory import QUOTE, YOUR_WORDS, SpokenMemory
from rag_memory.text.shortening import joined
from rag_memory.text.terms import STOP_WORDS, words

_NO_NAMES = STOP_WORDS | {"may", "might", "must", "shall"}
"""Words of a name that a line has without meaning it, unless they are written as a name."""


class OwnAnswers:
    """The answers of one NPC."""

    def __init__(
        self, config: Wording, sentences: SentenceChoice, spoken: SpokenMemory, speaker: Speaker
    ) -> None:
        self._config = config
        self._say = sentences.say
        self._spoken = spoken
        self._speaker = speaker

    def who(self) -> str:
        """Its name and its role."""
        if not self._speaker.name:
            return self._say("says_i_am_somebody")
        key = "says_i_am_with_role" if self._speaker.role else "says_i_am"
        return ended(self._say(key, name=self._speaker.name, role=self._speaker.role))

    def how(self) -> str:
        """Its mood."""
        if not self._speaker.has_mood:
            return self._say("says_well")
        return self._say("says_mood", mood=self._config.word("mood", self._speaker.mood))

    def mood(self) -> str:
        """Its mood, and why."""
        speaker = self._speaker
        if not speaker.has_mood:
            return self.how()
        return joined([self.how(), self._why(speaker.mood_reason, is_harm=speaker.is_hurt)])

    def opinion(self) -> str:
        """What it thinks of whoever asks, and why, where there is a reason that can be said."""
        speaker = self._speaker
        if not speaker.has_met_player and not speaker.disposition.get("is_known"):
            return self._say("says_stranger")
        if speaker.is_hurt:
            return self.mood()
        grudge = self._why(speaker.grudge, is_harm=True) if speaker.is_resentful else ""
        if grudge:
            return self._say("says_to_you_to_foe", memory=grudge)
        kindness = self._why(speaker.kindness, is_harm=False) if speaker.is_friend else ""
        return joined([self._say("says_opinion"), kindness])

    def _why(self, reason: str, is_harm: bool) -> str:
        """A reason as it is said to the player; "" for one that cannot be: what is meant for prompts, and
        words that did no harm.
        """
        passage = self._spoken.reason(reason)
        if passage is None or passage.voice == QUOTE:
            return ""
        if passage.voice == YOUR_WORDS:
            return self._say("says_your_words", message=passage.text.replace('"', "'")) if is_harm else ""
        return passage.text


def asks_for_name(name: str, line: str) -> bool:
    """Return True if a line has a word of a name: "Will" not in "What will you do?", nor in "Will you?"."""
    as_written = [word.strip(".,;:!?¡¿…\"'’") for word in line.split()]
    folded = words(line)
    for part in name.split():
        is_word = part.casefold() in _NO_NAMES
        if part.islower() and (is_word or not name.islower()):
            continue
        if part in as_written[1:] if is_word else not set(words(part)).isdisjoint(folded):
            return True
    return False
