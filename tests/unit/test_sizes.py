"""The size of the product, which may only shrink: lines, and the lines among them that are code.

Code lines are counted beside all lines, because fewer docstrings are no gain. Who makes a part smaller lowers
its limit; `target` is what we aim for.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Limit(NamedTuple):
    """The most lines of a part of the product, and the most lines of code among them."""

    lines: int
    code: int
    target: int
    """Of lines; the core's has 2,300 for the prompts that come from GDScript."""


LIMITS = {
    "core": Limit(lines=71_010, code=50_510, target=35_800),
    "server": Limit(lines=5_600, code=4_110, target=5_300),
    "GDScript": Limit(lines=13_740, code=9_660, target=11_500),
}
PACKAGES = {"core": "rag_memory", "server": "rag_memory_server"}
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


def files_of(part: str) -> Iterator[Path]:
    if part == "GDScript":
        yield from (ROOT / "addons").rglob("*.gd")
        return
    yield from (ROOT / "python" / PACKAGES[part]).rglob("*.py")


def code_lines(source: str, suffix: str) -> int:
    """The lines that are neither blank nor only a comment or a part of a docstring."""
    if suffix == ".gd":
        return sum(not line.lstrip().startswith("#") for line in source.splitlines() if line.strip())
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    for statement in ast.walk(ast.parse(source)):
        if isinstance(statement, ast.Expr) and _is_string(statement.value):
            lines -= set(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return len(lines)


def _is_string(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


@pytest.mark.parametrize("part", LIMITS)
def test_a_part_is_not_larger_than_it_was(part: str) -> None:
    sources = {file: file.read_text(encoding="utf-8") for file in files_of(part)}
    lines = sum(len(source.splitlines()) for source in sources.values())
    code = sum(code_lines(source, file.suffix) for file, source in sources.items())
    limit = LIMITS[part]
    assert sources
    assert (lines <= limit.lines) and (code <= limit.code), (
        f"{part} has {lines:,} lines, {code:,} of them code; "
        f"the limits are {limit.lines:,} and {limit.code:,}, the target is {limit.target:,}"
    )


def test_comments_blank_lines_and_docstrings_are_no_code() -> None:
    source = '"""A module.\n\nMore.\n"""\n\nX = """a\n\nb"""  # two\n"""A constant."""\n\n# three\ny = 1\n'
    assert code_lines(source, ".py") == 4
    assert code_lines("# a\n\nvar x := 1\n\t## b\n", ".gd") == 1
