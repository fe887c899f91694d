"""JSON that other programs or strangers wrote: parsed within limits, and read field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import clean_text, shown, wrong_type

MOST_CONTAINERS = 1_000_000
"""Objects and arrays in a file: more would fill the memory before anybody could look at them."""


def parsed(call: str, text: str, remedy: str) -> Any:
    """Parse JSON of a stranger.

    Raises:
        InvalidArgumentError: it is no JSON, is nested too deeply, or has far too many parts.
    """
    if text.count("{") + text.count("[") > MOST_CONTAINERS:
        raise InvalidArgumentError(
            f"{call}: the JSON has more than {MOST_CONTAINERS:,} objects and arrays",
            "no file of this kind has so many",
            "Split the file, or pass another one",
        )
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise InvalidArgumentError(
            f"{call}: the JSON is nested too deeply", "it cannot be read", remedy
        ) from error
    except ValueError as error:
        raise InvalidArgumentError(
            f"{call}: the JSON cannot be read", f"{error}; it may be cut off", remedy
        ) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


class Fields:
    """A JSON object of a stranger. Each method reads one field, and raises InvalidArgumentError for a value
    of another type. A field that is missing or null has the default.
    """

    def __init__(self, call: str, place: str, value: Any) -> None:
        if not isinstance(value, Mapping):
            raise wrong_type(call, place, value, "a Dictionary")
        self._call, self._place, self._values = call, place, value

    def has(self, name: str) -> bool:
        """Return True if the field is there and neither null, false, 0 nor empty."""
        return bool(self._values.get(name))

    def value(self, *names: str) -> Any:
        """The value of the first of these fields that is there; None without one."""
        values = (self._values.get(name) for name in names)
        return next((value for value in values if value is not None), None)

    def text(self, *names: str) -> str:
        """The text of the first of these fields that is there."""
        value = self.value(*names)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(names[0], value, "a String")
        if "\0" in value:
            raise InvalidArgumentError(
                f"{self._call}: {names[0]} of {self._place} holds characters 0",
                "it is no text",
                "Mend the file, or leave this part out",
            )
        return clean_text(value).replace("\r\n", "\n").replace("\r", "\n")

    def texts(self, *names: str) -> list[str]:
        """The texts of an array; one text is read as a list with commas."""
        value = self.value(*names)
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, Sequence | None):
            raise self._wrong(names[0], value, "an Array of Strings")
        texts = [Fields(self._call, self._place, {names[0]: item}).text(names[0]) for item in value or ()]
        return [text.strip() for text in texts if text.strip()]

    def number(self, *names: str, default: float = 0.0) -> float:
        """The number of the first of these fields that is there. A text that is a number counts."""
        value = self.value(*names)
        try:
            number = default if value is None else float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._wrong(names[0], value, "a number") from error
        if number - number != 0.0:
            raise self._wrong(names[0], value, "a finite number")
        return number

    def part(self, name: str) -> Fields:
        """The object in a field; one without fields when there is none."""
        value = self.value(name)
        return Fields(self._call, f"{name} of {self._place}", {} if value is None else value)

    def _wrong(self, name: str, value: Any, wanted: str) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"{self._call}: {name} of {self._place} is {shown(value)}",
            f"it has to be {wanted}",
            "Mend the file, or leave this part out",
        )
