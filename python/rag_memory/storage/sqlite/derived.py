"""The columns of a memory that follow from others."""

from __future__ import annotations

import sqlite3
import sys

from rag_memory.memory.record import digest_of
from rag_memory.text.terms import keyword_entry


def derive(connection: sqlite3.Connection, table: str, rowids: tuple[int, int] = (0, sys.maxsize)) -> None:
    """Set the columns that follow from others, keywords and digest, of the rows from one rowid to another."""
    connection.create_function("keyword_entry", 7, keyword_entry, deterministic=True)
    connection.create_function("digest_of", 2, digest_of, deterministic=True)
    connection.execute(
        f"UPDATE {table} SET digest = digest_of(event_type, document_full), "
        "keywords = keyword_entry(npc, document_full, speaker, participants, entities, topics, location) "
        "WHERE document_full <> '' AND rowid BETWEEN ? AND ?",
        rowids,
    )
