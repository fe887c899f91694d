"""Importing a source of lore: chunks, vectors, and the document that names them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_memory.errors import InvalidArgumentError, in_words
from rag_memory.memory.owners import LORE
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, Steps
from rag_memory.validation import shown
from rag_memory.vectors import FloatVector
from rag_memory.world import lore_vectors
from rag_memory.world.lore_chunks import Chunk
from rag_memory.world.lore_sources import CHUNK, SOURCE, WRITTEN_AT_ONCE, LoreSources
from rag_memory.world.lore_terms import tags_in
from rag_memory.world.lore_text import LoreText, chunked_steps
from rag_memory.world.lore_vectors import hash_of
from rag_memory.world.markdown_sections import front_matter
from rag_memory.world.who_knows import validate_known_by
from rag_memory.world.world_context import WorldContext

_FOLDER = "lore"
_LOG = logging.getLogger("rag_memory")


class LoreImport:
    """Imports texts as sources of lore."""

    def __init__(self, context: WorldContext, sources: LoreSources) -> None:
        self._context = context
        self._sources = sources

    def vectors_steps(self, text: LoreText) -> Steps[dict[bytes, FloatVector]]:
        """Make the vectors that import_steps() will need, by hash; nothing is written."""
        chunks = yield from chunked_steps(text.key, front_matter(text.text)[1])
        stored = self._context.store.documents.ids(CHUNK, [chunk.id for chunk in chunks])
        made = lore_vectors.read(self._vector_folders(), text.file_names, self._context.save.embedder)
        texts = {
            hash_of(chunk.searched_text): chunk.searched_text for chunk in chunks if chunk.id not in stored
        }
        missing = [hash for hash in texts if hash not in made]
        vectors: dict[bytes, FloatVector] = {}
        for positions, embedded in self._context.save.batches([texts[hash] for hash in missing]):
            rows = zip(positions.tolist(), embedded, strict=True)
            vectors |= {missing[place]: vector for place, vector in rows}
            yield Step(len(vectors), len(missing), "importing lore")
        return vectors

    def import_steps(
        self, text: LoreText, vectors: Mapping[bytes, FloatVector] | None = None
    ) -> Steps[dict[str, Any]]:
        """Write a source in place of the one with its key; what import_lore() returns.

        Args:
            vectors: those that vectors_steps() has made.
        """
        stored = self._context.content(SOURCE, text.key) or {"chunks": [], "hash": "", "words": 0}
        matter, body = front_matter(text.text)
        tags = list(dict.fromkeys([*text.tags, *matter.tags]))
        about = {"key": text.key, "name": text.name, "path": text.path, "hash": text.hash, "tags": tags}
        about["known_by"] = text.known_by or validate_known_by("import_lore()", matter.known_by)
        if stored["hash"] == text.hash:
            if {**stored, **about} != stored:
                self._context.write_timeless(SOURCE, text.key, {**stored, **about})
            return _result(text.key, stored["chunks"], stored["chunks"], {}, {}, stored["words"], 0)
        chunks = yield from chunked_steps(text.key, body)
        for chunk in chunks:
            validate_known_by(f"import_lore(), {shown(' > '.join(chunk.heading_path))}", chunk.known_by)
        if not chunks:
            raise InvalidArgumentError(
                f"import_lore(): the lore {shown(text.key)} has no words",
                "there is nothing to import; what was imported before stays",
                "Pass a text with words, or call remove_lore()",
            )
        before = frozenset(stored["chunks"])
        paths_before = self._sources.heading_paths(before - {chunk.id for chunk in chunks})
        embedded, reloads = 0, -1
        # A snapshot that was restored meanwhile has removed what was written before.
        while reloads != self._sources.reload_count:
            reloads = self._sources.reload_count
            embedded += yield from self._write_chunks_steps(text, chunks, vectors or {})
        count = sum(chunk.words for chunk in chunks)
        tagged: dict[str, list[str]] = {}
        for chunk in chunks:
            for tag in tags_in(chunk.text):
                tagged.setdefault(tag.casefold(), []).append(chunk.id)
        title = matter.title or next(
            (chunk.heading_path[0] for chunk in chunks if chunk.heading_path), text.name
        )
        ids = [chunk.id for chunk in chunks]
        owned: dict[tuple[str, ...], list[str]] = {}
        for chunk in chunks:
            if chunk.known_by:
                owned.setdefault(chunk.known_by, []).append(chunk.id)
        content = {**about, "title": title, "words": count, "chunks": ids, "tagged": tagged}
        content["owned"] = [[list(owners), of_owners] for owners, of_owners in owned.items()]
        self._context.write_timeless(SOURCE, text.key, content)
        self._context.emit("lore_imported", (text.key, len(chunks)))
        new = {chunk.id: chunk.heading_path for chunk in chunks if chunk.id not in before}
        result = _result(text.key, ids, before, new, paths_before, count, embedded)
        yield from self._save_vectors_steps(text, chunks)
        yield from self._sources.remove_stale_steps(text.key)
        return result

    def _write_chunks_steps(
        self, text: LoreText, chunks: Sequence[Chunk], ahead: Mapping[bytes, FloatVector]
    ) -> Steps[int]:
        """Write the chunks that are not stored yet; returns how many had to be embedded."""
        store, embedder = self._context.store, self._context.save.embedder
        missing: list[Chunk] = []
        for number, chunk in enumerate(chunks):
            if store.documents.get(CHUNK, chunk.id) is None:
                missing.append(chunk)
            if number % 100 == 99:
                yield Step(0, len(chunks), "importing lore")
        if not missing:
            return 0
        made = {**lore_vectors.read(self._vector_folders(), text.file_names, embedder), **ahead}
        vectors = {chunk.id: made.get(hash_of(chunk.searched_text)) for chunk in missing}
        ready = [chunk for chunk in missing if vectors[chunk.id] is not None]
        unmade = [chunk for chunk in missing if vectors[chunk.id] is None]
        done = len(chunks) - len(missing)
        for start in range(0, len(ready), WRITTEN_AT_ONCE):
            part = ready[start : start + WRITTEN_AT_ONCE]
            self._sources.write_chunks(text.key, part, [vectors[chunk.id] for chunk in part])
            done += len(part)
            yield Step(done, len(chunks), "importing lore")
        for positions, embedded in self._context.save.batches([chunk.searched_text for chunk in unmade]):
            for start in range(0, len(positions), WRITTEN_AT_ONCE):
                part = [unmade[place] for place in positions[start : start + WRITTEN_AT_ONCE].tolist()]
                self._sources.write_chunks(text.key, part, list(embedded[start : start + WRITTEN_AT_ONCE]))
                done += len(part)
                yield Step(done, len(chunks), "importing lore")
            if not len(positions):
                yield Step(done, len(chunks), "importing lore")
        return 0 if self._context.save.is_by_words else len(unmade)

    def _save_vectors_steps(self, text: LoreText, chunks: Sequence[Chunk]) -> Steps[None]:
        """Write the vectors of a source to a file for other saves, unless a file has them."""
        folder = lore_folder(self._context.save)
        if folder is None or self._context.save.is_by_words:
            return
        embedder = self._context.save.embedder
        written = lore_vectors.read(self._vector_folders(), text.file_names, embedder)
        yield Step(len(chunks), len(chunks), "keeping vectors of lore")
        hashes = {hash_of(chunk.searched_text): chunk.id for chunk in chunks}
        if hashes.keys() <= written.keys():
            return
        vectors = self._context.searched(LORE).vectors_of(list(hashes.values()))
        try:
            by_hash = {hash: vectors[id] for hash, id in hashes.items() if id in vectors}
            lore_vectors.write(folder, text.key, embedder, by_hash)
        except OSError as error:
            _LOG.warning(
                "The vectors of the lore %s could not be written to %s (%s). The next save makes them anew.",
                shown(text.key),
                folder,
                in_words(error),
            )
        yield Step(len(chunks), len(chunks), "keeping vectors of lore")

    def _vector_folders(self) -> list[Path]:
        """The folders with vectors of lore: those that came with the game, and those written here."""
        folders = (self._context.save.prepared_lore, lore_folder(self._context.save))
        return [folder for folder in folders if folder is not None]


def lore_folder(save: SaveContext) -> Path | None:
    """The folder with the vectors of lore for all saves beside this one; None for a save in memory."""
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
    """The result of import_lore(). A new chunk below headings that have lost one counts as changed."""
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
