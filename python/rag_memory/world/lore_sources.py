"""The lore of a save: its sources, their chunks, and which of them are searched.

A source's document names its chunks. They are written before it and removed after it, so that a process that
is killed in between leaves the old lore or the new one, and never a part of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.memory.kind import FACT
from rag_memory.memory.owners import LORE
from rag_memory.step import Step, Steps
from rag_memory.vectors import FloatMatrix, Keys
from rag_memory.world.lore_chunks import Chunk, summary_of
from rag_memory.world.lore_terms import names_in_lore, tags_in
from rag_memory.world.world_context import WorldContext

SOURCE = "lore_source"
CHUNK = "lore_chunk"

_T = TypeVar("_T")
_IMPORTANCE = 5
WRITTEN_AT_ONCE = 8
"""Chunks: 2 to 4 ms."""


class LoreSources:
    """The sources of lore in a save, and their chunks."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        self._busy: set[str] = set()
        self._owned_keys: dict[str, tuple[int, list[tuple[list[str], Keys]]]] = {}
        self._chunk_ids: dict[str, tuple[int, frozenset[str]]] = {}
        """The ids of a source's chunks, and the key of the document that named them; by the source's key."""
        self.reload_count = 0
        context.call_on_reload(self._forget)

    def all(self) -> Mapping[str, Document]:
        """The documents of the sources, by key."""
        return self._context.all(SOURCE)

    def active(self) -> Sequence[str]:
        """The keys of the sources that are searched."""
        chosen = (self._context.content(CAMPAIGN, CAMPAIGN) or {}).get("lore")
        sources = self.all()
        return list(sources) if chosen is None else [key for key in chosen if key in sources]

    def known_keys(self, key: str, may_know: Callable[[Sequence[Any]], bool]) -> Keys:
        """The keys of the searched texts of a source that somebody knows.

        Args:
            may_know: returns True for a `known_by` to which that character belongs.
        """
        source, searched = self.all()[key], self._context.searched(LORE)
        if key not in self._owned_keys or self._owned_keys[key][0] != source.key:
            owned = [
                (known_by, searched.keys_of("search_lore()", ids))
                for known_by, ids in source.content.get("owned", [])
            ]
            self._owned_keys[key] = (source.key, owned)
        owned = self._owned_keys[key][1]
        whole = searched.keys_of_events([key])
        common = np.setdiff1d(whole, np.concatenate([keys for _, keys in owned])) if owned else whole
        parts = [common] if may_know(source.content.get("known_by", [])) else []
        parts += [keys for known_by, keys in owned if may_know(known_by)]
        return np.concatenate(parts) if parts else whole[:0]

    def chunk(self, id: str) -> Document | None:
        """A chunk; None for one that an unfinished import has left."""
        chunk = self._context.store.documents.get(CHUNK, id)
        return chunk if chunk is not None and id in self._ids_of(chunk.owner) else None

    def heading_paths(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The headings of chunks, by their ids."""
        chunks = ((id, self._context.store.documents.get(CHUNK, id)) for id in ids)
        return {id: tuple(chunk.content["heading_path"]) for id, chunk in chunks if chunk is not None}

    def alone_steps(self, key: str, steps: Steps[_T]) -> Steps[_T]:
        """Work on a source while nothing else does."""
        while key in self._busy:
            yield Step(0, 1, "waiting for another import of this lore", is_waiting=True)
        self._busy.add(key)
        try:
            return (yield from steps)
        finally:
            self._busy.discard(key)

    def write_chunks(self, key: str, chunks: Sequence[Chunk], vectors: Sequence[Any]) -> None:
        """Write those chunks of a source that are not stored yet, with their vectors."""
        searched = self._context.searched(LORE)
        records, documents = [], []
        for chunk in chunks:
            tags, names = tags_in(chunk.text), names_in_lore(chunk.text)
            data = {
                "event_type": key,
                "entities": names,
                "topics": tags,
                "timestamp": TIMELESS,
                "kind": FACT,
            }
            record = searched.record("import_lore()", chunk.id, chunk.searched_text, _IMPORTANCE, data)
            records.append(record._replace(stored_at=TIMELESS))
            content = {
                "heading_path": chunk.heading_path,
                "text": chunk.text,
                "summary": summary_of(chunk.text, names),
                "tags": tags,
                "entities": names,
            }
            documents.append(Document(0, CHUNK, chunk.id, key, content, TIMELESS, TIMELESS))
        matrix: FloatMatrix = np.array(vectors, dtype=np.float32)
        with self._context.transaction():
            # Another process may be importing the same.
            stored = self._context.store.documents.ids(CHUNK, [document.id for document in documents])
            new = [place for place, document in enumerate(documents) if document.id not in stored]
            if new:
                searched.put_all([records[place] for place in new], matrix[new])
            for place in new:
                self._context.store.documents.write(documents[place])

    def remove_steps(self, key: str) -> Steps[None]:
        """Remove a source and its chunks, in slices; from the first one on none of it is searched."""
        if key in self.all():
            self._context.write_timeless(SOURCE, key, {})
        yield from self.remove_stale_steps(key)

    def remove_stale_steps(self, key: str) -> Steps[int]:
        """Remove the chunks that a source does not name; returns how many there were."""
        current, searched = self._ids_of(key), self._context.searched(LORE)
        chunks = self._context.store.documents.find(CHUNK, key)
        stale = [chunk.id for chunk in chunks if chunk.id not in current]
        for start in range(0, len(stale), WRITTEN_AT_ONCE):
            part = stale[start : start + WRITTEN_AT_ONCE]
            with self._context.transaction():
                for id in part:
                    searched.remove("remove_lore()", id)
                self._context.store.documents.forget(CHUNK, part)
            yield Step(min(start + WRITTEN_AT_ONCE, len(stale)), len(stale), "removing lore")
        return len(stale)

    def remove_unnamed_steps(self) -> Steps[int]:
        """Remove what imports that never ended have left; returns how many chunks."""
        count = 0
        for key in self._context.store.documents.owners(CHUNK):
            if key not in self._busy:
                count += yield from self.alone_steps(key, self.remove_stale_steps(key))
        return count

    def mend(self, _call: str, chunk: Document) -> None:
        """Write a chunk anew, with what is searched of it."""
        text = Chunk(chunk.id, tuple(chunk.content["heading_path"]), chunk.content["text"], 0)
        vectors = self._context.save.embed([text.searched_text])
        with self._context.transaction():
            self._context.store.documents.forget(CHUNK, [chunk.id])
            self.write_chunks(chunk.owner, [text], list(vectors))

    def _ids_of(self, key: str) -> frozenset[str]:
        """The ids of the chunks that a source has now."""
        source = self.all().get(key)
        if source is None:
            return frozenset()
        if key not in self._chunk_ids or self._chunk_ids[key][0] != source.key:
            self._chunk_ids[key] = (source.key, frozenset(source.content["chunks"]))
        return self._chunk_ids[key][1]

    def _forget(self) -> None:
        self._chunk_ids.clear()
        self._owned_keys.clear()
        self.reload_count += 1
