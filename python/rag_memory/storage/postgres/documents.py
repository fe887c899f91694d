"""The table of documents: what the world keeps, in versions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from rag_memory.memory.document import HANDLED_EVENT, SYNCED, Document
from rag_memory.storage.comparison import ComparedDocument
from rag_memory.storage.postgres.connected import Connected
from rag_memory.validation import mapping_in, to_json

_NAMES = ("document", "kind", "id", "owner", "content", "timestamp", "stored_at")
COLUMNS = ", ".join(_NAMES)
_REMOVED = "{}"
_OF_AN_NPC = (HANDLED_EVENT, SYNCED)
"""What concerns nobody but the process that has the NPC."""
_OF_KIND = "save = %(save)s AND kind = %(kind)s"
_OF_ID = f"{_OF_KIND} AND id = %(id)s"
_IS_NEWEST = (
    "NOT EXISTS (SELECT 1 FROM documents later WHERE later.save = %(save)s "
    "AND later.kind = documents.kind AND later.id = documents.id AND later.document > documents.document)"
)
_ALL = (
    f"SELECT {COLUMNS} FROM (SELECT max(document) AS newest, min(document) AS first FROM documents "
    f"WHERE {_OF_KIND} GROUP BY id) AS spans JOIN documents ON document = newest "
    f"WHERE save = %(save)s AND content <> '{_REMOVED}' ORDER BY first"
)
_OF_OWNER = (
    f"SELECT {COLUMNS} FROM (SELECT document AS first, (SELECT max(document) FROM documents newest "
    "WHERE newest.save = %(save)s AND newest.kind = begun.kind AND newest.id = begun.id) AS newest "
    "FROM documents begun WHERE save = %(save)s AND owner = %(owner)s AND kind = %(kind)s "
    "AND document > %(after)s AND NOT EXISTS (SELECT 1 FROM documents earlier "
    "WHERE earlier.save = %(save)s AND earlier.kind = begun.kind AND earlier.id = begun.id "
    "AND earlier.document < begun.document)) AS spans JOIN documents ON document = newest "
    f"WHERE save = %(save)s AND content <> '{_REMOVED}' ORDER BY first"
)


class Documents(Connected):
    """See storage.documents.Documents."""

    def write_document(self, document: Document) -> int:
        key = self._next("document")
        self._changes_world |= document.kind not in _OF_AN_NPC
        values = (key, *document[1:4], to_json(document.content), *document[5:])
        places = ", ".join(f"%({name})s" for name in _NAMES)
        self._write(
            f"INSERT INTO documents (save, {COLUMNS}) VALUES (%(save)s, {places})",
            **dict(zip(_NAMES, values, strict=True)),
        )
        return key

    def document(self, kind: str, id: str) -> Document | None:
        found = self._documents(
            f"SELECT {COLUMNS} FROM documents WHERE {_OF_ID} ORDER BY document DESC LIMIT 1",
            kind=kind,
            id=id,
        )
        return found[0] if found and found[0].content else None

    def known_documents(self, kind: str, ids: Sequence[str]) -> set[str]:
        if not ids:
            return set()
        rows = self._rows(
            f"SELECT id FROM documents WHERE {_OF_KIND} AND id = ANY(%(ids)s::text[]) "
            f"AND content <> '{_REMOVED}' AND {_IS_NEWEST}",
            kind=kind,
            ids=list(ids),
        )
        return {str(id) for (id,) in rows}

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        if owner is None:
            return self._documents(_ALL, kind=kind)
        return self._documents(_OF_OWNER, kind=kind, owner=owner, after=0)

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        sql = f"{_OF_OWNER} DESC LIMIT %(count)s"
        return self._documents(sql, kind=kind, owner=owner, after=0, count=count)

    def documents_after(self, kind: str, owner: str, key: int, count: int) -> list[Document]:
        sql = f"{_OF_OWNER} LIMIT %(count)s"
        return self._documents(sql, kind=kind, owner=owner, after=key, count=count)

    def document_ids(self, kind: str) -> list[str]:
        rows = self._rows(
            f"SELECT id FROM documents WHERE {_OF_KIND} EXCEPT "
            f"SELECT id FROM documents WHERE {_OF_KIND} AND content = '{_REMOVED}' AND {_IS_NEWEST}",
            kind=kind,
        )
        return [str(id) for (id,) in rows]

    def count_documents(self) -> dict[str, int]:
        rows = self._rows(
            f"SELECT kind, count(*) FROM documents WHERE save = %(save)s AND content <> '{_REMOVED}' "
            f"AND {_IS_NEWEST} GROUP BY kind"
        )
        return {str(kind): int(count) for kind, count in rows}

    def document_owners(self, kind: str) -> list[str]:
        rows = self._rows(f"SELECT DISTINCT owner FROM documents WHERE {_OF_KIND} ORDER BY owner", kind=kind)
        return [str(owner) for (owner,) in rows]

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        self._changes_world |= kind not in _OF_AN_NPC
        self._write(
            f"DELETE FROM documents WHERE {_OF_KIND} AND id = ANY(%(ids)s::text[])", kind=kind, ids=list(ids)
        )

    def forget_documents_of(self, kind: str, owner: str) -> None:
        self._changes_world |= kind not in _OF_AN_NPC
        self._write(f"DELETE FROM documents WHERE {_OF_KIND} AND owner = %(owner)s", kind=kind, owner=owner)

    def prune_documents(self, kind: str, kept: int, most: int = sys.maxsize) -> int:
        aged = (
            "SELECT document, row_number() OVER (PARTITION BY id ORDER BY document) AS place, "
            f"count(*) OVER (PARTITION BY id) AS versions FROM documents WHERE {_OF_KIND}"
        )
        return self._count_written(
            f"DELETE FROM documents WHERE save = %(save)s AND document IN "
            f"(SELECT document FROM ({aged}) AS aged WHERE place > 1 AND place <= versions - %(kept)s "
            "ORDER BY document LIMIT %(most)s)",
            kind=kind,
            kept=kept,
            most=most,
        )

    def compared_documents(self) -> Iterator[ComparedDocument]:
        rows = self._rows(
            f"SELECT kind, id, content FROM documents WHERE save = %(save)s AND content <> '{_REMOVED}' "
            f"AND {_IS_NEWEST} ORDER BY kind, id"
        )
        return iter([(str(kind), str(id), str(content)) for kind, id, content in rows])

    def _documents(self, sql: str, **values: Any) -> list[Document]:
        return [
            Document(key, kind, id, owner, mapping_in(content), timestamp, stored_at)
            for key, kind, id, owner, content, timestamp, stored_at in self._rows(sql, **values)
        ]
