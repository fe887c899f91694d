"""Raw answers of language models, read as a whole or as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.prompt.answer_analysis import CHANGES, HAPPENINGS, AnswerAnalysis
from rag_memory.prompt.answer_reader import AnswerReader, Habit
from rag_memory.prompt.json_speech import json_objects
from rag_memory.prompt.proposals import proposal_schemas, proposals_of
from rag_memory.prompt.reasoning_filter import ReasoningFilter
from rag_memory.prompt.structured_answer import read_structured_answer
from rag_memory.validation import (
    validate_flag,
    validate_option,
    validate_options,
    validate_texts,
)

_TEXT = {"type": "string"}
_OPTIONS = ("names", "others", "habit", "only_speech")


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
    """Reads a whole answer. `speakers` may have `names` and `others`, as in answer_reader()."""
    reader = answer_reader("read_answer()", speakers, config)
    reader.feed(text)
    return finished_answer(reader, config)


def answer_reader(call: str, options: Mapping[str, Any] | None, config: MemoryConfig) -> AnswerReader:
    """Makes a reader for a raw answer.

    Args:
        options: `names`: what the NPC is called, `others`: what the player and the listeners are called (a
            model may write their part, too), `only_speech`: whether no JSON was asked for, and `habit`: what
            the last answer of the same model returned.
    """
    options = validate_options(call, options, _OPTIONS)
    names, others = (_texts(call, options, key) for key in ("names", "others"))
    habit = validate_option(call, options, "habit", Habit.UNKNOWN.value, 1, len(Habit))
    own, *rest = config.speaker_words()
    names, others = [*names, own], [*others, *rest]
    only_speech = validate_flag(call, "only_speech", options.get("only_speech", False))
    titles = config.section_titles()
    return AnswerReader(names, others, Habit(habit), config.max_answer_chars, only_speech, titles)


def _texts(call: str, options: Mapping[str, Any], key: str) -> Sequence[str]:
    return validate_texts(call, f'options["{key}"]', options.get(key, []))


def answer_schema(proposals: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the JSON schema of the answer that a prompt asks for. The speech comes first.

    Args:
        proposals: the option of that name.
    """
    analysis: dict[str, Any] = dict.fromkeys(("interaction_type", "player_tone", "emotional_impact"), _TEXT)
    analysis |= {key: {"type": "integer"} for key in CHANGES} | dict.fromkeys(HAPPENINGS, _TEXT)
    learned = {"name": _TEXT, "notable_facts": {"type": "array", "items": _TEXT}}
    analysis["learned_about_player"] = {"type": "object", "properties": learned}
    return {
        "type": "object",
        "properties": {
            "response": _TEXT,
            "analysis": {"type": "object", "properties": analysis},
            **proposal_schemas(proposals),
        },
        "required": ["response", "analysis"],
    }


def finished_answer(
    reader: AnswerReader, config: MemoryConfig, proposals: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Ends an answer, and returns what was read. `proposals`: what the model may propose; None for anything.

    Returns:
        `response`: what the NPC says. `rest`: what of it the reader has not returned. `analysis`, `is_json`
        and `warnings`: see `NPCContextBuilder.parse_response()`. `reasoning`: what the model thought, which
        is no speech. `habit`: for the next answer of the same model. `proposed_actions`,
        `proposed_tasks` and `proposed_events`: Dictionaries for the game to decide about.
    """
    rest, answer = reader.finish()
    warnings = answer.warnings
    analysis = AnswerAnalysis(answer.proposed.get("analysis", {}), config, warnings).read()
    return {
        "response": answer.response,
        "rest": rest,
        "analysis": analysis,
        "is_json": answer.is_json,
        **proposals_of(answer.proposed, config, warnings, proposals),
        "warnings": warnings,
        "reasoning": answer.reasoning,
        "habit": answer.habit.value,
    }
