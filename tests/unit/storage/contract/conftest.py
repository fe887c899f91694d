"""Every storage backend keeps the same contract: a test here runs on each that is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record, new_record
from rag_memory.storage.backends import BACKENDS, IN_MEMORY, SQLITE, open_storage
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.storage.protocol import Storage
from rag_memory.vectors import FloatVector

DIMENSION = 8
PATHS = {SQLITE: MEMORY_PATH, IN_MEMORY: MEMORY_PATH}
"""Where each backend is opened; a backend that needs a server says here where it is."""


def record_of(text: str, at: float = 100.0, **data: Any) -> Record:
    """A record that is not stored yet; its id is the text's first word, unless it is given."""
    id = data.pop("id", text.split()[0])
    importance = data.pop("importance", 5)
    record = new_record("test", "elena", MemoryConfig(), at, text, importance, {"timestamp": at, **data})
    return record._replace(id=id)


def vector_of(record: Record) -> FloatVector:
    """A vector of length 1 that is the same for the same text."""
    numbers = np.random.default_rng(sum(record.document_full.encode())).normal(size=DIMENSION)
    vector: FloatVector = (numbers / np.linalg.norm(numbers)).astype(np.float32)
    return vector


class Kept:
    """A storage with one NPC and one embedding model, and a short way to put memories into it."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.model = storage.model_number("model-1", "Model 1", DIMENSION)
        with storage.transaction():
            self.npc = storage.add_npc("elena")

    def put(self, *records: Record, npc: int = 0) -> list[int]:
        """Insert records, all in one transaction; their keys."""
        with self.storage.transaction():
            return [
                self.storage.insert(npc or self.npc, record, vector_of(record), self.model)
                for record in records
            ]

    def all(self) -> list[Record]:
        return self.storage.all(self.npc)


OpenStorage = Callable[[], Storage]


@pytest.fixture(params=sorted(BACKENDS))
def open_one(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStorage]:
    """Opens empty storages of one backend, which are closed again."""
    storages: list[Storage] = []

    def open_it() -> Storage:
        storages.append(open_storage(PATHS[request.param], request.param))
        return storages[-1]

    yield open_it
    for storage in storages:
        storage.close()


@pytest.fixture
def storage(open_one: OpenStorage) -> Storage:
    return open_one()


@pytest.fixture
def kept(storage: Storage) -> Kept:
    return Kept(storage)
