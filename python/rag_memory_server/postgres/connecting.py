"""Connecting to a server: who comes, how long he waits, and what he finds there."""

from __future__ import annotations

import math
import os
import time
from functools import cache
from typing import Any

import psycopg
from psycopg import pq
from psycopg.abc import RV, PQGen
from psycopg.types import TypeInfo

from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.postgres_types import adapt
from rag_memory_server.postgres.schema import enter_schema

_CONNECT_SECONDS = (2, 10)
"""The shortest and the longest time that one attempt may take; PostgreSQL's client knows none below two."""
# Sent with the first message, so they count more than what somebody set for the role (ALTER ROLE ... SET):
# nobody is locked out by that. A statement gives up waiting for rows that somebody else changes; a game that
# vanishes without a word has its NPCs for half a minute more.
SETTINGS = r"""
-c lock_timeout=10s -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3
-c tcp_user_timeout=20s -c statement_timeout=0 -c transaction_timeout=0 -c idle_session_timeout=0
-c idle_in_transaction_session_timeout=0 -c client_connection_check_interval=0 -c synchronous_commit=on
-c default_transaction_read_only=off -c default_transaction_deferrable=off -c row_security=on -c role=none
-c default_transaction_isolation=read\ committed -c local_preload_libraries= -c search_path=pg_catalog
-c extra_float_digits=1 -c DateStyle=ISO -c standard_conforming_strings=on -c transform_null_equals=off
"""
# Of the client, where no value means none.
_DEFAULTS = {"gssencmode": "disable", "sslcertmode": "allow"}
_DEFAULTS |= {"client_encoding": "utf8", "min_protocol_version": "3.0", "max_protocol_version": "3.0"}


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
    # A service may be one that is nowhere defined, and nothing can be given that means none.
    os.environ.pop("PGSERVICE", None)
    named: dict[str, Any] = {
        "host": where.host,
        "port": where.port,
        "dbname": where.database,
        "user": where.user,
        "password": where.password(),
        "sslmode": where.used_sslmode,
        "sslrootcert": where.root_certificate,
        # The only way that never sends the password, and in which the server proves that it knows it.
        "require_auth": "scram-sha-256",
        "connect_timeout": connect_seconds(where),
        "application_name": mark,
        "options": SETTINGS,
        # A server that vanishes without a word is noticed within half a minute.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    return WatchedConnection.connect(autocommit=True, **{**_without_environment(), **named})


@cache
def _without_environment() -> dict[str, str]:
    """The client's own defaults of what it would take from environment variables such as PGHOSTADDR, which
    may lead to another server; but not the password.
    """
    usual = {
        option.keyword.decode(): option.compiled for option in pq.Conninfo.get_defaults() if option.envvar
    }
    return {
        name: _DEFAULTS.get(name, (value or b"").decode())
        for name, value in usual.items()
        if name not in ("service", "password", "passfile")
    }
