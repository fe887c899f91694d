"""Every statement that the tests here send to a server is checked; these show that the check does so."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from tests.unit.storage.contract.conftest import TESTED, open_empty

from rag_memory.storage.backends import POSTGRES

ROOM = Path(__file__).resolve().parents[4] / "python" / "rag_memory" / "storage" / "postgres"
# The passage to the server itself, and what makes tables, which has no values of a game.
PASSAGES = {"session.py", "connecting.py", "schema.py"}


@pytest.mark.skipif(sys.platform != "linux", reason="a server for tests can be had on Linux only")
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM memories WHERE npc = %(npc)s",
        "SELECT 1 FROM memories JOIN vectors USING (memory) WHERE memories.save = %(save)s",
        "SELECT 1 FROM memories WHERE save = %(save)s AND id = 'elena'",
        "SELECT 1 FROM memories WHERE save = %(save)s AND npc = 17",
        "SELECT 1 FROM memories WHERE save = %(save)s AND timestamp > 1702500000.5",
    ],
)
def test_a_statement_without_its_save_or_with_a_value_in_it_is_noticed(statement: str) -> None:
    assert POSTGRES in TESTED
    storage = open_empty(POSTGRES)
    try:
        with pytest.raises(AssertionError, match="SELECT 1"):
            storage._rows(statement, npc=1)  # type: ignore[attr-defined]
    finally:
        storage.close()


def test_no_other_way_leads_to_the_server() -> None:
    """What is checked passes Session.execute(); what goes by it are statements that nothing is put into."""
    by_it = []
    for file in sorted(ROOM.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_passage = file.name in PASSAGES
            is_connection = isinstance(node, ast.Attribute) and node.attr == "_connection"
            if (is_connection and not is_passage) or (
                is_passage and isinstance(node, ast.Call) and _puts_into(node)
            ):
                by_it.append(f"{file.name}: {ast.unparse(node)}")
    assert by_it == []


def _puts_into(node: ast.AST) -> bool:
    """Whether it executes a statement that is put together on the spot."""
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("execute"):
        return False
    return isinstance(node.args[0], ast.JoinedStr | ast.BinOp)
