"""A server that has room for no lock more says so, and the error says what to do."""

from __future__ import annotations

import psycopg
import pytest
from tests.unit.server.postgres.conftest import connected

from rag_memory_build.postgres_server import PostgresServer
from rag_memory_server.postgres.postgres_failure import cause, remedy


def test_a_server_without_room_for_a_lock_is_told(server: PostgresServer) -> None:
    with connected(server, "rag_memory") as connection:
        with pytest.raises(psycopg.errors.OutOfMemory) as caught:
            connection.execute("SELECT pg_advisory_lock(number) FROM generate_series(1, 1000000) number")
        # A session ends some time after its connection has closed: the next test is not to find its locks.
        connection.execute("SELECT pg_advisory_unlock_all()")
        assert "(53200)" in cause(caught.value)
        assert "Raise max_locks_per_transaction" in remedy(caught.value)
