"""The world as JSON, which another save can import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag_memory.game_call import game_call
from rag_memory.memory.document import CAMPAIGN, HANDLED_EVENT, SYNCED, Document
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.memory.record import Record
from rag_memory.portable import world_io
from rag_memory.portable.json_io import record_in
from rag_memory.step import Step, Steps, in_slices
from rag_memory.validation import validate_flag, validate_options
from rag_memory.vectors import FloatMatrix
from rag_memory.world.document_shapes import check_document
from rag_memory.world.facts import FACT, fact_record_id
from rag_memory.world.world_context import WorldContext

_LORE_KINDS = "lore"
"""The beginning of the kinds of lore."""
_OF_THE_SAVE = (CAMPAIGN, HANDLED_EVENT, SYNCED)
"""Kinds of documents that describe the save itself, and nothing in the world."""
_READ_AT_ONCE = 16
_STATES = ("character", "whereabouts", "forgotten", "profile", "flag", "fact", "player")
"""Kinds of documents that describe a state. Others, such as events, have a time at which they happened."""
_CHECKED_AT_ONCE = 100


class WorldJson:
    """Writes the world as JSON, and reads it."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context

    @game_call()
    def export_json(self, options: Mapping[str, Any] | None = None) -> str:
        """Returns the world as JSON, for `import_json()` in any save.

        It includes characters, events and who heard of them, facts, profiles, tasks, debates and
        conversations, as they are now. It does not include what NPCs remember; `RAGMemory.export_json()` has
        that.

        Args:
            options: with `lore` (`true`) the imported lore is in it, too.
        """
        call = "export_json()"
        has_lore = validate_flag(call, "lore", validate_options(call, options, ("lore",)).get("lore", False))
        store = self._context.store
        documents = [
            document
            for kind in store.documents.counts()
            if kind not in _OF_THE_SAVE and (has_lore or not kind.startswith(_LORE_KINDS))
            for document in store.documents.find(kind)
        ]
        owners = (WORLD, LORE) if has_lore else (WORLD,)
        return world_io.to_text(
            documents, {owner: self._context.searched(owner).records() for owner in owners}
        )

    @game_call(writes=True)
    @in_slices
    def import_json(self, text: str) -> Steps[int]:
        """Imports the world that `export_json()` returned, and returns how many documents were new:
        characters, events and so on.

        Documents that this world already has stay as they are. All of it is imported, or nothing when
        something in it is invalid or the call fails.

        Raises:
            InvalidArgumentError: the text is not an exported world, or of a newer version, or not valid.
            StoreError: the database could not write.
        """
        read = world_io.from_text(text, (WORLD, LORE), self._context.now())
        for number, document in enumerate(read.documents):
            if number % _CHECKED_AT_ONCE == 0:
                yield Step(number, len(read.documents), "checking the world")
            check_document(f"import_json(), document {number}", document)
        documents = [_as_of_now(document) for document in read.documents]
        store = self._context.store
        stored_at = {
            fact_record_id(document.id) if document.kind == FACT else document.id: document.stored_at
            for document in documents
            if store.documents.get(document.kind, document.id) is None
        }
        records: dict[str, list[Record]] = {}
        vectors: dict[str, FloatMatrix] = {}
        for owner, memories in read.searched.items():
            searched = self._context.searched(owner)
            records[owner] = []
            for number, memory in enumerate(memories):
                if number % _READ_AT_ONCE == 0:
                    yield Step(number, len(memories), "reading the world")
                call = f"import_json(), searched.{owner} {number}"
                record = record_in(call, owner, searched.config, self._context.now(), memory)
                if record.id in stored_at and not searched.has(record.id):
                    records[owner].append(record._replace(stored_at=stored_at[record.id]))
            vectors[owner] = yield from searched.embed_steps(records[owner])
        with self._context.transaction():
            new = [
                document for document in documents if store.documents.get(document.kind, document.id) is None
            ]
            for document in new:
                store.documents.write(document)
            for owner, read_records in records.items():
                searched = self._context.searched(owner)
                # Another game may have written some meanwhile.
                rows = [row for row, record in enumerate(read_records) if not searched.has(record.id)]
                if rows:
                    searched.put_all([read_records[row] for row in rows], vectors[owner][rows])
        self._context.reload()
        return len(new)


def _as_of_now(document: Document) -> Document:
    """A document as it holds in this save: a later time of another save means nothing here."""
    if document.kind in _STATES:
        return document._replace(timestamp=min(document.timestamp, document.stored_at))
    return document
