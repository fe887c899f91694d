"""Separates a model's reasoning, the tokens of its chat template and copied prompts from what it says.

The forms are those of chat templates and of servers that do not parse them: XML-like tags (Qwen, DeepSeek,
Granite, EXAONE), `[THINK]` (Mistral), channels (gpt-oss, Gemma), begin and end tokens (OpenThinker, Command,
Seed-OSS, Kimi).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache

from rag_memory.lazy_pattern import lazy_pattern

_TAGS = (
    "think|thinking|thoughts?|reasoning|reason|reflection|scratchpad|inner[_ ]monologue|analysis|seed:think"
    "|seed:cot_budget_reflect|thinking_process|internal|internal_thoughts?"
)


def _beginnings(tags: str) -> str:
    names = tags.replace("s?", "").replace("[_ ]", "_").split("|")
    return "|".join(re.escape(name[:length]) for name in names for length in range(len(name), 0, -1))


_MARKER = (
    rf"< {{0,3}}(?P<closing>/?) {{0,3}}(?P<tag>{_TAGS})(?:[ \n][^<>/]{{0,40}})?(?P<empty>/?)>"
    r"|< {0,3}/? {0,3}(?P<wrapper>answer|response|reply|final|final_answer|output) {0,3}>"
    r"|(?P<kimi>◁/?think▷)|\[(?P<mistral>/?THINK)\]|\[/?(?P<instruction>INST)\]"
    r"|<[|｜](?P<token>[^\W\d]|[^\W\d][\w/:▁ -]{0,39}|/[\w]{1,20})[|｜]>"
    r"|<\|(?P<opening>channel|turn)>|<(?P<ending>channel|turn)\|>"
    r"|<(?P<gemma>(?:start|end)_of_turn)>|<(?P<sentence>/?s|bos|eos|pad)>"
    r"|<(?P<closes>/?)(?P<section>{sections})>"
)
_NO_SECTION = "(?!)"


@lru_cache(maxsize=8)
def _marker(sections: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sections)) or _NO_SECTION
    return re.compile(_MARKER.replace("{sections}", names), re.IGNORECASE)


_BEGUN_MARKER = lazy_pattern(
    r"(?:< {0,3}/? {0,3}[|｜]?(?:[^\W\d][\w/:▁ \n=\"'-]{0,60}|/\w{0,20})?[|｜]?"
    r"|\[/?[A-Za-z]{0,5}|◁/?\w{0,5})\Z"
)
"""The end of a piece that the next one may make a marker of."""
_CUT_MARKER = lazy_pattern(
    rf"< {{0,3}}/? {{0,3}}(?:{_beginnings(_TAGS)})?(?:[ \n][^<>]*)?"
    r"|</?[\w:]*[|/]?|<[|｜][^ ]*|\[/?[A-Z]*|◁/?\w*",
    re.IGNORECASE,
)
"""The end of an answer that was cut within a marker."""
_BEGIN_OF_THOUGHT = frozenset(("begin_of_thought", "start_thinking", "thinking", "think"))
_END_OF_THOUGHT = frozenset(("end_of_thought", "end_thinking", "/thinking", "/think"))
_BEFORE_A_HEADER = frozenset(
    ("im_start", "start", "start_header_id", "start_of_role", "im_assistant", "begin", "role_start")
)
_IGNORED = frozenset(
    (
        *("begin_of_solution", "start_response", "start_text", "message", "constrain", "end_header_id"),
        *("assistant", "chatbot_token", "begin_of_text", "begin▁of▁sentence", "start_of_turn_token"),
        *("im_sep", "im_middle", "end_of_role", "content", "role_end", "sep"),
    )
)
_SPOKEN_CHANNELS = frozenset(("final", "response", "text"))
_TOKENLESS = "analysis"
"""What an answer of gpt-oss begins with when the server removed the tokens, "analysisThe player ..."."""
_TOKENLESS_ROLE = "assistant"
_TOKENLESS_FINAL = "assistantfinal"


class _Mode(Enum):
    BEGINNING = auto()
    SPEECH = auto()
    REASONING = auto()
    TOKENLESS_REASONING = auto()
    HEADER = auto()
    """The name of a role, up to the end of the line or the next token."""
    CHANNEL = auto()
    SECTION = auto()
    """A section of the prompt, which the model copied."""
    ENDED = auto()


class ReasoningFilter:
    """Takes in an answer piece by piece and lets through what is no reasoning, no token and no copied prompt.

    Time is linear in the length of the answer. A token that ends a turn ends the answer once something was
    said, and so does a section of the prompt.
    """

    def __init__(self, *, begins_inside: bool = False, sections: Sequence[str] = ()) -> None:
        """With `begins_inside` the prompt ended with the beginning of reasoning.

        `sections` are the titles of the prompt's sections, which stand in tags.
        """
        self._marker = _marker(tuple(sections))
        self.retractions = 0
        """Number of times an end of reasoning came without its beginning: what was let through before it was
        reasoning, too."""
        self._mode = _Mode.REASONING if begins_inside else _Mode.BEGINNING
        self._unread = ""
        self._depth = 1
        self._channel = ""
        self._passed: list[str] = []
        self._reasoning: list[str] = []
        self._after_an_end: list[str] | None = None
        """What stands after the last end of reasoning of several begun ones; None before an end."""

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning).strip()

    def feed(self, text: str) -> str:
        """Takes in more of the answer; returns what is let through."""
        text = self._unread + text
        if self._mode is _Mode.BEGINNING:
            begin = text.lstrip().removeprefix(_TOKENLESS_ROLE)
            if (_TOKENLESS_ROLE + _TOKENLESS).startswith(text.lstrip()) or _TOKENLESS.startswith(begin):
                self._unread = text
                return ""
            is_tokenless = begin.startswith(_TOKENLESS) and begin[len(_TOKENLESS)].isalpha()
            self._mode = _Mode.TOKENLESS_REASONING if is_tokenless else _Mode.SPEECH
        begun = _BEGUN_MARKER.search(text)
        end = begun.start() if begun else len(text)
        if self._mode is _Mode.TOKENLESS_REASONING:
            end = min(end, max(0, len(text) - len(_TOKENLESS_FINAL)))
            at = text.find(_TOKENLESS_FINAL)
            end = max(end, at + len(_TOKENLESS_FINAL)) if at >= 0 else end
        self._unread = text[end:]
        return self._read(text[:end])

    def finish(self) -> str:
        """Ends the answer; returns what is let through of its end. A token that was cut is not."""
        rest = "" if _CUT_MARKER.fullmatch(self._unread) else self._unread
        self._unread = ""
        passed = self._read(rest)
        if self._mode is _Mode.REASONING and self._after_an_end is not None:
            tail = "".join(self._after_an_end)
            self._reasoning = ["".join(self._reasoning).removesuffix(tail)]
            self._passed.append(tail)
            passed += tail
        return passed

    def _read(self, text: str) -> str:
        passed: list[str] = []
        at = 0
        for marker in self._marker.finditer(text):
            passed.append(self._take(text[at : marker.start()]))
            self._obey(marker, passed)
            at = marker.end()
        passed.append(self._take(text[at:]))
        return "".join(passed)

    def _take(self, text: str) -> str:
        if not text or self._mode in (_Mode.ENDED, _Mode.SECTION):
            return ""
        if self._mode is _Mode.HEADER:
            _, end_of_line, text = text.partition("\n")
            if end_of_line:
                self._mode = _Mode.SPEECH
            return self._take(text) if end_of_line else ""
        if self._mode is _Mode.CHANNEL:
            name, end_of_line, text = text.partition("\n")
            self._channel += name
            if end_of_line:
                self._open_channel()
            return self._take(text) if end_of_line else ""
        if self._mode is _Mode.TOKENLESS_REASONING:
            thought, is_final, text = text.partition(_TOKENLESS_FINAL)
            self._reasoning.append(thought)
            if is_final:
                self._mode = _Mode.SPEECH
            return self._take(text) if is_final else ""
        if self._mode is _Mode.REASONING:
            self._reasoning.append(text)
            if self._after_an_end is not None:
                self._after_an_end.append(text)
            return ""
        self._passed.append(text)
        return text

    def _obey(self, marker: re.Match[str], passed: list[str]) -> None:
        if self._mode in (_Mode.ENDED, _Mode.TOKENLESS_REASONING) or marker["wrapper"] or marker["empty"]:
            return
        if marker["section"]:
            self._copy_section(bool(marker["closes"]))
        elif self._mode is _Mode.SECTION:
            return
        elif marker["tag"]:
            self._think(bool(marker["closing"]), passed)
        elif marker["kimi"] or marker["mistral"]:
            self._think("/" in marker[0], passed)
        elif marker["opening"] == "channel":
            self._begin_channel()
        elif marker["ending"] == "channel":
            self._mode = _Mode.SPEECH
        elif marker["token"]:
            self._obey_token(marker["token"].strip().lower(), passed)
        else:
            self._end_turn(is_header=marker[0].lower() in ("<start_of_turn>", "<|turn>"))

    def _obey_token(self, token: str, passed: list[str]) -> None:
        if token in _BEGIN_OF_THOUGHT or token in _END_OF_THOUGHT:
            self._think(token in _END_OF_THOUGHT, passed)
        elif token == "channel":
            self._begin_channel()
        elif self._mode is _Mode.CHANNEL:
            if token == "message":
                self._open_channel()
        elif token not in _IGNORED:
            self._end_turn(is_header=token in _BEFORE_A_HEADER)
        elif self._mode is _Mode.HEADER:
            self._mode = _Mode.SPEECH

    def _think(self, closing: bool, passed: list[str]) -> None:
        if not closing:
            self._depth = self._depth + 1 if self._mode is _Mode.REASONING else 1
            self._mode = _Mode.REASONING
        elif self._mode is _Mode.REASONING and self._depth > 1:
            self._depth -= 1
            self._after_an_end = []
        elif self._mode is _Mode.REASONING:
            self._mode = _Mode.SPEECH
            self._after_an_end = None
        elif self._has_spoken():
            self.retractions += 1
            self._reasoning.extend(self._passed)
            self._passed.clear()
            passed.clear()

    def _copy_section(self, closes: bool) -> None:
        if closes and self._mode is _Mode.SECTION:
            self._mode = _Mode.SPEECH
        elif not closes and self._mode is _Mode.SPEECH:
            self._mode = _Mode.ENDED if self._has_spoken() else _Mode.SECTION

    def _begin_channel(self) -> None:
        self._mode = _Mode.CHANNEL
        self._channel = ""

    def _open_channel(self) -> None:
        words = self._channel.split()
        is_spoken = not words or words[0].lower() in _SPOKEN_CHANNELS
        self._mode = _Mode.SPEECH if is_spoken else _Mode.REASONING
        self._depth = 1
        self._after_an_end = None

    def _end_turn(self, is_header: bool) -> None:
        if self._has_spoken():
            self._mode = _Mode.ENDED
        elif is_header:
            self._mode = _Mode.HEADER
        elif self._mode is _Mode.REASONING and self._channel:
            self._mode = _Mode.SPEECH

    def _has_spoken(self) -> bool:
        return any(text.strip() for text in self._passed)
