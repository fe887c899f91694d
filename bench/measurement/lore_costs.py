"""The speed of importing lore, compared with the embedding model alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rag_memory import open_save
from rag_memory.embedding.embedder import Embedder
from rag_memory.step import run
from rag_memory.text.file_text import FileText
from rag_memory.world.lore_text import chunked_steps


class ImportRate(NamedTuple):
    """Chunks a second; the wall clock decides."""

    imported: float
    alone: float
    """The rate of the embedding model with the same texts."""
    again: float
    """The rate for a second save, which finds the vectors in the cache."""
    longest_slice: float
    """Seconds in which no other call was answered."""

    @property
    def share(self) -> float:
        """The rate of an import as a share of the model's."""
        return self.imported / self.alone


def import_rate(embedder: Embedder, texts: Sequence[str]) -> ImportRate:
    """Import texts one by one, and let the model embed each alone in between: a machine that has other work
    meanwhile slows both.
    """
    chunks = imported = alone = again = longest = 0.0
    with tempfile.TemporaryDirectory(prefix="rag_memory_lore_") as folder:
        first = open_save(Path(folder) / "first.sqlite3", embedder)
        second = open_save(Path(folder) / "second.sqlite3", embedder)
        with first, second:
            for number, text in enumerate(texts):
                searched = [chunk.searched_text for chunk in run(chunked_steps("", text))]
                chunks += len(searched)
                started = time.perf_counter()
                for _ in embedder.batches(searched):
                    pass
                alone += time.perf_counter() - started
                started = before = time.perf_counter()
                for _ in first.world.lore.import_lore.steps(FileText(text), {"key": f"part {number}"}):
                    now = time.perf_counter()
                    longest, before = max(longest, now - before), now
                imported += time.perf_counter() - started
                started = time.perf_counter()
                result = second.world.lore.import_lore(FileText(text), {"key": f"part {number}"})
                again += time.perf_counter() - started
                assert result["embedded"] == 0
    return ImportRate(chunks / imported, chunks / alone, chunks / again, longest)
