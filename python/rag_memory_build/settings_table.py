"""Writes the tables of settings in docs/configuration.md, mind.md, world.md and others from the core's
configs.

    python3 build.py python -m rag_memory_build.settings_table

replaces the text between the two marks. A test fails if a table is not up to date.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any

from rag_memory.config import MemoryConfig
from rag_memory.config.calendar import GameCalendar
from rag_memory.config.config_field import fields_of
from rag_memory.config.dossier_config import NPCDossierConfig
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.config.world_config import MemoryWorldConfig
from rag_memory_server.config.valkey_config import MemoryEventBusConfig, MemoryHotCacheConfig
from rag_memory_server.postgres_storage import MemoryPostgresStorage

from .paths import ROOT

BEGIN = "<!-- settings: written by `python3 build.py python -m rag_memory_build.settings_table` -->"
END = "<!-- /settings -->"
DOCUMENTS: dict[Path, list[type[Any]]] = {
    ROOT / "docs" / "configuration.md": [MemoryConfig],
    ROOT / "docs" / "calendar.md": [GameCalendar],
    ROOT / "docs" / "mind.md": [NPCMindConfig],
    ROOT / "docs" / "world.md": [MemoryWorldConfig, NPCDossierConfig],
    ROOT / "docs" / "servers.md": [MemoryEventBusConfig, MemoryHotCacheConfig, MemoryPostgresStorage],
}
"""The configs whose settings a document lists."""


def tables(configs: list[type[Any]]) -> str:
    """Make a Markdown table per group of settings."""
    lines: list[str] = []
    for config in configs:
        of_config = "" if len(configs) == 1 else f" (`{getattr(config, 'title', config.__name__)}`)"
        group = ""
        defaults = config()
        for field in fields_of(config):
            if field.group != group:
                group = field.group
                head = f"### {group}{of_config}"
                lines += ["", head, "", "| Setting | Default | What it does |", "|---|---|---|"]
            default = _default(getattr(defaults, field.name))
            lines.append(f"| `{field.name}` | {default} | {field.doc} |")
    return "\n".join(lines).strip()


def in_document(text: str) -> str:
    """Read the tables of a document."""
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def written_into(text: str, configs: list[type[Any]]) -> str:
    """Replace the tables of a document."""
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{tables(configs)}\n\n{END}{rest.partition(END)[2]}"


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


if __name__ == "__main__":
    for document, configs in DOCUMENTS.items():
        document.write_text(written_into(document.read_text(encoding="utf-8"), configs), encoding="utf-8")
