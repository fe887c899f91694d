"""The JSON of a language model against the schema that it was asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rag_memory.prompt.answers import read_model_text

SCHEMA = {
    "type": "object",
    "required": ["mood"],
    "properties": {
        "mood": {"type": "string", "enum": ["glad", "sad"]},
        "age": {"type": "integer"},
        "names": {"type": ["array", "null"], "items": {"type": "string"}},
    },
}


def test_an_object_that_fits_has_whole_numbers_where_they_were_asked_for() -> None:
    answer = read_model_text('Here: {"mood": "glad", "age": 40.0, "names": ["Abel"], "more": true}', SCHEMA)
    assert answer["object"] == {"mood": "glad", "age": 40, "names": ["Abel"], "more": True}
    assert isinstance(answer["object"]["age"], int)
    assert answer["problem"] == ""


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({}, "The model left out mood of the answer."),
        ({"mood": "bored"}, 'The model wrote mood, which is none of ["glad", "sad"].'),
        ({"mood": 3}, 'The model wrote mood of the wrong type; asked for was ["string"].'),
        ({"mood": "sad", "age": 1.5}, 'The model wrote age of the wrong type; asked for was ["integer"].'),
        ({"mood": "sad", "age": True}, 'The model wrote age of the wrong type; asked for was ["integer"].'),
        ({"mood": "sad", "names": [1]}, "The model wrote an item of names of the wrong type"),
    ],
)
def test_one_that_does_not_fit_is_none(written: dict[str, Any], problem: str) -> None:
    answer = read_model_text(json.dumps(written), SCHEMA)
    assert answer["object"] is None
    assert answer["problem"].startswith(problem)


def test_text_without_an_object_is_quoted() -> None:
    answer = read_model_text("I am glad.", SCHEMA)
    assert answer["object"] is None
    assert answer["problem"].endswith("asked for: I am glad.")


def test_an_object_that_is_nested_too_deeply_is_none() -> None:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"more": schema}
    assert "nested too deeply" in read_model_text('{"more": ' * 40 + "1" + "}" * 40, schema)["problem"]
