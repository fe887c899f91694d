"""Tests ask what the product does, and read none of its private names; what still does is counted here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
MOST_READS = {
    "unit/index": 7,
    "unit/npc": 1,
    "unit/server/bus": 5,
    "unit": 1,
    "unit/storage/contract": 5,
    "unit/server/postgres": 20,
    "unit/storage": 10,
}
"""The reads of private names that are left, by folder. Lower a number when you remove some."""
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_exit"}
"""Names of the standard library that are public in spite of their underscore."""


def private_reads(source: str) -> Iterator[str]:
    """The private names of other modules that this one reads or sets."""
    nodes = list(ast.walk(ast.parse(source)))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    own |= {node.attr for node in attributes if _is_self(node.value)}
    for node in attributes:
        is_private = node.attr.startswith("_") and not node.attr.startswith("__")
        if is_private and node.attr not in own | PUBLIC and not _is_self(node.value):
            yield f"{node.lineno}: {node.attr}"


def _is_self(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def test_no_more_private_names_are_read() -> None:
    reads: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("*.py")):
        folder = file.parent.relative_to(TESTS).as_posix()
        names = [f"{file.name}:{read}" for read in private_reads(file.read_text(encoding="utf-8"))]
        reads.setdefault(folder, []).extend(names)
    more = {folder: names for folder, names in reads.items() if len(names) > MOST_READS.get(folder, 0)}
    assert more == {}, "ask a public name instead, or make this one public"


def test_own_names_and_self_are_not_reads() -> None:
    source = "class A:\n    def _x(self):\n        return self._y\n\nA()._x(), A()._y, A()._z, A().__doc__"
    assert list(private_reads(source)) == ["5: _z"]
