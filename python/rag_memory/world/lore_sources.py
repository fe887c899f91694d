"""Lore as it is imported: a source, its chunks, and which sources a save searches.

A source's document names its chunks. They are written before it and removed after it, so that a process that
is killed in between leaves the old lore or the new one, and never a part of both.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rag_memory.errors import InvalidArgumentError, in_words
from rag_memory.memory.document import CAMPAIGN, TIMELESS, Document
from rag_memory.memory.owners import LORE
from rag_memory.npc.game_call import DONE, Done, game_call
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, run
from rag_memory.text.file_text import FileText
from rag_memory.validation import shown, validate_text, validate_texts
from rag_memory.vectors import FloatMatrix
from rag_memory.world import lore_vectors
from rag_memory.world.lore_chunks import Chunk
from rag_memory.world.lore_terms import names_in_lore, tags_in
from rag_memory.world.lore_told import Told, chunked_steps, told_lore
from rag_memory.world.lore_vectors import hash_of
from rag_memory.world.markdown_sections import front_matter
from rag_memory.world.npcs import NpcFunction
from rag_memory.world.world_part import WorldPart

SOURCE = "lore_source"
CHUNK = "lore_chunk"

_T = TypeVar("_T")
_IMPORTANCE = 5
_AT_ONCE = 8
"""Chunks: 2 to 4 ms."""
_LONGEST_SHORT = 100
_FOLDER = "lore"
_LOG = logging.getLogger("rag_memory")


class LoreSources(WorldPart):
    """The calls that import, list and remove lore."""

    def __init__(self, save: SaveContext, npc: NpcFunction) -> None:
        super().__init__(save, npc)
        self._busy_lore: set[str] = set()
        self._current: dict[str, tuple[int, frozenset[str]]] = {}
        self._reloads = 0

    @game_call(writes=True, is_long=True)
    def import_lore(self, source: FileText, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Takes a Markdown text into the lore, in the place of what had its key.

        The text is cut at its headings into chunks of 100 to 300 words, and no sentence is cut. What has not
        changed since it was imported last costs nothing, so a game may import its lore at every start. All of
        it is taken in, or nothing when the call fails or is cancelled. Other calls go on meanwhile. Lore has
        no time: `rollback_to()` leaves it as it is.

        Args:
            source: a file (`res://` or `user://`), or the text itself. A path with `..` is refused, and
                so is a link in `user://` that leads out of it.
            options: `key` is what the lore is called, by default the file's name; a text needs one. `name` is
                for people to read. `tags` is an Array of Strings. In the text a chunk gets tags by `#tag`,
                and all of them by `tags:` between lines of `---` at the beginning.

        Returns:
            `key`, `chunks`, `added`, `changed`, `removed`, `unchanged`, `skipped` (this very text was
            imported before), `words`, and `embedded`: for how many chunks a vector had to be computed.
        """
        return run(self.import_lore_steps(source, options))

    def import_lore_steps(
        self, source: FileText, options: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, dict[str, Any]]:
        """import_lore() in slices; what is imported is not found before the end."""
        told = told_lore("import_lore()", source, options)
        return (yield from self._alone_steps(told.key, self._import_steps(told)))

    @game_call(writes=True, is_long=True)
    def remove_lore(self, key: str) -> Done:
        """Removes an imported lore, with all of its chunks. Does nothing when there is none of this key."""
        return run(self.remove_lore_steps(key))

    def remove_lore_steps(self, key: str) -> Generator[Step, None, Done]:
        """remove_lore() in slices; from the first on nothing of it is found."""
        key = validate_text("remove_lore()", "key", key)
        return (yield from self._alone_steps(key, self._remove_steps(key)))

    @game_call()
    def list_lore(self) -> list[dict[str, Any]]:
        """Returns what was imported: of each lore `key`, `name`, `title`, `path`, `tags`, `words`, `chunks`
        (how many) and `is_active`.
        """
        active = self._active_lore()
        return [
            {
                **{name: each.content[name] for name in ("key", "name", "title", "path", "tags", "words")},
                "chunks": len(each.content["chunks"]),
                "is_active": key in active,
            }
            for key, each in self._all(SOURCE).items()
        ]

    @game_call(writes=True)
    def set_active_lore(self, keys: Sequence[str]) -> Done:
        """Sets which lore this save searches. The save keeps it; without this call that is all lore."""
        told = validate_texts("set_active_lore()", "keys", keys)
        unknown = [key for key in told if key not in self._all(SOURCE)]
        if unknown:
            _LOG.warning("set_active_lore(): there is no lore %s yet; import_lore() makes it", shown(unknown))
        with self._transaction():
            known = self._content(CAMPAIGN, CAMPAIGN) or {}
            self._write_timeless(CAMPAIGN, CAMPAIGN, {**known, "lore": told})
        return DONE

    def reload(self) -> None:
        """Forgets what is in memory, because the store has changed without this object."""
        super().reload()
        self._current.clear()
        self._reloads += 1

    def _active_lore(self) -> Sequence[str]:
        """The keys of what is searched."""
        chosen = (self._content(CAMPAIGN, CAMPAIGN) or {}).get("lore")
        known = self._all(SOURCE)
        return list(known) if chosen is None else [key for key in chosen if key in known]

    def _chunk_ids(self, key: str) -> frozenset[str]:
        """The chunks that a source has now."""
        source = self._all(SOURCE).get(key)
        if source is None:
            return frozenset()
        if key not in self._current or self._current[key][0] != source.key:
            self._current[key] = (source.key, frozenset(source.content["chunks"]))
        return self._current[key][1]

    def _alone_steps(self, key: str, steps: Generator[Step, None, _T]) -> Generator[Step, None, _T]:
        """Work on a source while nothing else does."""
        while key in self._busy_lore:
            yield Step(0, 1, "waiting for another import of this lore", is_waiting=True)
        self._busy_lore.add(key)
        try:
            return (yield from steps)
        finally:
            self._busy_lore.discard(key)

    def _import_steps(self, told: Told) -> Generator[Step, None, dict[str, Any]]:
        known = self._content(SOURCE, told.key) or {"chunks": [], "hash": "", "words": 0}
        matter, body = front_matter(told.text)
        tags = list(dict.fromkeys([*told.tags, *matter.tags]))
        about = {"key": told.key, "name": told.name, "path": told.path, "hash": told.hash, "tags": tags}
        if known["hash"] == told.hash:
            if {**known, **about} != known:
                self._write_timeless(SOURCE, told.key, {**known, **about})
            return _result(told.key, known["chunks"], known["chunks"], {}, {}, known["words"], 0)
        chunks = yield from chunked_steps(told.key, body)
        if not chunks:
            raise InvalidArgumentError(
                f"import_lore(): the lore {shown(told.key)} has no words",
                "there is nothing to import; what was imported before stays",
                "Pass a text with words, or call remove_lore()",
            )
        before = frozenset(known["chunks"])
        paths_before = self._paths_of(before - {chunk.id for chunk in chunks})
        embedded, reloads = 0, -1
        while reloads != self._reloads:  # A snapshot restored meanwhile has not what was written before it.
            reloads = self._reloads
            embedded += yield from self._write_chunks_steps(told, chunks)
        count = sum(chunk.words for chunk in chunks)
        tagged: dict[str, list[str]] = {}
        for chunk in chunks:
            for tag in tags_in(chunk.text):
                tagged.setdefault(tag.casefold(), []).append(chunk.id)
        title = matter.title or next(
            (each.heading_path[0] for each in chunks if each.heading_path), told.name
        )
        ids = [chunk.id for chunk in chunks]
        content = {**about, "title": title, "words": count, "chunks": ids, "tagged": tagged}
        self._write_timeless(SOURCE, told.key, content)
        self._emit("lore_imported", (told.key, len(chunks)))
        new = {chunk.id: chunk.heading_path for chunk in chunks if chunk.id not in before}
        result = _result(told.key, ids, before, new, paths_before, count, embedded)
        yield from self._keep_vectors_steps(told, chunks)
        yield from self._remove_stale_steps(told.key)
        return result

    def _write_chunks_steps(self, told: Told, chunks: Sequence[Chunk]) -> Generator[Step, None, int]:
        """Write the chunks that are not there, also from an import that was not finished; how many had to be
        embedded.
        """
        store, embedder = self._save.store, self._save.embedder
        missing: list[Chunk] = []
        for number, chunk in enumerate(chunks):
            if store.document(CHUNK, chunk.id) is None:
                missing.append(chunk)
            if number % 100 == 99:
                yield Step(0, len(chunks), "importing lore")
        if not missing:
            return 0
        known = lore_vectors.read(self._vector_folders(), told.file_names, embedder)
        vectors = {chunk.id: known.get(hash_of(chunk.searched_text)) for chunk in missing}
        ready = [chunk for chunk in missing if vectors[chunk.id] is not None]
        unknown = [chunk for chunk in missing if vectors[chunk.id] is None]
        done = len(chunks) - len(missing)
        for start in range(0, len(ready), _AT_ONCE):
            part = ready[start : start + _AT_ONCE]
            self._write_part(told.key, part, [vectors[chunk.id] for chunk in part])
            done += len(part)
            yield Step(done, len(chunks), "importing lore")
        for positions, embedded in self._save.batches([chunk.searched_text for chunk in unknown]):
            for start in range(0, len(positions), _AT_ONCE):
                part = [unknown[place] for place in positions[start : start + _AT_ONCE].tolist()]
                self._write_part(told.key, part, list(embedded[start : start + _AT_ONCE]))
                done += len(part)
                yield Step(done, len(chunks), "importing lore")
            if not len(positions):
                yield Step(done, len(chunks), "importing lore")
        return 0 if self._save.is_by_words else len(unknown)

    def _write_part(self, key: str, chunks: Sequence[Chunk], vectors: Sequence[Any]) -> None:
        lore = self._searched(LORE)
        records, documents = [], []
        for chunk in chunks:
            tags, names = tags_in(chunk.text), names_in_lore(chunk.text)
            title = " > ".join(chunk.heading_path) or key
            data = {
                "event_type": key,
                "entities": names,
                "topics": tags,
                "document_short": title[:_LONGEST_SHORT],
                "timestamp": TIMELESS,
            }
            record = lore.record("import_lore()", chunk.id, chunk.searched_text, _IMPORTANCE, data)
            records.append(record._replace(stored_at=TIMELESS))
            content = {
                "heading_path": chunk.heading_path,
                "text": chunk.text,
                "tags": tags,
                "entities": names,
            }
            documents.append(Document(0, CHUNK, chunk.id, key, content, TIMELESS, TIMELESS))
        matrix: FloatMatrix = np.array(vectors, dtype=np.float32)
        with self._transaction():
            # Another process may be importing the same.
            known = self._save.store.known_documents(CHUNK, [each.id for each in documents])
            new = [place for place, each in enumerate(documents) if each.id not in known]
            if new:
                lore.put_all([records[place] for place in new], matrix[new])
            for place in new:
                self._save.store.write_document(documents[place])

    def _paths_of(self, ids: Sequence[str] | frozenset[str]) -> dict[str, tuple[str, ...]]:
        found = ((id, self._save.store.document(CHUNK, id)) for id in ids)
        return {id: tuple(each.content["heading_path"]) for id, each in found if each is not None}

    def _remove_steps(self, key: str) -> Generator[Step, None, Done]:
        if self._content(SOURCE, key) is not None:
            self._write_timeless(SOURCE, key, {})
        yield from self._remove_stale_steps(key)
        return DONE

    def _remove_stale_steps(self, key: str) -> Generator[Step, None, int]:
        """Remove the chunks that a source does not have (any more); how many there were."""
        current, lore = self._chunk_ids(key), self._searched(LORE)
        stale = [each.id for each in self._save.store.documents(CHUNK, key) if each.id not in current]
        for start in range(0, len(stale), _AT_ONCE):
            part = stale[start : start + _AT_ONCE]
            with self._transaction():
                for id in part:
                    lore.remove("remove_lore()", id)
                self._save.store.forget_documents(CHUNK, part)
            yield Step(min(start + _AT_ONCE, len(stale)), len(stale), "removing lore")
        return len(stale)

    def _keep_vectors_steps(self, told: Told, chunks: Sequence[Chunk]) -> Generator[Step, None, None]:
        """Keep the vectors of a source for the next save, unless a file has them."""
        folder = lore_folder(self._save)
        if folder is None or self._save.is_by_words:
            return
        embedder = self._save.embedder
        known = lore_vectors.read(self._vector_folders(), told.file_names, embedder)
        yield Step(len(chunks), len(chunks), "keeping vectors of lore")
        hashes = {hash_of(chunk.searched_text): chunk.id for chunk in chunks}
        if hashes.keys() <= known.keys():
            return
        vectors = self._searched(LORE).vectors_of(list(hashes.values()))
        try:
            kept = {each: vectors[id] for each, id in hashes.items() if id in vectors}
            lore_vectors.write(folder, told.key, embedder, kept)
        except OSError as error:
            _LOG.warning(
                "The vectors of the lore %s could not be kept in %s (%s). The next save makes them anew.",
                shown(told.key),
                folder,
                in_words(error),
            )
        yield Step(len(chunks), len(chunks), "keeping vectors of lore")

    def _vector_folders(self) -> list[Path]:
        """Where vectors of lore may lie: those that came with the game, and those kept for it."""
        return [each for each in (self._save.prepared_lore, lore_folder(self._save)) if each is not None]

    def _write_timeless(self, kind: str, id: str, content: Mapping[str, Any]) -> None:
        """Write a document that no rollback takes away, in the place of the one before; {} removes it."""
        document = Document(0, kind, id, "", dict(content), TIMELESS, TIMELESS)
        with self._transaction():
            known = self._all(kind)
            self._save.store.forget_documents(kind, [id])
            if content:
                document = document._replace(key=self._save.store.write_document(document))
        assert isinstance(known, dict)
        if content:
            known[id] = document
        else:
            known.pop(id, None)


def lore_folder(save: SaveContext) -> Path | None:
    """Where the vectors of lore are kept for all saves of a folder; None for a save in memory."""
    beside = save.store.folder(".index")
    return None if beside is None else beside.parent / _FOLDER


def _result(
    key: str,
    ids: Sequence[str],
    before: Sequence[str] | frozenset[str],
    new: Mapping[str, tuple[str, ...]],
    gone: Mapping[str, tuple[str, ...]],
    words: int,
    embedded: int,
) -> dict[str, Any]:
    """What import_lore() returns. A new chunk below headings that have lost one is a changed one."""
    lost = Counter(gone.values())
    changed = sum((Counter(new.values()) & lost).values())
    return {
        "key": key,
        "chunks": len(ids),
        "added": len(new) - changed,
        "changed": changed,
        "removed": len(gone) - changed,
        "unchanged": len(ids) - len(new),
        "skipped": not new and not gone,
        "words": words,
        "embedded": embedded,
    }
