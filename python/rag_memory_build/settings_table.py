"""The tables of all settings in docs/configuration.md, made from the core's configuration.

    python3 build.py python -m rag_memory_build.settings_table

writes them anew between their two marks. A test compares them, so that no setting is forgotten.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

from rag_memory.config import MemoryConfig

from .paths import ROOT

BEGIN = "<!-- settings: written by `python3 build.py python -m rag_memory_build.settings_table` -->"
END = "<!-- /settings -->"


def tables() -> str:
    """One table per group, in Markdown."""
    lines: list[str] = []
    group = ""
    defaults = MemoryConfig()
    for field in dataclasses.fields(MemoryConfig):
        if field.metadata["group"] != group:
            group = field.metadata["group"]
            lines += ["", f"### {group}", "", "| Setting | Default | What it does |", "|---|---|---|"]
        default = _default(getattr(defaults, field.name))
        lines.append(f"| `{field.name}` | {default} | {field.metadata['doc']} |")
    return "\n".join(lines).strip()


def in_document(text: str) -> str:
    """The tables that stand in a document."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def written_into(text: str) -> str:
    """The document with the tables as they have to be."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}"


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, enum.IntEnum):
        return f"`{value.name}`"
    if isinstance(value, list):
        return ", ".join(f"`{item}`" for item in value) or "none"
    if isinstance(value, dict):
        return ", ".join(f"`{key}`: {item}" for key, item in value.items()) or "none"
    return str(value)


if __name__ == "__main__":
    document = ROOT / "docs" / "configuration.md"
    document.write_text(written_into(document.read_text(encoding="utf-8")), encoding="utf-8")
