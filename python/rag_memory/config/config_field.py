"""The declaration of one setting, and the check of a value against it."""

from __future__ import annotations

import copy
import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from rag_memory.errors import ConfigError
from rag_memory.validation import shown

_T = TypeVar("_T")
_GODOT_TYPES = {bool: "bool", int: "int", float: "float", str: "String", list: "Array", dict: "Dictionary"}


@dataclass(frozen=True, slots=True)
class ConfigField:
    """One field of a config as the inspector and the help show it."""

    name: str
    type: Any
    default: Any
    group: str
    doc: str
    range: tuple[float, float, float] | None
    hint: str
    enum: type[IntEnum] | None
    owner: str
    """The class it is a field of."""


def fields_of(config: type[Any]) -> tuple[ConfigField, ...]:
    """Return the fields of a config's class in inspector order: those that its `ESSENTIALS` names come first,
    as a group of their own.
    """
    types = typing.get_type_hints(config)
    essentials: tuple[str, ...] = getattr(config, "ESSENTIALS", ())
    fields = {
        field.name: ConfigField(
            name=field.name,
            type=types[field.name],
            owner=getattr(config, "title", config.__name__),
            **{**field.metadata, **({"group": "Essentials"} if field.name in essentials else {})},
        )
        for field in dataclasses.fields(config)
    }
    return tuple(fields[name] for name in dict.fromkeys([*essentials, *fields]))


def config_field(
    default: _T,
    *,
    group: str,
    doc: str,
    range: tuple[float, float, float] | None = None,
    hint: str = "",
    enum: type[IntEnum] | None = None,
) -> _T:
    """A dataclass field with what the inspector shows: its group, documentation and (minimum, maximum,
    step).
    """
    metadata = {"group": group, "doc": doc, "range": range, "hint": hint, "enum": enum, "default": default}
    if isinstance(default, list | dict):
        return dataclasses.field(default_factory=lambda: copy.deepcopy(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def validate_field(field: ConfigField, value: Any) -> Any:
    """A value of the option in its declared type.

    Raises:
        ConfigError: it has the wrong type or lies outside its range; names field, value and range.
    """
    if field.enum is not None:
        return _validate_enum(field, field.enum, value)
    container = typing.get_origin(field.type)
    if container is list:
        if not isinstance(value, list | tuple):
            raise _wrong_type(field, value)
        (item_type,) = typing.get_args(field.type)
        return [_validate_scalar(field, item_type, item) for item in value]
    if container is dict:
        if not isinstance(value, Mapping):
            raise _wrong_type(field, value)
        key_type, item_type = typing.get_args(field.type)
        return {
            _validate_scalar(field, key_type, key): _validate_scalar(field, item_type, item)
            for key, item in value.items()
        }
    return _validate_scalar(field, field.type, value)


def _validate_enum(field: ConfigField, enum: type[IntEnum], value: Any) -> IntEnum:
    if isinstance(value, int) and not isinstance(value, bool) and value in [int(member) for member in enum]:
        return enum(value)
    allowed = ", ".join(f"{member.name} ({member.value})" for member in enum)
    raise ConfigError(
        f"{field.owner}.{field.name} is {shown(value)}",
        "it is none of its values",
        f"Set it to one of: {allowed}",
    )


def _validate_scalar(field: ConfigField, wanted: Any, value: Any) -> Any:
    if typing.get_origin(wanted) is dict:  # a rule, whose keys its table checks
        return value
    if wanted is bool or wanted is str:
        if not isinstance(value, wanted):
            raise _wrong_type(field, value)
        return value
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (wanted is int and not isinstance(value, int))
    ):
        raise _wrong_type(field, value)
    if field.range is not None and not field.range[0] <= value <= field.range[1]:
        raise ConfigError(
            f"{field.owner}.{field.name} is {shown(value)}",
            f"the allowed range is {field.range[0]:g} to {field.range[1]:g}",
            f"Set it within that range (default: {shown(field.default)})",
        )
    return wanted(value)


def _godot_type(declared: Any) -> str:
    """Return the GDScript name of a declared type."""
    name = _GODOT_TYPES[typing.get_origin(declared) or declared]
    items = ", ".join(_godot_type(item) for item in typing.get_args(declared))
    return f"{name}[{items}]" if items else name


def _wrong_type(field: ConfigField, value: Any) -> ConfigError:
    return ConfigError(
        f"{field.owner}.{field.name} is {shown(value)}",
        f"it has to be of type {_godot_type(field.type)}",
        f"The default is {shown(field.default)}",
    )
