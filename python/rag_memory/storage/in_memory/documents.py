"""Documents in memory."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.memory.document import Document
from rag_memory.storage.in_memory.records import InMemory
from rag_memory.storage.in_memory.tables import Tables


class Documents(InMemory):
    """See storage.protocol.Documents."""

    def write_document(self, document: Document) -> int:
        rows = self._tables.documents.rows
        key = max(rows, default=0) + 1
        self._tables.documents.set(key, document._replace(key=key, content=dict(document.content)))
        return key

    def document(self, kind: str, id: str) -> Document | None:
        return next((each for each in self.documents(kind) if each.id == id), None)

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        newest: dict[str, Document] = {}
        for each in self._versions(kind):
            if owner is None or each.owner == owner:
                newest[each.id] = each
        return sorted((each for each in newest.values() if each.content), key=lambda each: each.key)

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        return self.documents(kind, owner)[::-1][:count]

    def document_owners(self, kind: str) -> list[str]:
        return sorted({each.owner for each in self._versions(kind) if each.content})

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        for each in self._versions(kind):
            if each.id in ids:
                self._tables.documents.set(each.key, None)

    def prune_documents(self, kind: str, kept: int) -> int:
        versions: dict[str, list[int]] = {}
        for each in self._versions(kind):
            versions.setdefault(each.id, []).append(each.key)
        pruned = [key for keys in versions.values() for key in keys[:-kept]]
        for key in pruned:
            self._tables.documents.set(key, None)
        return len(pruned)

    def _versions(self, kind: str) -> list[Document]:
        rows = self._tables.documents.rows
        return [each for _, each in sorted(rows.items()) if each.kind == kind]


def roll_back(tables: Tables, moment: float) -> None:
    """Forget the versions that were written, or are dated, later."""
    for key, each in list(tables.documents.rows.items()):
        if each.stored_at > moment or each.timestamp > moment:
            tables.documents.set(key, None)
