"""Every statement that the tests here send to a server is checked; these show that the check does so."""

from __future__ import annotations

import sys

import pytest
from tests.unit.storage.contract.conftest import POSTGRES, TESTED, open_empty


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
            storage._save.rows(statement, npc=1)  # type: ignore[attr-defined]
    finally:
        storage.close()
