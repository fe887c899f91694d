"""Roles for the tests, made as `build.py server init` makes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from tests.unit.server.postgres.conftest import place_on

from rag_memory_build.postgres_server import PostgresServer
from rag_memory_build.server_roles import Wanted, make
from rag_memory_server.postgres.connecting import reached
from rag_memory_server.postgres_storage import MemoryPostgresStorage


def wanted(server: PostgresServer, folder: Path, shard: str | None, **other: Any) -> Wanted:
    role = f"player_{'all' if shard is None else shard}"
    values = {"role": role, "shard": shard, "connections": None, **other}
    place = values.pop("place", None) or place_on(server)
    return Wanted(place=place, new_password_file=folder / f"{values['role']}.password", **values)


def made(
    server: PostgresServer, folder: Path, shard: str | None = None, **other: Any
) -> MemoryPostgresStorage:
    """Where a role for one save, or for all, finds them."""
    role = wanted(server, folder, shard, **other)
    make(role)
    return role.as_role


def asked(place: MemoryPostgresStorage, statement: str) -> list[tuple[Any, ...]]:
    """The server's answer to a statement sent with the role's password."""
    with reached(place, "a hostile game") as connection:
        connection.execute(f"SET search_path = {place.schema}, public".encode())
        done = connection.execute(statement.encode(), prepare=False)
        return done.fetchall() if done.description else []


def refusal(place: MemoryPostgresStorage, statement: str) -> str:
    """With which words the server refuses it; "" when it does not."""
    try:
        asked(place, statement)
    except psycopg.Error as error:
        return str(error)
    return ""
