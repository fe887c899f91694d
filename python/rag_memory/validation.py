"""Values from outside, made safe to store: text that SQLite and Godot can hold, metadata that is JSON."""

from __future__ import annotations

import itertools
import json
import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.ids import normal_argument
from rag_memory.key_slips import LIKENESS_OF_OPTIONS, slip_for

REPLACEMENT = "�"
MAX_DEPTH = 64
_MOST = 2**62
_LOG = logging.getLogger("rag_memory")


def clean_text(text: str) -> str:
    """The text without what neither UTF-8 nor Godot can hold: NUL and lone surrogates become U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair of surrogates is one character that came through UTF-16; only lone ones are lost.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def validate_text(call: str, name: str, value: Any) -> str:
    """The value as clean text; under a name for ids of people, as a normal_id().

    Raises:
        InvalidArgumentError: it is no string.
    """
    if not isinstance(value, str):
        raise wrong_type(call, name, value, "a String")
    return normal_argument(name, clean_text(value))


def validate_filled_text(call: str, name: str, value: Any, remedy: str) -> str:
    """The value as clean text that is not blank.

    Raises:
        InvalidArgumentError: it is no string, or blank.
    """
    text = validate_text(call, name, value)
    if not text.strip():
        raise InvalidArgumentError(f"{call}: {name} is {shown(value)}", "it must not be empty", remedy)
    return text


def validate_short_text(call: str, name: str, value: Any, most: int) -> str:
    """The value as clean text of at most so many characters.

    Raises:
        InvalidArgumentError: it is no string, or longer.
    """
    text = validate_text(call, name, value)
    if len(text) > most:
        raise InvalidArgumentError(
            f"{call}: {name} has {len(text):,} characters",
            f"it goes into memories and prompts, with at most {most:,}",
            "Give the gist of it",
        )
    return text


def validate_number(call: str, name: str, value: Any) -> float:
    """The value as a finite float.

    Raises:
        InvalidArgumentError: it is no number, NaN or infinite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(call, name, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidArgumentError(
            f"{call}: {name} is {shown(value)}", "it has to be finite", "Pass a finite number"
        )
    return number


def validate_integer(call: str, name: str, value: Any) -> int:
    """The value as an int; a float without fraction counts, because numbers read from JSON are floats in
    Godot.

    Raises:
        InvalidArgumentError: it is no whole number.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(call, name, value, "an int")
    return value


def validate_stored_integer(call: str, name: str, value: Any) -> int:
    """validate_integer() of what the database has to hold: it fits in 64 bits."""
    return _stored_integer(call, name, validate_integer(call, name, value), "Correct it or leave it out")


def validate_count(call: str, name: str, value: Any) -> int:
    """The value as a number of things, at most 2**62: more than there can be is all there are.

    Raises:
        InvalidArgumentError: it is no whole number, or below 0.
    """
    count = validate_integer(call, name, value)
    if count < 0:
        raise InvalidArgumentError(f"{call}: {name} is {count}", "it has to be 0 or more", "Pass 0 or more")
    return min(count, _MOST)


def validate_flag(call: str, name: str, value: Any) -> bool:
    """The value as a bool.

    Raises:
        InvalidArgumentError: it is none.
    """
    if not isinstance(value, bool):
        raise wrong_type(call, name, value, "a bool")
    return value


def validate_texts(call: str, name: str, value: Any) -> list[str]:
    """The value as a list of clean texts.

    Raises:
        InvalidArgumentError: it is no list of strings.
    """
    if not isinstance(value, list | tuple):
        raise wrong_type(call, name, value, "an Array of Strings")
    return [validate_text(call, f"{name}[{index}]", item) for index, item in enumerate(value)]


def validate_named_texts(call: str, values: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    """The values with these names as clean texts; "" for one that is not there.

    Raises:
        InvalidArgumentError: one is no string.
    """
    return {name: validate_text(call, name, values.get(name, "")) for name in names}


def validate_options(call: str, options: Any, allowed: Sequence[str]) -> Mapping[str, Any]:
    """The options of a call; None stands for none.

    Raises:
        InvalidArgumentError: they are no dictionary, or one is not among the known ones.
    """
    options = {} if options is None else options
    if not isinstance(options, Mapping):
        raise wrong_type(call, "options", options, "a Dictionary")
    for name in options:
        if name not in allowed:
            raise InvalidArgumentError(
                f"{call}: there is no option {str(name)[:80]!r}",
                "",
                f"{did_you_mean(name, allowed)}The options are {', '.join(allowed)}",
            )
    return options


def did_you_mean(key: Any, names: Sequence[str]) -> str:
    """The beginning of a remedy that names the likely key, or an empty string."""
    likely = slip_for(str(key), tuple(names), LIKENESS_OF_OPTIONS)
    return f"Did you mean {likely!r}? " if likely else ""


def warn_of_slips(call: str, name: str, value: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Log a warning for each key of an open Dictionary that is almost a name with a meaning.

    Returns:
        whether there was one.
    """
    has_slips = False
    for key in value:
        likely = slip_for(str(key), tuple(names))
        if likely and likely not in value:
            _LOG.warning(
                "%s: %s has the key %r, which has no meaning; did you mean %r?", call, name, key, likely
            )
            has_slips = True
    return has_slips


def validate_option(
    call: str, options: Mapping[str, Any], name: str, default: int, least: int, most: int
) -> int:
    """A whole number among the options of a call; raises as validate_integer_in()."""
    return validate_integer_in(call, name, options.get(name, default), least, most)


def validate_integer_in(call: str, name: str, value: Any, least: int, most: int) -> int:
    """The value as an int from `least` to `most`.

    Raises:
        InvalidArgumentError: it is no whole number, or outside.
    """
    number = validate_integer(call, name, value)
    _refuse_outside(call, name, number, least, most)
    return number


def validate_number_in(call: str, name: str, value: Any, least: float, most: float) -> float:
    """The value as a float from `least` to `most`.

    Raises:
        InvalidArgumentError: it is no number, or outside.
    """
    number = validate_number(call, name, value)
    _refuse_outside(call, name, number, least, most)
    return number


def _refuse_outside(call: str, name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise InvalidArgumentError(
            f"{call}: {name} is {value:g}" if isinstance(value, float) else f"{call}: {name} is {value}",
            f"it has to be {least:g} to {most:g}",
            "Correct it",
        )


def validate_metadata(call: str, name: str, value: Any, depth: int = 0) -> Any:
    """The value as JSON keeps it exactly: null, bool, int, float, String, and lists and dictionaries of
    these.

    Raises:
        InvalidArgumentError: it holds anything else, a key that is no string, NaN or an infinite number.
    """
    if depth > MAX_DEPTH:
        raise InvalidArgumentError(
            f"{call}: {name} is nested deeper than {MAX_DEPTH} levels", "", "Store a flatter value"
        )
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int):
        return int(_stored_integer(call, name, value, "Store it as a String"))
    if isinstance(value, float):
        return validate_number(call, name, value)
    if isinstance(value, list | tuple):
        return [
            validate_metadata(call, f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)
        ]
    if isinstance(value, Mapping):
        mapping = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidArgumentError(
                    f"{call}: {name} has the key {shown(key)}",
                    "keys of metadata are Strings",
                    "Use str(key) as the key",
                )
            mapping[clean_text(key)] = validate_metadata(call, f"{name}.{key}", item, depth + 1)
        return EngineValue(value.type_name, mapping) if isinstance(value, EngineValue) else mapping
    raise wrong_type(call, name, value, "null, bool, int, float, String, Array or Dictionary")


def validate_fields(call: str, name: str, value: Any, names: Sequence[str] = ()) -> dict[str, Any]:
    """The value as a dictionary that JSON can hold. Keys that are almost one of `names` cause a warning.

    Raises:
        InvalidArgumentError: it is no dictionary, or see validate_metadata().
    """
    if not isinstance(value, Mapping):
        raise wrong_type(call, name, value, "a Dictionary")
    fields: dict[str, Any] = validate_metadata(call, name, value)
    warn_of_slips(call, name, fields, names)
    return fields


def _stored_integer(call: str, name: str, value: int, remedy: str) -> int:
    if not -(2**63) <= value < 2**63:
        raise InvalidArgumentError(f"{call}: {name} does not fit in 64 bits", "", remedy)
    return value


def to_json(value: Any) -> str:
    """Compact JSON; ints and floats stay distinct, NaN is refused."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def list_in(text: str) -> list[Any]:
    """The items of a JSON list that was kept; none of one that is none any more, because its file is
    damaged.
    """
    value = _stored_json(text)
    return value if isinstance(value, list) else []


def mapping_in(text: str) -> dict[str, Any]:
    """Return a stored JSON object like list_in()."""
    value = _stored_json(text)
    return value if isinstance(value, dict) else {}


def _stored_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def wrong_type(call: str, name: str, value: Any, wanted: str) -> InvalidArgumentError:
    """The error for a value of the wrong type."""
    kind = type_name(value)
    of_kind = "" if kind in ("null", shown(value)) else f" ({kind})"
    return InvalidArgumentError(
        f"{call}: {name} is {shown(value)}{of_kind}",
        f"it has to be {wanted}",
        f"Pass {wanted} for {name}",
    )


class EngineValue(dict[str, Any]):
    """A value of a type that only the engine has, in the form in which it is kept."""

    def __init__(self, type_name: str, stored_form: Mapping[str, Any]) -> None:
        super().__init__(stored_form)
        self.type_name = type_name


def type_name(value: Any) -> str:
    """Return the GDScript name of a value's type."""
    if isinstance(value, EngineValue):
        return value.type_name
    if value is None:
        return "null"
    for kind, name in _TYPE_NAMES.items():
        if isinstance(value, kind):
            return name
    return type(value).__name__


def shown(value: Any, longest: int = 80) -> str:
    """A value as GDScript writes it, at most `longest` characters, for a message."""
    text = _written(value, longest)
    return text if len(text) <= longest else text[: longest - 3] + "..."


_TYPE_NAMES: Mapping[type, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "String",
    list: "Array",
    tuple: "Array",
    Mapping: "Dictionary",
}


def _written(value: Any, longest: int) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, EngineValue):
        return value.type_name
    if isinstance(value, str):
        return json.dumps(clean_text(value[:longest]), ensure_ascii=False)
    # No more items than can be shown: a value may be large.
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(item, longest) for item in value[:longest])}]"
    if isinstance(value, Mapping):
        items = itertools.islice(value.items(), longest)
        return f"{{{', '.join(f'{_written(k, longest)}: {_written(v, longest)}' for k, v in items)}}}"
    return repr(value)[:longest]
