"""What every storage backend keeps of the world: its documents, in versions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol

from rag_memory.memory.document import Document


class Documents(Protocol):
    """Documents of the world; see memory/document.py. All versions of a document have the same
    owner, also one that removes it.
    """

    def write_document(self, document: Document) -> int:
        """Add a version; its key. Inside a transaction."""

    def document(self, kind: str, id: str) -> Document | None:
        """The newest version; None when there is none, or when it was removed."""

    def known_documents(self, kind: str, ids: Sequence[str]) -> set[str]:
        """Those of these ids that document() finds."""

    def documents(self, kind: str, owner: str | None = None) -> list[Document]:
        """The newest version of each that was not removed, of one owner or of all, in the order in which each
        was first written.
        """

    def newest_documents(self, kind: str, owner: str, count: int) -> list[Document]:
        """The last of documents(), the last one first."""

    def documents_after(self, kind: str, owner: str, key: int, count: int) -> list[Document]:
        """The first `count` of documents() that were first written after the version with this key."""

    def document_ids(self, kind: str) -> list[str]:
        """The ids of documents(), in any order; much cheaper."""

    def count_documents(self) -> dict[str, int]:
        """How many there are of each kind, without those that were removed."""

    def document_owners(self, kind: str) -> list[str]:
        """Who has or had documents of a kind, in alphabetical order."""

    def forget_documents(self, kind: str, ids: Sequence[str]) -> None:
        """Delete all versions of these, for good. Inside a transaction."""

    def forget_documents_of(self, kind: str, owner: str) -> None:
        """Delete all versions of what an owner has of a kind, for good. Inside a transaction."""

    def prune_documents(self, kind: str, kept: int, most: int = sys.maxsize) -> int:
        """Delete all versions of each but the newest `kept` (1 or more) and the first, for good; how many.
        With `most` no more than so many, of each the oldest first.
        A rollback to a moment between them finds the first: never what was true only later. Inside a
        transaction.
        """
