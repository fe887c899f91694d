"""The turns of a conversation in a prompt: checked, and written as lines or as messages of a chat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.wording import Wording
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.event_templates import NPC_SPEAKERS, PLAYER, PLAYER_SPEAKERS
from rag_memory.text.harmless import harmless
from rag_memory.text.shortening import shortened
from rag_memory.validation import type_name

_SPEAKER_KEYS = ("speaker", "role", "name")
_TEXT_KEYS = ("text", "content", "message")
_FORM = (
    "A turn is a String of the player's, or a Dictionary with speaker (or role, name) and text (or content, "
    "message)"
)
_LONGEST_NAME = 40
QUOTE = '"'


class Turn(NamedTuple):
    """What somebody said. `speaker` is as the game calls the speaker."""

    speaker: str
    text: str


class Line(NamedTuple):
    """A turn in a prompt: the role in a chat, what the line starts with, and the harmless words."""

    role: str
    start: str
    words: str

    @property
    def text(self) -> str:
        """The line of the prompt."""
        return f"{self.start} {QUOTE}{self.words}{QUOTE}"


def parse_turns(turns: Iterable[Any]) -> list[Turn]:
    """Returns the turns that a game has passed.

    Raises:
        InvalidArgumentError: one has no text, or something is no String.
    """
    parsed = []
    for index, turn in enumerate(turns):
        lack = _lack_of(turn)
        if lack:
            raise InvalidArgumentError(f"recent_turns[{index}] {lack}", "", _FORM)
        if isinstance(turn, str):
            parsed.append(Turn(PLAYER, turn))
        else:
            speaker = _value(turn, _SPEAKER_KEYS, PLAYER)
            parsed.append(Turn(speaker.strip(), _value(turn, _TEXT_KEYS, "")))
    return parsed


def stored_turns(turns: Iterable[Mapping[str, Any]]) -> list[Turn]:
    """Returns what was said in the turns of RAGMemory.get_turns(), without what the NPC said for want of a
    language model: that is no example for one.
    """
    return [
        Turn(speaker, turn[f"{speaker}_message"])
        for turn in turns
        if not turn.get("from_memory", False)
        for speaker in ("player", "npc")
        if turn[f"{speaker}_message"]
    ]


class TurnWriter:
    """Writes turns as lines of a prompt. `names`: what the NPC is called, in lower case; `roles`: the game's
    own words for speakers.
    """

    def __init__(self, config: Wording, names: Collection[str], roles: frozenset[str]) -> None:
        self._names = {*NPC_SPEAKERS, *names}
        self._roles = roles
        self._somebody = config.sentence("turn_of_somebody")
        self.own_start = f"{config.sentence('turn_of_npc')}:"
        self.player_start = f"{config.sentence('turn_of_player')}:"

    def line(self, turn: Turn) -> Line:
        """Return a turn as a line."""
        words = harmless(turn.text, self._roles)
        speaker = turn.speaker.lower()
        if speaker in PLAYER_SPEAKERS:
            return Line("user", self.player_start, words)
        name = shortened(harmless(turn.speaker, self._roles), _LONGEST_NAME)
        if name and speaker in self._names:
            return Line("assistant", self.own_start, words)
        # Cleaned once more with its colon, which the name of another role loses.
        start = harmless(f"{name}:", self._roles) if name else f"{self._somebody}:"
        return Line("", start, words)


def chat_messages(
    system: str, lines: Sequence[Line], texts: Sequence[str], last: str
) -> list[dict[str, str]]:
    """Returns the messages of a chat. `texts` are the texts of `lines` in the prompt, which may be shortened.

    Neighbours of one role are one message, because some language models refuse two.
    """
    messages = [{"role": "system", "content": system}]
    for line, text in zip(lines, texts, strict=True):
        words = text.removeprefix(f"{line.start} {QUOTE}").removesuffix(QUOTE)
        _append(messages, line.role or "user", words if line.role else text)
    _append(messages, "user", last)
    return messages


def _append(messages: list[dict[str, str]], role: str, content: str) -> None:
    if not content:
        return
    if messages[-1]["role"] == role:
        messages[-1]["content"] += f"\n{content}"
    else:
        messages.append({"role": role, "content": content})


def _value(turn: Mapping[str, str], keys: Sequence[str], otherwise: str) -> str:
    return next((turn[key] for key in keys if key in turn), otherwise)


def _lack_of(turn: Any) -> str:
    if isinstance(turn, str):
        return ""
    if not isinstance(turn, Mapping):
        return f"is {type_name(turn)}"
    for key in (*_SPEAKER_KEYS, *_TEXT_KEYS):
        if key in turn and not isinstance(turn[key], str):
            return f"has a {key} that is {type_name(turn[key])}"
    if not any(key in turn for key in _TEXT_KEYS):
        return f"has no text; its keys are: {', '.join(map(str, turn))[:80]}"
    return ""
