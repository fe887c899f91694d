"""Connecting to a server: who comes, how long he waits, and what he finds there."""

from __future__ import annotations

import math
from typing import Any

import psycopg
from psycopg.types import TypeInfo

from rag_memory.storage.postgres.postgres_types import adapt
from rag_memory.storage.postgres.schema import enter_schema
from rag_memory.storage.postgres_storage import PostgresStorage

_CONNECT_SECONDS = (2, 10)
"""The shortest and the longest time that one attempt may take; PostgreSQL's client knows none below two."""
_SETTINGS = {
    # After this long a statement gives up waiting for rows that somebody else changes.
    "lock_timeout": "10s",
    # A game that vanishes without a word has its NPCs for half a minute more.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20s",
}


def connect_seconds(where: PostgresStorage) -> int:
    """How long one attempt to connect may take."""
    shortest, longest = _CONNECT_SECONDS
    return min(max(shortest, math.ceil(where.timeout_seconds)), longest)


def connected(where: PostgresStorage, mark: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A new connection, with current tables; the server knows it by `mark`.

    Raises:
        psycopg.Error: the server cannot be reached, or refuses.
        SaveError: it has what this version cannot use; or the password cannot be read.
    """
    connection = reached(where, mark)
    try:
        enter_schema(connection, where.schema)
        info = TypeInfo.fetch(connection, "vector")
        assert info is not None, "enter_schema() has looked for it"
        adapt(connection, info)
    except BaseException:
        connection.close()
        raise
    return connection


def reached(where: PostgresStorage, mark: str) -> psycopg.Connection[tuple[Any, ...]]:
    """A new connection to the database, as it is.

    Raises:
        psycopg.Error: the server cannot be reached, or refuses.
        SaveError: the password cannot be read.
    """
    connection = psycopg.connect(
        host=where.host,
        port=where.port,
        dbname=where.database,
        user=where.user,
        password=where.password(),
        sslmode=where.used_sslmode,
        sslrootcert=where.root_certificate or None,
        connect_timeout=connect_seconds(where),
        application_name=mark,
        autocommit=True,
        # A server that vanishes without a word is noticed within half a minute.
        keepalives_idle=10,
        keepalives_interval=5,
        keepalives_count=3,
        tcp_user_timeout=20_000,
    )
    try:
        connection.execute(
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS wanted (name, value)",
            (list(_SETTINGS), list(_SETTINGS.values())),
        )
    except BaseException:
        connection.close()
        raise
    return connection
