"""The written documentation names everything a user can call, connect to or set, with the right defaults."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from rag_memory.config import MemoryConfig
from rag_memory.godot import classes, declare
from rag_memory_build import reference, settings_table

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TEXT = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
)
SCRIPTS = [
    path
    for path in sorted((ROOT / "addons" / "rag_memory").rglob("*.gd"))
    if re.search(r"^class_name ", path.read_text(encoding="utf-8"), re.MULTILINE)
]
MEMBER = re.compile(r"^(?:(?:static )?func|signal|@export[^\n]*? var) ([a-z]\w*)", re.MULTILINE)


@pytest.mark.parametrize("cls", classes.declared_classes(), ids=lambda cls: cls.name)
def test_every_member_of_a_native_class_is_in_the_documents(cls: declare.GodotClass) -> None:
    names = [
        *(method.name for method in cls.methods),
        *(signal.name for signal in cls.signals),
        *(property.name for property in cls.properties),
    ]
    assert _not_named([name for name in names if not name.startswith("_")]) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_member_of_a_script_class_is_in_the_documents(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = MEMBER.findall(text)
    assert names
    assert _not_named([name for name in names if not name.endswith("_async")]) == []


def test_the_table_of_settings_is_the_configuration() -> None:
    """After a change of config.py: `python3 build.py python -m rag_memory_build.settings_table`."""
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert settings_table.in_document(text) == settings_table.tables()
    assert settings_table.tables().count("\n| `") == len(dataclasses.fields(MemoryConfig))


def test_the_reference_is_what_the_docstrings_say() -> None:
    """After a change of one: `python3 build.py python -m rag_memory_build.reference`."""
    assert reference.DOCUMENT.read_text(encoding="utf-8") == reference.reference()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_member_of_a_script_class_is_in_the_reference(path: Path) -> None:
    names = MEMBER.findall(path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#### (\w+)$", reference.reference(), re.MULTILINE)
    assert set(names) - set(headings) == set()


def test_every_relative_link_leads_to_a_file() -> None:
    dead = []
    for path in [ROOT / "README.md", *DOCS.glob("*.md"), ROOT / "addons" / "rag_memory" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[\w-]+)?\)", path.read_text(encoding="utf-8")):
            if not (path.parent / target).exists():
                dead.append(f"{path.name}: {target}")
    assert dead == []


def _not_named(names: list[str]) -> list[str]:
    return [name for name in names if not re.search(rf"\b{name}\b", TEXT)]
