"""Answers of language models that an NPC is giving: heard piece by piece, and read at their end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.prompt.answer_analysis import AnswerAnalysis
from rag_memory.prompt.answer_reader import AnswerReader, Habit
from rag_memory.prompt.json_speech import json_objects
from rag_memory.prompt.reasoning_filter import ReasoningFilter
from rag_memory.prompt.structured_answer import read_structured_answer
from rag_memory.validation import (
    validate_flag,
    validate_integer,
    validate_option,
    validate_options,
    validate_text,
    validate_texts,
)

_OPTIONS = ("names", "others", "habit", "only_speech")
_NUMBERS = itertools.count(1)
_MOST_READERS = 16
"""Answers of one NPC that are read at a time. One that was cancelled is never ended."""


def read_model_text(text: str, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Reads a text of a model that is no speech.

    Returns:
        `text` without reasoning and tokens, the `reasoning`, the last JSON `object` in the text when it fits
        the schema, else None, and `problem`: why there is none.
    """
    text_filter = ReasoningFilter()
    passed = text_filter.feed(text)
    rest = text_filter.finish()
    visible_text = rest if text_filter.retractions else passed + rest
    objects = list(json_objects(visible_text))
    text = visible_text.strip()
    answer = objects[-1].value if objects else None
    return {
        "text": text,
        "reasoning": text_filter.reasoning,
        **read_structured_answer(text, answer, schema or {}),
    }


def read_answer(text: str, speakers: Mapping[str, Any], config: MemoryConfig) -> dict[str, Any]:
    """Reads a whole answer. `speakers` may have `names` and `others`, as in `Answers.begin_answer()`."""
    reader = _reader("read_answer()", speakers, config)
    reader.feed(text)
    return _ended(reader, config)


class Answers:
    """The answers that were begun and have not ended."""

    def __init__(self, config: Callable[[], MemoryConfig]) -> None:
        self._config = config
        self._readers: dict[int, AnswerReader] = {}

    @game_call()
    def begin_answer(self, options: Mapping[str, Any] | None = None) -> int:
        """Begins to read the raw text of a language model, and returns a number for `hear_answer()`.

        `NPCDialogue` does this by itself.

        Args:
            options: `names`: what the NPC is called, `others`: what the player and the listeners are called
                (a model may write their part, too), `only_speech`: whether no JSON was asked for, and
                `habit`: what `end_answer()` returned for the last answer of the same model.
        """
        while len(self._readers) >= _MOST_READERS:
            del self._readers[next(iter(self._readers))]
        number = next(_NUMBERS)
        self._readers[number] = _reader("begin_answer()", options, self._config())
        return number

    @game_call()
    def hear_answer(self, answer: int, text: str) -> str:
        """Takes in more of an answer, and returns what the NPC says in it.

        That is never reasoning, JSON, a token of a chat template, or what the model wrote for the player. Of
        a model whose `habit` is not known nothing is returned before the end, which alone tells whether the
        beginning was reasoning.

        Raises:
            InvalidArgumentError: the answer was not begun, has ended, or the game was loaded meanwhile.
        """
        return self._reader("hear_answer()", answer).feed(validate_text("hear_answer()", "text", text))

    @game_call()
    def end_answer(self, answer: int) -> dict[str, Any]:
        """Ends an answer, and returns what was read.

        Returns:
            `response`: what the NPC says. `rest`: what of it `hear_answer()` has not returned. `analysis`,
            `is_json` and `warnings`: see `NPCContextBuilder.parse_response()`. `reasoning`: what the model
            thought, which is no speech. `habit`: for the next answer of the same model.

        Raises:
            InvalidArgumentError: the answer was not begun, has ended, or the game was loaded meanwhile.
        """
        reader = self._reader("end_answer()", answer)
        del self._readers[answer]
        return _ended(reader, self._config())

    def forget(self) -> None:
        """Ends all answers, because another state of the save has been loaded."""
        self._readers.clear()

    def _reader(self, call: str, answer: int) -> AnswerReader:
        reader = self._readers.get(validate_integer(call, "answer", answer))
        if reader is None:
            raise InvalidArgumentError(
                f"{call}: there is no answer {answer}",
                "it has ended, or the game was loaded meanwhile",
                "Begin it with begin_answer()",
            )
        return reader


def _reader(call: str, options: Mapping[str, Any] | None, config: MemoryConfig) -> AnswerReader:
    options = validate_options(call, options, _OPTIONS)
    names, others = (_texts(call, options, key) for key in ("names", "others"))
    habit = validate_option(call, options, "habit", Habit.UNKNOWN.value, 1, len(Habit))
    own, *rest = config.speaker_words()
    names, others = [*names, own], [*others, *rest]
    only_speech = validate_flag(call, "only_speech", options.get("only_speech", False))
    return AnswerReader(names, others, Habit(habit), config.max_answer_chars, only_speech)


def _texts(call: str, options: Mapping[str, Any], key: str) -> Sequence[str]:
    return validate_texts(call, f'options["{key}"]', options.get(key, []))


def _ended(reader: AnswerReader, config: MemoryConfig) -> dict[str, Any]:
    rest, answer = reader.finish()
    warnings = answer.warnings
    analysis = AnswerAnalysis(answer.proposed.get("analysis", {}), config, warnings).read()
    return {
        "response": answer.response,
        "rest": rest,
        "analysis": analysis,
        "is_json": answer.is_json,
        "warnings": warnings,
        "reasoning": answer.reasoning,
        "habit": answer.habit.value,
    }
