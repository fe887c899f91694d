"""The world as text: JSON that another save can take in."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from rag_memory.memory.document import CAMPAIGN, HANDLED_EVENT, SYNCED, Document
from rag_memory.memory.owners import LORE, WORLD
from rag_memory.memory.record import Record
from rag_memory.npc.game_call import game_call
from rag_memory.portable import world_io
from rag_memory.portable.json_io import record_in
from rag_memory.step import Step, run
from rag_memory.validation import validate_flag, validate_options
from rag_memory.vectors import FloatMatrix
from rag_memory.world.document_shapes import check_document
from rag_memory.world.world_part import WorldPart

_LORE_KINDS = "lore"
"""What the kinds of lore begin with."""
_OF_THE_SAVE = (CAMPAIGN, HANDLED_EVENT, SYNCED)
"""Kinds that say something of the save itself, and nothing of the world."""
_READ_AT_ONCE = 16
_STATES = ("character", "whereabouts", "profile", "flag", "fact", "player")
"""Kinds of documents that say how something is. What is dated, such as an event, says when it happened."""
_CHECKED_AT_ONCE = 100


class WorldJson(WorldPart):
    """The calls that write the world as text and read it."""

    @game_call()
    def export_json(self, options: Mapping[str, Any] | None = None) -> str:
        """Returns the world as JSON, for `import_json()` in any save.

        In it are characters, events and who heard of them, facts, profiles, tasks, debates and conversations,
        as they are now. What NPCs remember is not in it; `RAGMemory.export_json()` has that.

        Args:
            options: with `lore` (`true`) the imported lore is in it, too.
        """
        where = "export_json()"
        has_lore = validate_flag(
            where, "lore", validate_options(where, options, ("lore",)).get("lore", False)
        )
        store = self._save.store
        documents = [
            each
            for kind in store.count_documents()
            if kind not in _OF_THE_SAVE and (has_lore or not kind.startswith(_LORE_KINDS))
            for each in store.documents(kind)
        ]
        owners = (WORLD, LORE) if has_lore else (WORLD,)
        return world_io.to_text(documents, {owner: self._searched(owner).records() for owner in owners})

    @game_call(writes=True)
    def import_json(self, text: str) -> int:
        """Takes in the world that `export_json()` returned, and returns how many new documents came with it:
        characters, events and so on.

        What this world has already stays as it is. All of it is taken in, or nothing when something in it is
        not valid or the call fails.

        Raises:
            InvalidArgumentError: the text is no world, or of a newer version, or not valid.
            StoreError: the database could not write.
        """
        return run(self.import_json_steps(text))

    def import_json_steps(self, text: str) -> Generator[Step, None, int]:
        """import_json() in slices; everything is written together."""
        read = world_io.from_text(text, (WORLD, LORE), self._now())
        for number, document in enumerate(read.documents):
            if number % _CHECKED_AT_ONCE == 0:
                yield Step(number, len(read.documents), "checking the world")
            check_document(f"import_json(), document {number}", document)
        told = [self._from_now_on(each) for each in read.documents]
        store = self._save.store
        stored_at = {each.id: each.stored_at for each in told if store.document(each.kind, each.id) is None}
        records: dict[str, list[Record]] = {}
        vectors: dict[str, FloatMatrix] = {}
        for owner, memories in read.searched.items():
            searched = self._searched(owner)
            records[owner] = []
            for number, memory in enumerate(memories):
                if number % _READ_AT_ONCE == 0:
                    yield Step(number, len(memories), "reading the world")
                where = f"import_json(), searched.{owner} {number}"
                record = record_in(where, owner, searched.config, self._now(), memory)
                if record.id in stored_at and not searched.has(record.id):
                    records[owner].append(record._replace(stored_at=stored_at[record.id]))
            vectors[owner] = yield from searched.embed_steps(records[owner])
        with self._transaction():
            new = [each for each in told if store.document(each.kind, each.id) is None]
            for each in new:
                store.write_document(each)
            for owner, found in records.items():
                # Another game may have kept some meanwhile.
                left = [n for n, each in enumerate(found) if not self._searched(owner).has(each.id)]
                if left:
                    self._searched(owner).put_all([found[n] for n in left], vectors[owner][left])
        self.reload()
        return len(new)

    @staticmethod
    def _from_now_on(document: Document) -> Document:
        """A document as it holds in this save, to which a later time of another one means nothing."""
        if document.kind in _STATES:
            return document._replace(timestamp=min(document.timestamp, document.stored_at))
        return document
