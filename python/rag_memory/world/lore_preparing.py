"""Vectors of lore made ahead, in the editor or at an export: no game embeds it at its first start."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from rag_memory.embedding.embedder import Embedder
from rag_memory.errors import SaveError, in_words
from rag_memory.step import Step
from rag_memory.text.file_text import FileText
from rag_memory.world import lore_vectors
from rag_memory.world.lore_told import chunked_steps, told_lore
from rag_memory.world.lore_vectors import hash_of
from rag_memory.world.markdown_sections import front_matter


def prepare_steps(
    source: FileText, options: Mapping[str, Any] | None, embedder: Embedder, folder: Path
) -> Generator[Step, None, dict[str, Any]]:
    """Write the vectors of a text that `folder` does not have yet: {key, chunks, embedded, file}, in slices.

    Raises:
        SaveError: the folder cannot be written.
    """
    where = "prepare_lore()"
    told = told_lore(where, source, options)
    chunks = yield from chunked_steps(told.key, front_matter(told.text)[1])
    texts = {hash_of(chunk.searched_text): chunk.searched_text for chunk in chunks}
    known = lore_vectors.read([folder], told.file_names, embedder)
    missing = [each for each in texts if each not in known]
    vectors = {each: known[each] for each in texts if each in known}
    for positions, embedded in embedder.batches([texts[each] for each in missing]):
        for position, vector in zip(positions.tolist(), embedded, strict=True):
            vectors[missing[position]] = vector
        yield Step(len(vectors), len(texts), "preparing lore")
    if missing or len(vectors) != len(known):
        try:
            lore_vectors.write(folder, told.key, embedder, {each: vectors[each] for each in texts})
        except OSError as error:
            raise SaveError(
                f"{where}: the vectors of {told.key!r} could not be written",
                in_words(error),
                "See that the folder may be written to and that the disk has room",
            ) from error
    file = str(lore_vectors.path_of(folder, told.key))
    return {"key": told.key, "chunks": len(chunks), "embedded": len(missing), "file": file}
