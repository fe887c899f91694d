"""Where statements go to the server: those of the store all pass the one place that the contract checks."""

from __future__ import annotations

import ast
from pathlib import Path

ROOM = Path(__file__).resolve().parents[4] / "python" / "rag_memory_server" / "postgres"
# The passage to the server itself, and what makes tables, which has no values of a game.
PASSAGES = {"session.py", "connecting.py", "schema.py"}


def test_no_other_way_leads_to_the_server() -> None:
    """Checked statements go through Session.execute(); only constant statements bypass it."""
    by_it = []
    for file in sorted(ROOM.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_passage = file.name in PASSAGES
            is_connection = isinstance(node, ast.Attribute) and node.attr == "_connection"
            if (is_connection and not is_passage) or (is_passage and _puts_into(node)):
                by_it.append(f"{file.name}: {ast.unparse(node)}")
    assert by_it == []


def _puts_into(node: ast.AST) -> bool:
    """True if the code executes a statement that it has composed."""
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("execute"):
        return False
    return isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
