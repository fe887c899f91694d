"""Configs in resource files of Godot (.tres), such as the MemoryConfig of the Land game, as properties."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import ConfigError, InvalidArgumentError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.portable.import_plan import ImportPlan

_RENAMED = {"importance_threshold": "importance_threshold_for_tier"}
"""Properties of Land with another name here."""
_PROPERTIES = frozenset(field.name for field in dataclasses.fields(MemoryConfig))
_SECTION = lazy_pattern(r"^\[resource\][ \t]*$", re.MULTILINE)
_PROPERTY = lazy_pattern(r"^(\w{1,100}) = ", re.MULTILINE)
_TOKEN = lazy_pattern(
    r'\s*(?:[&^]?("(?:[^"\\]|\\.)*")|(Array\[\w+\]\(|\))|(Packed\w+Array\()|([\[\]{},:]|-?\d[\w.+-]*|\w+))',
    re.DOTALL,
)
_REMEDY = "Pass the .tres file of a MemoryConfig"
_MOST_SHOWN = 20


def config_plan(call: str, text: str, name: str) -> ImportPlan:
    """What a resource file brings in: the properties of a MemoryConfig.

    Raises:
        InvalidArgumentError: it has none of them.
    """
    section = _SECTION.search(text)
    parts = _PROPERTY.split(text[section.end() :]) if section is not None else [""]
    values = {_RENAMED.get(key, key): part for key, part in zip(parts[1::2], parts[2::2], strict=True)}
    config: dict[str, Any] = {}
    left_out: list[str] = []
    for key, part in values.items():
        try:
            value = _value(part)
            if key not in _PROPERTIES:
                raise ValueError(key)
            dataclasses.replace(MemoryConfig(), **{key: value}).validated()
        except (ValueError, TypeError, RecursionError, ConfigError, InvalidArgumentError):
            left_out.append(key)
        else:
            config[key] = value
    if not config:
        raise InvalidArgumentError(
            f"{call}: the file has no property of a MemoryConfig",
            "it is no resource, or of another kind",
            _REMEDY,
        )
    left_out = [key for key in left_out if key not in ("script", "resource_name")][:_MOST_SHOWN]
    line = f"These properties are unknown here, or their values out of range: {', '.join(left_out)}."
    return ImportPlan("MemoryConfig", name, config=config, not_kept=[line] if left_out else [])


def _value(text: str) -> Any:
    """The value that Godot wrote. Raises ValueError when it is no plain one."""
    text = text.strip()
    end, parts, closing = 0, list[str](), list[str]()
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None:
            raise ValueError(text[:20])
        end = match.end()
        string, array, packed, other = match.groups()
        if string:
            parts.append(json.dumps(string[1:-1].replace('\\"', '"').replace("\\\\", "\\")))
        elif packed:
            parts.append("[")
            closing.append("]")
        elif array and array != ")":
            closing.append("")
        else:
            parts.append(closing.pop() if array and closing else other or array)
    return json.loads("".join(parts), parse_constant=_refuse)


def _refuse(name: str) -> Mapping[str, Any]:
    raise ValueError(name)
