"""Documents in memory."""

from __future__ import annotations

import copy
import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from rag_memory.memory.document import TIMELESS, Document
from rag_memory.storage.comparison import ComparedDocument
from rag_memory.storage.in_memory.records import InMemory
from rag_memory.storage.in_memory.tables import Tables
from rag_memory.validation import mapping_in, to_json


class Documents(InMemory):
    """See storage.protocol.Documents."""

    def write_document(self, document: Document) -> int:
        key = self._tables.next_document()
        content = mapping_in(to_json(document.content))
        self._tables.documents.set(key, document._replace(key=key, content=content))
        return key

    def document(self, kind: str, id: str) -> Document | None:
        return next((each for each in self.documents(kind) if each.id == id), None)

    def known_documents(self, kind: str, ids: Sequence[str]) -> set[str]:
        return set(ids) & set(self.document_ids(kind))

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        return [
            copy.deepcopy(each)
            for each in self._in_force()
            if each.kind == kind and (owner is None or each.owner == owner)
        ]

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        return self.documents(kind, owner)[::-1][:count]

    def documents_after(self, kind: str, owner: str, key: int, count: int) -> list[Document]:
        first: dict[tuple[str, str], int] = {}
        for each in self._versions():
            first.setdefault((each.kind, each.id), each.key)
        return [each for each in self.documents(kind, owner) if first[kind, each.id] > key][:count]

    def document_ids(self, kind: str) -> list[str]:
        return [each.id for each in self._in_force() if each.kind == kind]

    def document_owners(self, kind: str) -> list[str]:
        return sorted({each.owner for each in self._versions() if each.kind == kind})

    def count_documents(self) -> dict[str, int]:
        return dict(Counter(each.kind for each in self._in_force()))

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        self._delete_versions(each.key for each in self._versions() if each.kind == kind and each.id in ids)

    def forget_documents_of(self, kind: str, owner: str) -> None:
        self._delete_versions(
            each.key for each in self._versions() if each.kind == kind and each.owner == owner
        )

    def prune_documents(self, kind: str, kept: int, most: int = sys.maxsize) -> int:
        versions: dict[str, list[int]] = {}
        for each in self._versions():
            if each.kind == kind:
                versions.setdefault(each.id, []).append(each.key)
        old = (key for keys in versions.values() for key in keys[1 : max(1, len(keys) - kept)])
        return self._delete_versions(itertools.islice(old, most))

    def compared_documents(self) -> Iterator[ComparedDocument]:
        return iter(sorted((each.kind, each.id, to_json(each.content)) for each in self._in_force()))

    def _versions(self) -> list[Document]:
        return [each for _, each in sorted(self._tables.documents.rows.items())]

    def _in_force(self) -> list[Document]:
        """What holds, in the order in which it was first written."""
        newest = {(each.kind, each.id): each for each in self._versions()}
        return [each for each in newest.values() if each.content]

    def _delete_versions(self, keys: Iterator[int]) -> int:
        deleted = list(keys)
        for key in deleted:
            self._tables.documents.set(key, None)
        return len(deleted)


def roll_back(tables: Tables, moment: float) -> None:
    """Forget the versions that were written, or are dated, later."""
    until = max(moment, TIMELESS)
    for key, each in list(tables.documents.rows.items()):
        if each.stored_at > until or each.timestamp > until:
            tables.documents.set(key, None)
