"""The table of documents: what the world keeps, in versions."""

from __future__ import annotations

import math
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rag_memory.memory.document import TIMELESS, Document
from rag_memory.storage.comparison import ComparedDocument
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.validation import mapping_in, to_json

_COLUMNS = "document, kind, id, owner, content, timestamp, stored_at"
_REMOVED = "{}"
_IS_NEWEST = (
    "NOT EXISTS (SELECT 1 FROM documents later WHERE later.kind = documents.kind "
    "AND later.id = documents.id AND later.document > documents.document)"
)
_OF_KIND = (
    f"SELECT {_COLUMNS} FROM (SELECT max(document) AS newest, min(document) AS first FROM documents "
    f"WHERE kind = ? GROUP BY id) JOIN documents ON document = newest WHERE content <> '{_REMOVED}' "
    "ORDER BY first"
)
_OF_OWNER = (
    f"SELECT {_COLUMNS} FROM (SELECT document AS first, (SELECT max(document) FROM documents newest "
    "WHERE newest.kind = begun.kind AND newest.id = begun.id) AS newest FROM documents begun "
    "WHERE owner = ? AND kind = ? AND document > ? AND NOT EXISTS (SELECT 1 FROM documents earlier "
    "WHERE earlier.kind = begun.kind AND earlier.id = begun.id AND earlier.document < begun.document)) "
    f"JOIN documents ON document = newest WHERE content <> '{_REMOVED}' ORDER BY first"
)


class Documents(Connected):
    """See storage.protocol.Documents."""

    def write_document(self, document: Document) -> int:
        """Add a version; its key. Inside a transaction."""
        values = (self._orders.current, *document[1:4], to_json(document.content), *document[5:])
        columns = _COLUMNS.removeprefix("document, ")
        sql = f"INSERT INTO documents (write_order, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        return int(self._write(sql, values).lastrowid or 0)

    def document(self, kind: str, id: str) -> Document | None:
        """The newest version; None when there is none, or when it was removed."""
        sql = f"SELECT {_COLUMNS} FROM documents WHERE kind = ? AND id = ? ORDER BY document DESC LIMIT 1"
        found = self._documents(sql, [kind, id])
        return found[0] if found else None

    def known_documents(self, kind: str, ids: Sequence[str]) -> set[str]:
        """Those of these ids that document() finds."""
        return {id for id in ids if self.document(kind, id) is not None}

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        """The newest version of each that was not removed, in the order in which each was first written."""
        return self._documents(*((_OF_KIND, [kind]) if owner is None else (_OF_OWNER, [owner, kind, 0])))

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        """The last of documents(), the last one first."""
        return self._documents(f"{_OF_OWNER} DESC LIMIT ?", [owner, kind, 0, count])

    def documents_after(self, kind: str, owner: str, key: int, count: int) -> list[Document]:
        """The first `count` of documents() that were first written after the version with this key."""
        return self._documents(f"{_OF_OWNER} LIMIT ?", [owner, kind, key, count])

    def document_ids(self, kind: str) -> list[str]:
        """The ids of documents(), in any order; much cheaper."""
        removed = f"SELECT id FROM documents WHERE kind = ?1 AND content = '{_REMOVED}' AND {_IS_NEWEST}"
        rows = self._rows(f"SELECT id FROM documents WHERE kind = ?1 EXCEPT {removed}", [kind])
        return [str(id) for (id,) in rows]

    def count_documents(self) -> dict[str, int]:
        """How many there are of each kind, without those that were removed."""
        with self._reading() as connection:
            return count_documents(connection)

    def document_owners(self, kind: str) -> list[str]:
        """Who has or had documents of a kind, in alphabetical order."""
        rows = self._rows("SELECT DISTINCT owner FROM documents WHERE kind = ? ORDER BY owner", [kind])
        return [str(owner) for (owner,) in rows]

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        """Delete all versions of these, for good. Inside a transaction."""
        for id in ids:
            self._write("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))

    def forget_documents_of(self, kind: str, owner: str) -> None:
        """Delete all versions of what an owner has of a kind, for good. Inside a transaction."""
        self._write("DELETE FROM documents WHERE kind = ? AND owner = ?", (kind, owner))

    def prune_documents(self, kind: str, kept: int, most: int = sys.maxsize) -> int:
        """Delete all versions of each but the newest and the first; how many. Inside a transaction."""
        of_many = (
            "SELECT id, min(document), count(*) FROM documents WHERE kind = ? GROUP BY id HAVING count(*) > ?"
        )
        left = most
        for id, first, count in self._rows(of_many, [kind, kept + 1]):
            left -= self._write(
                "DELETE FROM documents WHERE document IN (SELECT document FROM documents "
                "WHERE kind = ? AND id = ? AND document > ? ORDER BY document LIMIT ?)",
                (kind, id, first, min(left, count - kept - 1)),
            ).rowcount
        return most - left

    def compared_documents(self) -> Iterator[ComparedDocument]:
        """What holds of every document, as it is compared with another state of the save."""
        with self._reading() as connection:
            yield from compared_documents(connection)

    def _documents(self, sql: str, values: Sequence[Any]) -> list[Document]:
        rows = self._rows(sql, values)
        found = [_document(row) for row in rows if row[4] != _REMOVED]
        if all(each.content for each in found):
            return found
        # Its file is damaged: what is made of it when it is opened next leaves these versions out.
        self.suspect()
        return [each for each in found if each.content]


def roll_back(connection: sqlite3.Connection, moment: float) -> None:
    """Forget the versions that were written, or are dated, later. Inside a transaction."""
    sql = "DELETE FROM documents WHERE stored_at > ?1 OR timestamp > ?1"
    connection.execute(sql, (max(moment, TIMELESS),))


def document_in(connection: sqlite3.Connection, kind: str, id: str) -> dict[str, Any]:
    """What a document says; {} when there is none."""
    sql = "SELECT content FROM documents WHERE kind = ? AND id = ? ORDER BY document DESC LIMIT 1"
    row = connection.execute(sql, (kind, id)).fetchone()
    return {} if row is None else mapping_in(row[0])


def count_documents(connection: sqlite3.Connection) -> dict[str, int]:
    """How many there are of each kind, without those that were removed."""
    # All of them from the index alone; few were removed.
    counts = dict(
        connection.execute("SELECT kind, count(DISTINCT id) FROM documents GROUP BY kind").fetchall()
    )
    removed = connection.execute(
        f"SELECT kind, count(*) FROM documents WHERE content = '{_REMOVED}' AND {_IS_NEWEST} GROUP BY kind"
    )
    for kind, count in removed.fetchall():
        counts[kind] -= count
    return {kind: count for kind, count in counts.items() if count}


def compared_documents(connection: sqlite3.Connection) -> Iterator[ComparedDocument]:
    """What holds of every document, by kind and id."""
    return connection.execute(
        f"SELECT kind, id, content FROM documents WHERE {_IS_NEWEST} AND content <> '{_REMOVED}' "
        "ORDER BY kind, id"
    )


def _document(row: Sequence[Any]) -> Document:
    key, kind, id, owner, content, *times = row
    timestamp, stored_at = (each if math.isfinite(each) else 0.0 for each in times)
    return Document(key, kind, id, owner, mapping_in(content), timestamp, stored_at)
