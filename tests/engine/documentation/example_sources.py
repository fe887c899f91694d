"""Finds every GDScript example that a user is shown: in the F1 help and in the written documentation.

native classes    [codeblock] ... [/codeblock] in the generated help pages
script classes    [codeblock] ... [/codeblock] in the ## comments of addons/rag_memory
documents         ```gdscript ... ``` in README.md, CONTRIBUTING.md, docs/*.md and the addon's README.md
files             docs/*.gd, to be copied into a game
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.engine.game import ROOT

from rag_memory_build.all_classes import all_classes
from rag_memory_build.help_xml import help_xml

ADDON = ROOT / "addons" / "rag_memory"

_CODE_BLOCK = re.compile(r"\[codeblock[^\]]*\]\n?(.*?)\[/codeblock\]", re.DOTALL)
_FENCE = re.compile(r"^([ \t]*)```gdscript\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
_DOC_COMMENT = re.compile(r"(?:^[ \t]*##.*\n)+", re.MULTILINE)


class Example(NamedTuple):
    """A piece of GDScript and where a user reads it."""

    source: str
    """Help page and member, or file and line."""
    code: str


def all_examples() -> list[Example]:
    return [*_of_native_classes(), *_of_script_classes(), *_of_documents(), *_of_files()]


def documents() -> list[Path]:
    """The written documentation for users."""
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ADDON / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
    ]


def scripts() -> list[Path]:
    return sorted(ADDON.rglob("*.gd"))


def _of_native_classes() -> Iterator[Example]:
    for cls in all_classes():
        page = ElementTree.fromstring(help_xml(cls))
        for entry in page.iter():
            if entry.tag not in ("description", "brief_description", "member", "constant"):
                continue
            owner = next((each for each in page.iter() if entry in list(each)), page)
            member = entry.get("name", owner.get("name", ""))
            place = (
                cls.name if owner is page and entry.tag.endswith("description") else f"{cls.name}.{member}"
            )
            for number, found in enumerate(_CODE_BLOCK.finditer(entry.text or ""), 1):
                yield Example(f"{place} #{number}", _with_tabs(found[1]))


def _of_script_classes() -> Iterator[Example]:
    for path in scripts():
        text = path.read_text(encoding="utf-8")
        for comment in _DOC_COMMENT.finditer(text):
            help_text = re.sub(r"^[ \t]*## ?", "", comment.group(), flags=re.MULTILINE)
            for found in _CODE_BLOCK.finditer(help_text):
                line = text.count("\n", 0, comment.start()) + help_text.count("\n", 0, found.start(1)) + 1
                yield Example(f"{path.name}:{line}", _with_tabs(found[1]))


def _of_documents() -> Iterator[Example]:
    for path in documents():
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            line = text.count("\n", 0, found.start()) + 2
            yield Example(f"{path.relative_to(ROOT).as_posix()}:{line}", _with_tabs(found[2]))


def _of_files() -> Iterator[Example]:
    for path in sorted((ROOT / "docs").glob("*.gd")):
        yield Example(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def _with_tabs(code: str) -> str:
    """The code as a script has it: help pages indent by four spaces."""
    lines = textwrap.dedent(code).split("\n")
    return "\n".join(_indented_with_tabs(line) for line in lines).strip("\n") + "\n"


def _indented_with_tabs(line: str) -> str:
    rest = line.lstrip(" ")
    return "\t" * ((len(line) - len(rest)) // 4) + rest
