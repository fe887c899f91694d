"""Configs that inherit: where one has its default, the value of another one holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.config.config_field import fields_of

INHERITS = "inherits"
"""The property of a config that holds the other one."""


def with_inherited(config: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a config, with those of the config it inherits where its own are the defaults.

    Args:
        config: the class of the config.
        values: by field; under INHERITS the values of another config of the class, or None.
    """
    own = {name: value for name, value in values.items() if name != INHERITS}
    inherited = values.get(INHERITS)
    if inherited is None:
        return own
    defaults = {field.name: field.default for field in fields_of(config)}
    changed = {name: value for name, value in own.items() if name not in defaults or value != defaults[name]}
    return {**own, **with_inherited(config, inherited), **changed}
