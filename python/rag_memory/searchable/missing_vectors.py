"""Vectors for the memories of a save that have none of its embedding model: those that another model, or no
model, has embedded. Until they have one they are found by their words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.errors import EmbedderAwayError, EmbedderError
from rag_memory.searchable.memory_owner import MemoryOwner
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step, Steps
from rag_memory.vectors import FloatMatrix

_LOG = logging.getLogger("rag_memory")
_READ_AT_ONCE = 512
_TOLD_SHARE = 0.1
_EVERY_MODEL = 0
"""No model has this number, so no memory has a vector of it."""


class MissingVectors:
    """Makes them while nobody waits. What was made stays made when the game ends in between."""

    def __init__(self, save: SaveContext, memories: Callable[[], Iterable[MemoryOwner]]) -> None:
        self._save = save
        self._memories = memories
        self._idle: Steps[int] | None = None
        self._is_stale = False
        save.make_missing, save.look_for_missing = self.make_steps, self.look_if_stale
        self.look()

    def look_again(self) -> None:
        """look(), when nobody waits or somebody has to know: an NPC more is this process's."""
        self._is_stale = True

    def look_if_stale(self) -> None:
        """The work that look_again() postpones."""
        if self._is_stale:
            self.close()
            self.look()

    def look(self) -> None:
        """See which memories have no vector; after the store has changed without this object."""
        self._is_stale = False
        self._save.store.vectors.complete()
        self._idle = None
        missing = (
            [] if self._save.is_by_words else self._save.store.vectors.keys_of_other_models(self._save.model)
        )
        self._save.missing_vectors = len(missing)
        if missing:
            without = self._without_one(missing)
            if without < len(missing):
                self._tell(logging.WARNING, len(missing) - without, "embedded with another model")
            if without:
                self._tell(logging.INFO, without, "stored without an embedding model")
            self._idle = self._embed_steps(missing)

    def _without_one(self, keys: Sequence[int]) -> int:
        """How many of these memories no model has embedded yet."""
        none, store = NoEmbedder(), self._save.store
        return len(
            store.vectors.of(keys, store.vectors.model_number(none.fingerprint, none.name, none.dimension))
        )

    def _tell(self, level: int, count: int, how: str) -> None:
        _LOG.log(
            level,
            "%s: %s %s. %s found by the words until %s has embedded what is missing, which it does while "
            "nobody asks anything.",
            self._save.store.name,
            "1 memory was" if count == 1 else f"{count} memories were",
            how,
            "It is" if count == 1 else "They are",
            self._save.embedder.name,
        )

    def idle_step(self) -> Step | None:
        """The next few milliseconds of it; None when there is nothing to do."""
        self.look_if_stale()
        if self._idle is None:
            return None
        try:
            return next(self._idle)
        except StopIteration:
            self._idle = None
        except EmbedderAwayError:
            self._idle = None  # it was told; look() goes on when the model is back
        except EmbedderError as error:
            self._idle = None
            _LOG.error("The memories without a vector are found by their words alone: %s", error)
        return None

    def close(self) -> None:
        """Give up what is under way."""
        if self._idle is not None:
            self._idle.close()

    def make_steps(self) -> Steps[int]:
        """Make all that are missing, in slices; how many were made."""
        self.look_if_stale()
        if not self._save.missing_vectors:
            return 0
        self.close()
        self._idle = None
        return (yield from self._embed_steps(self._save.store.vectors.keys_of_other_models(self._save.model)))

    def remake_steps(self) -> Steps[int]:
        """Make the vectors of all memories anew, in slices; how many were made."""
        self.look()
        self.close()
        self._idle = None
        return (yield from self._embed_steps(self._save.store.vectors.keys_of_other_models(_EVERY_MODEL)))

    def _embed_steps(self, keys: Sequence[int]) -> Steps[int]:
        save, total, done, logged, refused = self._save, len(keys), 0, _TOLD_SHARE, 0
        for start in range(0, total, _READ_AT_ONCE):
            part = keys[start : start + _READ_AT_ONCE]
            texts = {
                record.key: record.document_full
                for record in save.store.records.by_keys(part, is_read_again=False)
            }
            asked = list(texts)
            for positions, vectors in save.embedder.batches(list(texts.values())):
                has_one = vectors.any(axis=1)
                refused += int(np.count_nonzero(~has_one))
                self._set([asked[place] for place in positions[has_one].tolist()], texts, vectors[has_one])
                done += len(positions)
                save.missing_vectors = min(save.missing_vectors, total - done + refused)
                if done >= logged * total:
                    logged = done / total + _TOLD_SHARE
                    _LOG.info("%s: %d of %d memories embedded", save.store.name, done, total)
                yield Step(done, total, "embedding memories")
        save.missing_vectors = refused
        return total - refused

    def _set(self, keys: Sequence[int], texts: Mapping[int, str], vectors: FloatMatrix) -> None:
        """Keep the vectors of the memories that still say the same."""
        store = self._save.store
        with store.transaction():
            same = {
                record.key
                for record in store.records.by_keys(keys, is_read_again=False)
                if record.document_full == texts[record.key]
            }
            places = [place for place, key in enumerate(keys) if key in same]
            keys, vectors = [keys[place] for place in places], vectors[places]
            store.vectors.put(keys, vectors, self._save.model)
        for memory in self._memories():
            memory.take_vectors(keys, vectors)
