"""Making the vectors of lore in the editor or at an export, so that no game embeds it at its first start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rag_memory.embedding.embedder import Embedder
from rag_memory.errors import SaveError, in_words
from rag_memory.step import Step, Steps
from rag_memory.text.file_text import FileText
from rag_memory.world import lore_vectors
from rag_memory.world.lore_text import chunked_steps, lore_text
from rag_memory.world.lore_vectors import hash_of
from rag_memory.world.markdown_sections import front_matter


def prepare_steps(
    source: FileText, options: Mapping[str, Any] | None, embedder: Embedder, folder: Path
) -> Steps[dict[str, Any]]:
    """Write the vectors of a text that `folder` does not have yet, in slices; {key, chunks, embedded, file}.

    Raises:
        SaveError: the folder cannot be written.
    """
    call = "prepare_lore()"
    text = lore_text(call, source, options)
    chunks = yield from chunked_steps(text.key, front_matter(text.text)[1])
    texts = {hash_of(chunk.searched_text): chunk.searched_text for chunk in chunks}
    written = lore_vectors.read([folder], text.file_names, embedder)
    missing = [hash for hash in texts if hash not in written]
    vectors = {hash: written[hash] for hash in texts if hash in written}
    for positions, embedded in embedder.batches([texts[hash] for hash in missing]):
        for position, vector in zip(positions.tolist(), embedded, strict=True):
            vectors[missing[position]] = vector
        yield Step(len(vectors), len(texts), "preparing lore")
    if missing or len(vectors) != len(written):
        try:
            lore_vectors.write(folder, text.key, embedder, {hash: vectors[hash] for hash in texts})
        except OSError as error:
            raise SaveError(
                f"{call}: the vectors of {text.key!r} could not be written",
                in_words(error),
                "See that the folder may be written to and that the disk has room",
            ) from error
    file = str(lore_vectors.path_of(folder, text.key))
    return {"key": text.key, "chunks": len(chunks), "embedded": len(missing), "file": file}
