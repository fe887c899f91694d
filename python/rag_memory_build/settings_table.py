"""The settings of MemoryConfig as tables, for docs/reference.md: one for each group of the inspector."""

from __future__ import annotations

import enum
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.config.config_field import fields_of


def tables() -> str:
    """Make a Markdown table per group of settings."""
    lines: list[str] = []
    group = ""
    defaults = MemoryConfig()
    for field in fields_of(MemoryConfig):
        if field.group != group:
            group = field.group
            lines += ["", f"**{group}**", "", "| Setting | Default | What it does |", "|---|---|---|"]
        lines.append(f"| `{field.name}` | {_default(getattr(defaults, field.name))} | {field.doc} |")
    return "\n".join(lines).strip()


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, enum.IntEnum):
        return f"`{value.name}`"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"{len(value)} rules"
    if isinstance(value, list):
        return ", ".join(f"`{item}`" for item in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"`{key}`: {item}" for key, item in value.items()) or "none"
    return str(value)
