"""Reads the answer of a language model: what the character says, and what the model noted besides."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.prompt.json_speech import (
    SPEECH_KEYS,
    JsonObject,
    StreamedResponse,
    end_of_object,
    json_objects,
    speech_key,
    unfinished_speech,
)
from rag_memory.prompt.proposals import PROPOSED
from rag_memory.prompt.reasoning_filter import ReasoningFilter
from rag_memory.prompt.spoken_text import SpokenText
from rag_memory.text.harmless import visible

_LOG = logging.getLogger(__name__)
_FENCE = r"(?:```[a-zA-Z]{0,20}\s{0,64})?"
_KEY = r"""(?:["']|[A-Za-z_]\w{0,30}\s{0,9}:)"""
_JSON_BEGIN = lazy_pattern(rf'{_FENCE}\{{(?:\s{{0,64}}(?:{_KEY}|\}})|\s{{64}})|"response"\s{{0,9}}:')
_MAY_BE_JSON = lazy_pattern(
    rf"(?:`{{0,3}}|```[a-zA-Z]{{0,20}}\s{{0,64}}|{_FENCE}\{{\s{{0,64}}\w{{0,31}}\s{{0,9}})\Z"
)
_JSON_WITHIN = lazy_pattern(rf"{_FENCE}\{{\s{{0,64}}{_KEY}")
_WITHOUT_BRACE = lazy_pattern(r'\s*"response"\s*:')
_BEGUN_WITHOUT_BRACE = '"response":'
_LONGEST_LIST = 200
_MAY_BE_JSON_WITHIN = lazy_pattern(rf"(?:`{{1,3}}|```[a-zA-Z]{{0,20}}\s{{0,64}}|{_FENCE}\{{\s{{0,64}})\Z")


class Habit(Enum):
    """How a model answers, which a first answer tells."""

    UNKNOWN = auto()
    """Nothing is shown before the end, which alone tells what the beginning was."""
    CLEAR = auto()
    """What comes can be shown as it comes."""
    REASONS = auto()
    """The same, but it reasons before it speaks."""
    BEGINS_IN_REASONING = auto()
    """Its chat template ends with the beginning of reasoning: the answer begins after the end of it."""


class Answer(NamedTuple):
    """What was read."""

    response: str
    """What the character says, without white space around it."""
    proposed: dict[str, Any]
    """The JSON object; empty without one."""
    reasoning: str
    """What the model thought; it is no speech."""
    is_json: bool
    habit: Habit
    """For the next answer of the same model."""
    warnings: list[str]


class _Form(Enum):
    UNDECIDED = auto()
    JSON = auto()
    PLAIN = auto()
    MIXED = auto()
    """Text, and then JSON: only the end tells which of them is meant."""


class _Speech:
    """Speech that may hold reasoning, tokens and labels of its own."""

    def __init__(self, names: Iterable[str], others: Iterable[str], sections: Sequence[str]) -> None:
        self.filter = ReasoningFilter(sections=sections)
        self.text = SpokenText(names, others)

    def feed(self, text: str) -> str:
        return self.text.feed(self.filter.feed(text))

    def finish(self, may_be_cut: bool = True) -> str:
        return self.text.feed(self.filter.finish()) + self.text.finish(may_be_cut)

    @property
    def reasoning(self) -> list[str]:
        return [self.filter.reasoning, self.text.reasoning]


class _Stream:
    """An answer that is shown as it comes. Where JSON was asked for, other text waits for the end."""

    def __init__(
        self,
        names: Iterable[str],
        others: Iterable[str],
        sections: Sequence[str],
        begins_inside: bool,
        only_speech: bool,
    ) -> None:
        self.filter = ReasoningFilter(begins_inside=begins_inside, sections=sections)
        self._only_speech = only_speech
        self._names, self._others, self._sections = tuple(names), tuple(others), sections
        self._reset()

    def _reset(self) -> None:
        self.shown: list[str] = []
        self.outer: list[str] = []
        """What is no reasoning of the answer, JSON included."""
        self.form = _Form.UNDECIDED
        self.response = StreamedResponse()
        self.speech = _Speech(self._names, self._others, self._sections)
        self._held = ""

    def feed(self, text: str) -> str:
        retractions = self.filter.retractions
        passed = self.filter.feed(text)
        return self._take(passed, self.filter.retractions != retractions)

    def finish(self) -> None:
        retractions = self.filter.retractions
        passed = self.filter.finish()
        self._take(passed, self.filter.retractions != retractions)
        # What is still undecided is the beginning of JSON that was cut.
        if self.form is _Form.PLAIN:
            self.shown.append(self.speech.feed(self._held))
        if self.form is not _Form.MIXED:
            self.shown.append(self.speech.finish(may_be_cut=not self.response.has_ended))

    def _take(self, passed: str, was_reasoning: bool) -> str:
        if was_reasoning:
            self._reset()
        self.outer.append(passed)
        self._held += passed
        if self.form is _Form.UNDECIDED:
            self._held = self._held.lstrip()
            if _JSON_BEGIN.match(self._held):
                self.form = _Form.JSON
            elif not _MAY_BE_JSON.match(self._held) and not _BEGUN_WITHOUT_BRACE.startswith(self._held):
                self.form = _Form.PLAIN if self._only_speech else _Form.MIXED
        shown = ""
        if self.form is _Form.JSON:
            shown = self.speech.feed(visible(self.response.feed(self._held), keeps_lines=True))
            self._held = ""
        elif self.form is _Form.PLAIN:
            within = _JSON_WITHIN.search(self._held)
            end = within or _MAY_BE_JSON_WITHIN.search(self._held)
            text = self._held[: end.start()] if end else self._held
            self._held = self._held[len(text) :]
            shown = self.speech.feed(text)
            if within:
                self.form = _Form.MIXED
        self.shown.append(shown)
        return shown


class AnswerReader:
    """Takes in an answer piece by piece and tells what may be shown of it.

    Reasoning, drafts, JSON, tokens of a chat template, the name before a line, and what the model wrote for
    the player, are never shown. What is shown is always the beginning of the response.
    """

    def __init__(
        self,
        names: Iterable[str],
        others: Iterable[str] = (),
        habit: Habit = Habit.UNKNOWN,
        longest: int = 100_000,
        only_speech: bool = False,
        sections: Iterable[str] = (),
    ) -> None:
        """`names` are those of the character, `others` those of the player and of the listeners, `sections`
        the titles of the prompt's sections.

        Characters after `longest` are left out, with a warning. With `only_speech` no JSON was asked for.
        """
        self._names, self._others, self._sections = tuple(names), tuple(others), tuple(sections)
        self._habit = habit
        begins_inside = habit is Habit.BEGINS_IN_REASONING
        self._stream = _Stream(self._names, self._others, self._sections, begins_inside, only_speech)
        self._raw: list[str] = []
        self._longest = longest
        self._only_speech = only_speech
        self._length = 0
        self._shown: list[str] = []

    def feed(self, text: str) -> str:
        """Takes in more of the answer; returns what may be shown."""
        left = max(0, self._longest - self._length)
        self._length += len(text)
        self._raw.append(visible(text[:left], keeps_lines=True))
        shown = self._stream.feed(self._raw[-1])
        if self._habit is Habit.UNKNOWN:
            return ""
        self._shown.append(shown)
        return shown

    def finish(self) -> tuple[str, Answer]:
        """Ends the answer; returns what is still to be shown, and what was read."""
        streamed = "".join(self._stream.shown)
        self._stream.finish()
        answer = self._read("".join(self._stream.outer), "".join(self._stream.shown))
        habit = self._next_habit(streamed, answer)
        if habit is Habit.UNKNOWN and self._habit is Habit.BEGINS_IN_REASONING:
            answer = self._without_habit() or answer
        shown = "".join(self._shown)
        if not answer.response.startswith(shown) and not self._stream.filter.retractions:
            # A draft: what was heard is what is stored.
            answer = answer._replace(response="".join(self._stream.shown).strip())
        rest = answer.response.removeprefix(shown) if answer.response.startswith(shown) else ""
        return rest, answer._replace(habit=habit)

    def _without_habit(self) -> Answer | None:
        """Reads the answer as one that does not begin in reasoning; None without a response in JSON."""
        reader = AnswerReader(self._names, self._others, longest=self._longest, sections=self._sections)
        reader.feed("".join(self._raw))
        _, answer = reader.finish()
        return answer if answer.is_json and answer.response else None

    def _next_habit(self, streamed: str, answer: Answer) -> Habit:
        if self._stream.filter.retractions:
            return Habit.BEGINS_IN_REASONING
        if self._habit is Habit.BEGINS_IN_REASONING:
            return self._habit if answer.response else Habit.UNKNOWN
        if not answer.response.startswith(streamed):
            return Habit.UNKNOWN
        if answer.reasoning:
            return Habit.REASONS
        return Habit.CLEAR if answer.response else self._habit

    def _read(self, outer: str, streamed: str) -> Answer:
        warnings: list[str] = []
        if self._length > self._longest:
            warnings.append(
                f"The answer has {self._length} characters; those after max_answer_chars, {self._longest}, "
                "were cut off."
            )
            _LOG.warning("%s", warnings[0])
        stream = self._stream
        reasoning = [stream.filter.reasoning, *stream.speech.reasoning]
        json = self._object_in(outer)
        if json is not None:
            key = speech_key(json.value)
            text = json.value.get(key, "") if key else _around(outer, json)
            streamed = self._spoken(text, reasoning, may_be_cut=False)
            _warn_of_keys(json.value, key or streamed, warnings)
        else:
            if not self._only_speech:
                warnings.append(
                    "The answer is not the JSON object that was asked for; it is taken as speech."
                )
            if stream.form is _Form.JSON and not stream.response.has_begun:
                streamed = self._spoken(unfinished_speech(outer), reasoning)
            elif stream.form is _Form.MIXED:
                streamed = self._spoken(_speech_in(outer), reasoning)
        reasoning = list(dict.fromkeys(filter(None, reasoning)))
        if not streamed and reasoning:
            warnings.append(
                "The model reasoned and said nothing. Raise max_tokens, or turn its reasoning off."
            )
        return Answer(
            response=streamed,
            proposed=json.value if json else {},
            reasoning="\n\n".join(reasoning),
            is_json=json is not None,
            habit=self._habit,
            warnings=warnings,
        )

    def _spoken(self, text: str, reasoning: list[str], may_be_cut: bool = True) -> str:
        speech = _Speech(self._names, self._others, self._sections)
        spoken = speech.feed(visible(text, keeps_lines=True)) + speech.finish(may_be_cut)
        reasoning.extend(speech.reasoning)
        return spoken

    def _object_in(self, outer: str) -> JsonObject | None:
        """The last object that has a response, or else an analysis. One with neither counts when there is no
        other text that could be the speech.
        """
        if _WITHOUT_BRACE.match(outer):
            outer = "{" + outer
        objects = list(json_objects(outer))
        for candidate in objects[::-1]:
            if isinstance(candidate.value.get(SPEECH_KEYS[0]), str):
                return candidate
        if objects and (_is_all(outer, objects[-1]) or isinstance(objects[-1].value.get("analysis"), dict)):
            return objects[-1]
        return None


def _around(text: str, part: JsonObject) -> str:
    """The text without the object and its fence."""
    before = re.sub(r"```[a-zA-Z]{0,20}\s*\Z", "", text[: part.start])
    return before + re.sub(r"\A\s*`{1,3}", "", text[part.end :])


def _speech_in(text: str) -> str:
    """What is said in a text with JSON that has no end: the response in it, or what stands before it."""
    begun = _JSON_WITHIN.search(text) or _MAY_BE_JSON_WITHIN.search(text)
    if not begun:
        return text
    before = text[: begun.start()]
    if "{" not in begun[0]:
        return before if before.endswith("\n") else text
    brace = text.index("{", begun.start())
    if any(part.start == brace for part in json_objects(text)):
        return text
    said = unfinished_speech(text[brace:])
    return said or (text if end_of_object(text, brace) else before)


def _warn_of_keys(answer: dict[str, Any], key: str, warnings: list[str]) -> None:
    if not key:
        keys = ", ".join(answer)[:_LONGEST_LIST]
        warnings.append(f"The answer has no response; nobody says anything. Its keys: {keys}")
    elif key in SPEECH_KEYS[1:]:
        warnings.append(f"The answer has no response; its {key} is taken for it.")
    others = [other for other in answer if other not in (key, SPEECH_KEYS[0], "analysis", *PROPOSED)]
    if key and others:
        ignored = ", ".join(others)[:_LONGEST_LIST]
        warnings.append(f"These keys are not in analysis and were ignored: {ignored}")


def _is_all(text: str, part: JsonObject) -> bool:
    """Returns whether there is nothing but fences around the object."""
    around = text[: part.start] + text[part.end :]
    return re.fullmatch(r"\s*(?:```[a-zA-Z]*\s*){0,2}", around) is not None
