"""docs/save_format.md names what a save really has: tables, numbers, columns, files and tests."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator

import pytest

from rag_memory.storage.sqlite.schema import (
    APPLICATION_ID,
    MIGRATIONS,
    SCHEMA_VERSION,
    UNRELEASED_ID,
    migrate,
)
from rag_memory_build.paths import ROOT

TEXT = (ROOT / "docs" / "save_format.md").read_text(encoding="utf-8")
FOR_LATER = ("occurrences", "last_told", "checksum")


@pytest.fixture
def save() -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, 0)
        yield connection


def test_every_table_is_described_and_no_other(save: sqlite3.Connection) -> None:
    rows = save.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    # FTS5 and AUTOINCREMENT have tables of their own.
    tables = {name for (name,) in rows if not re.match(r"memories_fts_|sqlite_", name)}
    section = TEXT.partition(f"The tables of schema {SCHEMA_VERSION}:")[2].partition("\n\nTimes are")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    described = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert described == tables


def test_the_numbers_are_those_of_the_code(save: sqlite3.Connection) -> None:
    assert f"`0x{APPLICATION_ID:08X}`" in TEXT and f"`0x{UNRELEASED_ID:08X}`" in TEXT
    assert f"the version of the schema; today {SCHEMA_VERSION} |" in TEXT
    assert max(MIGRATIONS) == SCHEMA_VERSION
    assert f"| page size | {save.execute('PRAGMA page_size').fetchone()[0]} bytes |" in TEXT


def test_columns_for_later_are_in_the_tables(save: sqlite3.Connection) -> None:
    columns = {row[1] for row in save.execute("PRAGMA table_info(memories)")}
    assert columns >= set(FOR_LATER)
    assert all(f"`{name}`" in TEXT for name in FOR_LATER)


def test_every_test_that_is_named_exists() -> None:
    paths = re.findall(r"`(tests/[\w/.]+)`", TEXT)
    assert len(paths) > 5
    assert [path for path in paths if not (ROOT / path).exists()] == []
