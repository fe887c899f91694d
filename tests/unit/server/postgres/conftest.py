"""A real PostgreSQL for the tests of what only a server does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from rag_memory.storage.protocol import Storage
from rag_memory_build.postgres_server import PostgresServer, temporary_postgres
from rag_memory_server.postgres_storage import MemoryPostgresStorage

Administrator = psycopg.Connection[tuple[Any, ...]]
OpenSave = Callable[..., Storage]

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with temporary_postgres() as server:
        yield server


@pytest.fixture
def where(server: PostgresServer) -> MemoryPostgresStorage:
    return place_on(server)


def place_on(server: PostgresServer, **other: Any) -> MemoryPostgresStorage:
    """Where the saves of the tests are, with some other values."""
    return MemoryPostgresStorage(**{"port": server.port, "password_file": str(server.password_file), **other})


@pytest.fixture
def administrator(server: PostgresServer) -> Iterator[Administrator]:
    """A connection of the server's own user."""
    with connected(server, "rag_memory") as connection:
        yield connection


def connected(server: PostgresServer, database: str) -> Administrator:
    return psycopg.connect(
        host="127.0.0.1",
        port=server.port,
        dbname=database,
        user="rag_memory",
        password=server.password(),
        autocommit=True,
    )


@pytest.fixture
def save_name() -> str:
    """The name of a save that does not exist yet."""
    return f"shard_{next(_NUMBERS)}"


@pytest.fixture
def open_save(where: MemoryPostgresStorage, save_name: str) -> Iterator[OpenSave]:
    """Opens saves, by name and place, which are closed at the end."""
    storages: list[Storage] = []

    def open_it(name: str = save_name, place: MemoryPostgresStorage = where) -> Storage:
        storages.append(place.open(name))
        return storages[-1]

    yield open_it
    for storage in storages:
        storage.close()
