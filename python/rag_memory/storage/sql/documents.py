"""The table of documents: versions of what the world stores."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rag_memory.memory.document import HANDLED_EVENT, SYNCED, Document
from rag_memory.storage.sql.database import Database, Row
from rag_memory.validation import mapping_in, to_json

ComparedDocument = tuple[str, str, str]
"""The kind, the id and the content, as JSON, of a document."""

COLUMNS = ("document", "kind", "id", "owner", "content", "timestamp", "stored_at", "exchange_id")
_COLUMNS = ", ".join(COLUMNS)
_REMOVED = "{}"
_OF_AN_NPC = (HANDLED_EVENT, SYNCED)
"""Kinds that concern only the process that has the NPC."""
_IS_NEWEST = (
    "NOT EXISTS (SELECT 1 FROM $documents AS later WHERE later.kind = documents.kind "
    "AND later.id = documents.id AND later.document > documents.document)"
)
_STANDING = f"content <> '{_REMOVED}' AND {_IS_NEWEST}"
_VERSION = f"SELECT {_COLUMNS} FROM $documents WHERE kind = :kind AND id = :id ORDER BY document DESC LIMIT 1"
_OF_KIND = (
    f"SELECT {_COLUMNS} FROM (SELECT max(document) AS newest, min(document) AS first FROM $documents "
    "WHERE kind = :kind GROUP BY id) AS spans JOIN $documents ON document = newest "
    f"WHERE content <> '{_REMOVED}' ORDER BY first"
)
_OF_OWNER = (
    f"SELECT {_COLUMNS} FROM (SELECT document AS first, (SELECT max(document) FROM $documents AS newest "
    "WHERE newest.kind = begun.kind AND newest.id = begun.id) AS newest FROM $documents AS begun "
    "WHERE owner = :owner AND kind = :kind AND document > :after AND NOT EXISTS "
    "(SELECT 1 FROM $documents AS earlier WHERE earlier.kind = begun.kind AND earlier.id = begun.id "
    "AND earlier.document < begun.document)) AS spans JOIN $documents ON document = newest "
    f"WHERE content <> '{_REMOVED}' ORDER BY first"
)
_STANDING_IDS = (
    "SELECT id FROM $documents WHERE kind = :kind EXCEPT "
    f"SELECT id FROM $documents WHERE kind = :kind AND content = '{_REMOVED}' AND {_IS_NEWEST}"
)
_COUNTS = "SELECT kind, count(DISTINCT id) FROM $documents GROUP BY kind"
_REMOVED_COUNTS = (
    f"SELECT kind, count(*) FROM $documents WHERE content = '{_REMOVED}' AND {_IS_NEWEST} GROUP BY kind"
)
_MENTIONING = (
    f"SELECT {_COLUMNS} FROM $documents "
    "WHERE id = :id OR owner = :id OR lower(content) LIKE :quoted ORDER BY document"
)
_LONGEST_PATTERN = 1_000
"""Databases refuse longer ones. Where a text is longer, a document with its beginning is found, too."""

_VERSIONS = f"SELECT {_COLUMNS} FROM $documents WHERE kind = :kind AND id = :id ORDER BY document"
_CHANGE = (
    "UPDATE documents SET id = :id, owner = :owner, content = :content WHERE $own AND document = :document"
)
_HAS_SURPLUS = "SELECT 1 FROM $documents WHERE kind = :kind GROUP BY id HAVING count(*) > :count + 1 LIMIT 1"
_PRUNE = (
    "DELETE FROM documents WHERE $own AND document IN (SELECT document FROM "
    "(SELECT document, row_number() OVER (PARTITION BY id ORDER BY document) AS place, "
    "count(*) OVER (PARTITION BY id) AS versions FROM $documents WHERE kind = :kind) AS aged "
    "WHERE place > 1 AND place <= versions - :count ORDER BY document LIMIT :most)"
)


class Documents:
    """Documents of the world; see memory/document.py. All versions of a document have the same owner, as has
    one that removes it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, document: Document) -> int:
        """Add a version, and return its key. Inside a transaction."""
        self._note_change(document.kind)
        values = (*document[1:4], to_json(document.content), *document[5:7], self._database.exchange_id)
        return self._database.add("documents", "document", dict(zip(COLUMNS[1:], values, strict=True)))

    def get(self, kind: str, id: str) -> Document | None:
        """The newest version; None when there is none, or when it was removed."""
        documents = self._read(self._database.rows(_VERSION, kind=kind, id=id))
        return documents[0] if documents else None

    def find(
        self,
        kind: str,
        owner: str | None = None,
        after: int = 0,
        count: int = sys.maxsize,
        is_newest_first: bool = False,
    ) -> list[Document]:
        """The newest version of each that was not removed, in the order in which each was first written.

        Args:
            owner: only those of this owner; the other arguments need one.
            after: only those that were first written after the version with this key.
            count: only so many of them.
            is_newest_first: in the opposite order, the last one first.
        """
        if owner is None:
            return self._read(self._database.rows(_OF_KIND, kind=kind))
        direction = "DESC" if is_newest_first else "ASC"
        statement = f"{_OF_OWNER} {direction} LIMIT :count"
        return self._read(self._database.rows(statement, kind=kind, owner=owner, after=after, count=count))

    def ids(self, kind: str, among: Sequence[str] | None = None) -> set[str]:
        """The ids of find(), or those of `among` that it finds; much cheaper."""
        if among is None:
            rows = self._database.rows(_STANDING_IDS, kind=kind)
        elif among:
            statement = f"SELECT id FROM $documents WHERE kind = :kind AND id $in_texts(ids) AND {_STANDING}"
            rows = self._database.rows(statement, kind=kind, ids=list(among))
        else:
            rows = []
        return {str(id) for (id,) in rows}

    def counts(self) -> dict[str, int]:
        """How many there are of each kind, without those that were removed."""
        # All of them from the index alone; few were removed.
        counts = {str(kind): int(count) for kind, count in self._database.rows(_COUNTS)}
        for kind, count in self._database.rows(_REMOVED_COUNTS):
            counts[kind] -= count
        return {kind: count for kind, count in counts.items() if count}

    def owners(self, kind: str) -> list[str]:
        """The owners that have or had documents of a kind, in alphabetical order."""
        statement = "SELECT DISTINCT owner FROM $documents WHERE kind = :kind ORDER BY owner"
        return [str(owner) for (owner,) in self._database.rows(statement, kind=kind)]

    def mentioning(self, text: str) -> list[Document]:
        """Every version, of any kind, that has this id or owner, or the text in its content, in the order of
        writing; few others may be among them.
        """
        # A place, too, for letters whose other case a database may not know: SQLite knows those of ASCII.
        quoted = "".join(
            character.lower() if character.isascii() and character.isalnum() else "_"
            for character in to_json(text)[1:-1][:_LONGEST_PATTERN]
        )
        rows = self._database.rows(_MENTIONING, id=text, quoted=f"%{quoted}%")
        return [_document_of(row) for row in rows]

    def versions(self, kind: str, id: str) -> list[Document]:
        """Every version of a document that does not remove it, in the order of writing."""
        rows = self._database.rows(_VERSIONS, kind=kind, id=id)
        return [_document_of(row) for row in rows if row[4] != _REMOVED]

    def change(self, document: Document) -> None:
        """Give the version with `document.key` another id, owner and content. Inside a transaction."""
        self._note_change(document.kind)
        content = to_json(document.content)
        self._database.write(
            _CHANGE, document=document.key, id=document.id, owner=document.owner, content=content
        )

    def forget(self, kind: str, ids: Sequence[str]) -> None:
        """Delete all versions of these, for good. Inside a transaction."""
        self._note_change(kind)
        statement = "DELETE FROM documents WHERE $own AND kind = :kind AND id $in_texts(ids)"
        self._database.write(statement, kind=kind, ids=list(ids))

    def forget_of(self, kind: str, owner: str) -> None:
        """Delete all versions of what an owner has of a kind, for good. Inside a transaction."""
        self._note_change(kind)
        statement = "DELETE FROM documents WHERE $own AND kind = :kind AND owner = :owner"
        self._database.write(statement, kind=kind, owner=owner)

    def prune(self, kind: str, count: int, most: int = sys.maxsize) -> int:
        """Delete all versions of each but the newest `count` (1 or more) and the first, for good; how many.
        With `most` no more than so many, of each the oldest first.
        A rollback to a moment between them finds the first: never what was true only later. Inside a
        transaction.
        """
        if self._database.row(_HAS_SURPLUS, kind=kind, count=count) is None:
            return 0  # Found in the index alone.
        return self._database.count_written(_PRUNE, kind=kind, count=count, most=most)

    def compared(self) -> Iterator[ComparedDocument]:
        """The standing version of every document, as it is compared with another state of the save."""
        statement = f"SELECT kind, id, content FROM $documents WHERE {_STANDING} ORDER BY kind, id"
        yield from self._database.iterate(statement)

    def _note_change(self, kind: str) -> None:
        if kind not in _OF_AN_NPC:
            self._database.change_world()

    def _read(self, rows: Sequence[Row]) -> list[Document]:
        documents = [_document_of(row) for row in rows if row[4] != _REMOVED]
        if all(document.content for document in documents):
            return documents
        # Its file is damaged: what is made of it when it is opened next leaves these versions out.
        self._database.suspect()
        return [document for document in documents if document.content]


def _document_of(row: Sequence[Any]) -> Document:
    key, kind, id, owner, content, *times, exchange_id = row
    timestamp, stored_at = (time if math.isfinite(time) else 0.0 for time in times)
    return Document(key, kind, id, owner, mapping_in(content), timestamp, stored_at, exchange_id)
