"""The table of documents: what the world keeps, in versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rag_memory.memory.document import Document
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.validation import mapping_in, to_json

_COLUMNS = "document, kind, id, owner, content, timestamp, stored_at"
_REMOVED = "{}"


class Documents(Connected):
    """See storage.protocol.Documents."""

    def write_document(self, document: Document) -> int:
        """Add a version; its key. Inside a transaction."""
        values = (*document[1:4], to_json(document.content), *document[5:])
        columns = _COLUMNS.removeprefix("document, ")
        sql = f"INSERT INTO documents ({columns}) VALUES (?, ?, ?, ?, ?, ?)"
        return int(self._write(sql, values).lastrowid or 0)

    def document(self, kind: str, id: str) -> Document | None:
        """The newest version; None when there is none, or when it was removed."""
        sql = f"SELECT {_COLUMNS} FROM documents WHERE kind = ? AND id = ? ORDER BY document DESC LIMIT 1"
        row = self._row(sql, [kind, id])
        return _document(row) if row is not None and row[4] != _REMOVED else None

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        """The newest version of each that was not removed, in the order in which they were written."""
        of_owner = "" if owner is None else " AND owner = ?2"
        values = [kind] if owner is None else [kind, owner]
        sql = (
            f"SELECT {_COLUMNS} FROM documents WHERE document IN (SELECT max(document) FROM documents "
            f"WHERE kind = ?1{of_owner} GROUP BY id) AND content <> '{_REMOVED}' ORDER BY document"
        )
        return [_document(row) for row in self._rows(sql, values)]

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        """The last of documents(), newest first."""
        sql = (
            f"SELECT {_COLUMNS} FROM documents AS newest WHERE kind = ?1 AND owner = ?2 "
            f"AND content <> '{_REMOVED}' AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = ?1 "
            "AND id = newest.id AND document > newest.document) ORDER BY document DESC LIMIT ?3"
        )
        return [_document(row) for row in self._rows(sql, [kind, owner, count])]

    def document_owners(self, kind: str) -> list[str]:
        """Who has documents of a kind, in alphabetical order."""
        sql = (
            f"SELECT DISTINCT owner FROM documents WHERE kind = ? AND content <> '{_REMOVED}' ORDER BY owner"
        )
        return [str(owner) for (owner,) in self._rows(sql, [kind])]

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        """Delete all versions of these, for good. Inside a transaction."""
        for id in ids:
            self._write("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))

    def prune_documents(self, kind: str, kept: int) -> int:
        """Delete all but the newest versions of each, for good; how many. Inside a transaction."""
        sql = (
            "DELETE FROM documents WHERE document IN (SELECT document FROM (SELECT document, row_number() "
            "OVER (PARTITION BY id ORDER BY document DESC) AS place FROM documents WHERE kind = ?) "
            "WHERE place > ?)"
        )
        return self._write(sql, (kind, kept)).rowcount


def roll_back(connection: sqlite3.Connection, moment: float) -> None:
    """Forget the versions that were written, or are dated, later. Inside a transaction."""
    connection.execute("DELETE FROM documents WHERE stored_at > ?1 OR timestamp > ?1", (moment,))


def _document(row: Sequence[Any]) -> Document:
    key, kind, id, owner, content, timestamp, stored_at = row
    return Document(key, kind, id, owner, mapping_in(content), timestamp, stored_at)
