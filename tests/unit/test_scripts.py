"""The names in the addon's GDScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rag_memory_build.paths import ADDON

EMPTY_NAMES = {"told", "found", "known", "kept", "each"}
"""Words that do not say what a value is; as part of a term, such as `known_by`, they may stay."""
_TOKEN = re.compile(
    r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*|(?P<name>[A-Za-z_]\w*)|\n'
)


def scripts() -> list[Path]:
    return [path for path in sorted(ADDON.rglob("*.gd")) if "runtime" not in path.relative_to(ADDON).parts]


def identifiers(script: str) -> Iterator[tuple[int, str]]:
    """Every identifier outside strings and comments, with its line."""
    line = 1
    for token in _TOKEN.finditer(script):
        if token["name"]:
            yield line, token["name"]
        line += token[0].count("\n")


def test_no_identifier_is_told_found_known_kept_or_each() -> None:
    empty = [
        f"{path.relative_to(ADDON)}:{line} {name}"
        for path in scripts()
        for line, name in identifiers(path.read_text(encoding="utf-8"))
        if name.strip("_") in EMPTY_NAMES
    ]
    assert len(scripts()) > 50
    assert not empty, "say what the value is:\n" + "\n".join(empty)


def test_the_scan_skips_strings_and_comments() -> None:
    script = 'var text := "each \\" told" # found\n"""kept"""\nvar known := 1\n'
    assert [item for item in identifiers(script) if item[1] != "var"] == [(1, "text"), (3, "known")]


def test_descriptions_begin_with_a_verb_or_a_noun() -> None:
    """A description says what a thing is or does: "Returns ...", "The ...", not "What ..."."""
    questions = []
    for path in scripts():
        before = ""
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            comment = text.strip()
            if not before.startswith("##") and re.match(r"## (What|Who|Whether|How|Where|Which) ", comment):
                questions.append(f"{path.relative_to(ADDON)}:{number} {comment}")
            before = comment
    assert not questions, "begin with a verb or a noun:\n" + "\n".join(questions)
