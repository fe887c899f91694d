"""Connecting to a server: who comes, how long he waits, and what he finds there."""

from __future__ import annotations

import math
import time
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg.types import TypeInfo

from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.postgres_types import adapt
from rag_memory_server.postgres.schema import enter_schema

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


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is closed when the server takes a statement and then says nothing: its machine is
    there, and answers to the network, but its process hangs.
    """

    silent_seconds = 20.0
    """How long it may say nothing. Longer than any statement of a call takes, with its wait for locks."""
    is_patient = False
    """Whether a statement may take as long as it likes, as those on a whole save do."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        return super().wait(self._watched(gen), interval, timeout)

    def _watched(self, gen: PQGen[RV]) -> PQGen[RV]:
        heard = time.monotonic()
        try:
            asked = next(gen)
            while True:
                ready = yield asked
                if ready:
                    heard = time.monotonic()
                elif not self.is_patient and time.monotonic() - heard > self.silent_seconds:
                    self.close()
                    raise psycopg.OperationalError(
                        f"the server has said nothing for {self.silent_seconds:g} seconds"
                    )
                asked = gen.send(ready)
        except StopIteration as end:
            value: RV = end.value
            return value


def connect_seconds(where: PostgresConfig) -> int:
    """How long one attempt to connect may take."""
    shortest, longest = _CONNECT_SECONDS
    return min(max(shortest, math.ceil(where.timeout_seconds)), longest)


def connected(where: PostgresConfig, mark: str, is_patient: bool = False) -> WatchedConnection:
    """A new connection, with current tables; the server knows it by `mark`.

    Raises:
        psycopg.Error: the server cannot be reached, or refuses.
        SaveError: it has what this version cannot use; or the password cannot be read.
    """
    connection = reached(where, mark)
    connection.is_patient = is_patient
    try:
        enter_schema(connection, where.schema)
        info = TypeInfo.fetch(connection, "vector")
        assert info is not None, "enter_schema() has looked for it"
        adapt(connection, info)
    except BaseException:
        connection.close()
        raise
    return connection


def reached(where: PostgresConfig, mark: str) -> WatchedConnection:
    """A new connection to the database, as it is.

    Raises:
        psycopg.Error: the server cannot be reached, or refuses.
        SaveError: the password cannot be read.
    """
    connection = WatchedConnection.connect(
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
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS one (name, value)",
            (list(_SETTINGS), list(_SETTINGS.values())),
        )
    except BaseException:
        connection.close()
        raise
    return connection
