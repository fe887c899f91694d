"""The JSON object in the answer of a language model, checked against the schema it was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_DEEPEST = 32
_LONGEST_SHOWN = 200


class _MismatchError(Exception):
    """The object does not fit the schema; its text says where."""


def read_structured_answer(text: str, answer: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the JSON that was read in a text, None without any.

    Returns:
        `object`, its whole numbers as the schema wants them, and `problem`: why it is None.
    """
    if not isinstance(answer, dict):
        asked = "The model answered without the JSON object that was asked for: "
        return {"object": None, "problem": asked + text[:_LONGEST_SHOWN]}
    try:
        return {"object": _checked(answer, schema, "the answer", 0), "problem": ""}
    except _MismatchError as mismatch:
        return {"object": None, "problem": str(mismatch)}


def _checked(value: Any, schema: Mapping[str, Any], place: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise _MismatchError(f"{place} is nested too deeply.")
    types = schema.get("type", "")
    names = types if isinstance(types, list) else [types]
    if not any(_has_type(value, name) for name in names):
        raise _MismatchError(f"The model wrote {place} of the wrong type; asked for was {_shown(names)}.")
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(_is_same(value, choice) for choice in choices):
        raise _MismatchError(f"The model wrote {place}, which is none of {_shown(choices)}.")
    if isinstance(value, dict):
        return _checked_object(value, schema, place, depth)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_checked(item, items, f"an item of {place}", depth + 1) for item in value]
    return int(value) if names == ["integer"] else value


def _checked_object(
    value: dict[str, Any], schema: Mapping[str, Any], place: str, depth: int
) -> dict[str, Any]:
    for key in schema.get("required", []):
        if key not in value:
            raise _MismatchError(f"The model left out {key} of {place}.")
    properties = schema.get("properties", {})
    return {
        key: _checked(item, properties[key], key, depth + 1)
        if isinstance(properties.get(key), Mapping)
        else item
        for key, item in value.items()
    }


def _has_type(value: Any, name: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match name:
        case "string":
            return isinstance(value, str)
        case "number":
            return is_number
        case "integer":
            return is_number and float(value).is_integer()
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "null":
            return value is None
    return True


def _is_same(value: Any, choice: Any) -> bool:
    return isinstance(value, bool) == isinstance(choice, bool) and bool(value == choice)


def _shown(values: list[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, default=str)
