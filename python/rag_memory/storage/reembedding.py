"""Vectors of one model for every memory of a save: what another model has embedded is embedded again."""

from __future__ import annotations

import logging
from collections.abc import Generator

from rag_memory.embedding.embedder import Embedder
from rag_memory.step import Step
from rag_memory.storage.protocol import Storage

_LOG = logging.getLogger("rag_memory")
_BATCH = 512


def embedded_steps(store: Storage, embedder: Embedder) -> Generator[Step, None, int]:
    """See that every memory has a vector of this model; the model's number in the save."""
    model = model_number(store, embedder)
    yield from reembed_steps(store, embedder, model)
    return model


def model_number(store: Storage, embedder: Embedder) -> int:
    """The number under which the save keeps vectors of this model; noted as its current one."""
    return store.model_number(embedder.fingerprint, embedder.name, embedder.dimension)


def reembed_steps(store: Storage, embedder: Embedder, model: int) -> Generator[Step, None, None]:
    """Give every memory a vector of this model; what an interrupted run has done is not done again."""
    keys = store.keys_of_other_models(model)
    if not keys:
        return
    _LOG.warning(
        "%s: %d memories were embedded with another model; embedding them again with %s",
        store.name,
        len(keys),
        embedder.name,
    )
    done = 0
    for start in range(0, len(keys), _BATCH):
        part = keys[start : start + _BATCH]
        for positions, vectors in embedder.batches(store.texts(part)):
            with store.transaction():
                store.set_vectors([part[position] for position in positions.tolist()], vectors, model)
            done += len(positions)
            yield Step(done, len(keys), "embedding memories again for another model")
