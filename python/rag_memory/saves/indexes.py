"""Everything in a save that follows from the texts of its memories."""

from __future__ import annotations

import logging
import shutil

from rag_memory.embedding.embedder import Embedder
from rag_memory.saves.open_npcs import OpenNpcs
from rag_memory.searchable.missing_vectors import MissingVectors
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Steps, in_slices

_LOG = logging.getLogger("rag_memory")


class Indexes:
    """Rebuilds vectors and the keyword index, or changes the model they are made with."""

    def __init__(self, context: SaveContext, npcs: OpenNpcs, missing: MissingVectors) -> None:
        self._context = context
        self._store = context.store
        self._npcs = npcs
        self._missing = missing

    def use_embedder(self, embedder: Embedder) -> None:
        """Compare memories with another model from now on. Nothing may be under way.

        Vectors that are missing for it are made in the background.
        """
        self._context.take_embedder(embedder)
        self._npcs.reload()
        self._missing.look()

    @in_slices
    def rebuild(self) -> Steps[None]:
        """Rebuild the keyword index and the vectors of all memories and of the world.

        When it is cancelled between slices, what is rebuilt by then stays.
        """
        with self._store.owners.alone("rebuild_index()"):
            self._context.accesses.write()
            self._npcs.reload()
            folder = self._store.folder(".index")
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            _LOG.info("%s: making the keyword index anew", self._store.name)
            yield from self._store.terms.rebuild_steps()
            if not self._context.is_by_words:
                yield from self._missing.remake_steps()
            self._npcs.reload()
