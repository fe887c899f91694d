"""Every storage backend keeps the same contract: a test here runs on each that is registered, and on SQLite
without a file.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record, new_record
from rag_memory.storage.backends import open_storage
from rag_memory.storage.fleeting_paths import MEMORY_PATH
from rag_memory.storage.protocol import Storage
from rag_memory.vectors import FloatVector

if TYPE_CHECKING:
    from rag_memory_server.postgres_storage import MemoryPostgresStorage

DIMENSION = 8
SQLITE, POSTGRES = "sqlite", "postgres"
HAS_SERVER = sys.platform == "linux" and find_spec("rag_memory_server") is not None
KEPT = [*([POSTGRES] if HAS_SERVER else []), SQLITE]
"""Backends whose saves outlive their storage. A server for tests is available on Linux only, and these tests
pass without the package of the server part, too.
"""
IN_MEMORY = "in_memory"
"""SQLite without a file, as saves with persistent = false are."""
TESTED = [IN_MEMORY, *KEPT]

_FOLDER: list[Path] = []
"""Of the files of saves for which a test names no folder."""
_SERVER: list[MemoryPostgresStorage] = []
"""Where it is for the owner of the tables, and for a game."""
_NUMBERS = itertools.count(1)
_TABLE = re.compile(
    r"\b(?:FROM|JOIN|UPDATE) "
    r"(?:saves|npcs|embedding_models|memories|vectors|archived_memories|interactions|documents|owners|writers"
    r"|marks|earlier_rows|exchange_writes)\b"
)
_SAVE = re.compile(r"%\((?:save|source|name|lock)\)s")
"""A lock is made of its save."""
_SPELLED_OUT = re.compile(r"'[^']*'|(?<![\w(%.])\d+(?:\.\d+)?\b")
_SEQUENCE = re.compile(r"'\w+_numbers'")
_KINDS = {"'array'", "'object'", "'string'", "'number'", "'repeated'", "'faded'"}
_FIXED = {"''", "' '", "'/'", "'{}'", "'advisory'", "0", "0.0", "1", "2", "32", *_KINDS}
"""The values that stand in statements, whatever is stored. All others are bound."""


@pytest.fixture(scope="session", autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A real PostgreSQL for the backend that needs one, gone at the end. The tests come with no more rights
    than a game server has.
    """
    _FOLDER.append(tmp_path_factory.mktemp("saves"))
    with ExitStack() as running:
        if POSTGRES in TESTED:
            # Not on Windows, where the build's modules cannot be imported.
            from rag_memory_build.postgres_server import temporary_postgres
            from rag_memory_build.server_roles import Wanted, make
            from rag_memory_server.postgres_storage import MemoryPostgresStorage

            postgres = running.enter_context(temporary_postgres())
            owner = MemoryPostgresStorage(port=postgres.port, password_file=str(postgres.password_file))
            game = Wanted(owner, "game", None, None, tmp_path_factory.mktemp("role") / "password")
            make(game)
            _SERVER.extend((owner, game.as_role))
        yield


@pytest.fixture(autouse=True)
def checked_statements() -> Iterator[None]:
    """A statement fails that does not say of every table which save it is about, or that has a value
    which is not bound.
    """
    if POSTGRES not in TESTED:
        # Not on Windows, where its client cannot be imported.
        yield
        return
    from rag_memory_server.postgres.session import Session

    def checked(run: Callable[..., Any]) -> Callable[..., Any]:
        def run_checked(session: Session, statement: str, values: Any) -> Any:
            assert len(_SAVE.findall(statement)) >= max(1, len(_TABLE.findall(statement))), statement
            assert {*_SPELLED_OUT.findall(_SEQUENCE.sub("", statement))} <= _FIXED, statement
            return run(session, statement, values)

        return run_checked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Session, "execute", checked(Session.execute))
        yield


@pytest.fixture(autouse=True)
def first_numbers(server: None) -> None:
    """Saves of a server share their numbers: each test begins with 1, as in a file."""
    if _SERVER:
        numbered_after({})


def numbered_after(last: Mapping[str, int]) -> None:
    """See that the server goes on after these numbers, of each kind that is numbered."""
    from rag_memory_server.postgres.connecting import connected
    from rag_memory_server.postgres.schema import NUMBERED

    with connected(_SERVER[0], "numbering") as connection:
        for what in NUMBERED:
            given = last.get(what, 0)
            values = (f"{what}_numbers", given or 1, given > 0)
            connection.execute("SELECT setval(%s::text::regclass, %s, %s)", values)


def open_empty(backend: str, folder: Path | None = None) -> Storage:
    """An empty save of a backend; its file lies in the folder."""
    if backend == IN_MEMORY:
        return open_storage(MEMORY_PATH)
    if backend == POSTGRES:
        return _SERVER[-1].open(f"save_{next(_NUMBERS)}")
    return open_storage(str((folder or _FOLDER[-1]) / f"save_{next(_NUMBERS)}.sqlite3"))


def reopened(backend: str, storage: Storage) -> Storage:
    """The save of a storage, opened once more."""
    return _SERVER[-1].open(storage.path) if backend == POSTGRES else open_storage(storage.path)


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
        self.model = storage.vectors.model_number("model-1", "Model 1", DIMENSION)
        with storage.transaction():
            self.npc = storage.npcs.add("elena")

    def put(self, *records: Record, npc: int = 0) -> list[int]:
        """Insert records, all in one transaction; their keys."""
        with self.storage.transaction():
            return [
                self.storage.records.insert(npc or self.npc, record, vector_of(record), self.model)
                for record in records
            ]

    def all(self) -> list[Record]:
        return self.storage.records.find(self.npc)


OpenStorage = Callable[[], Storage]


def opener(open_storage: OpenStorage) -> Iterator[OpenStorage]:
    """For a fixture: what opens storages, which are closed at the end."""
    storages: list[Storage] = []

    def open_it() -> Storage:
        storages.append(open_storage())
        return storages[-1]

    yield open_it
    for storage in storages:
        storage.close()


@pytest.fixture(params=TESTED)
def open_one(request: pytest.FixtureRequest) -> Iterator[OpenStorage]:
    """Opens empty storages of one backend, which are closed again."""
    yield from opener(lambda: open_empty(request.param))


@pytest.fixture(params=KEPT)
def kept_backend(request: pytest.FixtureRequest) -> str:
    """A backend that keeps saves when they are closed."""
    return str(request.param)


@pytest.fixture
def open_kept(kept_backend: str, tmp_path: Path) -> Iterator[OpenStorage]:
    """Opens empty saves that are kept; they are closed again."""
    yield from opener(lambda: open_empty(kept_backend, tmp_path))


@pytest.fixture
def reopen(kept_backend: str, open_kept: OpenStorage, village: Kept) -> Iterator[OpenStorage]:
    """Opens the save of the fixture `village` once more."""
    yield from opener(lambda: reopened(kept_backend, village.storage))


@pytest.fixture
def storage(open_one: OpenStorage) -> Storage:
    return open_one()


@pytest.fixture
def kept(storage: Storage) -> Kept:
    return Kept(storage)
